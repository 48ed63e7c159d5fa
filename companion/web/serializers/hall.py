"""The link to the hall as the page gets it."""

from tilekeeper.companion.hall.hall import Hall
from tilekeeper.companion.web.schemas.table import HallJson
from tilekeeper.engine.language import spoken


def hall_json(hall: Hall) -> HallJson:
    """Return what the page says of the hall."""
    return {"table": hall.name.table, "notice": spoken(hall.notice), "called": bool(hall.hands)}

"""The link to the hall as the page gets it."""

from tilekeeper.companion.game_night.state import halt_words
from tilekeeper.companion.hall.hall import Hall
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.web.schemas.table import HallJson
from tilekeeper.engine.language import translate


def hall_json(hall: Hall, state: TableState) -> HallJson:
    """Return what the page says of the hall."""
    night = state.activity.game_night
    halt = None if night is None else night.state.halt
    return {
        "table": hall.name.table,
        "notice": translate(hall.notice),
        "halt": "" if halt is None else halt_words(halt),
        "called": bool(hall.hands),
    }

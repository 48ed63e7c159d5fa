"""Calls the arbiter of the hall to the table."""

from flask import Blueprint, Response, current_app

from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.web.api.actions import device_name, newest_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.schemas.requests import NoBody
from tilekeeper.engine.language import gettext

blueprint = Blueprint("hall", __name__, url_prefix="/api/hall")


@blueprint.post("/call")
@described(body=NoBody)
def call(_: NoBody) -> Response:
    """Call the arbiter: the clock stops, and the hall gets the verdict and the pictures before and after the turn.

    Refused (404) for a table without a hall, and (409, `called`) if the arbiter was called already.
    """
    hall = parts(current_app).hall
    if hall is None:
        raise Refused(gettext("This table plays in no tournament."), "not-found")
    hall.call_arbiter(device_name())
    return newest_state()

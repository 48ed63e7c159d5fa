"""The table in words, which a page reads aloud for players who see badly."""

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import BadRequest

from tilekeeper.companion.observation.observed_table import can_be_judged, table_and_rows
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.text.table_words import Detail, table_sentences
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.schemas.table_words import TableWordsJson
from tilekeeper.engine.tiles.table import Table

blueprint = Blueprint("words", __name__)


@blueprint.get("/api/evening/table-words")
@described(TableWordsJson, query={"detail": "`short`, `sets` (without it) or `all`"})
def table_words() -> Response:
    """The table in words to be read aloud: the turn, the last verdict, the sets and the scores."""
    try:
        detail = Detail(request.args.get("detail", Detail.SETS))
    except ValueError as error:
        raise BadRequest(str(error)) from None
    state = table_state()
    return jsonify(sentences=list(table_sentences(playing(state).state, _current_table(state), detail)))


def _current_table(state: TableState) -> Table:
    """Return the table as the camera reads it or, without a camera, as it was entered last."""
    play, reading = playing(state).state.state.round, state.snapshot.reading
    if reading is not None and can_be_judged(reading):
        return table_and_rows(reading)[0]
    if play is None:
        return Table()
    return play.table if play.claim is None else play.claim.after

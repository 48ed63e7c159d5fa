"""Whether corrected tiles are kept to learn from, where they lie, and how they are deleted: the host decides."""

import logging

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.observation.observed_table import inks_of
from tilekeeper.companion.session.snapshot import Snapshot
from tilekeeper.companion.storage.examples import QUESTION
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import expect_host
from tilekeeper.companion.web.schemas.examples import ExamplesJson
from tilekeeper.companion.web.schemas.requests import ConsentBody

log = logging.getLogger(__name__)

blueprint = Blueprint("examples", __name__)


@blueprint.get("/api/examples")
@described(ExamplesJson)
def examples() -> Response:
    """Whether corrected tiles are kept as examples, and where; for the host only, whose disk it is."""
    expect_host()
    return _answer()


@blueprint.post("/api/examples")
@described(ExamplesJson, body=ConsentBody)
def consent(body: ConsentBody) -> Response:
    """Agree that corrected tiles are kept, or take that back, and delete what is kept; for the host only."""
    expect_host()
    kept = parts(current_app).examples
    kept.answer(body.agreed)
    if body.forget:
        kept.forget()
    return _answer()


def keep_example(snapshot: Snapshot, index: int, label: str) -> None:
    """Keep a tile that a person named, where the host has agreed; the game goes on whether or not that works.

    Args:
        snapshot: what the camera showed when it was named.
        index: the tile's index in the reading.
        label: what it is.
    """
    app, reading = parts(current_app), snapshot.reading
    # The newest picture is the one that was read only while the table lies still.
    image_bgr = app.watcher.whole
    if app.examples.agreed is not True or reading is None or image_bgr is None or not snapshot.settled:
        return
    tile = reading.tiles[index]
    try:
        inks = inks_of(app.session.state.activity.rules)
        app.examples.keep(image_bgr, reading.image_wh, tile.sighting.quad_px, label, tile.label, inks)
    except (OSError, ValueError) as error:
        log.warning("A corrected tile could not be kept: %s", error)


def _answer() -> Response:
    kept = parts(current_app).examples
    return jsonify(
        agreed=kept.agreed,
        question=QUESTION,
        set=parts(current_app).settings.set_name,
        folder=str(kept.folder),
        kept=len(kept.all()),
    )

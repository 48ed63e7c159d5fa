"""Corrected tiles as training examples: the host decides whether they are stored, and can delete them."""

import logging

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.observation.observed_table import inks_of
from tilekeeper.companion.session.snapshot import Snapshot
from tilekeeper.companion.storage.examples import QUESTION
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.schemas.examples import ExamplesJson
from tilekeeper.companion.web.schemas.requests import ConsentBody

log = logging.getLogger(__name__)

blueprint = Blueprint("examples", __name__)


@blueprint.get("/api/examples")
@described(ExamplesJson)
def examples() -> Response:
    """Whether and where corrected tiles are stored as training examples; for the host only, on whose disk they are."""
    return _answer()


@blueprint.post("/api/examples")
@described(ExamplesJson, body=ConsentBody)
def consent(body: ConsentBody) -> Response:
    """Allow or forbid that corrected tiles are stored, or delete all stored tiles; for the host only."""
    store = parts(current_app).examples
    store.answer(body.agreed)
    if body.forget:
        store.forget()
    return _answer()


def keep_example(snapshot: Snapshot, index: int, label: str) -> None:
    """Store the crop of a tile that a person labelled, if the host allows it; errors are only logged.

    Args:
        snapshot: the snapshot before the person labelled the tile.
        index: the tile's index in the reading.
        label: the person's label.
    """
    app, reading = parts(current_app), snapshot.reading
    # If the table is not settled, the newest frame may show the tiles at other places than the reading.
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
    store = parts(current_app).examples
    return jsonify(
        agreed=store.agreed,
        question=QUESTION,
        set=parts(current_app).settings.set_name,
        folder=str(store.folder),
        kept=len(store.all()),
    )

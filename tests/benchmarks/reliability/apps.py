"""Apps for reliability tests in this process, with a camera that shows a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask

from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set

SEEN_WITHIN_S = 20.0


@contextmanager
def watched(folder: Path) -> Iterator[Flask]:
    """Run an app on a folder, with a camera that shows a table."""
    tables, camera = MarkedTables(), PlayedSource()
    camera.show(tables.picture(table_reading("R3 R4 R5", {(0, 1): "red-5"})))
    app = create_app(
        Settings(rule_set("large-numbers"), camera, tables, "camera 0", folder, user=UserSettings(still_after_s=0.05))
    )
    try:
        app.testing = True
        parts(app).start()
        yield app
    finally:
        parts(app).close()


def see_table(app: Flask) -> None:
    """Wait for the first frame of the camera, so that turns are stored with their images."""
    session = parts(app).session
    while not session.state.at_rest:
        session.wait(session.state.version, SEEN_WITHIN_S)

"""A drawn table in front of a camera, read by the real tracker with stand-ins for the networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.support.known_tables import PlayedSource, Player
from tests.support.truthful_networks import WH, Lying, Truth, picture, quad_at, row
from tilekeeper.companion.capture.sources import Frame
from tilekeeper.companion.session.observer import NetworkObserver
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.app import create_app
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.pipeline import Reader

RUN = row(200, 120, "red-3", "red-4", "red-5")
GROUP = row(500, 120, "red-7", "blue-7", "black-7")
LOW = row(200, 440, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *GROUP, *LOW]
NOTATION = "R3 R4 R5 | R7 B7 K7 | B9 B10 B11 B12"
SIX = (275, 120, "red-6")


class KnownCamera(PlayedSource):
    """A camera that gives the stand-ins the ground truth of each frame."""

    def __init__(self, truth: Truth) -> None:
        super().__init__()
        self._truth = truth
        self.resting, self.came_s = False, float("-inf")
        self._known: dict[int, tuple[np.ndarray, Truth]] = {}

    def lay(self, image: np.ndarray, known: Truth) -> None:
        """Show another image, with `known` as its ground truth."""
        self._known[id(image)] = image, known
        self.show(image)

    def rest(self, resting: bool) -> None:
        """Note whether frames without changes are needed."""
        self.resting = resting

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next frame; its reader processes it before reading another one."""
        frame = super().read(timeout_s)
        if frame is not None:
            self.came_s = frame.time_s
            _, known = self._known[id(frame.image_bgr)]
            self._truth.quads_px, self._truth.labels, self._truth.sure = known.quads_px, known.labels, known.sure
        return frame


class Table:
    """A drawn table in front of a camera, a reader that knows its tiles, and a player at the page."""

    def __init__(self, data_folder: Path) -> None:
        self.truth = Truth(np.zeros((0, 4, 2)), (), WH, sure=0.999, misread_off=0.2)
        self.sure: float | dict[int, float] = 0.999
        self.camera = KnownCamera(self.truth)
        observer = NetworkObserver(Reader(self.truth, self.truth.classifier))
        rules = rule_set("large-numbers")
        app = create_app(
            Settings(rules, self.camera, observer, "camera 0", data_folder, user=UserSettings(still_after_s=0.1))
        )
        app.testing = True
        self.app, self.parts = app, parts(app)
        self.parts.start()
        self.player = Player(app.test_client())

    def shows(
        self, tiles: Sequence[Lying], image: np.ndarray | None = None, visible: Sequence[Lying] | None = None
    ) -> None:
        """Lay tiles in front of the camera; the networks detect all tiles, or only those in `visible`."""
        visible = tiles if visible is None else visible
        quads_px = np.array([quad_at(x, y) for x, y, _ in visible]).reshape(-1, 4, 2)
        known = replace(self.truth, quads_px=quads_px, labels=[label for *_, label in visible], sure=self.sure)
        self.camera.lay(picture(tiles) if image is None else image, known)

    def until(self, holds: Callable[[dict], object]) -> dict:
        """Wait until the table is read and the state meets a condition."""
        return self.player.until(lambda state: state["settled"] and state["reading"] and holds(state))

    def begin(self) -> dict:
        """Read the table, and begin the turn of a player who has opened."""
        self.shows(TABLE)
        self.player.sees(NOTATION)
        return self.player.turns.begin()

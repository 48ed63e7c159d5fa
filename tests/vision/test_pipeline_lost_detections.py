"""The classifier looks at the places of tiles that the detector loses, on rendered tables with shipped networks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.rendered_tables import PaintedTable
from tests.support.truthful_networks import told
from tilekeeper.vision.detection.detector import Detector
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.types import Detections, TableReading

pytestmark = pytest.mark.slow


class Blindfolded:
    """A detector that says nothing of what it finds in one place, and counts how often it found a tile there."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._middle_px, self._reach_px = np.zeros(2), -1.0
        self.lost = 0

    def lose(self, quad_px: np.ndarray) -> None:
        """Say nothing from now on of what lies at a tile's place `(4, 2)`, and of no other any more."""
        self._middle_px, self._reach_px = quad_px.mean(axis=0), 0.6 * float(sizes_wh_px(quad_px[None])[0, 0])
        self.lost = 0

    def detect(self, scene: Scene) -> Detections:
        return self._less(self._detector.detect(scene))

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        return self._less(self._detector.detect_in(scene, boxes_px, known_px))

    def _less(self, found: Detections) -> Detections:
        def away(quads_px: np.ndarray) -> np.ndarray:
            return np.linalg.norm(quads_px.mean(axis=1) - self._middle_px, axis=1) > self._reach_px

        tiles, faint = away(found.quads_px), away(found.faint_px)
        self.lost += int((~tiles).sum())
        return Detections(found.quads_px[tiles], found.scores[tiles], found.faint_px[faint])


@pytest.mark.parametrize("surface", ["walnut", pytest.param("checked", marks=pytest.mark.long)])
def test_tile_that_the_detector_loses_beside_a_placed_one_stays_in_the_reading(surface: str) -> None:
    reader = load_reader(2)
    detector = Blindfolded(reader.detector)
    table = PaintedTable(surface, Reader(detector, reader.classifier, reader.calibration))
    shown = [key for row in table.rows for key in row[:-1]]
    before = told(table.still(shown))
    assert len(before) == len(shown)
    for *_, neighbour, laid in table.rows:
        detector.lose(table.quads_px[neighbour])
        shown.append(laid)
        reading = table.still(shown)
        assert detector.lost
        assert before.items() <= told(reading).items()
        assert len(reading.tiles) == len(shown)
        assert not any(tile.doubtful for tile in reading.tiles)
        before = told(reading)
    for *_, neighbour, laid in table.rows:
        shown = [key for key in shown if key not in (neighbour, laid)]
        after = told(table.still(shown))
        assert len(after) == len(shown)
        assert after.items() <= before.items()


def test_tile_that_the_detector_never_finds_is_in_the_first_reading() -> None:
    """A run may be legal without its last tile, so Done must judge all tiles."""
    reader = load_reader(2)
    detector = Blindfolded(reader.detector)
    table = PaintedTable("walnut", Reader(detector, reader.classifier, reader.calibration))
    run = table.rows[0]
    shown = [key for row in table.rows for key in row if key != run[-1]]
    table.still(shown)
    detector.lose(table.quads_px[run[-1]])
    readings: list[TableReading] = []
    table.still([*shown, run[-1]], readings=readings)
    assert detector.lost
    assert [len(reading.tiles) for reading in readings if reading is not readings[0]][:1] == [len(shown) + 1]

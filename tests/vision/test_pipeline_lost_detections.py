"""Tiles that the detector misses are classified at their places; rendered tables and the shipped networks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.rendered_tables import PaintedTable
from tests.support.truthful_networks import labels_by_track
from tilekeeper.vision.detection.detector import Detector
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.types import Detections, TableReading

pytestmark = pytest.mark.slow


class ForgetfulDetector:
    """A detector that drops its detections at one place, and counts the dropped tiles."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._middle_px, self._reach_px = np.zeros(2), -1.0
        self.lost = 0

    def lose(self, quad_px: np.ndarray) -> None:
        """From now on, drop the detections at the place of this tile `(4, 2)` only."""
        self._middle_px, self._reach_px = quad_px.mean(axis=0), 0.6 * float(sizes_wh_px(quad_px[None])[0, 0])
        self.lost = 0

    def detect(self, scene: Scene) -> Detections:
        return self._without_lost(self._detector.detect(scene))

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        return self._without_lost(self._detector.detect_in(scene, boxes_px, known_px))

    def _without_lost(self, detections: Detections) -> Detections:
        def is_elsewhere(quads_px: np.ndarray) -> np.ndarray:
            return np.linalg.norm(quads_px.mean(axis=1) - self._middle_px, axis=1) > self._reach_px

        tiles, faint = is_elsewhere(detections.quads_px), is_elsewhere(detections.faint_px)
        self.lost += int((~tiles).sum())
        quads_px, scores = detections.quads_px[tiles], detections.scores[tiles]
        return Detections(quads_px, scores, detections.faint_px[faint], detections.faces)


@pytest.mark.parametrize("surface", ["walnut", pytest.param("checked", marks=pytest.mark.long)])
def test_tile_that_the_detector_loses_beside_a_placed_one_stays_in_the_reading(surface: str) -> None:
    reader = load_reader(2)
    detector = ForgetfulDetector(reader.detector)
    table = PaintedTable(surface, Reader(detector, reader.classifier, reader.calibration))
    shown = [key for row in table.rows for key in row[:-1]]
    before = labels_by_track(table.still(shown))
    assert len(before) == len(shown)
    for *_, neighbour, placed in table.rows:
        detector.lose(table.quads_px[neighbour])
        shown.append(placed)
        reading = table.still(shown)
        assert detector.lost
        assert before.items() <= labels_by_track(reading).items()
        assert len(reading.tiles) == len(shown)
        assert not any(tile.doubtful for tile in reading.tiles)
        before = labels_by_track(reading)
    for *_, neighbour, placed in table.rows:
        shown = [key for key in shown if key not in (neighbour, placed)]
        after = labels_by_track(table.still(shown))
        assert len(after) == len(shown)
        assert after.items() <= before.items()


def test_tile_that_the_detector_never_finds_is_in_the_first_reading() -> None:
    """A run may be legal without its last tile, so the judge needs all tiles in the first reading."""
    reader = load_reader(2)
    detector = ForgetfulDetector(reader.detector)
    table = PaintedTable("walnut", Reader(detector, reader.classifier, reader.calibration))
    run = table.rows[0]
    shown = [key for row in table.rows for key in row if key != run[-1]]
    table.still(shown)
    detector.lose(table.quads_px[run[-1]])
    readings: list[TableReading] = []
    table.still([*shown, run[-1]], readings=readings)
    assert detector.lost
    assert [len(reading.tiles) for reading in readings if reading is not readings[0]][:1] == [len(shown) + 1]

"""Reclassification: doubtful tiles are classified and detected again."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.truthful_networks import WH, PlayedTable, Truth, picture, places, quad_at, row
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.classifier import AUGMENTED_CROP_COUNT, CROP_CYCLE_ROUNDS, jittered_quads
from tilekeeper.vision.recognition.refinement.refine import ROUNDS
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.tracking import reclassification as reclassification
from tilekeeper.vision.tracking.reclassification import reclassify
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import JOINT_NOT_A_TILE, Detections

RUN = row(200, 120, "red-3", "red-4", "red-5", "red-6")
OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *OTHER]


def test_augmented_crops_differ_and_none_is_far_off() -> None:
    quads_px = np.array([quad_at(100, 80), quad_at(300, 200)])
    crops = np.stack([jittered_quads(quads_px, np.full(2, rounds)) for rounds in range(CROP_CYCLE_ROUNDS)])
    assert crops.shape == (CROP_CYCLE_ROUNDS, 2, AUGMENTED_CROP_COUNT, 4, 2)
    first_tile_crops = crops[:, 0].reshape(-1, 4, 2)
    distances = np.abs(first_tile_crops[:, None] - first_tile_crops[None]).max(axis=(2, 3)) + np.eye(
        len(first_tile_crops)
    )
    assert distances.min() > 0.05
    offsets = np.linalg.norm(first_tile_crops - quads_px[0], axis=2).mean(axis=1) / 24
    assert offsets.min() > 0.02
    assert offsets.max() < 0.2
    np.testing.assert_allclose(sizes_wh_px(first_tile_crops) / (24, 34), 1, atol=0.07)
    np.testing.assert_allclose(crops[:, 1] - crops[:, 0], 0 * crops[:, 0] + (200, 120), atol=1e-3)


def test_number_misread_in_one_crop_is_right_in_the_mean_of_several() -> None:
    """The classifier misreads only the first crop, whose weight fades."""
    truth = Truth(np.array([quad_at(100, 80)]), ["red-7"], WH, misread_off=9.0, sure=0.9)
    misread = Truth(truth.quads_px, ["red-9"], WH, sure=0.99)
    image = truth.picture()
    first = misread.classifier(image, truth.quads_px)
    track = TileTable.from_classification(
        replace(first, quads_px=truth.quads_px.astype(np.float32)), np.array([0.9]), 1
    )
    shares = []
    for _ in range(4):
        track = reclassify(truth.classifier, image, track)
        shares.append(float(np.exp(track.number_log_probs[0, 8])))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] < 0.9
    assert int(track.number_log_probs.argmax()) == 6
    assert track.crop_count.tolist() == [5]


class _Misled:
    """A detector that at first turns the quad of one tile, so that the classifier rejects it."""

    def __init__(self, truth: Truth, misread: int) -> None:
        self.truth, self.misread, self.calls = truth, misread, 0

    def detect(self, scene: Scene) -> Detections:
        """Find all tiles, one of them with a turned quad."""
        found = self.truth.detect(scene)
        askew_px = found.quads_px[self.misread]
        turned = np.roll((askew_px - askew_px.mean(axis=0)) @ np.array([[0, 1], [-1, 0]]), 1, axis=0)
        found.quads_px[self.misread] = turned + askew_px.mean(axis=0) + (3.0, 0.0)
        return found

    def detect_in(self, scene: Scene, boxes_px: np.ndarray, known_px: np.ndarray) -> Detections:
        """Find the tiles in the boxes with their true quads."""
        self.calls += 1
        return self.truth.detect_in(scene, boxes_px, known_px)


def _blind_with(detector: _Misled) -> Any:
    """Return a classifier that rejects the turned quad until the tile is detected again."""

    def classifier(image_bgr: np.ndarray, quads_px: np.ndarray) -> Any:
        names = detector.truth.classifier(image_bgr, quads_px)
        true_px = detector.truth.quads_px[detector.misread]
        is_near = np.linalg.norm(quads_px.mean(axis=1) - true_px.mean(axis=0), axis=1) < 12
        is_rejected = is_near & ((np.linalg.norm(quads_px - true_px, axis=2).mean(axis=1) > 5) | (detector.calls == 0))
        numbers, refined = names.number_log_probs, names.quads_px
        numbers[is_rejected] = np.log(0.02 / 14)
        numbers[is_rejected, 14] = np.log(0.98)
        refined[is_rejected] = quads_px[is_rejected]
        return replace(names, number_log_probs=numbers, quads_px=refined)

    return classifier


def test_tile_with_wrongly_refined_corners_is_detected_again_in_the_next_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    # with more rounds, a quad half a width away would show the stand-in the whole tile
    monkeypatch.setattr("tilekeeper.vision.recognition.refinement.refine.ROUNDS", ROUNDS[:1])
    played = PlayedTable()
    detector = _Misled(played.truth, 3)
    played.reader = FrameReader(Reader(detector, _blind_with(detector)), still_after_s=0.2)
    first = played.still(TABLE, frames=2)
    (index,) = (at for at, tile in enumerate(first.tiles) if tile.doubtful)
    assert np.exp(first.tiles[index].sighting.log_probs[JOINT_NOT_A_TILE]) == pytest.approx(0.5)
    assert any(index in row and len(row) == 4 for row in first.rows)
    after = played.frame(picture(TABLE))
    assert detector.calls == 1
    assert sorted(tile.label for tile in after.tiles) == sorted(label for *_, label in TABLE)
    assert not any(tile.doubtful for tile in after.tiles)
    assert RUN[3][:2] in places(after)
    assert [len(row) for row in after.rows] == [4, 4]


def test_one_detection_near_two_tiles_belongs_to_the_nearer_one() -> None:
    quad = np.array([[0, 0], [40, 0], [40, 56], [0, 56]], np.float32)
    detected = quad + np.float32((12, 0))
    detector = SimpleNamespace(detect_in=lambda *_: Detections(detected[None], np.array([0.8])))
    quads = np.array([quad - np.float32((6, 0)), quad + np.float32((20, 0))])
    sure_px = quad[None] + np.float32((400, 0))
    scene = Scene(np.zeros((90, 90, 3), np.uint8))
    found, scores = reclassification._detect_near(SimpleNamespace(detector=detector), scene, quads, sure_px)
    assert np.array_equal(found[1], detected)
    assert np.array_equal(found[0], quads[0])
    assert scores.tolist() == [0.0, 0.8]


@pytest.mark.parametrize(
    ("score", "where", "is_relabelled"),
    [(0.95, (300, 120), True), (0.6, (300, 120), False), (0.95, (700, 400), False)],
)
def test_clear_detection_in_a_row_that_the_classifier_rejects_is_flagged(
    score: float, where: tuple[int, int], is_relabelled: bool
) -> None:
    """A detection with a low score or away from tiles is dropped."""
    played = PlayedTable()
    played.truth.scores = {len(TABLE): score}
    reading = played.still([*TABLE, (*where, "no-tile")], frames=20)
    doubtful = [at for at, tile in enumerate(reading.tiles) if tile.doubtful]
    assert len(reading.tiles) == len(TABLE) + is_relabelled
    assert len(doubtful) == is_relabelled
    for at in doubtful:
        tile = reading.tiles[at]
        assert np.exp(tile.sighting.log_probs[JOINT_NOT_A_TILE]) == pytest.approx(0.5)
        assert tile.confidence < 0.5
        assert np.exp(tile.sighting.log_probs).sum() == pytest.approx(1)
        assert next(len(row) for row in reading.rows if at in row) == 5
        answered = played.reader.correct(tile.sighting.track, "no-tile")
        assert not any(tile.doubtful for tile in answered.tiles)

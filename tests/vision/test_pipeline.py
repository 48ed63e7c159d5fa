"""The reading pipeline: an image becomes labelled tiles, doubts, rows and a status. The networks are stand-ins."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.projected_tiles import row_mm, seen_by_camera
from tests.support.truthful_networks import Truth
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.quality import diagnostics
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.calibration import Calibration, ReaderLimits
from tilekeeper.vision.types import NOT_A_TILE, OK, Detections, Doubt, DoubtReason, TableReading, TileSet

LABELS = ["red-5", "red-6", "red-7", "blue-9", "orange-9", "black-9"]


def table(**faults: object) -> Truth:
    """Return a run and a group before a tilted camera."""
    quads = seen_by_camera([*row_mm((-60, -60), 3), *row_mm((-40, 50), 3)], tilt_deg=30)
    return Truth(quads, LABELS, (1920, 1080), **faults)


def read(truth: Truth, **options: object) -> TableReading:
    return Reader(truth, truth.classifier).read(truth.picture(), **options)


def labels(reading: TableReading) -> list[list[str]]:
    return [[reading.tiles[at].label for at in row] for row in reading.rows]


def test_table_is_read_with_labels_rows_corners_and_tracks() -> None:
    """Corners are in image pixels, tracks are indices, and no tile is doubtful."""
    truth = table()
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert (reading.status, reading.image_wh, reading.time_s) == (OK, (1920, 1080), None)
    assert [tile.sighting.track for tile in reading.tiles] == list(range(6))
    corners = np.array([tile.sighting.quad_px for tile in reading.tiles])
    assert corners.dtype == np.float32
    assert corners == pytest.approx(truth.quads_px, abs=2.0)
    assert all(0.9 < tile.confidence <= 1 and not tile.doubtful for tile in reading.tiles)
    assert not any(tile.sighting.locked_by_person for tile in reading.tiles)


def test_warm_ink_of_an_edition_with_yellow_is_labelled_yellow() -> None:
    tile_set = TileSet(("black", "blue", "yellow", "red"))
    assert labels(read(table(), tile_set=tile_set))[1] == ["blue-9", "yellow-9", "black-9"]


def test_tiles_detected_upside_down_are_turned() -> None:
    truth = table(found_on_head=[0, 4])
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=2.0)


@pytest.mark.usefixtures("first_crops_only")
def test_only_tiles_with_moved_corners_are_classified_again() -> None:
    """A crop of a shifted quad is misread; a crop with the corrected corners is read correctly."""
    truth = table(found_beside={1: 0.1, 3: -0.2, 4: 0.02}, sure={1: 0.9})
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=2.0)
    first, second = truth.named
    assert len(first) == 6
    assert second == pytest.approx(truth.quads_px[[1, 3]], abs=0.01)


def test_correctly_detected_tiles_are_classified_once() -> None:
    truth = table()
    read(truth)
    assert [len(quads) for quads in truth.named] == [6]


@pytest.mark.usefixtures("first_crops_only")
def test_upside_down_and_shifted_tile_takes_one_more_classification() -> None:
    """It is classified with its corrected corners, in one batch with a tile that was only shifted."""
    truth = table(found_on_head=[0], found_beside={0: 0.2, 5: 0.1}, sure={5: 0.9})
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=0.01)
    assert len(truth.named) == 2
    assert truth.named[1] == pytest.approx(truth.quads_px[[0, 5]], abs=0.01)


def test_tile_upside_down_both_ways_stays() -> None:
    truth = table()

    def upside_down_classifier(image: np.ndarray, quads_px: np.ndarray) -> object:
        appearances = truth.classifier(image, quads_px)
        return replace(appearances, upside_down_log_odds=np.full(len(quads_px), 3.0), quads_px=quads_px)

    reading = Reader(truth, upside_down_classifier).read(truth.picture())
    assert labels(reading) == [LABELS[:3], LABELS[3:]]


@pytest.mark.parametrize("score", [0.5, 0.75])
def test_detection_that_the_classifier_rejects_is_dropped(score: float) -> None:
    """The classifier is certain, and the detection score is not very high."""
    truth = table(scores={5: score})
    truth.labels = [*LABELS[:5], "no-tile"]
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:5]]
    assert [tile.sighting.track for tile in reading.tiles] == list(range(5))


def test_confident_detection_in_a_row_is_flagged_and_never_dropped() -> None:
    """The classifier is certain that it is no tile, but a meld without it would be illegal."""
    truth = table(scores={4: 0.95})
    truth.labels = [*LABELS[:4], "no-tile", LABELS[5]]
    reading = read(truth)
    assert [len(row) for row in reading.rows] == [3, 3]
    assert [tile.doubtful for tile in reading.tiles] == [False] * 4 + [True, False]


@pytest.mark.usefixtures("first_crops_only")
@pytest.mark.parametrize(("score", "none", "is_flagged"), [(0.9, 0.7, True), (0.75, 0.98, False), (0.4, 0.7, False)])
def test_confident_detection_in_a_meld_that_the_classifier_doubts_is_flagged(
    score: float, none: float, is_flagged: bool
) -> None:
    """If the classifier is sure, or the detection is isolated, it is dropped."""
    truth = table(scores={1: score})

    def doubting_classifier(image: np.ndarray, quads_px: np.ndarray) -> object:
        appearances = truth.classifier(image, quads_px)
        second = np.linalg.norm(quads_px.mean(axis=1) - truth.quads_px[1].mean(axis=0), axis=1) < 40
        chances = np.full(15, (0.999 - none) / 13)
        chances[[5, NOT_A_TILE]] = 0.999 - none, none
        chances[:5] = chances[6:NOT_A_TILE] = 0.001 / 13
        appearances.number_log_probs[second] = np.log(chances / chances.sum())
        return appearances

    reading = Reader(truth, doubting_classifier).read(truth.picture())
    assert len(reading.tiles) == 5 + is_flagged
    if is_flagged:
        assert reading.tiles[1].doubtful
        assert reading.tiles[1].label == "red-6"
        assert reading.tiles[1].runner_up == "no-tile"
    truth.quads_px[1] += 300
    assert len(Reader(truth, doubting_classifier).read(truth.picture()).tiles) == 5


@pytest.mark.usefixtures("first_crops_only")
@pytest.mark.parametrize(("none", "is_flagged"), [(0.04, True), (0.45, True), (0.55, False)])
def test_unreadable_tile_that_is_likelier_a_tile_than_none_is_flagged(none: float, is_flagged: bool) -> None:
    """A blurred number may be any of several. If the tile was dropped, nobody would notice it."""
    truth = table(scores={1: 0.45})

    def unsure_classifier(image: np.ndarray, quads_px: np.ndarray) -> object:
        appearances = truth.classifier(image, quads_px)
        second = np.linalg.norm(quads_px.mean(axis=1) - truth.quads_px[1].mean(axis=0), axis=1) < 40
        appearances.number_log_probs[second] = np.log([(0.95 - none) / 13] * 13 + [0.05, none])
        return appearances

    reading = Reader(truth, unsure_classifier).read(truth.picture())
    doubtful = [tile.doubtful for tile in reading.tiles]
    assert doubtful == ([False, True, False, False, False, False] if is_flagged else [False] * 5)


@pytest.mark.usefixtures("first_crops_only")
def test_unsure_labels_and_weak_detections_are_doubtful() -> None:
    """A doubtful tile has a runner-up label."""
    reading = read(table(sure={1: 0.6}, scores={3: 0.3}))
    assert [tile.doubtful for tile in reading.tiles] == [False, True, False, True, False, False]
    assert reading.tiles[1].doubts == (Doubt(DoubtReason.UNSURE_NUMBER, "red-7"),)
    assert reading.tiles[1].runner_up == "red-7"
    assert reading.tiles[1].confidence == pytest.approx(0.6 * 0.997, abs=0.01)
    assert reading.tiles[3].confidence == pytest.approx(0.6, abs=0.02)
    assert reading.status == OK


def test_three_copies_of_a_tile_are_flagged() -> None:
    """One of three red 5s must be misread, and it is unknown which. Two copies and three jokers are possible."""
    truth = table()
    truth.labels = ["red-5", "red-5", "joker", "joker", "joker", "red-5"]
    reasons = [[doubt.reason for doubt in tile.doubts] for tile in read(truth).tiles]
    too_many = [DoubtReason.TOO_MANY_ALIKE]
    assert reasons == [too_many, too_many, [], [], [], too_many]
    truth.labels = ["red-5", "red-5", "joker", "joker", "joker", "red-6"]
    assert not any(tile.doubtful for tile in read(truth).tiles)


def test_two_detections_of_one_tile_leave_one_tile() -> None:
    """The detection with the higher score stays."""
    truth = table()

    class DuplicatingDetector(Truth):
        def detect(self, scene: Scene) -> Detections:
            detections = super().detect(scene)
            quads_px = np.concatenate([detections.quads_px[:1] + 3, detections.quads_px])
            return Detections(quads_px, np.append(0.35, detections.scores))

    reading = Reader(DuplicatingDetector(truth.quads_px, truth.labels, truth.image_wh), truth.classifier).read(
        truth.picture()
    )
    assert len(reading.tiles) == 6
    assert reading.tiles[0].sighting.quad_px == pytest.approx(truth.quads_px[0], abs=2.0)


def test_large_image_is_read_smaller_with_corners_in_its_own_pixels() -> None:
    truth = table()
    reader = Reader(truth, truth.classifier, Calibration(ReaderLimits(working_px=500_000)))
    reading = reader.read(truth.picture())
    assert max(w * h for w, h in truth.looks) <= 501_000
    assert reading.image_wh == (1920, 1080)
    quads = np.array([tile.sighting.quad_px for tile in reading.tiles])
    assert quads == pytest.approx(truth.quads_px, abs=4.0)


def test_reduced_photo_has_its_corners_in_pixels_of_the_photo() -> None:
    """`load_photo` had reduced the photo."""
    truth = table()
    reading = read(truth).scale_to((1920 * 8, 1080 * 8))
    assert reading.image_wh == (1920 * 8, 1080 * 8)
    quads = np.array([tile.sighting.quad_px for tile in reading.tiles])
    assert quads == pytest.approx((truth.quads_px + 0.5) * 8 - 0.5, abs=16.0)


def test_empty_and_dark_images_have_their_own_status() -> None:
    truth = Truth(np.zeros((0, 4, 2), np.float32), [], (640, 480))
    reader = Reader(truth, truth.classifier)
    assert reader.read(np.full((480, 640, 3), 120, np.uint8)).status == diagnostics.NO_TILES
    reading = reader.read(np.full((480, 640, 3), 12, np.uint8))
    assert (reading.status, reading.tiles, reading.rows) == (diagnostics.TOO_DARK, (), ())


@pytest.mark.parametrize("picture", [np.zeros((40, 40), np.uint8), np.zeros((40, 40, 3)), np.zeros((40, 40, 4), "u1")])
def test_array_that_is_no_bgr_image_is_refused(picture: np.ndarray) -> None:
    truth = table()
    with pytest.raises(ValueError, match=r"\(H, W, 3\) uint8"):
        Reader(truth, truth.classifier).read(picture)


def test_limits_are_read_from_the_manifest() -> None:
    """Limits that the manifest does not name keep their defaults."""
    limits = ReaderLimits.of_manifest({"reader": {"doubtful_below": 0.93, "remark": "chosen on rendered tables"}})
    assert limits == ReaderLimits(doubtful_below=0.93)
    assert ReaderLimits.of_manifest({}) == ReaderLimits()


def test_tile_mostly_outside_the_image_is_dropped_however_confident_its_label() -> None:
    """The corrected corners may show that most of the tile is outside the image."""
    quads = seen_by_camera(row_mm((-60, -60), 3))
    quads = quads - np.array([quads[..., 0].min(), 0]) + np.array([1.0, 0])
    quads[0, :, 0] -= 0.6 * np.ptp(quads[0, :, 0])
    truth = Truth(quads, LABELS[:3], (1920, 1080))
    assert "red-5" not in [tile.label for tile in read(truth).tiles]
    assert {"red-6", "red-7"} <= {tile.label for tile in read(truth).tiles}


@pytest.mark.parametrize(
    ("label", "others", "is_read", "is_flagged"),
    [("red-5", 3, True, False), ("joker", 3, True, True), ("joker", 0, False, False)],
)
def test_joker_cut_by_the_edge_is_dropped_or_flagged(label: str, others: int, is_read: bool, is_flagged: bool) -> None:
    """Letters and ropes at the edge get confident joker labels. A cut joker in a row is flagged."""
    quads = seen_by_camera([*row_mm((-60, -60), 1 + others), *row_mm((200, 90), 3)])
    quads[: 1 + others] -= np.array([quads[0, :, 0].min() + 0.42 * np.ptp(quads[0, :, 0]), 0])
    truth = Truth(quads, [label, *LABELS[3 : 3 + others], *LABELS[:3]], (1920, 1080))
    edge_tiles = [tile for tile in read(truth).tiles if tile.label == label and tile.sighting.quad_px[:, 0].min() < 0]
    assert [tile.doubtful for tile in edge_tiles] == is_read * [is_flagged]

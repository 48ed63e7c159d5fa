"""A picture becomes tiles with names, doubts, rows and a status; the networks are stand-ins that know the truth."""

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
    """A run and a group, seen at a slant."""
    quads = seen_by_camera([*row_mm((-60, -60), 3), *row_mm((-40, 50), 3)], tilt_deg=30)
    return Truth(quads, LABELS, (1920, 1080), **faults)


def read(truth: Truth, **how: object) -> TableReading:
    return Reader(truth, truth.classifier).read(truth.picture(), **how)


def labels(reading: TableReading) -> list[list[str]]:
    return [[reading.tiles[at].label for at in row] for row in reading.rows]


def test_tiles_rows_and_corners() -> None:
    """Names, rows in order, corners in pixels of the picture, tracks by index, nothing in doubt."""
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


def test_inks_are_named_by_the_edition() -> None:
    """The warm ink is yellow where the edition prints yellow."""
    tile_set = TileSet(("black", "blue", "yellow", "red"))
    assert labels(read(table(), tile_set=tile_set))[1] == ["blue-9", "yellow-9", "black-9"]


def test_tiles_found_on_their_heads_are_turned() -> None:
    """A quad found the wrong way round comes out in the tile's own orientation, with the name of the upright tile."""
    truth = table(found_on_head=[0, 4])
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=2.0)


@pytest.mark.usefixtures("one_cut")
def test_tiles_whose_corners_moved_are_named_again_and_no_others() -> None:
    """What was cut out askew is misread; cut out anew by its mended corners it is read right."""
    truth = table(found_beside={1: 0.1, 3: -0.2, 4: 0.02}, sure={1: 0.9})
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=2.0)
    first, second = truth.named
    assert len(first) == 6
    assert second == pytest.approx(truth.quads_px[[1, 3]], abs=0.01)


def test_tiles_that_are_right_are_named_once() -> None:
    """On a table without faults the classifier is asked one time."""
    truth = table()
    read(truth)
    assert [len(quads) for quads in truth.named] == [6]


@pytest.mark.usefixtures("one_cut")
def test_a_tile_on_its_head_and_askew_takes_one_more_look() -> None:
    """Turned by its mended corners, it is cut out where the tile is, together with those that only lay askew."""
    truth = table(found_on_head=[0], found_beside={0: 0.2, 5: 0.1}, sure={5: 0.9})
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:]]
    assert np.array([tile.sighting.quad_px for tile in reading.tiles]) == pytest.approx(truth.quads_px, abs=0.01)
    assert len(truth.named) == 2
    assert truth.named[1] == pytest.approx(truth.quads_px[[0, 5]], abs=0.01)


def test_classifier_that_sees_everything_on_its_head_changes_nothing() -> None:
    """Where neither way looks upright, the tile stays as the detector saw it."""
    truth = table()

    def dizzy(image: np.ndarray, quads_px: np.ndarray) -> object:
        names = truth.classifier(image, quads_px)
        return replace(names, upside_down_log_odds=np.full(len(quads_px), 3.0), quads_px=quads_px)

    reading = Reader(truth, dizzy).read(truth.picture())
    assert labels(reading) == [LABELS[:3], LABELS[3:]]


@pytest.mark.parametrize("score", [0.5, 0.75])
def test_what_is_no_tile_is_left_out(score: float) -> None:
    """The classifier decides where it is sure."""
    truth = table(scores={5: score})
    truth.labels = [*LABELS[:5], "no-tile"]
    reading = read(truth)
    assert labels(reading) == [LABELS[:3], LABELS[3:5]]
    assert [tile.sighting.track for tile in reading.tiles] == list(range(5))


def test_what_the_detector_is_sure_of_never_vanishes_from_a_row() -> None:
    """However sure the classifier is that it is none: a meld that lacks a tile would be a fault."""
    truth = table(scores={4: 0.95})
    truth.labels = [*LABELS[:4], "no-tile", LABELS[5]]
    reading = read(truth)
    assert [len(row) for row in reading.rows] == [3, 3]
    assert [tile.doubtful for tile in reading.tiles] == [False] * 4 + [True, False]


@pytest.mark.usefixtures("one_cut")
@pytest.mark.parametrize(("score", "none", "is_flagged"), [(0.9, 0.7, True), (0.75, 0.98, False), (0.4, 0.7, False)])
def test_what_only_the_detector_takes_for_a_tile_is_asked_about_in_a_meld(
    score: float, none: float, is_flagged: bool
) -> None:
    """Where the classifier is not sure that it is none; by itself, away from all tiles, it is left out."""
    truth = table(scores={1: score})

    def doubting(image: np.ndarray, quads_px: np.ndarray) -> object:
        names = truth.classifier(image, quads_px)
        second = np.linalg.norm(quads_px.mean(axis=1) - truth.quads_px[1].mean(axis=0), axis=1) < 40
        chances = np.full(15, (0.999 - none) / 13)
        chances[[5, NOT_A_TILE]] = 0.999 - none, none
        chances[:5] = chances[6:NOT_A_TILE] = 0.001 / 13
        names.number_log_probs[second] = np.log(chances / chances.sum())
        return names

    reading = Reader(truth, doubting).read(truth.picture())
    assert len(reading.tiles) == 5 + is_flagged
    if is_flagged:
        assert reading.tiles[1].doubtful
        assert reading.tiles[1].label == "red-6"
        assert reading.tiles[1].runner_up == "no-tile"
    truth.quads_px[1] += 300
    assert len(Reader(truth, doubting).read(truth.picture()).tiles) == 5


@pytest.mark.usefixtures("one_cut")
@pytest.mark.parametrize(("none", "is_flagged"), [(0.04, True), (0.45, True), (0.55, False)])
def test_what_is_likelier_a_tile_than_none_is_asked_about_whatever_its_name(none: float, is_flagged: bool) -> None:
    """Blurred, a number may be any of several; what is left out is told by nobody."""
    truth = table(scores={1: 0.45})

    def blurred(image: np.ndarray, quads_px: np.ndarray) -> object:
        names = truth.classifier(image, quads_px)
        second = np.linalg.norm(quads_px.mean(axis=1) - truth.quads_px[1].mean(axis=0), axis=1) < 40
        names.number_log_probs[second] = np.log([(0.95 - none) / 13] * 13 + [0.05, none])
        return names

    reading = Reader(truth, blurred).read(truth.picture())
    doubtful = [tile.doubtful for tile in reading.tiles]
    assert doubtful == ([False, True, False, False, False, False] if is_flagged else [False] * 5)


@pytest.mark.usefixtures("one_cut")
def test_unsure_names_and_weak_finds_are_doubtful() -> None:
    """A tile is in doubt by its name or by the detector's score, and says what else it could be."""
    reading = read(table(sure={1: 0.6}, scores={3: 0.3}))
    assert [tile.doubtful for tile in reading.tiles] == [False, True, False, True, False, False]
    assert reading.tiles[1].doubts == (Doubt(DoubtReason.UNSURE_NUMBER, "red-7"),)
    assert reading.tiles[1].runner_up == "red-7"
    assert reading.tiles[1].confidence == pytest.approx(0.6 * 0.997, abs=0.01)
    assert reading.tiles[3].confidence == pytest.approx(0.6, abs=0.02)
    assert reading.status == OK


def test_more_of_one_tile_than_there_are_is_questioned() -> None:
    """Of three red fives one must be misread, and nobody knows which; two are fine, and so are jokers."""
    truth = table()
    truth.labels = ["red-5", "red-5", "joker", "joker", "joker", "red-5"]
    reasons = [[doubt.reason for doubt in tile.doubts] for tile in read(truth).tiles]
    alike = [DoubtReason.TOO_MANY_ALIKE]
    assert reasons == [alike, alike, [], [], [], alike]
    truth.labels = ["red-5", "red-5", "joker", "joker", "joker", "red-6"]
    assert not any(tile.doubtful for tile in read(truth).tiles)


def test_one_place_holds_one_tile() -> None:
    """Of two quads over the same tile the surer one stays."""
    truth = table()

    class Doubling(Truth):
        def detect(self, scene: Scene) -> Detections:
            found = super().detect(scene)
            quads_px = np.concatenate([found.quads_px[:1] + 3, found.quads_px])
            return Detections(quads_px, np.append(0.35, found.scores))

    reading = Reader(Doubling(truth.quads_px, truth.labels, truth.image_wh), truth.classifier).read(truth.picture())
    assert len(reading.tiles) == 6
    assert reading.tiles[0].sighting.quad_px == pytest.approx(truth.quads_px[0], abs=2.0)


def test_large_picture_is_read_smaller_with_corners_in_its_own_pixels() -> None:
    """More pixels than the limit are not looked at, yet the corners are those of the picture."""
    truth = table()
    reader = Reader(truth, truth.classifier, Calibration(ReaderLimits(working_px=500_000)))
    reading = reader.read(truth.picture())
    assert max(w * h for w, h in truth.looks) <= 501_000
    assert reading.image_wh == (1920, 1080)
    quads = np.array([tile.sighting.quad_px for tile in reading.tiles])
    assert quads == pytest.approx(truth.quads_px, abs=4.0)


def test_reduced_photo_has_its_corners_in_pixels_of_the_photo() -> None:
    """What `load_photo` had to reduce is measured in the photo's own pixels."""
    truth = table()
    reading = read(truth).scale_to((1920 * 8, 1080 * 8))
    assert reading.image_wh == (1920 * 8, 1080 * 8)
    quads = np.array([tile.sighting.quad_px for tile in reading.tiles])
    assert quads == pytest.approx((truth.quads_px + 0.5) * 8 - 0.5, abs=16.0)


def test_empty_and_dark_pictures_say_so() -> None:
    """No tiles is a status, and darkness another."""
    truth = Truth(np.zeros((0, 4, 2), np.float32), [], (640, 480))
    reader = Reader(truth, truth.classifier)
    assert reader.read(np.full((480, 640, 3), 120, np.uint8)).status == diagnostics.NO_TILES
    reading = reader.read(np.full((480, 640, 3), 12, np.uint8))
    assert (reading.status, reading.tiles, reading.rows) == (diagnostics.TOO_DARK, (), ())


@pytest.mark.parametrize("picture", [np.zeros((40, 40), np.uint8), np.zeros((40, 40, 3)), np.zeros((40, 40, 4), "u1")])
def test_what_is_no_bgr_picture_is_refused(picture: np.ndarray) -> None:
    """Grey, float and four-channel arrays are mistakes of the caller."""
    truth = table()
    with pytest.raises(ValueError, match=r"\(H, W, 3\) uint8"):
        Reader(truth, truth.classifier).read(picture)


def test_limits_come_with_the_networks() -> None:
    """The manifest names the thresholds that go with its networks; what it does not name stays."""
    limits = ReaderLimits.of_manifest({"reader": {"doubtful_below": 0.93, "remark": "chosen on rendered tables"}})
    assert limits == ReaderLimits(doubtful_below=0.93)
    assert ReaderLimits.of_manifest({}) == ReaderLimits()


def test_what_lies_mostly_beyond_the_edge_is_left_out_however_sure_its_name() -> None:
    """Mended, the corners of what was found at the edge may show that most of the tile is not in the picture."""
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
def test_of_a_joker_at_the_edge_more_must_be_seen(label: str, others: int, is_read: bool, is_flagged: bool) -> None:
    """Letters and ropes that the edge cuts look like jokers, and surely so; in a row it is asked about."""
    quads = seen_by_camera([*row_mm((-60, -60), 1 + others), *row_mm((200, 90), 3)])
    quads[: 1 + others] -= np.array([quads[0, :, 0].min() + 0.42 * np.ptp(quads[0, :, 0]), 0])
    truth = Truth(quads, [label, *LABELS[3 : 3 + others], *LABELS[:3]], (1920, 1080))
    at_the_edge = [tile for tile in read(truth).tiles if tile.label == label and tile.sighting.quad_px[:, 0].min() < 0]
    assert [tile.doubtful for tile in at_the_edge] == is_read * [is_flagged]

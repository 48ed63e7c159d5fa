"""Training samples of the classifier: crops equal those of the classifier, with labels, corners and non-tiles."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.models.training import classifier_samples
from tilekeeper.models.training.augmentation import LAMPS
from tilekeeper.models.training.classifier_samples import (
    FITTED,
    INKS,
    STORE_WH,
    collect_crops,
    cut_out,
    detector_of,
    draw_crop,
)
from tilekeeper.models.training.sources import Source
from tilekeeper.vision.detection.detector import TileDetector
from tilekeeper.vision.recognition.classifier import (
    CROP_WH,
    INNER,
    MARGIN,
    MAX_CORNER_SHIFT_WIDTHS,
    TILE_PX,
    crop_tiles,
    whiten,
)
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import INKS as INKS_OF_THE_READER
from tilekeeper.vision.types import JOKER, NOT_A_TILE

NO_BOXES = np.zeros((0, 4), np.float32)


def quad(x: float, y: float, width: float, turn: float = 0.0) -> np.ndarray:
    """Return a tile's quad at `x, y`, turned clockwise by `turn` radians."""
    local = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * width / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def test_sliver_of_a_large_tile_is_cropped() -> None:
    """A tile with one visible pixel row fills the crop with it."""
    image = np.full((60, 400, 3), 77, np.uint8)
    assert (cut_out(image, quad(200.0, -380.0, 330.0)) == 77).all()


class StillRandom:
    """A generator that never jitters and draws the largest of a range."""

    def normal(self, mean: float, spread: float, size: object = None) -> np.ndarray:
        return np.full(size or (), mean, float)

    def uniform(self, low: float, high: float) -> float:
        return high

    def random(self) -> float:
        return 0.0


@pytest.fixture
def no_degradation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off changes of light and noise, so that crops can be compared."""
    monkeypatch.setattr(classifier_samples, "recolour", lambda rng, image, strength, lamps: image)
    monkeypatch.setattr(
        classifier_samples, "degrade", lambda rng, image, tile_px, harm: image.clip(0, 255).astype(np.uint8)
    )
    monkeypatch.setattr(classifier_samples, "process", lambda rng, image, tile_px, harm: image)
    monkeypatch.setattr(classifier_samples, "FLAT", 0.0)
    monkeypatch.setattr(classifier_samples, "EVENING", 0.0)


def soft_image() -> np.ndarray:
    """Return an image of soft random colours."""
    noise = np.random.default_rng(6).integers(0, 255, (500, 500, 3), np.uint8)
    return cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 8), None, 0, 255, cv2.NORM_MINMAX)


@pytest.mark.usefixtures("no_degradation")
@pytest.mark.parametrize("width", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("turn", [0.0, 0.8, 2.6])
def test_training_crop_without_augmentation_equals_the_classifiers_crop(width: float, turn: float) -> None:
    """Training and reader use the same crop of an image."""
    image, place = soft_image(), quad(250, 250, width, turn)
    training_crop, corners = draw_crop(StillRandom(), cut_out(image, place), upside_down=False)
    crop = whiten(crop_tiles(image, place[None])[0])[0][..., ::-1]
    assert corners == pytest.approx(np.zeros(8), abs=1e-5)
    assert training_crop.shape == crop.shape == (CROP_WH[1], CROP_WH[0], 3)
    # half a pixel of a crop would be 2 to 3 times as much
    assert np.abs(training_crop - crop).mean() < 0.012


@pytest.mark.usefixtures("no_degradation")
def test_upside_down_crops_are_turned_by_half_a_turn() -> None:
    """The crop is turned, not mirrored; it equals the crop of the quad with the opposite first corner."""
    image, place = soft_image(), quad(250, 250, 60, 0.4)
    training_crop, corners = draw_crop(StillRandom(), cut_out(image, place), upside_down=True)
    crop = whiten(crop_tiles(image, np.roll(place, 2, axis=0)[None])[0])[0][..., ::-1]
    assert np.abs(training_crop - crop).mean() < 0.012
    assert corners == pytest.approx(np.zeros(8), abs=1e-5)
    upright, _ = draw_crop(StillRandom(), cut_out(image, place), upside_down=False)
    assert np.abs(training_crop - upright).mean() > 0.1
    assert np.abs(training_crop - upright[:, ::-1]).mean() > 0.1


def test_stored_crop_keeps_a_margin_around_the_tile() -> None:
    """The tile may be at the edge of the image."""
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.fillConvexPoly(image, quad(100, 100, 50).astype(np.int32), (255, 255, 255))
    crop = cut_out(image, quad(100, 100, 50))
    assert crop.shape == (STORE_WH[1], STORE_WH[0], 3)
    assert crop[28:100, 21:67].min() > 200
    assert crop[:20].max() == 0
    assert crop[:, :12].max() == 0
    assert cut_out(image, quad(0, 0, 50)).shape == crop.shape


def source_with(tmp_path: Path, places: list[tuple[str, np.ndarray, bool]], hidden: np.ndarray = NO_BOXES) -> Source:
    """Return a black image on which each tile is a block of its own brightness."""
    image = np.zeros((600, 800, 3), np.uint8)
    for i, (_, corners, _) in enumerate(places):
        cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (60 + 20 * i,) * 3)
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), image)
    quads = np.array([corners for _, corners, _ in places], np.float32).reshape(-1, 4, 2)
    sure = np.array([certain for _, _, certain in places], bool)
    return Source(path, "s1", quads, tuple(label for label, _, _ in places), sure, hidden)


def test_labels_become_numbers_and_inks_in_the_readers_order(tmp_path: Path) -> None:
    """Jokers have no ink. Uncertain tiles and tiles too small to read give no samples."""
    places = [
        ("black-1", quad(100, 100, 50), True), ("blue-13", quad(250, 100, 50), True),
        ("orange-6", quad(400, 100, 50), True), ("red-9", quad(550, 100, 50), True),
        ("joker", quad(100, 400, 50), True), ("red-2", quad(250, 400, 50), False), ("red-3", quad(400, 400, 13), True),
    ]  # fmt: skip
    crops, numbers, inks = collect_crops([source_with(tmp_path, places)], np.random.default_rng(1), negatives=0)
    tiles = numbers != NOT_A_TILE
    assert numbers[tiles].tolist() == [0, 12, 5, 8, JOKER]
    assert inks[tiles].tolist() == [0, 1, 2, 3, -1]
    assert crops[tiles][:, 64, 44, 0].tolist() == [60, 80, 100, 120, 140]
    assert INKS == INKS_OF_THE_READER


def test_non_tiles_are_next_to_tiles(tmp_path: Path) -> None:
    """They have no ink and no tile at their centre."""
    # the inner half of each tile is bright, so a non-tile with a bright centre would be a wrongly labelled tile
    places = [("red-1", quad(x, y, 60), True) for x in (150, 400, 650) for y in (150, 400)]
    source = source_with(tmp_path, places)
    image = np.zeros((600, 800, 3), np.uint8)
    for corners in source.quads_px:
        cv2.circle(image, tuple(int(v) for v in corners.mean(axis=0)), 20, (255, 255, 255), -1)
    cv2.imwrite(str(source.path), image)
    crops, numbers, inks = collect_crops([source], np.random.default_rng(1), negatives=20)
    non_tiles = numbers == NOT_A_TILE
    assert non_tiles.sum() > 60
    assert (inks[non_tiles] == -1).all()
    assert crops[non_tiles][:, 64, 44].max() < 128
    assert (
        crops[non_tiles].max(axis=(1, 2, 3)) > 128
    ).sum() > 20  # many show a part of a tile, which is hard to reject
    assert (crops[~non_tiles][:, 64, 44] > 200).all()


def test_ignored_boxes_give_no_non_tiles(tmp_path: Path) -> None:
    """A box marks a half covered tile, so a crop with its centre there is no sure non-tile."""
    everywhere = np.array([[0, 0, 800, 600]], np.float32)
    source = source_with(tmp_path, [("red-1", quad(400, 300, 60), True)], everywhere)
    _, numbers, _ = collect_crops([source], np.random.default_rng(1), negatives=50)
    assert numbers.tolist() == [0]


def test_empty_tables_give_non_tiles(tmp_path: Path) -> None:
    """An image without tiles has random crops."""
    crops, numbers, inks = collect_crops([source_with(tmp_path, [])], np.random.default_rng(1))
    assert len(crops) == len(numbers) == len(inks) >= 2
    assert (numbers == NOT_A_TILE).all()


@pytest.mark.parametrize("width", [40.0, 90.0, 240.0])
def test_crop_has_its_corners_at_the_stored_quad(width: float) -> None:
    """Shrinking before the crop must not shift it by a fraction of a pixel."""
    size, store, errors = round(3 * width), classifier_samples.store_quad(), []
    place = quad(size / 2 + 0.3, size / 2 - 0.4, width, 0.15)
    ys, xs = np.mgrid[:size, :size]
    for x, y in place:
        dot = np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * (0.04 * width) ** 2))
        dark = 235 - cut_out(np.repeat(np.round(235 * (1 - dot)).astype(np.uint8)[..., None], 3, axis=2), place)[..., 0]
        rows, columns = np.mgrid[: STORE_WH[1], : STORE_WH[0]]
        errors.append(np.array([(dark * columns.astype(float)).sum(), (dark * rows.astype(float)).sum()]) / dark.sum())
    assert np.abs(np.mean(errors - store, axis=0)).max() < 0.1


@pytest.mark.usefixtures("no_degradation")
@pytest.mark.parametrize("upside_down", [False, True])
def test_corner_targets_match_the_augmented_crop(upside_down: bool) -> None:
    """The targets are in tile widths, from the tile's own top left corner on."""
    width = 110.0
    place = quad(250.3, 249.6, width, 0.5)
    ys, xs = np.mgrid[:500, :500]
    # one image per corner, so that no dot is mistaken for another
    dots = [np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * (0.04 * width) ** 2)) for x, y in place]
    pictures = [np.repeat(np.round(235 * (1 - dot)).astype(np.uint8)[..., None], 3, axis=2) for dot in dots]
    errors = []
    for seed in range(25):
        for at, picture in enumerate(pictures):
            crop, corners = draw_crop(np.random.default_rng(seed), cut_out(picture, place), upside_down)
            corner = (at + 2) % 4 if upside_down else at
            wanted = INNER[corner] + corners.reshape(4, 2)[corner] * TILE_PX
            if not (4 < wanted[0] < CROP_WH[0] - 5 and 4 < wanted[1] < CROP_WH[1] - 5):
                continue  # the dot leaves the crop
            dark = np.clip(0.97 - crop[..., 0], 0, 1)
            rows, columns = np.mgrid[: CROP_WH[1], : CROP_WH[0]]
            centre = np.array([(dark * columns).sum(), (dark * rows).sum()]) / dark.sum()
            errors.append(centre - wanted)
    assert len(errors) > 50
    assert np.abs(np.median(errors, axis=0)).max() < 0.25
    assert np.linalg.norm(errors, axis=1).max() < 1.0


def test_half_the_crops_have_small_offsets() -> None:
    """Half the offsets imitate detections, half imitate refined quads."""
    stored = cut_out(soft_image(), quad(250, 250, 60))
    rng = np.random.default_rng(3)
    corners = np.array([draw_crop(rng, stored, False)[1] for _ in range(1000)])
    assert corners.shape == (1000, 8)
    errors = np.linalg.norm(corners.reshape(-1, 4, 2), axis=2).mean(axis=1)
    assert 0.03 < np.median(errors) < 0.12
    assert np.quantile(errors, 0.25) < 0.05
    assert np.quantile(errors, 0.75) > 0.09
    assert np.abs(np.median(corners, axis=0)).max() < 0.03
    # a few quads have quite another size; the classifier must be able to correct all others
    assert (np.abs(corners).max(axis=1) < MAX_CORNER_SHIFT_WIDTHS).mean() > 0.9
    assert 0.01 < (np.abs(corners).max(axis=1) > 0.25).mean() < 0.25


def test_augmented_crops_stay_in_range() -> None:
    """Any augmentation gives a whitened crop of the classifier's size."""
    rng = np.random.default_rng(9)
    stored = cut_out(soft_image(), quad(250, 250, 60))
    for at in range(60):
        crop, corners = draw_crop(rng, stored, bool(at % 2))
        assert crop.shape == (72, 48, 3)
        assert corners.shape == (8,)
        assert np.isfinite(corners).all()
        assert np.isfinite(crop).all()
        assert crop.min() >= 0
        assert crop.max() <= 1.6


def test_false_detections_become_non_tiles(tmp_path: Path) -> None:
    """Detections on tiles and in ignored boxes are dropped."""
    places = [("red-1", quad(150, 150, 60), True), ("blue-2", quad(400, 150, 60), True)]
    source = source_with(tmp_path, places, np.array([[600, 400, 790, 590]], np.float32))
    image = source.image()
    image[380:420, 130:170] = (10, 200, 30)
    cv2.imwrite(str(source.path), image)
    detected_quads = [
        quad(152, 148, 60),
        quad(410, 165, 58),
        quad(150, 400, 30, 0.2),
        quad(700, 500, 60),
        quad(400, 400, 200),
    ]
    calls = []

    def detect(picture: np.ndarray) -> list[np.ndarray]:
        calls.append(picture.shape)
        return detected_quads

    crops, numbers, inks = collect_crops([source], np.random.default_rng(1), negatives=0, detect=detect)
    assert calls == [(600, 800, 3)]
    # at most two random crops, and the two detections that are neither on a tile nor in an ignored box
    non_tiles = crops[numbers == NOT_A_TILE]
    assert 2 <= len(non_tiles) <= 4
    assert (inks[numbers == NOT_A_TILE] == -1).all()
    assert np.abs(non_tiles[-2][64, 44].astype(int) - (10, 200, 30)).max() < 12
    assert np.array_equal(non_tiles[-2], cut_out(image, detected_quads[2]))
    assert np.array_equal(non_tiles[-1], cut_out(image, detected_quads[4]))
    without = collect_crops([source], np.random.default_rng(1), negatives=0)[1]
    assert (numbers == NOT_A_TILE).sum() == (without == NOT_A_TILE).sum() + 2


def test_detector_of_an_onnx_file_also_returns_weak_detections(repository: Path) -> None:
    from tilekeeper.datasets.synthesis.scene.tables import render_table

    table = render_table(np.random.default_rng(5), wh=(480, 360), layout="melds", tile_px=26)
    path = repository / "models" / "detector.onnx"
    quads = detector_of(path)(table.image_bgr)
    assert all(quad_px.shape == (4, 2) for quad_px in quads)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    sure = TileDetector(session).detect(Scene(table.image_bgr)).scores
    assert len(quads) >= len(sure) > 0


def test_aslant_crops_are_often_exactly_sideways() -> None:
    """The tile's top left corner is then the crop's top right or bottom left one."""
    rng = np.random.default_rng(6)
    stored = np.full((*STORE_WH[::-1], 3), 200, np.uint8)
    first = np.array([draw_crop(rng, stored, False, aslant=True)[1][:2] for _ in range(400)])
    on_edges = [np.abs(first - where).max(axis=1) < 0.3 for where in ((1.0, 0.0), (0.0, 1.5))]
    assert 0.9 * FITTED < np.mean(on_edges[0] | on_edges[1]) < 0.9  # some randomly turned crops are nearly sideways
    assert min(map(np.mean, on_edges)) > 0.4 * FITTED


def test_non_tiles_are_cropped_in_all_directions() -> None:
    """Their top left corner is in each quarter of the crop equally often."""
    rng = np.random.default_rng(3)
    stored = np.zeros((STORE_WH[1], STORE_WH[0], 3), np.uint8)
    corners = np.array([draw_crop(rng, stored, False, any_direction=True)[1][:2] for _ in range(400)])
    places = corners + INNER[0] / TILE_PX - np.divide(CROP_WH, 2) / TILE_PX
    turns = np.degrees(np.arctan2(places[:, 1], places[:, 0]))
    in_quarters = np.bincount(((turns + 180) // 90).astype(int) % 4, minlength=4)
    assert (in_quarters > 50).all()
    assert np.histogram(turns, bins=12, range=(-180, 180))[0].min() > 5


def test_some_tiles_are_flattened() -> None:
    """A quarter of the tiles has fewer pixels along one side, down to a third."""
    rng = np.random.default_rng(4)
    sides = np.array([classifier_samples._flattened(rng, 30.0) for _ in range(2000)])
    ratio = sides.min(axis=1) / sides.max(axis=1)
    assert np.mean(ratio < 1) == pytest.approx(classifier_samples.FLAT, abs=0.04)
    assert ratio.min() == pytest.approx(classifier_samples.LEAST_FLAT, abs=0.05)
    assert sides.min() >= classifier_samples.LEAST_PX
    assert np.mean(sides[ratio < 1, 1] < sides[ratio < 1, 0]) == pytest.approx(0.7, abs=0.06)


def test_some_tiles_are_small_and_in_dim_light(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth is photographed in dim light, and small; the others have single degradations.

    Before dim light, which has its own lamp, crops are recoloured at half strength and without lamps.
    """
    dim_light_px: list[int] = []
    degraded_px: list[float] = []
    recolour_calls: list[tuple[float, float]] = []

    def recolour(rng: np.random.Generator, image: np.ndarray, strength: float, lamps: float) -> np.ndarray:
        recolour_calls.append((strength, lamps))
        return image

    def photograph_in_dim_light(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
        assert recolour_calls[-1] == (0.5, 0.0)
        dim_light_px.append(image.shape[1])
        return image.clip(0, 255).astype(np.uint8)

    def degrade(rng: np.random.Generator, image: np.ndarray, tile_px: float, harm: float) -> np.ndarray:
        assert recolour_calls[-1] == (1.0, LAMPS)
        degraded_px.append(tile_px)
        return image.clip(0, 255).astype(np.uint8)

    monkeypatch.setattr(classifier_samples, "recolour", recolour)
    monkeypatch.setattr(classifier_samples, "photograph_in_dim_light", photograph_in_dim_light)
    monkeypatch.setattr(classifier_samples, "degrade", degrade)
    monkeypatch.setattr(classifier_samples, "FLAT", 0.0)
    rng, stored = np.random.default_rng(8), cut_out(soft_image(), quad(250, 250, 60))
    for _ in range(500):
        draw_crop(rng, stored, False)
    assert len(dim_light_px) / 500 == pytest.approx(classifier_samples.EVENING, abs=0.05)
    assert len(dim_light_px) + len(degraded_px) == 500
    room = 1 - 2 * MARGIN
    assert max(dim_light_px) * room <= classifier_samples.EVENING_PX[1] + 1
    assert min(dim_light_px) * room >= classifier_samples.EVENING_PX[0] - 1
    assert max(degraded_px) == TILE_PX  # the width of a tile in a crop

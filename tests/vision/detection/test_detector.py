"""The detector around its network: decoding, suppression, scales and pixel centres."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import planes_in
from tilekeeper.models.training.detector_samples import CROP_PX, draw_targets
from tilekeeper.vision.detection.detector import (
    CORNER_UNIT_PX,
    MAX_SEARCH_SIDE_PX,
    MIN_DETECTION_SCORE,
    MIN_SINGLE_SEARCH_TILE_PX,
    SEARCH_SIDE_PX,
    SECOND_SEARCH_TILE_PX,
    STRIDE_PX,
    TileDetector,
    decode,
    non_maximum_suppression,
)
from tilekeeper.vision.scene import Scene

NOTHING_HIDDEN = np.zeros((CROP_PX, CROP_PX), bool)


def tile(x: float, y: float, width: float, turn: float = 0.0, height: float | None = None) -> np.ndarray:
    """Return a tile's quad `(4, 2) float32` at `x, y`, turned clockwise by `turn` radians."""
    half_w, half_h = width / 2, (1.4 * width if height is None else height) / 2
    local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def logits_of(heat: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the maps `(10, h, w)` of a perfectly trained network that shows no faces."""
    chance = np.clip(heat, 1e-4, 1 - 1e-4)
    faces = np.full((1, *heat.shape), -8.0)
    return np.concatenate([np.log(chance / (1 - chance))[None], corners[:8], faces]).astype(np.float32)


def empty_maps(height_px: int, width_px: int) -> np.ndarray:
    """Return maps without detections for an input of that size."""
    maps = np.zeros((10, height_px // STRIDE_PX, width_px // STRIDE_PX), np.float32)
    maps[[0, 9]] = -8.0
    return maps


@dataclass
class SeeingSession:
    """A perfect network that finds every bright upright rectangle in the red plane."""

    shapes: list[tuple[int, ...]] = field(default_factory=list)
    narrowest_px: float = 0.0

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        planes = planes_in(inputs["picture"])
        self.shapes.append(planes.shape)
        red = planes[0, 0] / 255
        maps = empty_maps(*red.shape)
        maps[9] = 16 * red[STRIDE_PX // 2 :: STRIDE_PX, STRIDE_PX // 2 :: STRIDE_PX] - 8
        count, places = cv2.connectedComponents((red > 0.02).astype(np.uint8))
        for place in range(1, count):
            part = red * (places == place)
            across, down = part.max(axis=0), part.max(axis=1)
            wh = np.array([across.sum(), down.sum()])
            if wh[0] < self.narrowest_px:
                continue
            middle = np.array([part.sum(axis=0) @ np.arange(red.shape[1]), part.sum(axis=1) @ np.arange(red.shape[0])])
            quad = tile(*(middle / part.sum()), wh[0], height=wh[1])
            column, row = np.clip(np.round(quad.mean(axis=0) / STRIDE_PX - 0.5).astype(int), 0, maps.shape[:0:-1])
            column, row = min(column, maps.shape[2] - 1), min(row, maps.shape[1] - 1)
            maps[0, row, column] = 4.0
            cell = (np.array([column, row]) + 0.5) * STRIDE_PX
            maps[1:9, row, column] = ((quad - cell) / CORNER_UNIT_PX).ravel()
        return [maps[None]]


def picture_of(wh: tuple[int, int], boxes: list[tuple[int, int, int, int]]) -> np.ndarray:
    """Return a black BGR image with red rectangles `x, y, w, h` of whole pixels."""
    image = np.zeros((wh[1], wh[0], 3), np.uint8)
    for x, y, w, h in boxes:
        image[y : y + h, x : x + w, 2] = 255
    return image


def test_training_targets_decode_to_their_quads() -> None:
    """Each tile is decoded once, with an error below a tenth of a pixel."""
    rng = np.random.default_rng(2)
    for width in (12.0, 25.0, 60.0):
        places = [(x, y) for y in np.arange(50, 290, 1.9 * width) for x in np.arange(50, 290, 1.9 * width)]
        quads = np.array([tile(x, y, width, rng.uniform(-np.pi, np.pi)) for x, y in places])
        heat, _, corners = draw_targets(quads, np.ones(len(quads), bool), NOTHING_HIDDEN)
        read, scores = decode(logits_of(heat, corners), MIN_DETECTION_SCORE)
        kept = read[non_maximum_suppression(read, scores)]
        assert len(kept) == len(quads)
        for quad in quads:
            nearest = kept[np.linalg.norm(kept.mean(axis=1) - quad.mean(axis=0), axis=1).argmin()]
            assert np.abs(nearest - quad).max() < 0.1


def test_decoding_sorts_by_score_and_drops_low_scores() -> None:
    maps = empty_maps(64, 96)
    for column, row, chance in ((2, 3, 0.6), (10, 3, 0.9), (18, 9, MIN_DETECTION_SCORE - 0.01)):
        maps[0, row, column] = np.log(chance / (1 - chance))
    quads, scores = decode(maps, MIN_DETECTION_SCORE)
    assert scores == pytest.approx([0.9, 0.6], abs=1e-5)
    assert quads.mean(axis=1).tolist() == [[42, 14], [10, 14]]


def test_decoding_empty_maps_gives_empty_arrays() -> None:
    """Huge logits do not overflow."""
    maps = empty_maps(64, 64)
    maps[0] = -1e4
    quads, scores = decode(maps, MIN_DETECTION_SCORE)
    assert quads.shape == (0, 4, 2)
    assert scores.shape == (0,)


def test_two_quads_of_one_tile_leave_the_higher_score() -> None:
    """Tiles that touch or overlap a little stay."""
    quads = np.array([tile(50, 50, 20), tile(53, 51, 20), tile(71, 50, 20), tile(50, 74, 20, np.pi / 2)])
    assert non_maximum_suppression(quads, np.array([0.5, 0.9, 0.8, 0.7])) == [1, 2, 3]
    assert non_maximum_suppression(quads, np.array([0.9, 0.5, 0.8, 0.7])) == [0, 2, 3]


def test_small_quad_inside_a_larger_one_is_dropped() -> None:
    quads = np.array([tile(100, 100, 80), tile(100, 90, 20)])
    assert non_maximum_suppression(quads, np.array([0.9, 0.8])) == [0]


@pytest.mark.parametrize(
    ("case", "quad"),
    [
        ("mirrored", tile(50, 50, 20)[[1, 0, 3, 2]]),
        ("a bow tie", tile(50, 50, 20)[[0, 2, 1, 3]]),
        ("dented", np.array([[0, 0], [40, 0], [10, 10], [0, 40]], np.float32)),
        ("a sliver", tile(50, 50, 10, height=60)),
        ("a speck", tile(50, 50, 3)),
        ("a point", np.full((4, 2), 9, np.float32)),
    ],
)
def test_quad_without_a_tiles_shape_is_dropped(case: str, quad: np.ndarray) -> None:
    assert non_maximum_suppression(quad[None], np.array([0.99])) == []


@pytest.mark.parametrize("turn", np.linspace(-np.pi, np.pi, 7))
def test_turned_and_foreshortened_tile_is_kept(turn: float) -> None:
    assert non_maximum_suppression(tile(50, 50, 30, turn)[None], np.array([0.5])) == [0]
    assert non_maximum_suppression(tile(50, 50, 30, turn, height=14)[None], np.array([0.5])) == [0]


@pytest.mark.parametrize(
    "wh", [(320, 240), (333, 251), (1000, 750), (1024, 1024), (1025, 640), (1920, 1080), (4001, 2999), (700, 3000)]
)
def test_corners_are_in_image_pixels_at_every_size(wh: tuple[int, int]) -> None:
    """No edge is off by more than a fifth of an input pixel; wrong pixel centres would cost half a pixel.

    A rectangle of the pixels 60 to 119 reaches from 59.5 to 119.5, because pixel centres are at whole numbers.
    """
    longer = max(wh)
    x, y, w, h = (round(share * longer) for share in (0.06, 0.05, 0.04, 0.056))
    session = SeeingSession()
    detections = TileDetector(session).detect(Scene(picture_of(wh, [(x, y, w, h)])))
    wanted = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) - 0.5
    assert np.abs(detections.quads_px - wanted).max() < 0.21 * max(1.0, longer / SEARCH_SIDE_PX)
    assert detections.quads_px.dtype == np.float32
    assert detections.scores.tolist() == pytest.approx([1 / (1 + np.exp(-4.0))])
    assert all(shape[:2] == (1, 3) and shape[2] % 32 == shape[3] % 32 == 0 for shape in session.shapes)


@pytest.mark.parametrize("wh", [(1, 1), (5, 9), (40, 30), (3000, 4), (2, 2500)])
def test_tiny_image_gives_valid_input_and_no_detection(wh: tuple[int, int]) -> None:
    """The network gets sides that it can halve five times."""
    session = SeeingSession()
    assert TileDetector(session).detect(Scene(picture_of(wh, []))).scores.size == 0
    assert all(side >= 32 and side % 32 == 0 for shape in session.shapes for side in shape[2:])


def test_tile_that_fills_the_image_is_found_at_half_size() -> None:
    (quad_px,) = TileDetector(SeeingSession()).detect(Scene(picture_of((1000, 750), [(300, 60, 420, 600)]))).quads_px
    assert np.abs(quad_px - (np.array([[300, 60], [720, 60], [720, 660], [300, 660]]) - 0.5)).max() < 0.3


def test_small_tiles_are_searched_again_at_full_size() -> None:
    near, far = SeeingSession(), SeeingSession()
    for session, wh in ((near, (60, 84)), (far, (20, 28))):
        image = picture_of((2000, 1500), [(200, 200, *wh), (900, 700, *wh)])
        assert len(TileDetector(session).detect(Scene(image)).scores) == 2
    assert max(shape[3] for shape in near.shapes) == SEARCH_SIDE_PX
    assert max(shape[3] for shape in far.shapes) >= 2000


@pytest.mark.parametrize(
    ("wh", "tile_wh", "side_px"),
    [((3000, 2000), (24, 34), MAX_SEARCH_SIDE_PX), ((640, 480), (10, 14), SEARCH_SIDE_PX)],
)
def test_tile_missed_by_the_first_search_is_found_by_the_second(
    wh: tuple[int, int], tile_wh: tuple[int, int], side_px: int
) -> None:
    session = SeeingSession(narrowest_px=12)
    detections = TileDetector(session).detect(Scene(picture_of(wh, [(200, 200, *tile_wh)]))).scores
    assert len(detections) == 1
    assert max(shape[3] for shape in session.shapes) == side_px


@pytest.mark.parametrize(
    ("wh", "tile_px", "side_px"),
    [
        ((2000, 1500), 30, 1600),  # 15.4 px in the first search
        ((1500, 2000), 30, 1600),
        ((1024, 768), 16, 1536),
        ((640, 480), 12, 1280),  # enlarged to twice its size
        ((640, 480), 8, 1920),
        ((640, 480), 6, MAX_SEARCH_SIDE_PX),  # 2560 would be too large
        ((640, 480), 18, 640),  # wide enough: no second search
        ((4000, 3000), 100, SEARCH_SIDE_PX),
    ],
)
def test_second_search_scales_small_tiles_to_the_wanted_width(wh: tuple[int, int], tile_px: int, side_px: int) -> None:
    session = SeeingSession()
    height = round(1.4 * tile_px)
    boxes = [(x, y, tile_px, height) for x in (100, 300) for y in (80, 260)]
    detections = TileDetector(session).detect(Scene(picture_of(wh, boxes))).quads_px
    assert len(detections) == len(boxes)
    longest = max(max(shape[2:]) for shape in session.shapes)
    assert side_px <= longest < side_px + 32
    first_search_px = tile_px * min(SEARCH_SIDE_PX, max(wh)) / max(wh)
    assert (len(session.shapes) == 6) is (first_search_px < MIN_SINGLE_SEARCH_TILE_PX)
    assert tile_px * side_px / max(wh) <= max(SECOND_SEARCH_TILE_PX, first_search_px) + 0.1
    for quad_px in detections:
        nearest = min(boxes, key=lambda box: abs(box[0] - quad_px[0, 0]) + abs(box[1] - quad_px[0, 1]))
        x, y, w, h = nearest
        wanted = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) - 0.5
        assert np.abs(quad_px - wanted).max() < 0.1 * max(1.0, max(wh) / side_px)


def test_image_without_detection_is_searched_once_more() -> None:
    """The second search is at full size or enlarged. An image that was searched at full size is not searched again."""
    small, as_it_is, large = SeeingSession(), SeeingSession(), SeeingSession()
    assert TileDetector(small).detect(Scene(picture_of((640, 480), []))).scores.size == 0
    assert TileDetector(large).detect(Scene(picture_of((1600, 1200), []))).scores.size == 0
    assert TileDetector(as_it_is).detect(Scene(picture_of((SEARCH_SIDE_PX, 768), []))).scores.size == 0
    assert [max(shape[2:]) for shape in small.shapes] == [640, 320, 160, 1024, 512, 256]
    assert [max(shape[2:]) for shape in as_it_is.shapes] == [1024, 512, 256]
    assert [max(shape[2:]) for shape in large.shapes] == [1024, 512, 256, 1600, 800, 416]


@pytest.mark.parametrize(
    ("chance", "min_score", "count"), [(0.25, MIN_DETECTION_SCORE, 0), (0.25, 0.2, 1), (0.6, 0.7, 0)]
)
def test_peaks_below_the_given_score_are_no_detections(chance: float, min_score: float, count: int) -> None:

    class OnePeakSession:
        def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            planes = planes_in(inputs["picture"])
            maps = empty_maps(*planes.shape[2:])
            if planes.shape[3] == 320:
                maps[0, 20, 30] = np.log(chance / (1 - chance))
                maps[1:9, 20, 30] = (tile(0, 0, 30) / CORNER_UNIT_PX).ravel()
            return [maps[None]]

    detections = TileDetector(OnePeakSession(), min_score).detect(Scene(np.zeros((240, 320, 3), np.uint8)))
    assert detections.scores.tolist() == pytest.approx([chance] * count)
    if min_score == MIN_DETECTION_SCORE:
        assert len(TileDetector(OnePeakSession()).detect(Scene(np.zeros((240, 320, 3), np.uint8))).scores) == count


def test_tile_with_its_centre_outside_the_image_is_left_out() -> None:

    class OutsideSession:
        def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            maps = empty_maps(*planes_in(inputs["picture"]).shape[2:])
            maps[0, 10, [4, maps.shape[2] - 1]] = 4.0
            for column in (4, maps.shape[2] - 1):
                maps[1:9, 10, column] = (tile(0, 0, 20) / CORNER_UNIT_PX).ravel()
            return [maps[None]]

    detections = TileDetector(OutsideSession()).detect(Scene(np.zeros((192, 200, 3), np.uint8))).quads_px
    assert len(detections)
    assert all(0 <= quad_px.mean(axis=0)[0] < 200 for quad_px in detections)


def test_network_input_has_all_channels_and_a_repeated_edge() -> None:
    network_input = []

    class Recording:
        def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            network_input.append(planes_in(inputs["picture"]))
            return [empty_maps(*network_input[-1].shape[2:])[None]]

    image = np.empty((40, 70, 3), np.uint8)
    image[:] = (10, 120, 250)
    TileDetector(Recording()).detect(Scene(image))
    assert network_input[0].shape == (1, 3, 64, 96)
    assert [float(plane.min()) for plane in network_input[0][0]] == [250, 120, 10]
    assert [float(plane.max()) for plane in network_input[0][0]] == [250, 120, 10]


def test_training_targets_are_a_quarter_of_the_crop() -> None:
    heat, count, corners = draw_targets(np.zeros((0, 4, 2)), np.zeros(0, bool), NOTHING_HIDDEN)
    assert heat.shape == count.shape == (CROP_PX // STRIDE_PX, CROP_PX // STRIDE_PX)
    assert corners.shape == (9, *heat.shape)
    assert heat.max() == 0
    assert count.min() == 1


def test_large_tile_on_a_weave_of_narrow_detections_stays() -> None:
    """The weave leads to a search at twice the size, in which the tile is too large."""

    class Weave:
        def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
            rows, columns = (2 * side for side in inputs["picture"].shape[1:3])
            maps = empty_maps(rows, columns)
            peak = (tile(0, 0, 12 * columns / 1024), 0.35) if columns >= 1024 else (tile(0, 0, 60), 0.9)
            for column in range(8 if columns >= 1024 else columns == 512):
                maps[0, 20, 12 + 12 * column] = np.log(peak[1] / (1 - peak[1]))
                maps[1:9, 20, 12 + 12 * column] = (peak[0] / CORNER_UNIT_PX).ravel()
            return [maps[None]]

    detections = TileDetector(Weave()).detect(Scene(np.zeros((768, 1024, 3), np.uint8)))
    assert (detections.scores[0], detections.quads_px[0, 1, 0] - detections.quads_px[0, 0, 0]) == pytest.approx(
        (0.9, 120)
    )


@pytest.mark.parametrize(
    ("widths", "searches"), [([30] * 9, 1), ([30] * 5, 3), ([30] * 7 + [60] * 2, 3), ([50] * 9, 3)]
)
def test_large_tiles_are_searched_unless_all_are_small(widths: list[int], searches: int) -> None:
    image = np.zeros((768, 1024, 3), np.uint8)
    for at, width in enumerate(widths):
        x, y = 40 + 100 * at, 300
        cv2.rectangle(image, (x, y), (x + width - 1, y + round(1.4 * width) - 1), (0, 0, 255), -1)
    session = SeeingSession()
    detections = TileDetector(session).detect(Scene(image)).scores
    assert len(detections) == len(widths)
    assert len(session.shapes) == searches

"""The classifier around its network: sub-pixel crops, white balance, labels."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import planes_in
from tilekeeper.vision.recognition.classifier import (
    CROP_WH,
    INNER,
    MARGIN,
    TILE_PX,
    TileClassifier,
    crop_tiles,
    whiten,
    whiten_to_bytes,
)
from tilekeeper.vision.types import JOKER, NOT_A_TILE, WHITE


def quad_of(x: float, y: float, width: float, turn: float = 0.0, height: float | None = None) -> np.ndarray:
    """Return a tile's quad `(4, 2) float32` at `x, y`, turned clockwise by `turn` radians."""
    half_w, half_h = width / 2, (1.4 * width if height is None else height) / 2
    local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def places_px(quad_px: np.ndarray) -> np.ndarray:
    """Return the image position of each pixel of the quad's crop, `(72, 48, 2)`."""
    width, height = CROP_WH
    low, high = MARGIN * np.array(CROP_WH), (1 - MARGIN) * np.array(CROP_WH)
    inner = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]], np.float32)
    assert inner == pytest.approx(INNER, abs=1e-4)
    back = cv2.getPerspectiveTransform(inner, quad_px.astype(np.float32))
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(1, -1, 2).astype(np.float64)
    return cv2.perspectiveTransform(grid, back).reshape(height, width, 2)


@pytest.mark.parametrize("width", [16.0, 44.0, 71.0, 74.0, 130.0, 290.0])
@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2, np.pi])
def test_crop_shows_the_pixels_of_its_quad(width: float, turn: float) -> None:
    """Brightness encodes x, then y. Tiles over 55 px are downscaled first, which must not shift them."""
    size = 720
    quad = quad_of(359.3, 360.8, width, turn)
    wanted = places_px(quad)
    for axis in (0, 1):
        places = wanted[..., axis]
        # the steepest ramp that fits into bytes gives the best resolution
        steepness = 240 / (places.max() - places.min() + 8)
        ramp = np.clip((np.indices((size, size))[1 - axis] - places.min() + 4) * steepness, 0, 255)
        crop = crop_tiles(np.repeat(np.round(ramp).astype(np.uint8)[..., None], 3, axis=2), quad[None])[0][0]
        error_px = (crop[..., 0] / steepness + places.min() - 4 - places) / (width / TILE_PX)  # in pixels of the crop
        assert abs(error_px.mean()) < 0.15
        assert np.abs(error_px).max() < 0.5


def test_crop_of_a_tile_in_perspective_is_rectangular() -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    quad = np.array([[120, 40], [150, 120], [60, 150], [40, 70]], np.float32)  # sideways, with a shorter far edge
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
    for corner, colour in zip(quad, colours, strict=True):
        cv2.circle(image, tuple(int(v) for v in 0.8 * corner + 0.2 * quad.mean(axis=0)), 12, colour, -1)
    crop = crop_tiles(image, quad[None])[0][0]
    inner = (INNER * 0.8 + INNER.mean(axis=0) * 0.2).round().astype(int)
    (x0, y0), (x1, y1) = inner[0], inner[2]
    for (x, y), colour in zip(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), colours, strict=True):
        assert np.abs(crop[y, x] - np.array(colour)).max() < 40


def test_quad_turned_by_180_degrees_gives_the_turned_crop() -> None:
    image = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 255, (160, 160, 3), np.uint8), (0, 0), 3)
    quad = quad_of(80, 80, 40, 0.4)
    upright, turned = crop_tiles(image, np.array([quad, np.roll(quad, 2, axis=0)]))[0].astype(np.float32)
    # the crop's last pixel is 47, not 48, so one pixel of difference is allowed
    assert np.abs(upright[:-1, :-1] - turned[::-1, ::-1][:-1, :-1]).mean() < 4
    assert np.abs(upright[1:, 1:] - turned[::-1, ::-1][:-1, :-1]).mean() < 0.5


@pytest.mark.parametrize("size", [30.0, 140.0])
def test_crop_across_the_image_edge_repeats_the_last_pixels(size: float) -> None:
    image = np.zeros((300, 300, 3), np.uint8)
    image[:, :150] = 200
    for middle in ((0, 150), (150 - 150, 0), (5, 299)):
        crop = crop_tiles(image, quad_of(*middle, size)[None])[0][0]
        assert crop[:, : CROP_WH[0] // 2].min() > 195


@pytest.mark.parametrize("width", [30.0, 90.0])
@pytest.mark.parametrize("middle", [(-400, 50), (50, -400), (900, 50), (50, 900), (-35, -35), (1e6, 1e6)])
def test_quad_outside_the_image_gives_a_finite_crop(middle: tuple[float, float], width: float) -> None:
    crops, views = crop_tiles(np.full((100, 100, 3), 90, np.uint8), quad_of(*middle, width)[None])
    assert crops.shape == (1, 72, 48, 3)
    assert crops.dtype == np.uint8
    assert views.shape == (1, 3, 3)
    assert crops.max() <= 90


def test_one_pixel_stripes_on_a_large_tile_become_grey() -> None:
    image = np.zeros((600, 600, 3), np.uint8)
    image[:, ::2] = 255
    crop = crop_tiles(image, quad_of(300, 300, 300)[None])[0][0]
    assert np.abs(crop - 127.5).max() < 26


def random_crops(count: int = 3) -> np.ndarray:
    """Return crops of dark ink on a light face, `(N, 72, 48, 3) float32`."""
    rng = np.random.default_rng(4)
    crops = rng.uniform(150, 165, (count, 72, 48, 3)).astype(np.float32)
    crops[:, 15:40, 12:36] = rng.uniform(10, 60, (count, 1, 1, 3))
    return crops


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.8, 1.5), (1.4, 1.0, 0.6), (0.2, 0.2, 0.2)])
def test_white_balance_removes_the_colour_of_the_light(light: tuple[float, float, float]) -> None:
    crops = random_crops()
    lit = whiten(crops * np.float32(light))
    assert np.abs(lit - whiten(crops)).max() < 1e-4
    assert lit[:, 60:].mean() == pytest.approx(1.0, abs=0.04)
    assert lit[:, 20:35, 15:30].max() < 0.45


def test_white_balance_is_per_crop_and_clips_glare_at_1_6() -> None:
    crops = random_crops()
    first_only = np.concatenate([whiten(crop[None]) for crop in crops])
    assert np.array_equal(whiten(crops), first_only)
    crops[0] = 0
    crops[1, 50:54] = 5000
    white = whiten(crops)
    assert white[0].max() == 0
    assert np.isfinite(white).all()
    assert white.max() == pytest.approx(1.6)
    assert white.dtype == np.float32


@pytest.mark.parametrize("table_level", [0.0, 90.0, 255.0])
def test_white_balance_ignores_the_table_around_the_tile(table_level: float) -> None:
    crops = random_crops()
    beside = np.ones(crops.shape[1:3], bool)
    (x0, y0), (x1, y1) = np.ceil(INNER[0]).astype(int), np.floor(INNER[2]).astype(int)
    beside[y0:y1, x0:x1] = False
    on_table = crops.copy()
    on_table[:, beside] = table_level
    assert np.array_equal(whiten(on_table)[:, ~beside], whiten(crops)[:, ~beside])


class StandInSession:
    """Returns random logits without corner offsets and stores its inputs."""

    def __init__(self, shifts: np.ndarray | float = 0.0) -> None:
        self.planes = np.zeros(0)
        self.shifts = shifts

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.planes = planes_in(inputs["crops"])
        logits = np.random.default_rng(0).normal(0, 30, (len(self.planes), 28)).astype(np.float32)
        logits[:, 19] = [-3.5, 2.5][: len(logits)]
        logits[:, 20:] = self.shifts
        return [logits]


def test_network_input_is_white_balanced_and_outputs_are_probabilities() -> None:
    image = np.full((200, 200, 3), 180, np.uint8)
    image[85:115, 90:110] = (20, 20, 170)
    session = StandInSession()
    appearances = TileClassifier(session)(image, np.array([quad_of(100, 100, 60), quad_of(100, 100, 60, np.pi)]))
    assert session.planes.shape == (2, 3, 72, 48)
    red, green, blue = session.planes[0][:, 36, 24] / WHITE
    assert red == pytest.approx(170 / 180, abs=0.02)
    assert green == pytest.approx(20 / 180, abs=0.02)
    assert blue == pytest.approx(20 / 180, abs=0.02)
    assert appearances.number_log_probs.shape == (2, 15)
    assert appearances.ink_log_probs.shape == (2, 4)
    assert np.exp(appearances.number_log_probs).sum(axis=1) == pytest.approx(1)
    assert np.exp(appearances.ink_log_probs).sum(axis=1) == pytest.approx(1)
    assert appearances.upside_down_log_odds.tolist() == [-3.5, 2.5]
    assert appearances.quads_px.shape == (2, 4, 2)
    assert appearances.quads_px.dtype == np.float32
    assert appearances.ink_colours.shape == (2, 3)
    assert (JOKER, NOT_A_TILE) == (13, 14)


def test_no_quads_need_no_network_call() -> None:
    session = StandInSession()
    appearances = TileClassifier(session)(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert appearances.number_log_probs.shape == (0, 15)
    assert appearances.ink_log_probs.shape == (0, 4)
    assert appearances.upside_down_log_odds.shape == (0,)
    assert appearances.quads_px.shape == (0, 4, 2)
    assert appearances.ink_colours.shape == (0, 3)
    assert session.planes.size == 0


class StandInLogits:
    """Returns the given logits for its crops, in order, and counts them."""

    def __init__(self, *answers: dict[int, float]) -> None:
        self.answers = answers
        self.crop_count = -1

    def run(self, outputs: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.crop_count = len(inputs["crops"])
        logits = np.zeros((self.crop_count, 28), np.float32)
        for row, answer in zip(logits, self.answers, strict=True):
            row[list(answer)] = list(answer.values())
        return [logits]


SURE = {3: 12.0, 15: 12.0, 19: -5.0}
"""A black 4, upright."""
AMBIGUOUS = {3: 12.0, 10: 11.5, 15: 12.0, 19: -5.0}
"""A black 4 or 11."""
UPSIDE_DOWN = {3: 1.0, 15: 1.0, 19: 5.0}
NO_TILE = {14: 12.0, 19: -5.0}
UNLIKELY_TILE = {14: 12.0, 10: 11.0, 19: -5.0}
UNKNOWN_INK = {3: 12.0, 15: 12.0, 16: 11.0, 19: -5.0}


def test_verifier_gets_only_uncertain_crops_and_its_output_counts() -> None:
    """Certain tiles, certain non-tiles and upside-down crops do not reach it."""
    image, quads = np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)] * 6)
    first = StandInLogits(SURE, AMBIGUOUS, UPSIDE_DOWN, NO_TILE, UNLIKELY_TILE, UNKNOWN_INK)
    second = StandInLogits({3: 20.0, 15: 20.0, 19: -5.0, 20: 0.2}, {10: 20.0, 15: 20.0}, {3: 20.0, 16: 20.0})
    first_only, both = TileClassifier(first)(image, quads), TileClassifier(first, second)(image, quads)
    assert second.crop_count == 3
    unverified = [0, 2, 3]
    assert np.array_equal(both.number_log_probs[unverified], first_only.number_log_probs[unverified])
    assert np.array_equal(both.quads_px[unverified], first_only.quads_px[unverified])
    assert np.exp(first_only.number_log_probs[1, 3]) == pytest.approx(0.62, abs=0.01)
    assert np.exp(both.number_log_probs[1, 3]) == pytest.approx(1, abs=0.01)
    assert both.quads_px[1, 0, 0] - first_only.quads_px[1, 0, 0] == pytest.approx(0.2 * 60, abs=0.1)
    assert both.number_log_probs[4].argmax() == 10
    assert both.ink_log_probs[5].argmax() == 1
    for log_probs in (both.number_log_probs, both.ink_log_probs):
        assert np.exp(log_probs).sum(axis=1) == pytest.approx(1)


def test_verifier_gets_every_joker() -> None:
    """Sideways numbers resemble a joker."""
    image, quads = np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)] * 2)
    appearances = TileClassifier(
        StandInLogits({JOKER: 30.0, 19: -5.0}, SURE), second := StandInLogits({NOT_A_TILE: 20.0})
    )(image, quads)
    assert second.crop_count == 1
    assert appearances.number_log_probs.argmax(axis=1).tolist() == [NOT_A_TILE, 3]


def test_verifier_is_not_called_for_certain_crops() -> None:
    second = StandInLogits()
    appearances = TileClassifier(StandInLogits(SURE), second)(
        np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)])
    )
    assert appearances.number_log_probs.argmax() == 3
    assert second.crop_count == -1


def test_huge_quad_that_barely_touches_the_image_gives_a_crop() -> None:
    quad = quad_of(0, 0, 4000) + np.float32((-5398, 60))
    crops, _ = crop_tiles(np.full((120, 160, 3), 200, np.uint8), quad[None])
    assert crops.shape == (1, CROP_WH[1], CROP_WH[0], 3)


def test_byte_white_balance_equals_that_of_training() -> None:
    """The crops may be non-contiguous in memory."""
    crops = random_crops().astype(np.uint8)
    crops[1, 50:54] = 255
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    wanted = np.minimum(WHITE * whiten(crops), 255)
    for random in (crops, planes):
        assert np.abs(whiten_to_bytes(random) - wanted).max() <= 0.51

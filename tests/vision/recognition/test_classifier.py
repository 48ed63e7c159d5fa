"""The classifier around its network: tiles cut out to a fraction of a pixel, the lamp's colour divided away, names
made."""

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
    """A tile's quad `(4, 2) float32` about `x, y`, turned clockwise by `turn` radians."""
    half_w, half_h = width / 2, (1.4 * width if height is None else height) / 2
    local = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]])
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def places_px(quad_px: np.ndarray) -> np.ndarray:
    """Where in the picture each pixel of the quad's crop lies, `(72, 48, 2)`."""
    width, height = CROP_WH
    low, high = MARGIN * np.array(CROP_WH), (1 - MARGIN) * np.array(CROP_WH)
    inner = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]], np.float32)
    assert inner == pytest.approx(INNER, abs=1e-4)
    back = cv2.getPerspectiveTransform(inner, quad_px.astype(np.float32))
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(1, -1, 2).astype(np.float64)
    return cv2.perspectiveTransform(grid, back).reshape(height, width, 2)


@pytest.mark.parametrize("width", [16.0, 44.0, 71.0, 74.0, 130.0, 290.0])
@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2, np.pi])
def test_crops_are_cut_where_the_quads_lie(width: float, turn: float) -> None:
    """On a picture whose brightness is its x (then its y), each crop shows the places that it should.

    Tiles larger than 55 px come from a picture shrunk by area, which must not shift them by a part of a pixel.
    """
    size = 720
    quad = quad_of(359.3, 360.8, width, turn)
    wanted = places_px(quad)
    for axis in (0, 1):
        places = wanted[..., axis]
        # as steep as whole numbers allow: they say where a place is only to the nearest of them
        steepness = 240 / (places.max() - places.min() + 8)
        ramp = np.clip((np.indices((size, size))[1 - axis] - places.min() + 4) * steepness, 0, 255)
        crop = crop_tiles(np.repeat(np.round(ramp).astype(np.uint8)[..., None], 3, axis=2), quad[None])[0][0]
        off = (crop[..., 0] / steepness + places.min() - 4 - places) / (width / TILE_PX)  # in pixels of the crop
        assert abs(off.mean()) < 0.15
        assert np.abs(off).max() < 0.5


def test_a_tile_in_perspective_comes_out_upright() -> None:
    """A quad that is no rectangle is straightened, its first corner at the top left."""
    image = np.zeros((200, 200, 3), np.uint8)
    quad = np.array([[120, 40], [150, 120], [60, 150], [40, 70]], np.float32)  # on its side, far edge shorter
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
    for corner, colour in zip(quad, colours, strict=True):
        cv2.circle(image, tuple(int(v) for v in 0.8 * corner + 0.2 * quad.mean(axis=0)), 12, colour, -1)
    crop = crop_tiles(image, quad[None])[0][0]
    inner = (INNER * 0.8 + INNER.mean(axis=0) * 0.2).round().astype(int)
    (x0, y0), (x1, y1) = inner[0], inner[2]
    for (x, y), colour in zip(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), colours, strict=True):
        assert np.abs(crop[y, x] - np.array(colour)).max() < 40


def test_turning_the_corners_by_two_turns_the_crop_round() -> None:
    """A tile read from its other end is the same crop on its head."""
    image = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 255, (160, 160, 3), np.uint8), (0, 0), 3)
    quad = quad_of(80, 80, 40, 0.4)
    upright, turned = crop_tiles(image, np.array([quad, np.roll(quad, 2, axis=0)]))[0].astype(np.float32)
    # the margins are alike on both sides, but the crop's own last pixel is 47, not 48: one pixel is allowed
    assert np.abs(upright[:-1, :-1] - turned[::-1, ::-1][:-1, :-1]).mean() < 4
    assert np.abs(upright[1:, 1:] - turned[::-1, ::-1][:-1, :-1]).mean() < 0.5


@pytest.mark.parametrize("size", [30.0, 140.0])
def test_a_tile_across_the_edge_continues_its_last_pixels(size: float) -> None:
    """What lies beyond the picture is filled with its edge, and nothing wraps round."""
    image = np.zeros((300, 300, 3), np.uint8)
    image[:, :150] = 200
    for middle in ((0, 150), (150 - 150, 0), (5, 299)):
        crop = crop_tiles(image, quad_of(*middle, size)[None])[0][0]
        assert crop[:, : CROP_WH[0] // 2].min() > 195


@pytest.mark.parametrize("width", [30.0, 90.0])
@pytest.mark.parametrize("middle", [(-400, 50), (50, -400), (900, 50), (50, 900), (-35, -35), (1e6, 1e6)])
def test_a_quad_off_the_picture_is_no_error(middle: tuple[float, float], width: float) -> None:
    """The detector may be wrong; the crop is then of the right shape and holds numbers."""
    crops, views = crop_tiles(np.full((100, 100, 3), 90, np.uint8), quad_of(*middle, width)[None])
    assert crops.shape == (1, 72, 48, 3)
    assert crops.dtype == np.uint8
    assert views.shape == (1, 3, 3)
    assert crops.max() <= 90


def test_fine_patterns_on_large_tiles_do_not_alias() -> None:
    """Stripes one pixel wide on a tile 300 px wide come out as the grey that they are from afar."""
    image = np.zeros((600, 600, 3), np.uint8)
    image[:, ::2] = 255
    crop = crop_tiles(image, quad_of(300, 300, 300)[None])[0][0]
    assert np.abs(crop - 127.5).max() < 26


def random_crops(count: int = 3) -> np.ndarray:
    """Crops of dark ink on a light face, `(N, 72, 48, 3) float32`."""
    rng = np.random.default_rng(4)
    crops = rng.uniform(150, 165, (count, 72, 48, 3)).astype(np.float32)
    crops[:, 15:40, 12:36] = rng.uniform(10, 60, (count, 1, 1, 3))
    return crops


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.8, 1.5), (1.4, 1.0, 0.6), (0.2, 0.2, 0.2)])
def test_whitening_takes_the_colour_of_the_light_away(light: tuple[float, float, float]) -> None:
    """A lamp of any colour and strength leaves the same crop, its face at 1."""
    crops = random_crops()
    lit = whiten(crops * np.float32(light))
    assert np.abs(lit - whiten(crops)).max() < 1e-4
    assert lit[:, 60:].mean() == pytest.approx(1.0, abs=0.04)
    assert lit[:, 20:35, 15:30].max() < 0.45


def test_whitening_goes_crop_by_crop_and_bounds_glare() -> None:
    """One crop's light says nothing of another's; black stays black, and no value passes 1.6."""
    crops = random_crops()
    alone = np.concatenate([whiten(crop[None]) for crop in crops])
    assert np.array_equal(whiten(crops), alone)
    crops[0] = 0
    crops[1, 50:54] = 5000
    white = whiten(crops)
    assert white[0].max() == 0
    assert np.isfinite(white).all()
    assert white.max() == pytest.approx(1.6)
    assert white.dtype == np.float32


@pytest.mark.parametrize("around", [0.0, 90.0, 255.0])
def test_what_lies_around_the_tile_has_no_say_in_its_white(around: float) -> None:
    """On a black table, a grey or a white one the tile itself comes out the same."""
    crops = random_crops()
    beside = np.ones(crops.shape[1:3], bool)
    (x0, y0), (x1, y1) = np.ceil(INNER[0]).astype(int), np.floor(INNER[2]).astype(int)
    beside[y0:y1, x0:x1] = False
    on_table = crops.copy()
    on_table[:, beside] = around
    assert np.array_equal(whiten(on_table)[:, ~beside], whiten(crops)[:, ~beside])


class StandInSession:
    """Answers with logits drawn by chance and corners that stay, and keeps what it was given."""

    def __init__(self, shifts: np.ndarray | float = 0.0) -> None:
        self.planes = np.zeros(0)
        self.shifts = shifts

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.planes = planes_in(inputs["crops"])
        logits = np.random.default_rng(0).normal(0, 30, (len(self.planes), 28)).astype(np.float32)
        logits[:, 19] = [-3.5, 2.5][: len(logits)]
        logits[:, 20:] = self.shifts
        return [logits]


def test_the_classifier_hands_over_whitened_crops() -> None:
    """In squares of bytes, the face at `WHITE`; the answer's rows are probabilities."""
    image = np.full((200, 200, 3), 180, np.uint8)
    image[85:115, 90:110] = (20, 20, 170)
    session = StandInSession()
    names = TileClassifier(session)(image, np.array([quad_of(100, 100, 60), quad_of(100, 100, 60, np.pi)]))
    assert session.planes.shape == (2, 3, 72, 48)
    red, green, blue = session.planes[0][:, 36, 24] / WHITE
    assert red == pytest.approx(170 / 180, abs=0.02)
    assert green == pytest.approx(20 / 180, abs=0.02)
    assert blue == pytest.approx(20 / 180, abs=0.02)
    assert names.number_log_probs.shape == (2, 15)
    assert names.ink_log_probs.shape == (2, 4)
    assert np.exp(names.number_log_probs).sum(axis=1) == pytest.approx(1)
    assert np.exp(names.ink_log_probs).sum(axis=1) == pytest.approx(1)
    assert names.upside_down_log_odds.tolist() == [-3.5, 2.5]
    assert names.quads_px.shape == (2, 4, 2)
    assert names.quads_px.dtype == np.float32
    assert names.ink_colours.shape == (2, 3)
    assert (JOKER, NOT_A_TILE) == (13, 14)


def test_no_tiles_have_no_names() -> None:
    """An empty list of quads asks the network nothing."""
    session = StandInSession()
    names = TileClassifier(session)(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert names.number_log_probs.shape == (0, 15)
    assert names.ink_log_probs.shape == (0, 4)
    assert names.upside_down_log_odds.shape == (0,)
    assert names.quads_px.shape == (0, 4, 2)
    assert names.ink_colours.shape == (0, 3)
    assert session.planes.size == 0


class Says:
    """Answers with logits of its own for the crops it is shown, in their order, and counts them."""

    def __init__(self, *answers: dict[int, float]) -> None:
        self.answers = answers
        self.shown = -1

    def run(self, outputs: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.shown = len(inputs["crops"])
        logits = np.zeros((self.shown, 28), np.float32)
        for row, answer in zip(logits, self.answers, strict=True):
            row[list(answer)] = list(answer.values())
        return [logits]


SURE = {3: 12.0, 15: 12.0, 19: -5.0}
"""A black 4, upright."""
TORN = {3: 12.0, 10: 11.5, 15: 12.0, 19: -5.0}
"""A black 4 or 11."""
ON_ITS_HEAD = {3: 1.0, 15: 1.0, 19: 5.0}
NO_TILE = {14: 12.0, 19: -5.0}
HARDLY_A_TILE = {14: 12.0, 10: 11.0, 19: -5.0}
UNKNOWN_INK = {3: 12.0, 15: 12.0, 16: 11.0, 19: -5.0}


def test_the_verifier_is_shown_what_the_classifier_is_unsure_of() -> None:
    """Neither what is sure, nor no tile for sure, nor what must be turned first; its names and corners stand."""
    image, quads = np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)] * 6)
    first = Says(SURE, TORN, ON_ITS_HEAD, NO_TILE, HARDLY_A_TILE, UNKNOWN_INK)
    second = Says({3: 20.0, 15: 20.0, 19: -5.0, 20: 0.2}, {10: 20.0, 15: 20.0}, {3: 20.0, 16: 20.0})
    alone, both = TileClassifier(first)(image, quads), TileClassifier(first, second)(image, quads)
    assert second.shown == 3
    same = [0, 2, 3]
    assert np.array_equal(both.number_log_probs[same], alone.number_log_probs[same])
    assert np.array_equal(both.quads_px[same], alone.quads_px[same])
    assert np.exp(alone.number_log_probs[1, 3]) == pytest.approx(0.62, abs=0.01)
    assert np.exp(both.number_log_probs[1, 3]) == pytest.approx(1, abs=0.01)
    assert both.quads_px[1, 0, 0] - alone.quads_px[1, 0, 0] == pytest.approx(0.2 * 60, abs=0.1)
    assert both.number_log_probs[4].argmax() == 10
    assert both.ink_log_probs[5].argmax() == 1
    for log_probs in (both.number_log_probs, both.ink_log_probs):
        assert np.exp(log_probs).sum(axis=1) == pytest.approx(1)


def test_every_joker_is_shown_to_the_verifier() -> None:
    """However sure the classifier is: figures on their sides look like one."""
    image, quads = np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)] * 2)
    names = TileClassifier(Says({JOKER: 30.0, 19: -5.0}, SURE), second := Says({NOT_A_TILE: 20.0}))(image, quads)
    assert second.shown == 1
    assert names.number_log_probs.argmax(axis=1).tolist() == [NOT_A_TILE, 3]


def test_where_all_is_sure_the_verifier_rests() -> None:
    """It costs nothing then, and nor does it where nothing was found."""
    second = Says()
    names = TileClassifier(Says(SURE), second)(np.full((200, 200, 3), 180, np.uint8), np.array([quad_of(100, 100, 60)]))
    assert names.number_log_probs.argmax() == 3
    assert second.shown == -1


def test_a_strip_of_a_huge_quad_is_cut_out_all_the_same() -> None:
    """Corners that were mended to far outside leave hardly anything of the picture in sight: no reason to fail."""
    quad = quad_of(0, 0, 4000) + np.float32((-5398, 60))
    crops, _ = crop_tiles(np.full((120, 160, 3), 200, np.uint8), quad[None])
    assert crops.shape == (1, CROP_WH[1], CROP_WH[0], 3)


def test_bytes_are_whitened_as_training_whitens() -> None:
    """To half a step, of which white has `WHITE`; also where crops lie in memory otherwise than they are written."""
    crops = random_crops().astype(np.uint8)
    crops[1, 50:54] = 255
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    wanted = np.minimum(WHITE * whiten(crops), 255)
    for some in (crops, planes):
        assert np.abs(whiten_to_bytes(some) - wanted).max() <= 0.51

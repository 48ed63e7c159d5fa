"""The classifier mends corners: where its network says that they lie in the crop, there they lie in the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import planes_in
from tilekeeper.vision.recognition.classifier import INNER, MAX_CORNER_SHIFT_WIDTHS, TILE_PX, TileClassifier
from tilekeeper.vision.types import WHITE

WINDOW_PX = 9


def quad_of(x: float, y: float, width: float, turn: float = 0.0, far_side: float = 1.0) -> np.ndarray:
    """A tile's quad `(4, 2) float32`, 1.5 times as high as wide; `far_side` is how long its top is to its bottom."""
    local = np.array([[-1, -1.5], [1, -1.5], [1, 1.5], [-1, 1.5]]) * width / 2
    local[:2, 0] *= far_side
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def found_askew(quad_px: np.ndarray, seed: int) -> np.ndarray:
    """The quad as a detector may have it: turned, shifted, of another size, each corner a little off."""
    rng = np.random.default_rng(seed)
    width, middle, turn = float(np.linalg.norm(quad_px[2] - quad_px[3])), quad_px.mean(axis=0), rng.uniform(-0.08, 0.08)
    cos, sin = np.cos(turn), np.sin(turn)
    turned = (quad_px - middle) @ np.array([[cos, sin], [-sin, cos]]) * rng.uniform(0.95, 1.05) + middle
    return (turned + rng.uniform(-0.04, 0.04, 2) * width + rng.uniform(-0.03, 0.03, (4, 2)) * width).astype(np.float32)


def dotted(quad_px: np.ndarray, wh: tuple[int, int]) -> np.ndarray:
    """A light picture with a soft dark dot at each corner, drawn where it lies to a fraction of a pixel."""
    width = float(np.linalg.norm(quad_px[2] - quad_px[3]))
    ys, xs = np.mgrid[: wh[1], : wh[0]]
    dark = sum(np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * (0.035 * width) ** 2)) for x, y in quad_px)
    return np.repeat(np.round(235 * (1 - np.minimum(dark, 1))).astype(np.uint8)[..., None], 3, axis=2)


class SeesDots:
    """Says how far the dark dots lie from where the crop has the corners, as a network would that has learned all."""

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        logits = np.zeros((len(inputs["crops"]), 28), np.float32)
        for row, planes in zip(logits, planes_in(inputs["crops"]), strict=True):
            dark = np.clip(1 - planes[0] / WHITE, 0, 1)
            ys, xs = np.mgrid[: dark.shape[0], : dark.shape[1]]
            for corner, (x, y) in enumerate(INNER):
                weight = dark * ((np.abs(xs - x) <= WINDOW_PX) & (np.abs(ys - y) <= WINDOW_PX))
                seen = np.array([(weight * xs).sum(), (weight * ys).sum()]) / weight.sum()
                row[20 + 2 * corner : 22 + 2 * corner] = (seen - (x, y)) / TILE_PX
        return [logits]


class Says:
    """Answers every crop with the same shifts of the corners."""

    def __init__(self, shifts: np.ndarray | float) -> None:
        self.shifts = shifts

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        logits = np.zeros((len(inputs["crops"]), 28), np.float32)
        logits[:, 20:] = self.shifts
        return [logits]


@pytest.mark.parametrize("width", [30.0, 52.0, 58.0, 120.0, 301.0])
@pytest.mark.parametrize(("turn", "far_side"), [(0.0, 1.0), (0.7, 0.85), (np.pi / 2, 1.0), (-2.4, 0.8)])
def test_corners_go_where_the_picture_has_them(width: float, turn: float, far_side: float) -> None:
    """Quads as a detector has them come out on the dots of the picture, in their order.

    Tiles above 55 px are shrunk before they are cut out, which must not shift them by a part of a pixel.
    """
    size = round(2.6 * width) + 40
    true = quad_of(size / 2 + 0.3, size / 2 - 0.2, width, turn, far_side)
    found = np.array([found_askew(true, seed) for seed in range(6)])
    mended = TileClassifier(SeesDots())(dotted(true, (size, size)), found).quads_px
    assert np.abs(found - true).max() > 0.05 * width
    off = (mended - true) / width
    assert np.linalg.norm(off, axis=2).max() < 0.012
    assert np.abs(off.mean(axis=(0, 1))).max() < 0.004  # a fifth of a crop's pixel


def test_corners_that_are_right_stay() -> None:
    """No shift gives back the very quads, near, far, in perspective and beyond the picture's edge."""
    quads = np.array(
        [quad_of(50, 60, 20), quad_of(200, 150, 130, 2.0, 0.7), quad_of(-30, 40, 50), quad_of(900, 900, 200, 0.3)]
    )
    read = TileClassifier(Says(0.0))(np.full((300, 400, 3), 90, np.uint8), quads).quads_px
    assert read == pytest.approx(quads, abs=0.01)


@pytest.mark.parametrize("turn", [0.0, np.pi / 2, np.pi])
def test_shifts_are_counted_in_widths_along_the_tiles_own_sides(turn: float) -> None:
    """x runs along the tile's top, y down its left, both in widths, whichever way it lies in the picture."""
    quad = quad_of(200, 200, 40, turn)
    shifts = np.array([0.1, 0.2, -0.1, 0.05, 0.0, -0.3, 0.25, 0.0])
    read = TileClassifier(Says(shifts))(np.full((400, 400, 3), 90, np.uint8), quad[None]).quads_px[0]
    along, down = (quad[1] - quad[0]), (quad[3] - quad[0]) / 1.5
    wanted = [corner + x * along + y * down for corner, (x, y) in zip(quad, shifts.reshape(4, 2), strict=True)]
    assert read == pytest.approx(np.array(wanted), abs=0.01)


def test_no_corner_moves_further_than_it_can_be_off() -> None:
    """A network gone wild moves corners by `MAX_CORNER_SHIFT_WIDTHS` widths at most."""
    quad = quad_of(200, 200, 40)
    picture = np.full((400, 400, 3), 90, np.uint8)
    read = TileClassifier(Says([9.0, -9.0, 0.1, 0, 0, 0, -3.0, 0.44]))(picture, quad[None]).quads_px[0]
    wanted = (
        np.array(
            [[MAX_CORNER_SHIFT_WIDTHS, -MAX_CORNER_SHIFT_WIDTHS], [0.1, 0], [0, 0], [-MAX_CORNER_SHIFT_WIDTHS, 0.44]]
        )
        * 40
    )
    assert read - quad == pytest.approx(wanted, abs=0.01)


def test_each_tile_is_mended_by_its_own_answer() -> None:
    """Several tiles in one picture, in any order, each go to their own dots."""
    places = [quad_of(80, 90, 40, 0.4), quad_of(300, 110, 70, 2.0), quad_of(120, 320, 60, -1.0)]
    picture = np.full((430, 430, 3), 235, np.uint8)
    for place in places:
        picture = np.minimum(picture, dotted(place, (430, 430)))
    found = np.array([found_askew(place, seed) for seed, place in enumerate(places)])
    order = [2, 0, 1]
    mended = TileClassifier(SeesDots())(picture, found[order]).quads_px
    for read, at in zip(mended, order, strict=True):
        width = np.linalg.norm(places[at][1] - places[at][0])
        assert cv2.norm(read, places[at], cv2.NORM_INF) < 0.015 * width

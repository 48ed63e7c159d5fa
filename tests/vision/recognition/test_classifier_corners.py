"""Corner correction: the network's corner offsets give the right corners in the image."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import planes_in
from tilekeeper.vision.recognition.classifier import INNER, MAX_CORNER_SHIFT_WIDTHS, TILE_PX, TileClassifier
from tilekeeper.vision.types import WHITE

WINDOW_PX = 9


def quad_of(x: float, y: float, width: float, turn: float = 0.0, far_side: float = 1.0) -> np.ndarray:
    """Return a quad `(4, 2) float32`, 1.5 times as high as wide; `far_side` is the ratio of top to bottom."""
    local = np.array([[-1, -1.5], [1, -1.5], [1, 1.5], [-1, 1.5]]) * width / 2
    local[:2, 0] *= far_side
    cos, sin = np.cos(turn), np.sin(turn)
    return (local @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def detected_quad(quad_px: np.ndarray, seed: int) -> np.ndarray:
    """Return the quad with detector errors: turned, shifted, scaled, and each corner a little off."""
    rng = np.random.default_rng(seed)
    width, middle, turn = float(np.linalg.norm(quad_px[2] - quad_px[3])), quad_px.mean(axis=0), rng.uniform(-0.08, 0.08)
    cos, sin = np.cos(turn), np.sin(turn)
    turned = (quad_px - middle) @ np.array([[cos, sin], [-sin, cos]]) * rng.uniform(0.95, 1.05) + middle
    return (turned + rng.uniform(-0.04, 0.04, 2) * width + rng.uniform(-0.03, 0.03, (4, 2)) * width).astype(np.float32)


def dotted(quad_px: np.ndarray, wh: tuple[int, int]) -> np.ndarray:
    """Return a light image with a soft dark dot at each corner, placed with sub-pixel accuracy."""
    width = float(np.linalg.norm(quad_px[2] - quad_px[3]))
    ys, xs = np.mgrid[: wh[1], : wh[0]]
    dark = sum(np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * (0.035 * width) ** 2)) for x, y in quad_px)
    return np.repeat(np.round(235 * (1 - np.minimum(dark, 1))).astype(np.uint8)[..., None], 3, axis=2)


class DotSession:
    """A perfect network that measures the distance of the dark dots from the crop's corners."""

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        logits = np.zeros((len(inputs["crops"]), 28), np.float32)
        for row, planes in zip(logits, planes_in(inputs["crops"]), strict=True):
            dark = np.clip(1 - planes[0] / WHITE, 0, 1)
            ys, xs = np.mgrid[: dark.shape[0], : dark.shape[1]]
            for corner, (x, y) in enumerate(INNER):
                weight = dark * ((np.abs(xs - x) <= WINDOW_PX) & (np.abs(ys - y) <= WINDOW_PX))
                darkness = np.array([(weight * xs).sum(), (weight * ys).sum()]) / weight.sum()
                row[20 + 2 * corner : 22 + 2 * corner] = (darkness - (x, y)) / TILE_PX
        return [logits]


class ConstantOffsets:
    """Returns the same corner offsets for every crop."""

    def __init__(self, shifts: np.ndarray | float) -> None:
        self.shifts = shifts

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        logits = np.zeros((len(inputs["crops"]), 28), np.float32)
        logits[:, 20:] = self.shifts
        return [logits]


@pytest.mark.parametrize("width", [30.0, 52.0, 58.0, 120.0, 301.0])
@pytest.mark.parametrize(("turn", "far_side"), [(0.0, 1.0), (0.7, 0.85), (np.pi / 2, 1.0), (-2.4, 0.8)])
def test_corrected_corners_are_on_the_dots(width: float, turn: float, far_side: float) -> None:
    """Tiles over 55 px are downscaled first, which must not shift them."""
    size = round(2.6 * width) + 40
    true = quad_of(size / 2 + 0.3, size / 2 - 0.2, width, turn, far_side)
    corrected = np.array([detected_quad(true, seed) for seed in range(6)])
    result = TileClassifier(DotSession())(dotted(true, (size, size)), corrected).quads_px
    assert np.abs(corrected - true).max() > 0.05 * width
    errors = (result - true) / width
    assert np.linalg.norm(errors, axis=2).max() < 0.012
    assert np.abs(errors.mean(axis=(0, 1))).max() < 0.004  # 0.2 pixels of the crop


def test_zero_offsets_keep_the_corners() -> None:
    quads = np.array(
        [quad_of(50, 60, 20), quad_of(200, 150, 130, 2.0, 0.7), quad_of(-30, 40, 50), quad_of(900, 900, 200, 0.3)]
    )
    read = TileClassifier(ConstantOffsets(0.0))(np.full((300, 400, 3), 90, np.uint8), quads).quads_px
    assert read == pytest.approx(quads, abs=0.01)


@pytest.mark.parametrize("turn", [0.0, np.pi / 2, np.pi])
def test_offsets_are_in_tile_widths_along_the_tiles_sides(turn: float) -> None:
    quad = quad_of(200, 200, 40, turn)
    shifts = np.array([0.1, 0.2, -0.1, 0.05, 0.0, -0.3, 0.25, 0.0])
    read = TileClassifier(ConstantOffsets(shifts))(np.full((400, 400, 3), 90, np.uint8), quad[None]).quads_px[0]
    along, down = (quad[1] - quad[0]), (quad[3] - quad[0]) / 1.5
    wanted = [corner + x * along + y * down for corner, (x, y) in zip(quad, shifts.reshape(4, 2), strict=True)]
    assert read == pytest.approx(np.array(wanted), abs=0.01)


def test_offsets_are_clipped() -> None:
    quad = quad_of(200, 200, 40)
    picture = np.full((400, 400, 3), 90, np.uint8)
    read = TileClassifier(ConstantOffsets([9.0, -9.0, 0.1, 0, 0, 0, -3.0, 0.44]))(picture, quad[None]).quads_px[0]
    wanted = (
        np.array(
            [[MAX_CORNER_SHIFT_WIDTHS, -MAX_CORNER_SHIFT_WIDTHS], [0.1, 0], [0, 0], [-MAX_CORNER_SHIFT_WIDTHS, 0.44]]
        )
        * 40
    )
    assert read - quad == pytest.approx(wanted, abs=0.01)


def test_each_tile_gets_its_own_offsets() -> None:
    places = [quad_of(80, 90, 40, 0.4), quad_of(300, 110, 70, 2.0), quad_of(120, 320, 60, -1.0)]
    picture = np.full((430, 430, 3), 235, np.uint8)
    for place in places:
        picture = np.minimum(picture, dotted(place, (430, 430)))
    corrected = np.array([detected_quad(place, seed) for seed, place in enumerate(places)])
    order = [2, 0, 1]
    result = TileClassifier(DotSession())(picture, corrected[order]).quads_px
    for read, index in zip(result, order, strict=True):
        width = np.linalg.norm(places[index][1] - places[index][0])
        assert cv2.norm(read, places[index], cv2.NORM_INF) < 0.015 * width

"""Tests that quads that are a little turned, shifted or of the wrong size go to the edges of their tile."""

import cv2
import numpy as np
import pytest

from tilekeeper.vision.straighten import straightened

WOOD, IVORY, INK = (60, 80, 120), (205, 228, 238), (30, 30, 200)


def pictured(turn: float, width: float = 60.0, perspective: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A tile with a number in its upper half on wood, turned by `turn` radians: picture and true quad `(4, 2)`."""
    height = 1.4 * width
    flat = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    flat[:2] *= 1 - perspective
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    quad = (flat @ turned + 120).astype(np.float32)
    print_area = (flat * (0.4, 0.25) + (0, -0.18 * height)) @ turned + 120
    image = np.full((240, 240, 3), WOOD, np.uint8)
    for outline, colour in ((quad, IVORY), (print_area, INK)):
        cv2.fillConvexPoly(image, np.round(outline * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    return cv2.GaussianBlur(image, (0, 0), 0.8), quad


def moved(quad: np.ndarray, turn: float, shift: tuple[float, float], scale: float) -> np.ndarray:
    """The quad as a finder may have it: turned by radians, shifted by shares of its width, scaled about its middle."""
    middle = quad.mean(axis=0)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) * scale
    width = np.linalg.norm(quad[1] - quad[0])
    return ((quad - middle) @ matrix + middle + np.array(shift) * width).astype(np.float32)


def error(read: np.ndarray, true: np.ndarray) -> float:
    """Mean distance of the corners as a share of the tile's width."""
    return float(np.linalg.norm(read - true, axis=1).mean() / np.linalg.norm(true[1] - true[0]))


@pytest.mark.parametrize("lies", [0.0, 0.6, 2.0, -2.6])
@pytest.mark.parametrize("width", [24.0, 60.0, 110.0])
@pytest.mark.parametrize(
    ("turn", "shift", "scale"),
    [(0.12, (0.0, 0.0), 1.0), (-0.15, (0.03, -0.02), 1.0), (0.05, (0.0, 0.04), 0.95), (0.0, (-0.03, 0.0), 1.05)],
)
def test_quads_go_to_the_edges(
    lies: float, width: float, turn: float, shift: tuple[float, float], scale: float
) -> None:
    """Wherever the tile's own top left is, it stays the first corner."""
    image, true = pictured(lies, width)
    found = moved(true, turn, shift, scale)
    read = straightened(image, found[None])[0]
    finest = 1.4 / width  # a small tile's edges are a pixel or two wide themselves
    assert error(read, true) < max(0.5 * error(found, true), finest)
    assert error(read, true) < max(0.045, finest)


def test_true_quads_under_perspective_stay() -> None:
    """A tile whose far side is shorter keeps its corners."""
    image, true = pictured(0.3, perspective=0.12)
    assert error(straightened(image, true[None])[0], true) < 0.03


def test_without_edges_nothing_moves_far() -> None:
    """On a bare table there is nothing to move to."""
    _, true = pictured(0.3)
    bare = np.full((240, 240, 3), WOOD, np.uint8)
    assert error(straightened(bare, true[None])[0], true) < 0.01


def test_beyond_the_pictures_edge() -> None:
    """A quad half or all beyond the edge gives four numbers, not an error."""
    image, true = pictured(0.0)
    for shift in (-120.0, 180.0, 900.0):
        read = straightened(image, (true + shift)[None].astype(np.float32))
        assert read.shape == (1, 4, 2)
        assert np.isfinite(read).all()


def test_no_quads() -> None:
    """Nothing in, nothing out."""
    image, _ = pictured(0.0)
    assert straightened(image, np.zeros((0, 4, 2))).shape == (0, 4, 2)

"""Tests that what looks unlike the tiles around it is not taken for one, and that shadows and slopes spoil no tile."""

import numpy as np
import pytest

from tilekeeper.vision.peers import against_peers, belongs

WOOD = (60, 80, 120)
IVORY = (205, 228, 238)


def quad(x: float, y: float, width: float = 40.0) -> list[list[float]]:
    height = 1.4 * width
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def table(*, shadow: float = 1.0, knot_px: float = 40.0) -> tuple[np.ndarray, np.ndarray]:
    """Five ivory tiles in a line on wood, the last in shade, and a place on the bare wood: picture and quads."""
    image = np.full((200, 520, 3), WOOD, np.uint8)
    quads = [quad(20 + 70 * k, 60) for k in range(5)] + [quad(420, 60, knot_px)]
    for k in range(5):
        left = 20 + 70 * k
        image[60:116, left : left + 40] = IVORY
        image[75:95, left + 10 : left + 28] = (30, 30, 30)  # the number
    image[:, 290:350] = (image[:, 290:350] * shadow).astype(np.uint8)
    return image, np.array(quads, np.float32)


SURE = np.array([True] * 5 + [False])


def test_bare_wood_among_tiles_is_no_tile() -> None:
    """A brown place of a tile's size goes, the tiles stay."""
    assert belongs(*table(), SURE).tolist() == [True] * 5 + [False]


@pytest.mark.parametrize("shadow", [0.3, 0.5, 0.8])
def test_a_shadow_makes_no_tile_a_stranger(shadow: float) -> None:
    """What is darker, but of the same tint and size, stays."""
    assert belongs(*table(shadow=shadow), SURE).tolist()[:5] == [True] * 5


@pytest.mark.parametrize(("width", "stays"), [(12.0, False), (30.0, True), (52.0, True), (110.0, False)])
def test_size_counts_though_the_face_is_white(width: float, stays: bool) -> None:
    """White places far smaller or larger than the tiles around are none."""
    image, quads = table(knot_px=width)
    image[40:, 400:] = IVORY
    assert bool(belongs(image, quads, SURE)[5]) is stays


def test_with_too_few_sure_tiles_only_a_speck_is_left_out() -> None:
    """Two sure tiles prove nothing against a brown third, but a speck a sixth as wide is no tile."""
    image, quads = table()
    sure = np.array([True, True, False, False, False, False])
    assert belongs(image, quads, sure).all()
    assert not against_peers(image, quads, sure)[:, 1:].any()
    quads[5] = quad(420, 60, 6.5)
    assert belongs(image, quads, sure).tolist() == [True] * 5 + [False]
    assert belongs(image, quads, np.zeros(6, bool)).all()


def test_of_two_sure_tiles_of_unlike_size_neither_goes() -> None:
    """With nobody to side with, what is sure stays."""
    image, quads = table(knot_px=6.5)
    pair = quads[[0, 5]]
    assert belongs(image, pair, np.array([True, True])).all()


def test_differences_are_logarithms_of_ratios() -> None:
    """A tile in half the light is off by log 1/2, of the same tint and size."""
    image, quads = table(shadow=0.5)
    size, light, tint = against_peers(image, quads, SURE)[4]
    assert size == pytest.approx(0, abs=1e-6)
    assert light == pytest.approx(np.log(0.5), abs=0.02)
    assert tint < 0.02

"""The motion of a whole image is measured by optical flow."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import WH, noisy, with_arm, with_tiles, wood
from tilekeeper.vision.tracking.motion_detection import shrink_to_compare
from tilekeeper.vision.tracking.registration import moves, shift_between

TABLE = with_tiles(wood(), [(x, y) for y in (120, 260, 400) for x in range(200, 700, 26)])
SMALL = shrink_to_compare(TABLE)
SMALL_WH = SMALL.shape[1], SMALL.shape[0]


def bumped(right_px: float, down_px: float, degrees: float = 0.0, small: np.ndarray = SMALL) -> np.ndarray:
    """Return a small image after a bump."""
    move = cv2.getRotationMatrix2D((SMALL_WH[0] / 2, SMALL_WH[1] / 2), degrees, 1.0)
    move[:, 2] += right_px, down_px
    return np.asarray(cv2.warpAffine(small, move, SMALL_WH, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize(
    ("right_px", "down_px", "degrees"), [(0.5, 0, 0), (0, -1, 0), (7, 3, 0), (-20, 10, 1), (0, 0, 0.5)]
)
def test_bump_however_small_is_measured(right_px: float, down_px: float, degrees: float) -> None:
    shift = shift_between(SMALL, bumped(right_px, down_px, degrees))
    assert shift is not None
    assert moves(shift, SMALL_WH)
    move = cv2.getRotationMatrix2D((SMALL_WH[0] / 2, SMALL_WH[1] / 2), degrees, 1.0)
    move[:, 2] += right_px, down_px
    places = np.array([[[120.0, 80.0], [300.0, 80.0], [200.0, 180.0]]])
    assert cv2.perspectiveTransform(places, shift) == pytest.approx(cv2.transform(places, move), abs=0.25)


@pytest.mark.parametrize("degrees", [-10, -6, 6, 10])
@pytest.mark.parametrize("factor", [0.85, 1.0, 1.15])
def test_turned_and_nearer_table_is_registered_to_a_fraction_of_a_pixel(degrees: float, factor: float) -> None:
    """The first round finds turned corners roughly, the next one precisely."""
    move = cv2.getRotationMatrix2D((SMALL_WH[0] / 2, SMALL_WH[1] / 2), degrees, factor)
    turned = np.asarray(cv2.warpAffine(SMALL, move, SMALL_WH, borderValue=(60, 90, 120)), np.uint8)
    shift = shift_between(SMALL, turned)
    assert shift is not None
    width, height = SMALL_WH
    places = np.array([[[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]])
    assert cv2.perspectiveTransform(places, shift) == pytest.approx(cv2.transform(places, move), abs=0.5)


def spotted(seed: int, cell_px: int, depth: float) -> np.ndarray:
    """Return a cloth with soft spots of this size."""
    spots = np.random.default_rng(seed).normal(0, 1, (WH[1] // cell_px, WH[0] // cell_px)).astype(np.float32)
    pattern = cv2.resize(np.tanh(spots), WH, interpolation=cv2.INTER_CUBIC)
    return np.repeat(np.clip(100 + depth * pattern, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


@pytest.mark.parametrize(("cell_px", "depth"), [(9, 15), (14, 40)])
@pytest.mark.parametrize("seed", range(2, 8))
def test_other_cloth_under_the_same_tiles_is_no_shift(seed: int, cell_px: int, depth: float) -> None:
    row = [(x, 200) for x in range(300, 500, 26)]
    before, after = (noisy(with_tiles(spotted(current, cell_px, depth), row), current) for current in (1, seed))
    shift = shift_between(shrink_to_compare(before), shrink_to_compare(after))
    assert shift is None or not moves(shift, SMALL_WH)


@pytest.mark.parametrize("gain", [0.5, 0.7, 1.4])
def test_bump_under_a_changing_lamp_is_measured(gain: float) -> None:
    """An arm that reaches in changes the exposure and may bump the table."""
    lit = np.clip(bumped(12, -7, 2) * gain, 0, 255).astype(np.uint8)
    current, other = shift_between(SMALL, bumped(12, -7, 2)), shift_between(SMALL, lit)
    assert current is not None
    assert other is not None
    places = np.array([[[0.0, 0.0], [480.0, 0.0], [480.0, 270.0], [0.0, 270.0]]])
    assert cv2.perspectiveTransform(places, other) == pytest.approx(cv2.perspectiveTransform(places, current), abs=0.5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("right_px", [8, 20])
def test_bump_on_speckled_cloth_is_measured(seed: int, right_px: int) -> None:
    """The first steps of the optical flow are short there."""
    speckles = np.random.default_rng(seed).normal(0, 25, TABLE.shape[:2])[..., None]
    small = shrink_to_compare(np.clip(np.full_like(TABLE, 128) + speckles, 0, 255).astype(np.uint8))
    shift = shift_between(small, bumped(right_px, 0, small=small))
    assert shift is None or moves(shift, SMALL_WH)


def test_arm_over_the_table_is_no_shift() -> None:
    shift = shift_between(SMALL, shrink_to_compare(noisy(with_arm(TABLE, (300, 300)), 1)))
    assert shift is not None
    assert np.array_equal(shift, np.eye(3))

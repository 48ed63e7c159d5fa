"""Pictures are halved as often as may be before they are resized, and each of them once in a reading."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tilekeeper.vision.imaging import keeping, resize, resize_corner, shrink


def test_a_half_is_made_once_and_is_the_same_as_by_itself() -> None:
    """Two sizes that are made of one half share it while halves are kept, and no longer."""
    picture = np.random.default_rng(0).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    alone = shrink(picture, (48, 32), cv2.INTER_AREA), shrink(picture, (30, 20), cv2.INTER_AREA)
    with keeping():
        kept = shrink(picture, (48, 32), cv2.INTER_AREA)
        assert shrink(picture, (48, 32), cv2.INTER_AREA) is kept
        assert np.array_equal(kept, alone[0])
        assert np.array_equal(shrink(picture, (30, 20), cv2.INTER_AREA), alone[1])
    assert shrink(picture, (48, 32), cv2.INTER_AREA) is not kept


@pytest.mark.parametrize("size_wh", [(151, 85), (127, 71), (129, 72), (128, 72), (200, 113), (80, 45)])
@pytest.mark.parametrize("corner_wh", [(1, 1), (32, 40), (70, 20), (80, 45)])
def test_a_corner_is_that_of_the_whole_picture(size_wh: tuple[int, int], corner_wh: tuple[int, int]) -> None:
    """To the bit, larger or smaller, also where it is so nearly as large that a part of it would be copied."""
    image = np.random.default_rng(1).integers(0, 255, (72, 128, 3), np.uint8)
    wide, high = corner_wh
    corner = resize_corner(image, size_wh, corner_wh)[:high, :wide]
    assert corner.shape == (high, wide, 3)
    assert np.array_equal(corner, resize(image, size_wh, cv2.INTER_LINEAR)[:high, :wide])

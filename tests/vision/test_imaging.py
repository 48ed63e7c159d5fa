"""A corner of a resized image is the same as in the whole resized image."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tilekeeper.vision.imaging import resize, resize_corner


@pytest.mark.parametrize("size_wh", [(151, 85), (127, 71), (129, 72), (128, 72), (200, 113), (80, 45)])
@pytest.mark.parametrize("corner_wh", [(1, 1), (32, 40), (70, 20), (80, 45)])
def test_a_corner_is_that_of_the_whole_picture(size_wh: tuple[int, int], corner_wh: tuple[int, int]) -> None:
    """To the bit, larger or smaller, also where it is so nearly as large that a part of it would be copied."""
    image = np.random.default_rng(1).integers(0, 255, (72, 128, 3), np.uint8)
    wide, high = corner_wh
    corner = resize_corner(image, size_wh, corner_wh)[:high, :wide]
    assert corner.shape == (high, wide, 3)
    assert np.array_equal(corner, resize(image, size_wh, cv2.INTER_LINEAR)[:high, :wide])

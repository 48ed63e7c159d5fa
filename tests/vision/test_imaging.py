"""A corner of a resized image is the same as in the whole resized image."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tilekeeper.vision.imaging import resize, resize_corner


@pytest.mark.parametrize("size_wh", [(151, 85), (127, 71), (129, 72), (128, 72), (200, 113), (80, 45)])
@pytest.mark.parametrize("corner_wh", [(1, 1), (32, 40), (70, 20), (80, 45)])
def test_corner_of_a_resized_image_equals_that_of_the_whole(
    size_wh: tuple[int, int], corner_wh: tuple[int, int]
) -> None:
    """The pixels are equal to the bit at every scale, including scales near 1, where OpenCV would copy a part."""
    image = np.random.default_rng(1).integers(0, 255, (72, 128, 3), np.uint8)
    width, height = corner_wh
    corner = resize_corner(image, size_wh, corner_wh)[:height, :width]
    assert corner.shape == (height, width, 3)
    assert np.array_equal(corner, resize(image, size_wh, cv2.INTER_LINEAR)[:height, :width])

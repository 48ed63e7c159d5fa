"""Filling regions of an image from an earlier image."""

import numpy as np

from tilekeeper.vision.geometry.proximity import filled_from


def test_overlap_of_two_outlines_is_filled_from_the_earlier_image() -> None:
    """A sleeve and a hand overlap. Outside of both, the image does not change."""
    before, current = np.full((40, 60, 3), 9, np.uint8), np.full((40, 60, 3), 200, np.uint8)
    sleeve, hand = (np.array([(x, 5), (x + 20, 5), (x + 20, 30), (x, 30)], np.float32) for x in (5, 15))
    filled = filled_from(before, current, (sleeve, hand))
    assert (filled[5:31, 5:36] == 9).all()
    assert (filled[:, 40:] == 200).all()
    assert filled_from(before, current, ()) is current
    assert filled_from(None, current, (sleeve,)) is current

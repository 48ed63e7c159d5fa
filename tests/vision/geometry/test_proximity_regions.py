"""Parts of a picture that are kept as they were in another."""

import numpy as np

from tilekeeper.vision.geometry.proximity import filled_from


def test_what_two_outlines_cover_is_filled_as_well() -> None:
    """A sleeve and a hand overlap; outside of both the picture is as it is."""
    before, now = np.full((40, 60, 3), 9, np.uint8), np.full((40, 60, 3), 200, np.uint8)
    sleeve, hand = (np.array([(x, 5), (x + 20, 5), (x + 20, 30), (x, 30)], np.float32) for x in (5, 15))
    filled = filled_from(before, now, (sleeve, hand))
    assert (filled[5:31, 5:36] == 9).all()
    assert (filled[:, 40:] == 200).all()
    assert filled_from(before, now, ()) is now
    assert filled_from(None, now, (sleeve,)) is now

"""Outlines of covers, and their mask."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.tracking.occluders import Covers


def outline(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """Return an upright rectangle."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def test_outline_of_tiles_is_removed_from_the_covers_and_their_mask() -> None:
    row_px, arm_px = outline(10, 80, 40, 99), outline(60, 20, 80, 99)
    mask = np.zeros((100, 100), np.uint8)
    mask[80:100, 10:41] = mask[20:100, 60:81] = 1
    covers = Covers(mask, (row_px, arm_px), True)
    remaining = covers.without([True, False])
    assert [outline.tolist() for outline in remaining.outlines] == [arm_px.tolist()]
    assert not remaining.mask[:, :50].any()
    assert (remaining.mask[:, 50:] == mask[:, 50:]).all()
    assert covers.without([False, False]) is covers
    assert covers.without([True, True]).is_background(0.0)

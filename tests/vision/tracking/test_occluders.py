"""What is new at the edge of the picture: something that covers the table, or tiles that were laid there."""

from __future__ import annotations

import numpy as np

from tests.support.played_table import quad_at, row
from tilekeeper.vision.tracking.occluders import Covers, holds_tiles

ROW_PX = np.array([quad_at(x, y) for x, y, _ in row(200, 523, "red-1", "red-2", "red-3", "red-4")])
NONE_PX = np.zeros((0, 4, 2))


def outline(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    """An upright rectangle."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def test_an_outline_that_tiles_fill_holds_them_and_a_sleeve_does_not() -> None:
    """A row alone fills what is new; on a rack, a tray or a sleeve three times as large it does not."""
    assert holds_tiles(outline(185, 500, 290, 540), ROW_PX, NONE_PX)
    assert not holds_tiles(outline(150, 420, 340, 540), ROW_PX, NONE_PX)
    assert not holds_tiles(outline(185, 500, 290, 540), NONE_PX, NONE_PX)


def test_where_tiles_lay_before_the_bare_table_may_be_new() -> None:
    """A row that was slid to the side leaves a place of its own size; a hand laid on it leaves nothing to see."""
    both = outline(185, 500, 420, 540)
    slid = ROW_PX + np.array((130, 0))
    assert not holds_tiles(both, slid, NONE_PX)
    assert holds_tiles(both, slid, ROW_PX)
    assert not holds_tiles(outline(185, 500, 290, 540), NONE_PX, ROW_PX)


def test_outlines_of_tiles_cover_nothing() -> None:
    """What is none goes from the mask as well; where all are left nothing is made anew."""
    row_px, arm_px = outline(10, 80, 40, 99), outline(60, 20, 80, 99)
    mask = np.zeros((100, 100), np.uint8)
    mask[80:100, 10:41] = mask[20:100, 60:81] = 1
    covers = Covers(mask, (row_px, arm_px), True)
    less = covers.less([True, False])
    assert [outline.tolist() for outline in less.outlines] == [arm_px.tolist()]
    assert not less.mask[:, :50].any()
    assert (less.mask[:, 50:] == mask[:, 50:]).all()
    assert covers.less([False, False]) is covers
    assert covers.less([True, True]).stayed(0.0)

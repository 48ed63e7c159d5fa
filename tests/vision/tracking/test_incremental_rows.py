"""Rows found again around what changed are those that would be found anew in all of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.played_table import quad_at
from tilekeeper.vision.layout.adjacency import Joints, find_joints
from tilekeeper.vision.layout.rows import group_with_doubt
from tilekeeper.vision.tracking.incremental_rows import Grouped

pytestmark = pytest.mark.slow


def rows_at(*rows: tuple[float, float, int]) -> np.ndarray:
    """Rows of tiles 24 px wide that begin at x and y."""
    return np.array([quad_at(x + 25 * at, y) for x, y, count in rows for at in range(count)], np.float32)


TABLE = rows_at(*((100 + 230 * (at % 4), 60 + 90 * (at // 4), 3 + at % 5) for at in range(20)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_it_finds_what_is_found_anew(data: st.DataObject) -> None:
    """Tiles come, go and move by some pixels, here and there, again and again."""
    grouped, quads_px = Grouped(), TABLE
    assert grouped(quads_px) == group_with_doubt(quads_px)
    for _ in range(data.draw(st.integers(1, 3))):
        moved = quads_px.copy()
        for at in data.draw(st.lists(st.integers(0, len(moved) - 1), max_size=4)):
            moved[at] += np.array(
                data.draw(st.tuples(st.sampled_from((-26, -6, 0, 5, 25)), st.sampled_from((-8, 0, 60))))
            )
        kept = np.ones(len(moved), bool)
        kept[data.draw(st.lists(st.integers(0, len(moved) - 1), max_size=3))] = False
        more = data.draw(st.lists(st.tuples(st.integers(60, 950), st.integers(40, 520)), max_size=4))
        new = np.array([quad_at(x, y) for x, y in more], np.float32).reshape(-1, 4, 2)
        quads_px = np.concatenate([moved[kept], new])
        rows, others = grouped(quads_px)
        anew, anew_others = group_with_doubt(quads_px)
        assert rows == anew
        assert {other.rows for other in others} == {other.rows for other in anew_others}


def test_what_lies_still_is_not_grouped_again() -> None:
    """The very same rows come back."""
    grouped = Grouped()
    assert grouped(TABLE)[0] is grouped(TABLE.copy())[0]


def test_joints_are_looked_for_only_where_something_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table on which one meld came and a tile was moved, those of what is new."""
    looked_for = []

    def counting(quads_px: np.ndarray, fresh: np.ndarray) -> Joints:
        looked_for.append(np.flatnonzero(fresh).tolist())
        return find_joints(quads_px, fresh=fresh)

    monkeypatch.setattr("tilekeeper.vision.tracking.incremental_rows.find_joints", counting)
    grouped, moved = Grouped(), TABLE.copy()
    grouped(TABLE)
    moved[4] += 3
    later = np.concatenate([moved, rows_at((100, 600, 3))])
    assert grouped(later) == group_with_doubt(later)
    assert looked_for == [list(range(len(TABLE))), [4, *range(len(TABLE), len(TABLE) + 3)]]


def test_an_emptied_table_and_one_tile_are_grouped() -> None:
    """There may be nothing to keep."""
    grouped = Grouped()
    assert grouped(TABLE[:0]) == ((), ())
    assert grouped(TABLE[:1])[0] == ((0,),)
    assert grouped(TABLE[:0])[0] == ()


def test_two_quads_in_one_place_are_both_in_a_row() -> None:
    """What was found twice comes twice, also when one of them goes."""
    grouped = Grouped()
    twice = np.concatenate([TABLE, TABLE[3:4]])
    for quads_px in (TABLE, twice, twice[1:], TABLE[1:]):
        assert grouped(quads_px)[0] == group_with_doubt(quads_px)[0]

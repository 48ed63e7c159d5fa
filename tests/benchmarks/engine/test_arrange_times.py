"""The benchmark of untangling measures what it says: when each arrangement was told, and how many tiles it moves."""

import itertools

import pytest

from tests.benchmarks.engine.arrange_times import SIZES, Untangled, main, messes, untangled
from tilekeeper.engine.rules.editions import rule_set

LARGE = rule_set("large-numbers")


def test_a_line_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    """The times, the tiles to move by when, and how many are proved."""
    assert main(["--count", "1", "--sizes", "24", "40", "--cpu"]) == 0
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["24", "40"]
    assert all("1 of 1" in line for line in lines)


def test_what_is_told_by_when() -> None:
    """The first arrangement counts at any time, a later one from when it was told."""
    told = Untangled(((0.3, 9), (0.4, 7), (1.0, 5), (1.5, 5)), True)
    assert [told.moves_by(mark_s) for mark_s in (0.0, 0.2, 0.4, 0.9, 2.0)] == [9, 9, 7, 7, 5]


def test_the_clock_is_the_one_that_is_asked() -> None:
    """Times are counted from the question, by the clock that was handed in."""
    clock = itertools.count(100)
    (table,) = messes(LARGE, 24, 1, 1, astray=2)
    found = untangled(table, LARGE, 1_000, lambda: next(clock))
    assert found.first_s >= 1
    assert found.proved
    assert found.told[-1][1] == 2


def test_the_same_tables_with_the_same_seed() -> None:
    """Mixed tables keep their tiles and the lengths of their rows."""
    for size in SIZES[:1]:
        tables = messes(LARGE, size, 2, 4, astray=None)
        assert tables == messes(LARGE, size, 2, 4, astray=None)
        assert [table.counts.total() for table in tables] == [size, size]


def test_tiles_that_went_astray_are_all_there() -> None:
    """The table lies otherwise, and holds the same tiles."""
    (mixed_table,) = messes(LARGE, 40, 1, 3, astray=None)
    (moved,) = messes(LARGE, 40, 1, 3, astray=6)
    assert moved != mixed_table
    assert moved.counts.total() == 40

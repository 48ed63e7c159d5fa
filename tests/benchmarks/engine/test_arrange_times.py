"""The benchmark of arrangements measures the time and the moves of each arrangement."""

import itertools

import pytest

from tests.benchmarks.engine.arrange_times import SIZES, ArrangementTimes, main, make_tables, time_arrangements
from tilekeeper.engine.rules.editions import rule_set

LARGE = rule_set("large-numbers")


def test_command_prints_a_line_for_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    """The line has times, moves at some times, and the number of proved results."""
    assert main(["--count", "1", "--sizes", "24", "40", "--cpu"]) == 0
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["24", "40"]
    assert all(" of 1" in line for line in lines)


def test_moves_at_a_time_are_those_of_the_best_arrangement_so_far() -> None:
    """The first arrangement counts at any time."""
    times = ArrangementTimes(((0.3, 9), (0.4, 7), (1.0, 5), (1.5, 5)), True)
    assert [times.moves_by(mark_s) for mark_s in (0.0, 0.2, 0.4, 0.9, 2.0)] == [9, 9, 7, 7, 5]


def test_times_come_from_the_given_clock() -> None:
    """They count from the call."""
    clock = itertools.count(100)
    (table,) = make_tables(LARGE, 24, 1, 1, astray=2)
    found = time_arrangements(table, LARGE, 1_000, lambda: next(clock))
    assert found.first_s >= 1
    assert found.proved
    assert found.results[-1][1] == 2


def test_same_seed_gives_the_same_mixed_tables() -> None:
    """The tiles and the lengths of the rows stay."""
    for size in SIZES[:1]:
        tables = make_tables(LARGE, size, 2, 4, astray=None)
        assert tables == make_tables(LARGE, size, 2, 4, astray=None)
        assert [table.counts.total() for table in tables] == [size, size]


def test_table_with_moved_tiles_keeps_all_tiles() -> None:
    """The table has other rows with the same tiles."""
    (mixed_table,) = make_tables(LARGE, 40, 1, 3, astray=None)
    (moved,) = make_tables(LARGE, 40, 1, 3, astray=6)
    assert moved != mixed_table
    assert moved.counts.total() == 40

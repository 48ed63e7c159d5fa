"""The benchmark of proofs measures what it says: every edition and kind has its line, and tables keep their tiles."""

import random

import pytest

from tests.benchmarks.engine.best_play_times import question
from tests.benchmarks.engine.proofs import ASTRAY, gone_astray, main, sizes_of
from tilekeeper.engine.rules.editions import rule_set


def test_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """The best play and the nearest fix with so many tiles astray, for each size."""
    assert main(["--count", "1", "--edition", "junior", "--cpu"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["edition", "tiles"]
    assert len(lines) == len(sizes_of(rule_set("junior"))) * (1 + len(ASTRAY))
    assert all(" of 1 " in line for line in lines)


def test_tiles_that_went_astray_are_all_there() -> None:
    """The table lies otherwise, and holds the same tiles."""
    rng = random.Random(3)
    table = question(rng, 40, rule_set("travel")).table
    moved = gone_astray(rng, table, 6)
    assert moved != table
    assert moved.counts == table.counts

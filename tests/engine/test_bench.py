"""The measuring command: its tables are what they claim to be, and it prints what it measured."""

import random

import pytest

from tilekeeper.engine.bench import TURNS, full_table, main, measure
from tilekeeper.engine.editions import rule_set
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.table import Table

RULES = rule_set("large-numbers")


@pytest.mark.parametrize("seed", range(20))
def test_full_tables_are_full_and_legal(seed: int) -> None:
    """All 106 tiles lie on it, each in a valid meld."""
    table = full_table(random.Random(seed), RULES)
    assert table.counts.total() == RULES.stock.size
    assert judge(Table(), table, TurnContext(RULES, opened=True)).legal


@pytest.mark.parametrize("kind", sorted(TURNS))
def test_every_kind_of_turn_is_measured(kind: str) -> None:
    """Each turn is judged with and without an opening before, and takes some time."""
    times_s = measure(kind, 2, seed=1, rules=RULES)
    assert len(times_s) == 4
    assert min(times_s) > 0


def test_the_command_prints_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """Median and worst, in milliseconds, and a line for all together."""
    assert main(["--count", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "median ms" in lines[0]
    assert [line[:12].strip() for line in lines[1:]] == [*TURNS, "all"]
    assert all(0 < float(line.split()[-2]) <= float(line.split()[-1]) for line in lines[1:])

"""The benchmark of the judge: its tables are full, and it prints its figures."""

import random
import time

import pytest

from tests.benchmarks.engine.hard_turns import TURNS, full_table, turns
from tests.benchmarks.engine.judge_times import WORST_MS, Measured, main, measure
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table


@pytest.mark.parametrize("name", RULE_SETS)
def test_full_table_holds_all_tiles_in_valid_melds(name: str) -> None:
    rules = rule_set(name)
    for seed in range(10):
        table = full_table(random.Random(seed), rules)
        assert table.counts.total() == rules.stock.size
        assert judge(Table(), table, TurnContext(rules, opened=True)).legal


@pytest.mark.parametrize("name", RULE_SETS)
@pytest.mark.parametrize("kind", sorted(TURNS))
def test_each_kind_of_turn_is_judged_with_and_without_an_opening(kind: str, name: str) -> None:
    """No tile has too many copies."""
    rules = rule_set(name)
    hard_turns = turns(kind, 1, 1, rules)
    assert [opened for _, _, opened in hard_turns] in ([True, False], [False, True])
    for before, after, _ in hard_turns:
        for table in (before, after):
            counts = table.counts
            assert all(count <= rules.stock.copies_of(tile) for tile, count in counts.items())
    measured = measure(hard_turns, rules, time.perf_counter)
    assert len(measured.times_s) == 2
    assert 0 < measured.median_ms <= measured.worst_ms
    assert 0 <= measured.unproved <= 2


@pytest.mark.parametrize(("kind", "number"), [("joined", 12), ("joined", 16), ("taken apart", 0), ("taken apart", 8)])
def test_opening_taken_apart_again_is_proved(kind: str, number: int) -> None:
    """Dozens of possible openings with jokers fit into the budget of one turn."""
    before, after, opened = turns(kind, 10, 0, rule_set("cards"))[number]
    assert not opened
    assert judge(before, after, TurnContext(rule_set("cards"), opened)).proved


def test_freed_joker_on_a_regrouped_table_is_proved() -> None:
    """Among four million ways, the search first tries those with a new set from the rack."""
    before, after, opened = turns("regrouped", 25, 0, rule_set("finnish"))[48]
    assert judge(before, after, TurnContext(rule_set("finnish"), opened)).proved


def test_command_prints_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """Median and worst time in milliseconds, unproved verdicts, and a total."""
    assert (
        main(["--count", "1", "--rules", "travel", "--rules", "junior", "--house", "turn.least_tiles=0", "--cpu"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert "median ms" in lines[0]
    kinds = [line[15:29].strip() for line in lines[1:-1]]
    assert kinds == [*TURNS, *TURNS]
    assert [line[:14].strip() for line in lines[1:]] == ["travel"] * len(TURNS) + ["junior"] * len(TURNS) + ["all"]
    assert all(line.endswith(" of 2") for line in lines[1:-1])
    assert lines[-1].endswith(f" of {4 * len(TURNS)}")


def test_unknown_house_rule_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--house", "stock.wings=2"])
    assert stopped.value.code == 2
    assert "stock.wings" in capsys.readouterr().err


def test_turn_over_the_time_limit_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1."""
    slow = Measured((0.001, WORST_MS / 1000 + 0.001), 1)
    monkeypatch.setattr("tests.benchmarks.engine.judge_times.measure", lambda *_: slow)
    assert main(["--count", "1", "--rules", "finnish"]) == 1
    assert "1 of 2" in capsys.readouterr().out

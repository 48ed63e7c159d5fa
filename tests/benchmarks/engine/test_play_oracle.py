"""The best play agrees with brute force, and the command prints differences."""

from __future__ import annotations

import pytest

from tests.benchmarks.engine import play_oracle
from tests.benchmarks.engine.oracle import small_rules
from tests.benchmarks.engine.play_oracle import BruteForce, Case, main, make_cases
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.tiles.notation import parse_table

CASES = 40


@pytest.mark.parametrize("edition", RULE_SETS)
def test_best_plays_agree_with_brute_force(edition: str) -> None:
    """The cases are with and without an earlier opening, and proofs are right."""
    cases = list(make_cases(edition, CASES, 1))
    assert len(cases) == CASES
    assert [str(case) for case in cases if case.wrong] == []
    assert any(case.most for case in cases)
    assert cases[:5] == list(make_cases(edition, 5, 1))


def test_brute_force_lays_freed_jokers_but_no_jokers_alone() -> None:
    """A tile that replaces a joker frees it, and a joker alone is no set."""
    brute = BruteForce(small_rules("large-numbers"))
    rack = parse_table("K5 R1 R2").melds[0]
    assert brute.most(parse_table("K4 J K6"), rack, True) == 3
    assert brute.most(parse_table("K4 J K6"), rack, False) == 0
    assert len(list(brute.arrangements(parse_table("K3 K4 K5 | K6 J J").counts))) > 2


def test_wrong_play_is_printed_and_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints a line for each edition and for each play that is not the best."""
    assert main(["--cases", "3", "--edition", "finnish", "--seed", "5"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["edition", "cases"]
    assert line.split()[:2] == ["finnish", "3"]
    table = parse_table("K1 K2 K3")
    less = Case(table, parse_table("K4").melds[0], True, 0, 1, True, True)
    monkeypatch.setattr(play_oracle, "make_cases", lambda *_: [less])
    assert main(["--edition", "travel"]) == 1
    summary, line = capsys.readouterr().out.splitlines()[1:]
    assert summary.strip() == "opened: K1 K2 K3 with K4: 0 laid, proved; 1 can be"
    assert line.split()[:6] == ["travel", "1", "1", "1", "1", "1"]

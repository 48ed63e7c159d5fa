"""Arrangements agree with brute force, and the command prints differences."""

from __future__ import annotations

import pytest

from tests.benchmarks.engine import arrange_oracle
from tests.benchmarks.engine.arrange_oracle import Case, fewest_moves, main, make_cases
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.tiles.notation import parse_table

CASES = 40


@pytest.mark.parametrize("edition", RULE_SETS)
def test_arrangements_agree_with_brute_force(edition: str) -> None:
    """No arrangement is nearer, and every arrangement is proved."""
    cases = list(make_cases(edition, CASES, 1))
    assert len(cases) == CASES
    assert [str(case) for case in cases if case.wrong or not case.proved] == []
    assert any(case.least[0] for case in cases)
    assert any(case.least[1] > 2 for case in cases)
    assert cases[:5] == list(make_cases(edition, 5, 1))


def test_moves_are_counted_by_brute_force() -> None:
    """A run may be reversed and a group reordered without moves; a removed tile is a move."""
    lying = parse_table("R5 R4 R3 | K7 O7 B7 | B1 K9")
    assert fewest_moves(lying, parse_table("R3 R4 R5 | B7 K7 O7")) == 2
    assert fewest_moves(lying, parse_table("R3 R4 R5 B1 | O7 B7 K7 K9")) == 3
    assert fewest_moves(parse_table("R3 R5 R4"), parse_table("R3 R4 R5")) == 1


def test_wrong_arrangement_is_printed_and_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints a line for each edition and for each difference."""
    assert main(["--cases", "3", "--edition", "finnish", "--seed", "5"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["edition", "cases"]
    assert line.split()[:2] == ["finnish", "3"]
    wrong = Case(parse_table("R3 R4 | R5"), (0, 2), (0, 1), True, False)
    monkeypatch.setattr(arrange_oracle, "make_cases", lambda *_: [wrong])
    assert main(["--edition", "cards"]) == 1
    said = "R3 R4 | R5: left over and moved (0, 2), proved, the nearest fix is another; can be (0, 1)"
    assert said in capsys.readouterr().out

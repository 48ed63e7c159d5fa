"""The benchmark of the oracle judges the given number of pairs and prints disagreements."""

from dataclasses import replace

import pytest

from tests.benchmarks.engine import oracle
from tests.benchmarks.engine.oracle import judge_pairs, main, small_rules
from tests.support.oracle_pairs import KINDS
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.meld import is_valid


def test_command_prints_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """The line has the numbers of judged and legal pairs. Without a disagreement the exit code is 0."""
    assert main(["--pairs", "20", "--edition", "junior"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["edition", "pairs", "asked", "legal", "disagree", "left", "out", "seconds"]
    assert len(lines) == len(KINDS) + 1
    assert lines[-1].split()[:3] == ["junior", "all", "20"]


def test_disagreement_is_printed_and_fails_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output has the tables in notation and both results."""
    wrong = [replace(one, legal=not one.legal) for one in judge_pairs("finnish", "played", 1, 0)]
    monkeypatch.setattr(oracle, "judge_pairs", lambda *_: iter(wrong))
    assert main(["--pairs", "5", "--edition", "finnish"]) == 1
    line = capsys.readouterr().out.splitlines()[1]
    assert f"{wrong[0].before} -> {wrong[0].after}: the oracle says " in line


@pytest.mark.parametrize("edition", RULE_SETS)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_start_from_a_legal_table(edition: str, kind: str) -> None:
    """The same seed gives the same pairs."""
    pairs = list(judge_pairs(edition, kind, 3, seed=2))
    assert pairs == list(judge_pairs(edition, kind, 3, seed=2))
    assert all(is_valid(meld, small_rules(edition)) for one in pairs for meld in one.before.melds)

"""The benchmark of the oracle asks as many pairs as it says, the same for a seed, and tells where they disagree."""

from dataclasses import replace

import pytest

from tests.benchmarks.engine import oracle
from tests.benchmarks.engine.oracle import ask, main, small_rules
from tests.support.oracle_pairs import KINDS
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.meld import is_valid


def test_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """How many pairs were asked and how many were legal, for each kind and in all; no disagreement exits 0."""
    assert main(["--pairs", "20", "--edition", "junior"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["edition", "pairs", "asked", "legal", "disagree", "left", "out", "seconds"]
    assert len(lines) == len(KINDS) + 1
    assert lines[-1].split()[:3] == ["junior", "all", "20"]


def test_a_disagreement_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the tables in notation, what the oracle says and what the judge; the exit code is 1."""
    wrong = [replace(one, legal=not one.judged) for one in ask("finnish", "played", 1, 0)]
    monkeypatch.setattr(oracle, "ask", lambda *_: iter(wrong))
    assert main(["--pairs", "5", "--edition", "finnish"]) == 1
    told = capsys.readouterr().out.splitlines()[1]
    assert f"{wrong[0].before} -> {wrong[0].after}: the oracle says " in told


@pytest.mark.parametrize("edition", RULE_SETS)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_begin_with_a_legal_table(edition: str, kind: str) -> None:
    """Which the oracle takes for granted; and the same seed draws the same pairs."""
    pairs = list(ask(edition, kind, 3, seed=2))
    assert pairs == list(ask(edition, kind, 3, seed=2))
    assert all(is_valid(meld, small_rules(edition)) for one in pairs for meld in one.before.melds)

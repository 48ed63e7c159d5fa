"""Shows that the tables of the benchmark are what it says, and that it prints its figures."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.benchmarks.engine import best_play_times
from tests.benchmarks.engine.best_play_times import RACK, SIZES, Question, cover, main, measure, ours, peer, question
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

RULES = rule_set("large-numbers")


@pytest.mark.parametrize("size", SIZES)
def test_questions(size: int) -> None:
    """A question is a legal table of that many tiles and a rack of the rest of the box; the same for the same seed."""
    asked = question(random.Random(size), size, RULES)
    assert asked == question(random.Random(size), size, RULES)
    assert all(is_valid(meld, RULES) for meld in asked.table.melds)
    assert sum(map(len, asked.table.melds)) == size
    assert len(asked.rack) == RACK
    both = asked.table.counts + Counter(asked.rack)
    assert all(count <= RULES.stock.copies_of(tile) for tile, count in both.items())


def test_solvers() -> None:
    """Both ways of this package lay as much; the exact cover says so where it gives up."""
    asked = Question(parse_table("K1 K2 K3"), parse_table("K4 R10 B10 O10 R1").melds[0])
    nothing = Question(Table(), parse_table("R10 B12").melds[0])
    solvers = [ours(RULES), cover(RULES, 1_000), cover(RULES, 1)]
    measured, covered, given_up = measure(solvers, [asked, nothing] * 6, time.process_time)
    assert measured.laid == covered.laid == (4, 0) * 6
    assert given_up.laid == (None,) * 12
    assert 0 <= measured.median_ms <= measured.worst_ms


def test_figures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each size and solver."""
    assert main(["--count", "2", "--cover-states", "50", "--no-peer", "--cpu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [str(size) for size in SIZES for _ in range(2)]


def test_peer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the peer is not installed it is left out; where it lays more, the exit code says so."""
    monkeypatch.setattr(best_play_times, "_PEER", "no_such_package")
    assert peer(RULES) is None
    monkeypatch.setattr(best_play_times, "peer", lambda _: lambda _: RACK + 1)
    assert main(["--count", "1", "--cover-states", "0"]) == 1
    assert "less 1 times" in capsys.readouterr().out


def test_what_the_peer_is_asked_and_what_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own numbers for tiles, table and rack apart, and no answer counted as nothing laid."""
    asked: list[tuple[list[int], list[int], bool]] = []

    class State:
        initial = True

        def add_table(self, *tiles: int) -> None:
            self.table = list(tiles)

        def add_rack(self, *tiles: int) -> None:
            self.rack = list(tiles)

    class Rules:
        def __init__(self, numbers: int, repeats: int, jokers: int) -> None:
            assert (numbers, repeats, jokers) == (13, 2, 2)
            self.tiles = list(range(1, 54))  # as the package numbers them: ink by ink, then the joker

        def new_game(self) -> State:
            return State()

        def solve(self, state: State) -> SimpleNamespace | None:
            asked.append((state.table, state.rack, state.initial))
            return SimpleNamespace(tiles=state.rack) if 53 in state.rack else None

    monkeypatch.setitem(sys.modules, "rummikub_solver", SimpleNamespace(RuleSet=Rules))
    solve = peer(RULES)
    assert solve is not None
    table = Table((tuple(Tile(RULES.stock.inks[0], number) for number in (4, 5, 6)),))
    assert solve(Question(table, (JOKER, Tile(RULES.stock.inks[1], 1)))) == 2
    assert solve(Question(table, (Tile(RULES.stock.inks[3], 13),))) == 0
    assert asked[1:] == [([4, 5, 6], [53, 14], False), ([4, 5, 6], [52], False)]

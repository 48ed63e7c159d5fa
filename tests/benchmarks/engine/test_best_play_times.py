"""The benchmark of the best play: its tables are legal, and it prints its figures."""

from __future__ import annotations

import importlib.util
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from tests.benchmarks.engine import best_play_times, peers
from tests.benchmarks.engine.best_play_times import best_play_solver, cover_solver, main, measure
from tests.benchmarks.engine.peers import Peer, Programs, rummikub_solver, start_installed
from tests.benchmarks.engine.questions import RACK, SIZES, Answer, Question, question, timed
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

RULES = rule_set("large-numbers")


@pytest.mark.parametrize("size", SIZES)
def test_question_is_a_legal_table_and_a_rack_of_the_rest(size: int) -> None:
    """The same seed gives the same question."""
    problem = question(random.Random(size), size, RULES)
    assert problem == question(random.Random(size), size, RULES)
    assert all(is_valid(meld, RULES) for meld in problem.table.melds)
    assert sum(map(len, problem.table.melds)) == size
    assert len(problem.rack) == RACK
    both = problem.table.counts + Counter(problem.rack)
    assert all(count <= RULES.stock.copies_of(tile) for tile, count in both.items())


def test_both_solvers_of_this_package_lay_as_many_tiles() -> None:
    """The exact cover returns None at its limit."""
    problem = Question(parse_table("K1 K2 K3"), parse_table("K4 R10 B10 O10 R1").melds[0])
    nothing = Question(Table(), parse_table("R10 B12").melds[0])
    solvers = [
        timed(each, time.process_time)
        for each in (best_play_solver(RULES), cover_solver(RULES, 1_000), cover_solver(RULES, 1))
    ]
    measured, covered, given_up = measure(solvers, [problem, nothing] * 6)
    assert measured.laid == covered.laid == (4, 0) * 6
    assert given_up.laid == (None,) * 12
    assert 0 <= measured.median_ms <= measured.worst_ms


def test_command_prints_a_line_for_each_size_and_solver(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "2", "--cover-states", "50", "--no-peers", "--cpu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [str(size) for size in SIZES for _ in range(2)]


def test_peer_that_lays_more_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1."""

    def lays_more(problems: Sequence[Question]) -> Sequence[Answer]:
        return [(RACK + 1, 0.1) for _ in problems]

    monkeypatch.setattr(best_play_times, "start_installed", lambda *_: {"peer": lays_more})
    assert main(["--count", "1", "--cover-states", "0"]) == 1
    assert "less 1 times" in capsys.readouterr().out


def test_peer_answers_from_its_own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is skipped."""
    monkeypatch.setattr(peers, "PEERS", {name: make for name, make in peers.PEERS.items() if name == "rummikub-solver"})
    if importlib.util.find_spec("rummikub_solver") is None:
        assert start_installed("large-numbers", True) == {}
        with pytest.raises(ImportError):
            Peer("rummikub-solver", "large-numbers", True)
        return
    peer = start_installed("large-numbers", True)["rummikub-solver"]
    table = parse_table("K1 K2 K3")
    ((laid, took_s),) = peer([Question(table, parse_table("K4 R10").melds[0])])
    assert laid == 1
    assert took_s > 0
    peer.close()


def test_program_requires_table_tiles_and_allows_rack_tiles() -> None:
    """No set needs more copies than there are."""
    problem = Question(parse_table("K1 K2 J"), parse_table("K4 J R10").melds[0])
    program = Programs(RULES).build(problem)
    assert program.least == Counter(problem.table.counts)
    assert program.most == problem.table.counts + Counter(problem.rack)
    assert {Tile(RULES.stock.inks[0], 1): 1, Tile(RULES.stock.inks[0], 2): 1, JOKER: 1} in program.sets
    assert all(count <= program.most[tile] for tiles in program.sets for tile, count in tiles.items())
    assert any(tiles[JOKER] == 2 for tiles in program.sets if JOKER in tiles)


def test_peer_package_gets_its_numbers_for_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an answer, no tile counts as placed."""
    calls: list[tuple[list[int], list[int], bool]] = []

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
            calls.append((state.table, state.rack, state.initial))
            return SimpleNamespace(tiles=state.rack) if 53 in state.rack else None

    monkeypatch.setitem(sys.modules, "rummikub_solver", SimpleNamespace(RuleSet=Rules))
    solve = rummikub_solver(RULES)
    table = Table((tuple(Tile(RULES.stock.inks[0], number) for number in (4, 5, 6)),))
    assert solve(Question(table, (JOKER, Tile(RULES.stock.inks[1], 1)))) == 2
    assert solve(Question(table, (Tile(RULES.stock.inks[3], 13),))) == 0
    assert calls[1:] == [([4, 5, 6], [53, 14], False), ([4, 5, 6], [52], False)]

"""Other solvers for the same questions: the package rummikub-solver, and integer programs for CP-SAT and HiGHS.

Each solver runs and is timed in its own process, because OR-Tools and highspy contain two versions of one library.

The integer programs have one variable for each possible set: how often it is on the table. Runs that can be split into
shorter ones are left out. The sets of the whole box are listed once. The measured time includes selecting the sets of a
question, building the program and solving it.
"""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any, Final

from tests.benchmarks.engine.questions import Answer, Question, Solver, timed
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


def rummikub_solver(rules: RuleSet) -> Solver:
    """The package rummikub-solver with its best backend.

    Raises:
        ImportError: if the solver is not installed.
    """
    package: Any = importlib.import_module("rummikub_solver")
    peer_rules = package.RuleSet(numbers=rules.stock.numbers, repeats=rules.stock.copies, jokers=rules.stock.jokers)
    order = [Tile(ink, number) for ink in rules.stock.inks for number in range(1, rules.stock.numbers + 1)]
    peer_tiles = dict(zip([*order, JOKER], peer_rules.tiles, strict=True))

    def solve(position: Question) -> int:
        state = peer_rules.new_game()
        state.add_table(*[peer_tiles[tile] for meld in position.table.melds for tile in meld])
        state.add_rack(*[peer_tiles[tile] for tile in position.rack])
        state.initial = False
        found = peer_rules.solve(state)
        return 0 if found is None else len(found.tiles)

    run = tuple(Tile(rules.stock.inks[0], number) for number in range(1, rules.melds.shortest + 1))
    solve(Question(Table((run,)), tuple(order[-3:])))  # the first call includes its preparation
    return solve


@dataclass(frozen=True, slots=True)
class Program:
    """An integer program: choose sets that hold every tile of the table, and as many tiles as possible."""

    sets: tuple[Mapping[Tile, int], ...]
    """The tiles of each set."""
    least: Mapping[Tile, int]
    """The fewest copies of each tile in sets."""
    most: Mapping[Tile, int]
    """The most copies of each tile in sets."""


class Programs:
    """Builds the program of a question.

    Args:
        rules: the edition in play.
    """

    def __init__(self, rules: RuleSet) -> None:
        inks, numbers = rules.stock.inks, range(1, rules.stock.numbers + 1)
        box = Counter({Tile(ink, number): rules.stock.copies for ink in inks for number in numbers})
        box[JOKER] = rules.stock.jokers
        shortest = rules.melds.shortest
        rows = {
            frozenset(Counter(row).items()): len(row)
            for row in all_rows(box, rules)
            if len(row) < 2 * shortest and len(row) - row.count(JOKER) > 0
        }
        self._sets = [tuple(row) for row in rows]

    def build(self, position: Question) -> Program:
        """Return the program of a question."""
        least = position.table.counts
        most = dict(least + Counter(position.rack))
        sets = [dict(each) for each in self._sets if all(most.get(tile, 0) >= count for tile, count in each)]
        return Program(tuple(sets), least, most)


def cp_sat(rules: RuleSet) -> Solver:
    """CP-SAT of OR-Tools, on one thread.

    Raises:
        ImportError: if the solver is not installed.
    """
    package: Any = importlib.import_module("ortools.sat.python.cp_model")
    programs = Programs(rules)

    def solve(position: Question) -> int:
        program = programs.build(position)
        model = package.CpModel()
        of_tile: dict[Tile, tuple[list[Any], list[int]]] = {tile: ([], []) for tile in program.most}
        chosen, sizes = [], []
        for number, tiles in enumerate(program.sets):
            copies = min(program.most[tile] // count for tile, count in tiles.items())
            variable = model.new_int_var(0, copies, f"{number}")
            chosen.append(variable)
            sizes.append(sum(tiles.values()))
            for tile, count in tiles.items():
                of_tile[tile][0].append(variable)
                of_tile[tile][1].append(count)
        for tile, (variables, counts) in of_tile.items():
            total = package.LinearExpr.weighted_sum(variables, counts)
            model.add_linear_constraint(total, program.least.get(tile, 0), program.most[tile])
        model.maximize(package.LinearExpr.weighted_sum(chosen, sizes))
        solver = package.CpSolver()
        solver.parameters.num_workers = 1
        if solver.solve(model) != package.OPTIMAL:
            raise RuntimeError("CP-SAT did not prove its answer")
        return round(solver.objective_value) - sum(program.least.values())

    return solve


def highs(rules: RuleSet) -> Solver:
    """HiGHS without a modelling language around it, on one thread.

    Raises:
        ImportError: if the solver is not installed.
    """
    package: Any = importlib.import_module("highspy")
    programs = Programs(rules)
    solver = package.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)

    def solve(position: Question) -> int:
        program = programs.build(position)
        rows = {tile: row for row, tile in enumerate(program.most)}
        lp = package.HighsLp()
        lp.num_col_, lp.num_row_ = len(program.sets), len(rows)
        lp.sense_ = package.ObjSense.kMaximize
        lp.col_cost_ = [sum(tiles.values()) for tiles in program.sets]
        lp.col_lower_ = [0] * len(program.sets)
        lp.col_upper_ = [min(program.most[tile] // count for tile, count in tiles.items()) for tiles in program.sets]
        lp.row_lower_ = [program.least.get(tile, 0) for tile in rows]
        lp.row_upper_ = list(program.most.values())
        starts = [0]
        for tiles in program.sets:
            starts.append(starts[-1] + len(tiles))
        lp.a_matrix_.format_ = package.MatrixFormat.kColwise
        lp.a_matrix_.start_ = starts
        lp.a_matrix_.index_ = [rows[tile] for tiles in program.sets for tile in tiles]
        lp.a_matrix_.value_ = [count for tiles in program.sets for count in tiles.values()]
        lp.integrality_ = [package.HighsVarType.kInteger] * len(program.sets)
        solver.passModel(lp)
        solver.run()
        if solver.getModelStatus() != package.HighsModelStatus.kOptimal:
            raise RuntimeError("HiGHS did not prove its answer")
        return round(solver.getInfo().objective_function_value) - sum(program.least.values())

    return solve


PEERS: Final[Mapping[str, Callable[[RuleSet], Solver]]] = MappingProxyType(
    {"rummikub-solver": rummikub_solver, "CP-SAT": cp_sat, "highspy": highs}
)
"""All other solvers, by name."""


class Peer:
    """A solver in its own process.

    Args:
        name: its name in `PEERS`.
        edition: the edition in play.
        cpu: whether processor time is measured.

    Raises:
        ImportError: if the solver is not installed.
    """

    def __init__(self, name: str, edition: str, cpu: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=_answer, args=(child_pipe, name, edition, cpu), daemon=True)
        self._process.start()
        if not self._pipe.recv():
            self.close()
            raise ImportError(name)

    def __call__(self, positions: Sequence[Question]) -> Sequence[Answer]:
        """Return its answers to questions, each with its time."""
        self._pipe.send(list(positions))
        answers: Sequence[Answer] = self._pipe.recv()
        return answers

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()
        self._pipe.close()


def _answer(pipe: Connection, name: str, edition: str, cpu: bool) -> None:
    """Answer questions until None comes."""
    try:
        solver = timed(PEERS[name](rule_set(edition)), time.process_time if cpu else time.perf_counter)
    except ImportError:
        pipe.send(False)
        pipe.recv()
        return
    pipe.send(True)
    gc.collect()
    gc.freeze()
    while (positions := pipe.recv()) is not None:
        pipe.send(solver(positions))


def start_installed(edition: str, cpu: bool) -> dict[str, Peer]:
    """Start and return the installed solvers."""
    found = {}
    for name in PEERS:
        with suppress(ImportError):
            found[name] = Peer(name, edition, cpu)
    return found

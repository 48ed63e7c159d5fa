"""Measure the time of the best play on random tables: `make bench-solver`.

The other installed solvers (dependency group `bench`) get the same tables in the same run, and the results are
compared. The exact cover, the second algorithm of this package, gets them too; its number of states is limited.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.engine.peers import start_installed
from tests.benchmarks.engine.questions import SIZES, Question, Solver, TimedSolver, question, timed
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge, cover_task
from tilekeeper.engine.sweep.task import Task

_OURS, _COVER = "sweep", "exact cover"
_AT_ONCE: Final = 10  # questions for one solver before the next one


def best_play_solver(rules: RuleSet) -> Solver:
    """Return the best play of this package as a solver, the judge included."""

    def solve(position: Question) -> int:
        play = best_play(position.table, position.rack, TurnContext(rules, True))
        return 0 if play is None else len(play.laid)

    return solve


def cover_solver(rules: RuleSet, most_states: int) -> Solver:
    """Return the exact cover as a solver, with a limit on states."""

    def solve(position: Question) -> int | None:
        try:
            solution = cover_task(Task(position.table.counts, Counter(position.rack)), rules, most_states)
        except SearchTooLarge:
            return None
        return None if solution is None else len(position.rack) - solution.left.total()

    return solve


@dataclass(frozen=True, slots=True)
class Measured:
    """The times and results of one solver."""

    times_s: tuple[float, ...]
    laid: tuple[int | None, ...]

    @property
    def median_ms(self) -> float:
        """The median time, in milliseconds."""
        return statistics.median(self.times_s) * 1000

    @property
    def worst_ms(self) -> float:
        """The longest time, in milliseconds."""
        return max(self.times_s) * 1000


def measure(solvers: Sequence[TimedSolver], questions: Sequence[Question]) -> tuple[Measured, ...]:
    """Put questions to several solvers by turns, so that other work on the machine slows all of them alike."""
    times_s: list[list[float]] = [[] for _ in solvers]
    laid: list[list[int | None]] = [[] for _ in solvers]
    for first in range(0, len(questions), _AT_ONCE):
        for at, solver in enumerate(solvers):
            for found, took_s in solver(questions[first : first + _AT_ONCE]):
                laid[at].append(found)
                times_s[at].append(took_s)
    return tuple(Measured(tuple(took), tuple(found)) for took, found in zip(times_s, laid, strict=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the median and the worst time at each size; return 1 if a peer lays more."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.best_play_times", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=50, help="tables of each size (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other tables (default: %(default)s)")
    parser.add_argument(
        "--cover-states",
        type=int,
        default=20_000,
        help="where the exact cover gives up; 0 leaves it out (default: %(default)s)",
    )
    parser.add_argument("--no-peers", action="store_true", help="leave out the other solvers that are installed")
    parser.add_argument(
        "--cpu", action="store_true", help="measure processor time, for a machine on which other work is done"
    )
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.perf_counter
    rules = rule_set(DEFAULT_EDITION)
    peers: Mapping[str, TimedSolver] = {} if args.no_peers else start_installed(DEFAULT_EDITION, args.cpu)
    solvers: dict[str, TimedSolver] = {_OURS: timed(best_play_solver(rules), clock_s), **peers}
    warm_up = random.Random("warm up")
    for size in SIZES:
        measure(list(solvers.values()), [question(warm_up, size, rules) for _ in range(5)])
    if args.cover_states:
        solvers[_COVER] = timed(cover_solver(rules, args.cover_states), clock_s)
    gc.collect()
    gc.freeze()  # garbage collection must not walk through the objects of the benchmark while a solver is timed
    print(f"{'tiles':>5} {'solver':<16} {'median ms':>10} {'worst ms':>9} {'times ours':>10}   laid")
    worse = 0
    for size in SIZES:
        rng = random.Random(f"{size} {args.seed}")
        questions = [question(rng, size, rules) for _ in range(args.count)]
        measured = measure(list(solvers.values()), questions)
        best = measured[0]
        for name, each in zip(solvers, measured, strict=True):
            remark = ""
            if name == _COVER:
                remark = f"gave up {sum(laid is None for laid in each.laid)} of {len(questions)}"
            elif name in peers:
                differ = [(our or 0) - (their or 0) for our, their in zip(best.laid, each.laid, strict=True)]
                less, more = sum(each < 0 for each in differ), sum(each > 0 for each in differ)
                worse += less
                remark = f"ours lays more {more} times, less {less} times"
            print(_line(size, name, each, best, remark), flush=True)
    gc.unfreeze()
    return 1 if worse else 0


def _line(size: int, name: str, measured: Measured, best: Measured, remark: str) -> str:
    times = measured.median_ms / best.median_ms
    return (
        f"{size:>5} {name:<16} {measured.median_ms:>10.1f} {measured.worst_ms:>9.1f} {times:>10.1f}   {remark}".rstrip()
    )


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

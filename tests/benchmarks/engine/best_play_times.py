"""Measures how long the best play takes on random tables: `make bench-solver`.

The same tables are put in the same run to the other solvers that are installed (the dependency group `bench`), and the
results are compared. The exact cover, the other way to the same end in this package, is measured beside them where it
comes to an end.
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

from tests.benchmarks.engine.peers import installed
from tests.benchmarks.engine.questions import SIZES, Question, Solver, TimedSolver, question, timed
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge, cover_task
from tilekeeper.engine.sweep.task import Task

_OURS, _COVER = "sweep", "exact cover"
_AT_ONCE: Final = 10  # questions that one solver is asked before the next


def ours(rules: RuleSet) -> Solver:
    """The best play of this package, the judge's word on it included."""

    def solve(asked: Question) -> int:
        play = best_play(asked.table, asked.rack, TurnContext(rules, True))
        return 0 if play is None else len(play.laid)

    return solve


def cover(rules: RuleSet, most_states: int) -> Solver:
    """The exact cover over integers as sets of tiles, given up after so many states."""

    def solve(asked: Question) -> int | None:
        try:
            solution = cover_task(Task(asked.table.counts, Counter(asked.rack)), rules, most_states)
        except SearchTooLarge:
            return None
        return None if solution is None else len(asked.rack) - solution.left.total()

    return solve


@dataclass(frozen=True, slots=True)
class Measured:
    """What one solver took for a number of questions."""

    times_s: tuple[float, ...]
    laid: tuple[int | None, ...]

    @property
    def median_ms(self) -> float:
        """The median of the times."""
        return statistics.median(self.times_s) * 1000

    @property
    def worst_ms(self) -> float:
        """The longest time."""
        return max(self.times_s) * 1000


def measure(solvers: Sequence[TimedSolver], questions: Sequence[Question]) -> tuple[Measured, ...]:
    """Put questions to several solvers, some to each in turn: what else the machine does slows all of them alike."""
    times_s: list[list[float]] = [[] for _ in solvers]
    laid: list[list[int | None]] = [[] for _ in solvers]
    for first in range(0, len(questions), _AT_ONCE):
        for at, solver in enumerate(solvers):
            for found, took_s in solver(questions[first : first + _AT_ONCE]):
                laid[at].append(found)
                times_s[at].append(took_s)
    return tuple(Measured(tuple(took), tuple(found)) for took, found in zip(times_s, laid, strict=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the median and the worst time at every size; 1 where a result is worse than the peer's."""
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
    peers: Mapping[str, TimedSolver] = {} if args.no_peers else installed(DEFAULT_EDITION, args.cpu)
    solvers: dict[str, TimedSolver] = {_OURS: timed(ours(rules), clock_s), **peers}
    warm_up = random.Random("warm up")
    for size in SIZES:
        measure(list(solvers.values()), [question(warm_up, size, rules) for _ in range(5)])
    if args.cover_states:
        solvers[_COVER] = timed(cover(rules, args.cover_states), clock_s)
    gc.collect()
    gc.freeze()  # what the bench keeps in memory is not to be walked through at the cost of a solver
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

"""Measure the time to arrange a mixed table, and the moves at some times: `make bench-arrange`.

All tiles of random legal tables, with jokers, are mixed; the number and the lengths of the rows stay. With `--astray 8`
only 8 tiles of each table are moved.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.engine.questions import question
from tests.support.messy_tables import mix_tiles, move_tiles
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import SECONDS, arrangements
from tilekeeper.engine.tiles.table import Table

SIZES: Final = (60, 80, 100)
MARKS_S: Final = (0.2, 0.5, 2.0)


@dataclass(frozen=True, slots=True)
class ArrangementTimes:
    """The arrangements of one table, and their times."""

    results: tuple[tuple[float, int], ...]
    """For each arrangement the seconds since the call, and the number of moves."""
    proved: bool

    @property
    def first_s(self) -> float:
        """The time of the first arrangement, in seconds."""
        return self.results[0][0]

    def moves_by(self, mark_s: float) -> int:
        """Return the moves of the best arrangement at a time in seconds; the first one always counts."""
        return min(moves for at_s, moves in self.results if at_s <= mark_s or at_s == self.first_s)


def time_arrangements(table: Table, rules: RuleSet, seconds: float, clock_s: Callable[[], float]) -> ArrangementTimes:
    """Ask for the arrangements of a table, and record their times."""
    start_s = clock_s()
    results, proved = [], False
    for arrangement in arrangements(table, rules, seconds, clock_s):
        results.append((clock_s() - start_s, len(arrangement.moves)))
        proved = arrangement.proved
    return ArrangementTimes(tuple(results), proved)


def make_tables(rules: RuleSet, size: int, count: int, seed: int, astray: int | None) -> list[Table]:
    """Return tables of `size` tiles, all mixed or some moved."""
    rng = random.Random(f"{rules.name} {size} {seed}")
    tables = [question(rng, size, rules, 0).table for _ in range(count)]
    return [mix_tiles(rng, table) if astray is None else move_tiles(rng, table, astray) for table in tables]


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each size the times, the moves at some times, and the number of proved results."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.engine.arrange_times", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=200, help="tables of each size (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other tables (default: %(default)s)")
    parser.add_argument("--astray", type=int, help="how many tiles are put elsewhere (default: all are mixed)")
    parser.add_argument("--edition", choices=RULE_SETS, default=DEFAULT_EDITION, help="default: %(default)s")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="how many tiles (default: 60 80 100)")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that is busy")
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.monotonic
    rules = rule_set(args.edition)
    marks = " ".join(f"{f'{mark_s} s':>6}" for mark_s in MARKS_S)
    print(f"{'':>5} {'first told after':>20}   {'tiles to move, mean by':^30} {'':>12} {'proved after':>18}")
    print(
        f"{'tiles':>5} {'median ms':>10} {'worst ms':>9}   {'first':>6} {marks}   "
        f"{'proved':>12} {'median s':>9} {'worst s':>8}"
    )
    for size in args.sizes:
        found = [
            time_arrangements(table, rules, SECONDS, clock_s)
            for table in make_tables(rules, size, args.count, args.seed, args.astray)
        ]
        print(_line(size, found), flush=True)
    return 0


def _line(size: int, found: Sequence[ArrangementTimes]) -> str:
    first_ms = [each.first_s * 1000 for each in found]
    moves = [statistics.mean(each.moves_by(mark_s) for each in found) for mark_s in (0.0, *MARKS_S)]
    ends_s = [each.results[-1][0] for each in found if each.proved] or [float("nan")]
    return (
        f"{size:>5} {statistics.median(first_ms):>10.1f} {max(first_ms):>9.1f}   "
        + " ".join(f"{each:>6.1f}" for each in moves)
        + f"   {f'{sum(each.proved for each in found)} of {len(found)}':>12} "
        f"{statistics.median(ends_s):>9.2f} {max(ends_s):>8.2f}"
    )


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

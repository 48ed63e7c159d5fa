"""Measures how long the best play takes on random tables: `make bench-solver`.

Where the package rummikub-solver is installed (the dependency group `bench`), the same tables are put to it in the same
run, and the results are compared: it lays tiles by integer programming. The exact cover, the other way to the same end
in this package, is measured beside them where it comes to an end.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.best_play import best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge, cover_task
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

SIZES: Final = (20, 40, 60, 80)
RACK: Final = 14
_PEER: Final = "rummikub_solver"
_COVER, _THEIRS = "exact cover", "rummikub-solver"
_AT_ONCE: Final = 10  # questions that one solver is asked before the next


@dataclass(frozen=True, slots=True)
class Question:
    """A legal table and a rack."""

    table: Table
    rack: tuple[Tile, ...]


def question(rng: random.Random, size: int, rules: RuleSet, rack: int = RACK) -> Question:
    """A legal table of exactly so many tiles, drawn at random, and a rack from the rest of the box.

    Jokers lie on the table as often as any other tile would; each takes the place of a tile of a meld.
    """
    while True:
        melds = _melds(rng, size, rules)
        if melds is not None:
            break
    box = Counter(
        {
            Tile(ink, number): rules.stock.copies
            for ink in rules.stock.inks
            for number in range(1, rules.stock.numbers + 1)
        }
    )
    jokers = sum(rng.random() < size / rules.stock.size for _ in range(rules.stock.jokers))
    for meld in rng.sample(melds, min(jokers, len(melds))):
        meld[rng.randrange(len(meld))] = JOKER
    table = Table(tuple(map(tuple, melds)))
    box[JOKER] = rules.stock.jokers
    rest = sorted((box - table.counts).elements(), key=lambda tile: tile.order)
    return Question(table, tuple(rng.sample(rest, rack)))


def _melds(rng: random.Random, size: int, rules: RuleSet) -> list[list[Tile]] | None:
    """Melds without jokers that hold so many tiles; none where the draw leads nowhere."""
    used: Counter[Tile] = Counter()
    melds: list[list[Tile]] = []
    shortest = rules.melds.shortest
    while (left := size - used.total()) > 0:
        for _ in range(100):
            meld = _meld(rng, rules)
            fits = len(meld) == left or len(meld) <= left - shortest
            if fits and all(used[tile] < rules.stock.copies for tile in meld):
                break
        else:
            return None
        used.update(meld)
        melds.append(meld)
    return melds


def _meld(rng: random.Random, rules: RuleSet) -> list[Tile]:
    inks, shortest = rules.stock.inks, rules.melds.shortest
    if rules.melds.largest_group is None or rng.random() < 0.5:
        length = shortest + rng.choice([0, 0, 0, 1, 1, 2, 3])
        start = rng.randint(1, rules.stock.numbers - length + 1)
        ink = rng.choice(inks)
        return [Tile(ink, number) for number in range(start, start + length)]
    number = rng.randint(1, rules.stock.numbers)
    return [Tile(ink, number) for ink in rng.sample(inks, rng.randint(shortest, rules.melds.largest_group))]


Solver = Callable[[Question], int | None]
"""How many tiles of the rack can be laid; none where no answer was found."""


def ours(rules: RuleSet) -> Solver:
    """The best play of this package, the judge's word on it included."""

    def solve(asked: Question) -> int:
        play = best_play(asked.table, asked.rack, rules, True)
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


def peer(rules: RuleSet) -> Solver | None:
    """The package rummikub-solver with its best backend; none where it is not installed."""
    try:
        package: Any = importlib.import_module(_PEER)
    except ImportError:
        return None
    its_rules = package.RuleSet(numbers=rules.stock.numbers, repeats=rules.stock.copies, jokers=rules.stock.jokers)
    order = [Tile(ink, number) for ink in rules.stock.inks for number in range(1, rules.stock.numbers + 1)]
    its_tiles = dict(zip([*order, JOKER], its_rules.tiles, strict=True))

    def solve(asked: Question) -> int:
        state = its_rules.new_game()
        state.add_table(*[its_tiles[tile] for meld in asked.table.melds for tile in meld])
        state.add_rack(*[its_tiles[tile] for tile in asked.rack])
        state.initial = False
        found = its_rules.solve(state)
        return 0 if found is None else len(found.tiles)

    solve(Question(Table((_first_meld(rules),)), tuple(order[-3:])))  # it prepares itself at first
    return solve


def _first_meld(rules: RuleSet) -> Meld:
    return tuple(Tile(rules.stock.inks[0], number) for number in range(1, rules.melds.shortest + 1))


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


def measure(
    solvers: Sequence[Solver], questions: Sequence[Question], clock_s: Callable[[], float]
) -> tuple[Measured, ...]:
    """Put questions to several solvers, some to each in turn: what else the machine does slows all of them alike."""
    times_s: list[list[float]] = [[] for _ in solvers]
    laid: list[list[int | None]] = [[] for _ in solvers]
    for first in range(0, len(questions), _AT_ONCE):
        for at, solver in enumerate(solvers):
            for asked in questions[first : first + _AT_ONCE]:
                start = clock_s()
                laid[at].append(solver(asked))
                times_s[at].append(clock_s() - start)
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
    parser.add_argument("--no-peer", action="store_true", help="leave rummikub-solver out where it is installed")
    parser.add_argument(
        "--cpu", action="store_true", help="measure processor time, for a machine on which other work is done"
    )
    args = parser.parse_args(argv)
    clock_s = time.process_time if args.cpu else time.perf_counter
    rules = rule_set(DEFAULT_EDITION)
    its = None if args.no_peer else peer(rules)
    solvers: dict[str, Solver] = {"sweep": ours(rules)}
    if args.cover_states:
        solvers[_COVER] = cover(rules, args.cover_states)
    if its is not None:
        solvers[_THEIRS] = its
    warm_up = random.Random("warm up")
    for size in SIZES:
        measure([ours(rules), *([its] if its else [])], [question(warm_up, size, rules) for _ in range(5)], clock_s)
    gc.collect()
    gc.freeze()  # what one package keeps in memory is not to be walked through at the cost of the other
    print(f"{'tiles':>5} {'solver':<16} {'median ms':>10} {'worst ms':>9} {'times ours':>10}   laid")
    worse = 0
    for size in SIZES:
        rng = random.Random(f"{size} {args.seed}")
        questions = [question(rng, size, rules) for _ in range(args.count)]
        measured = measure(list(solvers.values()), questions, clock_s)
        best = measured[0]
        for name, each in zip(solvers, measured, strict=True):
            remark = ""
            if name == _COVER:
                remark = f"gave up {sum(laid is None for laid in each.laid)} of {len(questions)}"
            elif name == _THEIRS:
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

"""The questions of the benchmarks, random legal tables with a rack, and timed solvers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

SIZES: Final = (20, 40, 60, 80)
RACK: Final = 14


@dataclass(frozen=True, slots=True)
class Question:
    """A legal table and a rack."""

    table: Table
    rack: tuple[Tile, ...]


def question(rng: random.Random, size: int, rules: RuleSet, rack: int = RACK) -> Question:
    """Return a random legal table of `size` tiles, and a rack from the rest of the box.

    Jokers are on the table as often as any other tile; each replaces a tile of a meld.
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
    """Return melds of `size` tiles without jokers; None if the draw fails."""
    used: Counter[Tile] = Counter()
    melds: list[list[Tile]] = []
    shortest = rules.melds.shortest
    while (remaining := size - used.total()) > 0:
        for _ in range(100):
            meld = _meld(rng, rules)
            fits = len(meld) == remaining or len(meld) <= remaining - shortest
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
"""Returns the number of rack tiles that can be laid; None without an answer."""

Answer = tuple[int | None, float]
"""The number of tiles that can be laid, and the time in seconds."""
TimedSolver = Callable[[Sequence[Question]], Sequence[Answer]]
"""Returns the answers to some questions."""


def timed(solver: Solver, clock_s: Callable[[], float]) -> TimedSolver:
    """Return a solver that measures its time with a clock."""

    def solve(questions: Sequence[Question]) -> Sequence[Answer]:
        answers = []
        for position in questions:
            start = clock_s()
            laid = solver(position)
            answers.append((laid, clock_s() - start))
        return answers

    return solve

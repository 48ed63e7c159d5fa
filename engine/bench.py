"""Measures how long the judge takes on full tables: `python -m tilekeeper.engine.bench`.

Every turn has all tiles of the box on one of its tables. Besides turns as they are played there are those that are
made to be hard: everything regrouped, everything loose, no meld in order, both jokers free, an opening in which
every new set competes with others for the same tiles.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import JOKER, Tile

Turn = tuple[Table, Table, bool]
"""The tables before and after, and whether the player had opened."""


def full_table(rng: random.Random, rules: RuleSet) -> Table:
    """A legal table on which every tile of the box lies, drawn at random.

    The numbers of each copy are cut into stretches, each laid as one run a colour or as one group a number; jokers
    go to the ends of runs. Drawn again where no run has room for them.
    """
    while True:
        melds = [meld for _ in range(rules.stock.copies) for meld in _one_copy(rng, rules)]
        open_runs = [meld for meld in melds if meld[0].colour is meld[1].colour and len(meld) < rules.stock.numbers]
        if len(open_runs) >= rules.stock.jokers:
            for meld in rng.sample(open_runs, rules.stock.jokers):
                meld.insert(len(meld) if (meld[-1].number or 0) < rules.stock.numbers else 0, JOKER)
            rng.shuffle(melds)
            return Table(tuple(map(tuple, melds)))


def _one_copy(rng: random.Random, rules: RuleSet) -> Iterator[list[Tile]]:
    """Melds that hold every number in every colour once."""
    inks, highest, shortest = rules.stock.inks, rules.stock.numbers, rules.melds.shortest
    first = 1
    while first <= highest:
        last = rng.choice([highest, *range(first + shortest - 1, highest)])
        stretch = range(first, last + 1)
        if len(stretch) >= shortest and rng.random() < 0.7:
            yield from ([Tile(ink, number) for number in stretch] for ink in inks)
        else:
            yield from ([Tile(ink, number) for ink in rng.sample(inks, len(inks))] for number in stretch)
        first = last + 1


def _usual(rng: random.Random, rules: RuleSet) -> Turn:
    """A meld is laid to a table on which everything else lies."""
    table = full_table(rng, rules)
    gone = rng.randrange(len(table.melds))
    return Table(table.melds[:gone] + table.melds[gone + 1 :]), table, True


def _same(rng: random.Random, rules: RuleSet) -> Turn:
    """Nothing happens."""
    table = full_table(rng, rules)
    return table, table, True


def _regrouped(rng: random.Random, rules: RuleSet) -> Turn:
    """Everything lies otherwise than it lay, and some tiles are new."""
    before = full_table(rng, rules)
    return Table(before.melds[: rng.randrange(len(before.melds))]), full_table(rng, rules), True


def _mirrored(rng: random.Random, rules: RuleSet) -> Turn:
    """Every row is seen from the other side."""
    table = full_table(rng, rules)
    return table, Table(tuple(meld[::-1] for meld in table.melds)), True


def _loose(rng: random.Random, rules: RuleSet) -> Turn:
    """Every tile lies by itself."""
    table = full_table(rng, rules)
    return table, Table(tuple((tile,) for meld in table.melds for tile in meld)), True


def _jumbled(rng: random.Random, rules: RuleSet) -> Turn:
    """The tiles of every row are out of order, or in rows of no kind."""
    tiles = [tile for meld in full_table(rng, rules).melds for tile in meld]
    rng.shuffle(tiles)
    return Table(), Table(tuple(tuple(tiles[at : at + 4]) for at in range(0, len(tiles), 4))), False


def _one_row(rng: random.Random, rules: RuleSet) -> Turn:
    """All tiles lie in one row."""
    table = full_table(rng, rules)
    return table, Table((tuple(tile for meld in table.melds for tile in meld),)), False


def _free_jokers(rng: random.Random, rules: RuleSet) -> Turn:
    """All jokers leave their melds for melds that lay there before."""
    table = full_table(rng, rules)
    plain = [tuple(tile for tile in meld if not tile.is_joker) for meld in table.melds]
    joined = rng.sample(range(len(plain)), rules.stock.jokers)
    return table, Table(tuple((*meld, JOKER) if at in joined else meld for at, meld in enumerate(plain))), True


def _contested(rng: random.Random, rules: RuleSet) -> Turn:
    """One copy of everything came from the rack, and every set of either copy could be made of it."""
    numbers, inks = range(1, rules.stock.numbers + 1), rules.stock.inks
    groups: list[Meld] = [tuple(Tile(ink, number) for ink in inks) for number in numbers]
    runs: list[Meld] = [
        tuple(Tile(ink, number) for number in numbers[at : at + 3 if at + 6 <= len(numbers) else None])
        for ink in inks
        for at in range(0, len(numbers) - 3, 3)
    ]
    loose = [(tile,) for meld in groups for tile in meld]
    rng.shuffle(loose)
    return Table(tuple(loose)), Table((*groups, *runs, *[(JOKER,)] * rules.stock.jokers)), False


TURNS: Final[Mapping[str, Callable[[random.Random, RuleSet], Turn]]] = MappingProxyType(
    {
        "usual": _usual,
        "same": _same,
        "regrouped": _regrouped,
        "mirrored": _mirrored,
        "loose": _loose,
        "jumbled": _jumbled,
        "one row": _one_row,
        "free jokers": _free_jokers,
        "contested": _contested,
    }
)


def measure(kind: str, count: int, seed: int, rules: RuleSet) -> list[float]:
    """How long the judge took for each of `count` turns of a kind, with and without an opening before, in seconds."""
    rng = random.Random(f"{kind} {seed}")
    times_s = []
    for before, after, opened in _both(TURNS[kind](rng, rules) for _ in range(count)):
        context = TurnContext(rules, opened)
        start = time.perf_counter()
        judge(before, after, context)
        times_s.append(time.perf_counter() - start)
    return times_s


def _both(turns: Iterator[Turn]) -> Iterator[Turn]:
    for before, after, opened in turns:
        yield before, after, opened
        yield before, after, not opened


def main(argv: Sequence[str] | None = None) -> int:
    """Print the median and the worst time for every kind of turn, and for all of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tilekeeper.engine.bench", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=200, help="turns of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other tables (default: %(default)s)")
    args = parser.parse_args(argv)
    rules = rule_set(DEFAULT_EDITION)
    every: list[float] = []
    print(f"{'turn':<12} {'median ms':>10} {'worst ms':>10}   (tables of {rules.stock.size} tiles)")
    for kind in TURNS:
        gc.collect()
        times_s = measure(kind, args.count, args.seed, rules)
        every += times_s
        print(_line(kind, times_s))
    print(_line("all", every))
    return 0


def _line(name: str, times_s: Sequence[float]) -> str:
    return f"{name:<12} {statistics.median(times_s) * 1000:>10.3f} {max(times_s) * 1000:>10.3f}"


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

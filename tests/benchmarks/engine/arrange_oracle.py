"""Holds untangling to brute force, on small tables, edition by edition.

    python -m tests.benchmarks.engine.arrange_oracle --cases 2000 --edition junior

Every arrangement of every choice of tiles is tried, large choices first, and the moves to it are counted for every way
of telling which old meld went on as which new one. Every case is printed in which an arrangement leaves over more tiles
or takes more moves, or fewer than can be, or is called the nearest and is not.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tests.benchmarks.engine.brute_force import main_of
from tests.support.messy_tables import messy_table, small_edition
from tests.support.oracle_arrangements import Oracle, in_order, parts
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.arrange import arrangements, nearest_fix
from tilekeeper.engine.tiles.table import Meld, Table

_MOST_TILES = 9
_ENOUGH = 10_000
"""Seconds that are never over, so that what is found does not depend on the clock."""


@dataclass(frozen=True, slots=True)
class Case:
    """One table, and what was found: the number of tiles left over, and the number of moves."""

    table: Table
    found: tuple[int, int]
    least: tuple[int, int]
    """What brute force found."""
    proved: bool
    same_fix: bool
    """Whether the nearest fix is that arrangement."""

    @property
    def is_special(self) -> bool:
        """Whether not all tiles can be arranged."""
        return self.least[0] > 0

    @property
    def is_best(self) -> bool:
        """Whether nothing is nearer."""
        return self.found == self.least

    @property
    def wrong(self) -> bool:
        """Whether there is something nearer, or nothing as near."""
        return self.found != self.least or not self.same_fix

    def __str__(self) -> str:
        said = "proved" if self.proved else "not proved"
        fix = "" if self.same_fix else ", the nearest fix is another"
        return f"{self.table}: left over and moved {self.found}, {said}{fix}; can be {self.least}"


def fewest_moves(before: Table, after: Table) -> int:
    """How many tiles have to be moved or taken off: every way of pairing old melds and new ones is tried."""
    count = max(len(before.melds), len(after.melds))
    old = [*before.melds, *[()] * (count - len(before.melds))]
    new = [*after.melds, *[()] * (count - len(after.melds))]
    stay = [[_staying(meld, row) for row in new] for meld in old]

    @cache
    def most(at: int, taken: int) -> int:
        if at == count:
            return 0
        return max(stay[at][to] + most(at + 1, taken | 1 << to) for to in range(count) if not taken >> to & 1)

    return before.counts.total() - most(0, 0)


@cache
def _staying(meld: Meld, row: Meld) -> int:
    """How many tiles can stay when a meld becomes a row: in their order, or the reverse one; in a group in any."""
    numbers = [tile.number for tile in row if not tile.is_joker]
    if len(numbers) > 1 and len(set(numbers)) == 1:
        return (Counter(meld) & Counter(row)).total()
    for count in range(min(len(meld), len(row)), 0, -1):
        chosen = set(itertools.combinations(meld, count))
        if any(each in chosen or each[::-1] in chosen for each in itertools.combinations(row, count)):
            return count
    return 0


def least_of(oracle: Oracle, table: Table) -> tuple[int, int]:
    """How many tiles are left over at least, and how few moves do then."""
    found: list[tuple[int, int]] = []
    for laid in parts(table.counts):
        left = table.counts.total() - laid.total()
        if found and left > found[0][0]:
            break
        found += [(left, fewest_moves(table, Table(rows))) for rows in oracle.arrangements(in_order(laid))]
    return min(found)


def ask(edition: str, cases: int, seed: int) -> Iterator[Case]:
    """So many cases of an edition, with fewer numbers and jokers in the box."""
    rng = random.Random(f"{edition} {seed}")
    oracles: dict[RuleSet, Oracle] = {}
    for _ in range(cases):
        rules = small_edition(rng, rule_set(edition))
        table = messy_table(rng, rules, _MOST_TILES)
        *_, found = arrangements(table, rules, _ENOUGH)
        fix = nearest_fix(table, TurnContext(rules, opened=True), _ENOUGH)
        least = least_of(oracles.setdefault(rules, Oracle(rules)), table)
        same = (fix.after, fix.moves, fix.smallest) == (found.table, found.moves, found.nearest)
        yield Case(table, (len(found.left), len(found.moves)), least, found.nearest, same)


def main(argv: Sequence[str] | None = None) -> int:
    """Print for each edition how many arrangements are the nearest, and how many proved; 1 where any is not."""
    return main_of("tests.benchmarks.engine.arrange_oracle", __doc__, "left over", ask, argv)


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

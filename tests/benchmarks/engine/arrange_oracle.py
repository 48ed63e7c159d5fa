"""Compare the arrangement of tables with brute force, on small tables, edition by edition.

    python -m tests.benchmarks.engine.arrange_oracle --cases 2000 --edition junior

Brute force tries every arrangement of every choice of tiles, large choices first, and counts the moves for every
pairing of old and new melds. The command prints every case in which the solver leaves over more tiles, needs more
moves, reports fewer than possible, or wrongly calls an arrangement the nearest.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tests.benchmarks.engine.brute_force import run_command
from tests.support.messy_tables import messy_table, small_edition
from tests.support.oracle_arrangements import Oracle, in_order, parts
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.arrange import arrangements, nearest_fix
from tilekeeper.engine.tiles.table import Meld, Table

_MOST_TILES = 9
_ENOUGH = 10_000
"""A time limit in seconds that is never reached, so that results do not depend on the clock."""


@dataclass(frozen=True, slots=True)
class Case:
    """One table, and the result of the solver: tiles left over, and moves."""

    table: Table
    found: tuple[int, int]
    least: tuple[int, int]
    """The result of brute force."""
    proved: bool
    same_fix: bool
    """Whether `nearest_fix` returns the same arrangement."""

    @property
    def is_special(self) -> bool:
        """Whether not all tiles can be arranged."""
        return self.least[0] > 0

    @property
    def is_best(self) -> bool:
        """Whether no arrangement is nearer."""
        return self.found == self.least

    @property
    def wrong(self) -> bool:
        """Whether the result differs from brute force, or the nearest fix differs from it."""
        return self.found != self.least or not self.same_fix

    def __str__(self) -> str:
        proof = "proved" if self.proved else "not proved"
        fix = "" if self.same_fix else ", the nearest fix is another"
        return f"{self.table}: left over and moved {self.found}, {proof}{fix}; can be {self.least}"


def fewest_moves(before: Table, after: Table) -> int:
    """Return the fewest moved or removed tiles, by trying every pairing of old melds and new ones."""
    count = max(len(before.melds), len(after.melds))
    old = [*before.melds, *[()] * (count - len(before.melds))]
    new = [*after.melds, *[()] * (count - len(after.melds))]
    stay = [[_count_staying(meld, row) for row in new] for meld in old]

    @cache
    def most(at: int, taken: int) -> int:
        if at == count:
            return 0
        return max(stay[at][to] + most(at + 1, taken | 1 << to) for to in range(count) if not taken >> to & 1)

    return before.counts.total() - most(0, 0)


@cache
def _count_staying(meld: Meld, row: Meld) -> int:
    """Return how many tiles can stay when a meld becomes a row: in order, in reverse, or for a group in any order."""
    numbers = [tile.number for tile in row if not tile.is_joker]
    if len(numbers) > 1 and len(set(numbers)) == 1:
        return (Counter(meld) & Counter(row)).total()
    for count in range(min(len(meld), len(row)), 0, -1):
        chosen = set(itertools.combinations(meld, count))
        if any(part in chosen or part[::-1] in chosen for part in itertools.combinations(row, count)):
            return count
    return 0


def find_least(oracle: Oracle, table: Table) -> tuple[int, int]:
    """Return the fewest tiles left over, and the fewest moves with that."""
    found: list[tuple[int, int]] = []
    for laid in parts(table.counts):
        left_over = table.counts.total() - laid.total()
        if found and left_over > found[0][0]:
            break
        found += [(left_over, fewest_moves(table, Table(rows))) for rows in oracle.arrangements(in_order(laid))]
    return min(found)


def make_cases(edition: str, cases: int, seed: int) -> Iterator[Case]:
    """Yield cases of an edition, with fewer numbers and jokers in the box."""
    rng = random.Random(f"{edition} {seed}")
    oracles: dict[RuleSet, Oracle] = {}
    for _ in range(cases):
        rules = small_edition(rng, rule_set(edition))
        table = messy_table(rng, rules, _MOST_TILES)
        *_, found = arrangements(table, rules, _ENOUGH)
        fix = nearest_fix(table, TurnContext(rules, opened=True), _ENOUGH)
        least = find_least(oracles.setdefault(rules, Oracle(rules)), table)
        same = (fix.after, fix.moves, fix.proved) == (found.table, found.moves, found.proved)
        yield Case(table, (len(found.left), len(found.moves)), least, found.proved, same)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the number of nearest and of proved arrangements for each edition; return 1 if one is wrong."""
    return run_command("tests.benchmarks.engine.arrange_oracle", __doc__, "left over", make_cases, argv)


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

"""Compare the best play with brute force, on small boxes, edition by edition.

    python -m tests.benchmarks.engine.play_oracle --cases 2000 --edition junior

Brute force lays every choice of tiles of the rack in every way, large choices first, until a referee that shares no
code with judge and solver (`tests.support.judge_oracle`) accepts a turn. The command prints every case in which the
best play lays fewer tiles, is illegal, or is called proved and is not the best.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.benchmarks.engine.brute_force import run_command
from tests.benchmarks.engine.oracle import small_rules
from tests.support.judge_oracle import count_identities, is_legal
from tests.support.oracle_arrangements import in_order, parts
from tests.support.single_moves import TooManyMoves
from tests.support.small_turns import box, rows, small_table
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import find_best_play
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_MOST_MELDS = 2
_MOST_RACK = 4
_MOST_IDENTITIES = 400
_MOST_TABLES = 10_000


class _TooManyWays(Exception):  # noqa: N818 - it is control flow, not an error
    """A turn could have been made in more ways than the limit."""


@dataclass(frozen=True, slots=True)
class Case:
    """One table and rack, with the results of the solver and of brute force."""

    table: Table
    rack: Meld
    opened: bool
    laid: int
    """The tiles of the best play."""
    most: int
    """The most tiles that can be laid."""
    proved: bool
    legal: bool
    """Whether the referee accepts the best play."""

    @property
    def is_special(self) -> bool:
        """Whether anything can be laid."""
        return self.most > 0

    @property
    def is_best(self) -> bool:
        """Whether no turn lays more."""
        return self.laid == self.most

    @property
    def wrong(self) -> bool:
        """Whether another turn lays more, or the result is illegal."""
        return self.laid != self.most or not self.legal

    def __str__(self) -> str:
        who = "opened" if self.opened else "not opened"
        proof = "proved" if self.proved else "not proved"
        legal = "" if self.legal else ", illegal"
        return f"{who}: {self.table} with {Table((self.rack,))}: {self.laid} laid, {proof}{legal}; {self.most} can be"


class BruteForce:
    """Lays tiles in every way.

    Args:
        rules: the edition in play.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._by_tile: dict[Tile, list[Meld]] = {}
        for row in {_key(row): row for row in _with_jokers(rules)}.values():
            for tile in dict.fromkeys(row):
                self._by_tile.setdefault(tile, []).append(row)

    def arrangements(self, tiles: Counter[Tile]) -> Iterator[tuple[Meld, ...]]:
        """Yield every way to lay all these tiles as runs and groups."""
        if not tiles:
            yield ()
            return
        first = in_order(tiles)[0]
        for row in self._by_tile.get(first, ()):
            if all(tiles[tile] >= count for tile, count in Counter(row).items()):
                for rest in self.arrangements(tiles - Counter(row)):
                    yield (row, *rest)

    def most(self, table: Table, rack: Meld, opened: bool) -> int:
        """Return the most tiles of a rack in a legal turn.

        Raises:
            _TooManyWays: if a turn could have been made in too many ways.
        """
        for laid in parts(Counter(rack)):
            # A joker may go to the rack if the rules allow it. Laying it again gives a table that is tried anyway.
            for taken in range(table.counts[JOKER] + 1 if laid and not laid[JOKER] else 1):
                tiles = table.counts + laid - Counter({JOKER: taken})
                for melds in self.arrangements(tiles) if laid else ():
                    if self.is_legal(table, Table(melds), opened):
                        return laid.total()
        return 0

    def is_legal(self, before: Table, after: Table, opened: bool) -> bool:
        """Return whether the referee accepts a turn.

        Raises:
            _TooManyWays: if the turn could have been made in too many ways.
        """
        if count_identities(before, after) > _MOST_IDENTITIES:
            raise _TooManyWays
        try:
            return is_legal(before, after, self._rules, opened, _MOST_TABLES)
        except TooManyMoves as error:
            raise _TooManyWays from error


def _with_jokers(rules: RuleSet) -> Iterator[Meld]:
    """Yield every run and group of the box, with every number of jokers."""
    limit = rules.joker.most_in_set
    most = rules.stock.jokers if limit is None else min(limit, rules.stock.jokers)
    for row in rows(rules):
        for count in range(min(most, len(row) - 1) + 1) if JOKER not in row else ():
            for places in combinations(range(len(row)), count):
                yield tuple(JOKER if place in places else tile for place, tile in enumerate(row))


def _key(row: Meld) -> tuple[str, ...]:
    """Return a key for rows with the same readings: mirror images, and permutations of groups."""
    names = tuple(map(str, row))
    plain = [tile.number for tile in row if not tile.is_joker]
    only_group = len(plain) > 1 and len(set(plain)) == 1
    return tuple(sorted(names)) if only_group else min(names, names[::-1])


def make_cases(edition: str, cases: int, seed: int) -> Iterator[Case]:
    """Yield cases of an edition; cases with too many ways are skipped."""
    rng = random.Random(f"{edition} {seed}")
    rules = small_rules(edition)
    brute = BruteForce(rules)
    count = 0
    while count < cases:
        table = small_table(rng, rules, _MOST_MELDS)
        rest = in_order(box(rules) - table.counts)
        rack = tuple(rng.sample(rest, min(len(rest), rng.randint(1, _MOST_RACK))))
        opened = rng.random() < 0.75
        try:
            most = brute.most(table, rack, opened)
            found = find_best_play(table, rack, TurnContext(rules, opened))
            legal = found.play is None or brute.is_legal(table, found.play.after, opened)
        except _TooManyWays:
            continue
        laid = 0 if found.play is None else len(found.play.laid)
        yield Case(table, rack, opened, laid, most, found.proved, legal)
        count += 1


def main(argv: Sequence[str] | None = None) -> int:
    """Print the number of best and of proved plays for each edition; return 1 if one is wrong."""
    return run_command("tests.benchmarks.engine.play_oracle", __doc__, "some laid", make_cases, argv)


if __name__ == "__main__":  # pragma: no cover - the tests call main
    sys.exit(main())

"""The opening after which everything is open in the same turn: new sets from the rack first, then the table.

The camera sees the end of the turn only. The sets that made the opening may have been added to, or regrouped, since:
so every choice of sets that the tiles from the rack could have made is tried, those first that lie there still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Final

from tilekeeper.engine.changes import Changes, find_changes
from tilekeeper.engine.manipulation import Manipulated, judge_manipulation
from tilekeeper.engine.meld import best_reading, worth
from tilekeeper.engine.opening import Opening, from_rack, not_open, points_of, table_not_empty
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.way_search import OutOfSteps, Steps

# Bounds of the search, beyond what the tiles of one rack can make up.
_MOST_ROWS: Final = 800
_MOST_SETS: Final = 100
_MOST_OPENINGS: Final = 400
_MOST_SETS_TRIED: Final = 4_000
_MOST_TRIED: Final = 10


@dataclass(frozen=True, slots=True)
class _Set:
    """A set that the tiles from the rack could have made."""

    meld: Meld
    tiles: Counter[Tile]
    points: int


def judge_free_opening(changes: Changes, rules: RuleSet) -> Opening:
    """Judge the turn of a player who had not opened before, where the table is open once the opening lies."""
    laid = from_rack(changes, rules)
    points = points_of(laid, rules)
    bound = rules.opening.minimum_points
    steps = Steps()
    manipulated: Manipulated | None = None
    if points >= bound:
        manipulated = _judge_rest(changes, [changes.after.melds[candidate.index] for candidate in laid], rules, steps)
        if not manipulated.violations:
            return Opening(points, tuple(table_not_empty(changes, rules)), manipulated)
    if changes.gone:
        for sets in _openings(changes, rules)[:_MOST_TRIED]:
            rest = _judge_rest(changes, [chosen.meld for chosen in sets], rules, steps)
            if not rest.violations:
                reached = max(points, sum(chosen.points for chosen in sets))
                return Opening(reached, tuple(table_not_empty(changes, rules)), rest)
    if manipulated is not None:
        return Opening(points, tuple(table_not_empty(changes, rules)), manipulated)
    return not_open(changes, laid, rules)


def _judge_rest(changes: Changes, laid: Sequence[Meld], rules: RuleSet, steps: Steps) -> Manipulated:
    """Judge what was done after some sets had been laid."""
    opened = Table((*changes.before.melds, *laid))
    return judge_manipulation(find_changes(opened, changes.after, rules), rules, steps)


def _openings(changes: Changes, rules: RuleSet) -> list[tuple[_Set, ...]]:
    """The choices of sets that reach the points and would not without any of them, the likeliest first."""
    sets = sorted(
        islice(_sets(changes.placed, rules), _MOST_SETS), key=lambda one: _likeness(one, changes), reverse=True
    )
    found: list[tuple[_Set, ...]] = []
    with suppress(OutOfSteps):  # those found by then are the likeliest
        found.extend(islice(_choices(sets, changes.placed, rules), _MOST_OPENINGS))
    return sorted(found, key=lambda choice: sum(len(one.meld) - _likeness(one, changes) for one in choice))


def _likeness(one: _Set, changes: Changes) -> int:
    """How many tiles of a set lie together after the turn."""
    return max(((one.tiles & Counter(changes.after.melds[index])).total() for index in changes.new), default=0)


def _choices(sets: Sequence[_Set], rack: Counter[Tile], rules: RuleSet) -> Iterator[tuple[_Set, ...]]:
    bound, steps = rules.opening.minimum_points, Steps(_MOST_SETS_TRIED)

    def more(start: int, chosen: tuple[_Set, ...], points: int, left: Counter[Tile]) -> Iterator[tuple[_Set, ...]]:
        for position in range(start, len(sets)):
            one = sets[position]
            steps.take(1)
            if not one.tiles <= left:
                continue
            reached = points + one.points
            if reached >= bound:
                if all(reached - other.points < bound for other in chosen):
                    yield (*chosen, one)
            elif rules.opening.several_sets:
                yield from more(position + 1, (*chosen, one), reached, left - one.tiles)

    yield from more(0, (), 0, rack)


def _sets(rack: Counter[Tile], rules: RuleSet) -> Iterator[_Set]:
    """Every valid set of tiles from the rack, one order of each."""
    fewest_jokers_first = (
        row
        for jokers in range(rack[JOKER] + 1)
        for row in chain(_groups(rack, jokers, rules), _runs(rack, jokers, rules))
    )
    for row in dict.fromkeys(islice(fewest_jokers_first, _MOST_ROWS)):
        if (reading := best_reading(row, rules)) is not None:
            yield _Set(row, Counter(row), worth(row, reading, rules))


def _runs(rack: Counter[Tile], jokers: int, rules: RuleSet) -> Iterator[Meld]:
    """Rows of one colour with so many jokers, of any length."""
    for ink in rules.stock.inks:
        for start in range(1, rules.stock.numbers + 1):
            rows: list[Meld] = [()]
            for number in range(start, start + rules.stock.numbers):
                tile = Tile(ink, number)
                with_joker = [(*row, JOKER) for row in rows if row.count(JOKER) < jokers]
                rows = [*((*row, tile) for row in rows if rack[tile]), *with_joker]
                if not rows:
                    break
                yield from (row for row in rows if row.count(JOKER) == jokers)


def _groups(rack: Counter[Tile], jokers: int, rules: RuleSet) -> Iterator[Meld]:
    """Rows of one number with so many jokers."""
    for number in range(1, rules.stock.numbers + 1):
        there = [Tile(ink, number) for ink in rules.stock.inks if rack[Tile(ink, number)]]
        for size in range(1, len(there) + 1):
            for chosen in combinations(there, size):
                yield (*chosen, *[JOKER] * jokers)

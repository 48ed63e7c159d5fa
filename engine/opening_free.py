"""The opening after which everything is open in the same turn: new sets from the rack first, then the table.

The camera sees the end of the turn only. The sets that made the opening may have been added to, or regrouped, since:
so every choice of sets that the tiles from the rack could have made is tried, those first that lie there still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Final

from tilekeeper.engine.changes import Changes, find_changes
from tilekeeper.engine.manipulation import Manipulated, judge_manipulation
from tilekeeper.engine.meld import best_reading, worth
from tilekeeper.engine.opening import Opening, from_rack, not_open, points_of, table_not_empty
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import JOKER, Tile

# Bounds of the search, beyond what the tiles of one rack can make up.
_MOST_SETS: Final = 400
_MOST_OPENINGS: Final = 3_000
_MOST_TRIED: Final = 40


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
    manipulated: Manipulated | None = None
    if points >= bound:
        manipulated = _judge_rest(changes, [changes.after.melds[candidate.index] for candidate in laid], rules)
        if not manipulated.violations:
            return Opening(points, tuple(table_not_empty(changes, rules)), manipulated)
    if changes.gone:
        openings = _openings(changes, rules)
        for sets in openings[:_MOST_TRIED]:
            rest = _judge_rest(changes, [chosen.meld for chosen in sets], rules)
            if not rest.violations:
                reached = max(points, sum(chosen.points for chosen in sets))
                return Opening(reached, tuple(table_not_empty(changes, rules)), rest)
    if manipulated is not None:
        return Opening(points, tuple(table_not_empty(changes, rules)), manipulated)
    return not_open(changes, laid, rules)


def _judge_rest(changes: Changes, laid: Sequence[Meld], rules: RuleSet) -> Manipulated:
    """Judge what was done after some sets had been laid."""
    opened = Table((*changes.before.melds, *laid))
    return judge_manipulation(find_changes(opened, changes.after, rules), rules)


def _openings(changes: Changes, rules: RuleSet) -> list[tuple[_Set, ...]]:
    """The choices of sets that reach the points and would not without any of them, the likeliest first."""
    sets = sorted(
        islice(_sets(changes.placed, rules), _MOST_SETS), key=lambda one: _likeness(one, changes), reverse=True
    )
    found = islice(_choices(sets, changes.placed, rules), _MOST_OPENINGS)
    return sorted(found, key=lambda choice: sum(len(one.meld) - _likeness(one, changes) for one in choice))


def _likeness(one: _Set, changes: Changes) -> int:
    """How many tiles of a set lie together after the turn."""
    return max(((one.tiles & Counter(changes.after.melds[index])).total() for index in changes.new), default=0)


def _choices(sets: Sequence[_Set], rack: Counter[Tile], rules: RuleSet) -> Iterator[tuple[_Set, ...]]:
    bound = rules.opening.minimum_points

    def more(start: int, chosen: tuple[_Set, ...], points: int, left: Counter[Tile]) -> Iterator[tuple[_Set, ...]]:
        for position in range(start, len(sets)):
            one = sets[position]
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
    for row in {*_runs(rack, rules), *_groups(rack, rules)}:
        if (reading := best_reading(row, rules)) is not None:
            yield _Set(row, Counter(row), worth(row, reading, rules))


def _runs(rack: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    for ink in rules.stock.inks:
        for start in range(1, rules.stock.numbers + 1):
            rows: list[Meld] = [()]
            for number in range(start, start + rules.stock.numbers):
                choices = [tile for tile in (Tile(ink, number), JOKER) if rack[tile]]
                rows = [
                    (*row, tile) for row in rows for tile in choices if row.count(JOKER) < rack[JOKER] or tile != JOKER
                ]
                if not rows:
                    break
                yield from rows


def _groups(rack: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    for number in range(1, rules.stock.numbers + 1):
        there = [Tile(ink, number) for ink in rules.stock.inks if rack[Tile(ink, number)]]
        for size in range(1, len(there) + 1):
            for chosen in combinations(there, size):
                for jokers in range(min(rack[JOKER], len(rules.stock.inks) - size) + 1):
                    yield (*chosen, *[JOKER] * jokers)

"""Changes of one set tile by tile: which row it can become, and from which smaller set a row can have grown.

A set stays the same set while tiles are added and taken, as long as enough tiles stay together; added tiles count. So
blue 8 9 10 can become blue 9 10 11 if blue 11 is added first. But red 4 5 6 7 cannot become red 4 5 joker 7: red 6
leaves before the joker can take its place, and then only two tiles stay together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

from tilekeeper.engine.rules.meld import Kind, Reading, is_valid, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


def can_become(old: Meld, new: Meld, least: int, rules: RuleSet) -> bool:
    """Test quickly whether a set can become a row tile by tile while at least `least` tiles stay together.

    False is exact. If the result is True, `RowChange.is_possible` can still exclude the change.

    Args:
        old: a valid set.
        new: a valid row.
        least: the fewest tiles that must stay together.
        rules: the edition in play.
    """
    return len(new) >= least and any(
        was.kind is now.kind and _has_place_for(was, now)
        for was in readings(old, rules)
        for now in readings(new, rules)
    )


def _has_place_for(was: Reading, now: Reading) -> bool:
    """Return whether two readings of one kind can be one set at different times: they share a number or a tile."""
    if was.kind is Kind.GROUP:
        return was.tiles[0].number == now.tiles[0].number
    return not set(was.tiles).isdisjoint(now.tiles)


@dataclass(frozen=True, slots=True)
class RowChange:
    """A possible change of an old set, in the reading `was`, into a new row, in the reading `now`."""

    was: Reading
    now: Reading
    staying: frozenset[int]
    """The positions in the new row of tiles that were in the old set."""
    lent: frozenset[Tile] = frozenset()
    """Tiles that may have been in the set for a while during the turn, and are now in another meld."""
    locking: frozenset[int] = frozenset()
    """The positions in the new row of jokers that lock it: once such a joker is in the row, no tile may leave."""

    def is_possible(self, least: int, rules: RuleSet) -> bool:
        """Return whether at least `least` tiles can stay together as a valid set while the set changes."""
        if (
            self._most_together() < least
            or self.was.kind is not self.now.kind
            or not _has_place_for(self.was, self.now)
        ):
            return False
        before = set(self.was.tiles)
        after = {tile for at, tile in enumerate(self.now.tiles) if at not in self.locking}
        # A new copy of a tile of the old set can come only after the old copy has left.
        in_place_of = before & after - {self.now.tiles[at] for at in self.staying}
        if self.was.kind is Kind.RUN:
            there = before | after | self.lent
            return all(_stay_beside(tile, there, least) for tile in in_place_of)
        if not in_place_of or len(before) > least:
            return True
        number = self.was.tiles[0].number
        others = (after | {tile for tile in self.lent if tile.number == number}) - before
        return bool(others) and len(before) < (rules.melds.largest_group or 0)

    def _most_together(self) -> int:
        """Return the most tiles of the new row that can be together before a joker locks it."""
        if self.was.kind is Kind.GROUP:
            return len(self.now.tiles) - len(self.locking)
        ends = sorted((-1, *self.locking, len(self.now.tiles)))
        return max(end - start - 1 for start, end in pairwise(ends))


def _stay_beside(tile: Tile, there: set[Tile], least: int) -> bool:
    """Return whether the `least` tiles next to `tile` in its run, on one side, are all in `there`."""
    assert tile.number is not None  # readings have no jokers
    for step in (-1, 1):
        count = 0
        while count < least and Tile(tile.colour, max(0, tile.number + step * (count + 1))) in there:
            count += 1
        if count >= least:
            return True
    return False


def is_one_place(was: Reading, was_at: int, now: Reading, at: int) -> bool:
    """Return whether a position of one reading and a position of another are the same place in a set.

    In a run the places need equal colour and number, in a group only equal number.
    """
    if was.kind is not now.kind:
        return False
    return was.tiles[was_at] is now.tiles[at] or (
        was.kind is Kind.GROUP and was.tiles[was_at].number == now.tiles[at].number
    )


def sets_around(row: Meld, at: int, rules: RuleSet) -> list[tuple[int, ...]]:
    """Return each smaller valid set within a row that contains position `at`, as the positions of its tiles.

    The other tiles of the row can have been added to such a set.
    """
    found: dict[tuple[int, ...], None] = {}
    for kind in {reading.kind for reading in readings(row, rules)}:
        for size in range(rules.melds.shortest, len(row)):
            if kind is Kind.RUN:
                starts = range(max(0, at - size + 1), min(at, len(row) - size) + 1)
                found |= dict.fromkeys(tuple(range(start, start + size)) for start in starts)
            else:
                found |= dict.fromkeys(chosen for chosen in combinations(range(len(row)), size) if at in chosen)
    return [chosen for chosen in found if is_valid(tuple(row[each] for each in chosen), rules)]

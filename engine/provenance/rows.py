"""What one row can become tile by tile: as which row a set can go on, and what set a row can have grown from.

A set of the table goes on while tiles are added to it and others taken, as long as enough of it stay together: what
was added a moment before counts. So blue 8 9 10 may go on as blue 9 10 11, blue 11 being added first; but red 4 5 6 7
not as red 4 5 joker 7, for red 6 leaves before the joker can lie in its place, and two stay together then.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from tilekeeper.engine.rules.meld import Kind, Reading, is_valid, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


def goes_on_as(old: Meld, new: Meld, staying: Collection[int] | None, least: int, rules: RuleSet) -> bool:
    """Whether a set can become a row while at least `least` of it stay together as a valid set at any time.

    Args:
        old: a valid set.
        new: a valid row.
        staying: the positions in the new row at which tiles of the old set lie; none where that is open, and as many
            as can be stay.
        least: how many tiles stay together.
        rules: the edition in play.
    """
    if len(new) < least:
        return False
    return any(
        was.kind is now.kind and _goes_on(was, now, staying, least, rules)
        for was in readings(old, rules)
        for now in readings(new, rules)
    )


def _goes_on(was: Reading, now: Reading, staying: Collection[int] | None, least: int, rules: RuleSet) -> bool:
    before, after = set(was.tiles), set(now.tiles)
    if was.kind is Kind.RUN and before.isdisjoint(after):
        return False
    # A tile that lies where another of the old set lay can come only when that one is gone.
    in_place_of = set() if staying is None else before & after - {now.tiles[at] for at in staying}
    if was.kind is Kind.GROUP:
        if was.tiles[0].number != now.tiles[0].number:
            return False
        added = len(after - before) + len(in_place_of)
        room = (rules.melds.largest_group or 0) - len(before)
        return not added or len(before) > least or (room > 0 and len(in_place_of) < added)
    there = before | after
    return all(_stay_beside(tile, there, least) for tile in in_place_of)


def _stay_beside(tile: Tile, there: set[Tile], least: int) -> bool:
    """Whether enough of a run lie on one side of a tile that leaves it."""
    assert tile.number is not None  # readings have no jokers
    for step in (-1, 1):
        count = 0
        while count < least and Tile(tile.colour, max(0, tile.number + step * (count + 1))) in there:
            count += 1
        if count >= least:
            return True
    return False


def is_one_place(was: Reading, was_at: int, now: Reading, at: int) -> bool:
    """Whether two places are one: in runs they have the same colour and number, in groups the same number."""
    if was.kind is not now.kind:
        return False
    return was.tiles[was_at] is now.tiles[at] or (
        was.kind is Kind.GROUP and was.tiles[was_at].number == now.tiles[at].number
    )


def sets_around(row: Meld, at: int, rules: RuleSet) -> list[tuple[int, ...]]:
    """The smaller sets with the tile at a place, as positions, to which the rest of a row can have been added."""
    found: dict[tuple[int, ...], None] = {}
    for kind in {reading.kind for reading in readings(row, rules)}:
        for size in range(rules.melds.shortest, len(row)):
            if kind is Kind.RUN:
                starts = range(max(0, at - size + 1), min(at, len(row) - size) + 1)
                found |= dict.fromkeys(tuple(range(start, start + size)) for start in starts)
            else:
                found |= dict.fromkeys(chosen for chosen in combinations(range(len(row)), size) if at in chosen)
    return [chosen for chosen in found if is_valid(tuple(row[each] for each in chosen), rules)]

"""Faults that lie on the table: rows that are no meld, tiles that can't be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from tilekeeper.engine.rules.meld import is_valid, largest_group, shapes
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile


def stock_faults(table: Table, counts: Counter[Tile], side: Side, rules: RuleSet) -> Iterator[Violation]:
    """Tiles of which the box holds none, or fewer than lie there; `counts` are the table's."""
    bounds = {tile: rules.stock.copies_of(tile) for tile in counts}
    unknown = [place for place, tile in table.places() if not bounds[tile]] if not all(bounds.values()) else []
    if unknown:
        yield Violation.at(Code.UNKNOWN_TILE, side, tuple(unknown))
    for excess in [tile for tile, count in counts.items() if 0 < bounds[tile] < count]:
        places = tuple(place for place, tile in table.places() if tile == excess)
        yield Violation.at(Code.TOO_MANY_COPIES, side, places, counts[excess], bounds[excess])


def meld_faults(table: Table, index: int, side: Side, rules: RuleSet) -> Iterator[Violation]:
    """What keeps one row from being a valid meld; nothing where it is one, by `is_valid`, and only there.

    A row is taken for what its tiles have in common: for a group where that is the number, for a run where it is the
    colour. The form of a row with a tile that the edition does not have is not judged, only its length.
    """
    meld = table.melds[index]
    everything = tuple(Place(index, position) for position in range(len(meld)))
    if len(meld) < rules.melds.shortest:
        yield Violation.at(Code.MELD_TOO_SHORT, side, everything, len(meld), rules.melds.shortest)
        return
    plain = {position: tile for position, tile in enumerate(meld) if not tile.is_joker}
    if not all(rules.stock.copies_of(tile) for tile in plain.values()) or is_valid(meld, rules):
        return
    if not rules.joker.allows(len(meld) - len(plain)):
        jokers = tuple(place for place in everything if place.position not in plain)
        yield Violation.at(Code.TOO_MANY_JOKERS, side, jokers, len(jokers), rules.joker.most_in_set)
        if shapes(meld, rules):
            return
    colours = Counter(tile.colour for tile in plain.values())
    one_number = len({tile.number for tile in plain.values()}) == 1
    largest = largest_group(rules)
    if one_number and largest is None and len(colours) > 1:
        yield Violation.at(Code.GROUPS_NOT_PLAYED, side, everything)
    elif one_number and largest is not None:
        if twice := [position for position, tile in plain.items() if colours[tile.colour] > 1]:
            yield Violation.at(Code.GROUP_COLOUR_TWICE, side, tuple(Place(index, position) for position in twice))
        if len(meld) > largest:
            yield Violation.at(Code.GROUP_TOO_LONG, side, everything, len(meld), largest)
    elif len(colours) == 1:
        yield _run_fault(index, len(meld), plain, side, rules)
    else:
        yield Violation.at(Code.NOT_A_MELD, side, everything)


def _run_fault(index: int, length: int, plain: dict[int, Tile], side: Side, rules: RuleSet) -> Violation:
    """What keeps a row of one colour from being a run."""
    highest = rules.stock.numbers
    seams = _seams(length, plain, highest)
    if seams and rules.melds.wraps:
        everything = tuple(Place(index, position) for position in range(length))
        return Violation.at(Code.RUN_TOO_LONG, side, everything, length, highest)
    if seams:
        tiles = tuple(Place(index, position) for position in seams)
        return Violation.at(Code.WRAPS_PAST_HIGHEST, side, tiles, bound=highest)
    return Violation.at(Code.RUN_BROKEN, side, tuple(Place(index, position) for position in _breaks(plain)))


def _seams(length: int, plain: dict[int, Tile], highest: int) -> list[int]:
    """The positions on either side of each step past the highest number, where that is all that is wrong."""
    start, first = next(iter(plain.items()))
    for step in (1, -1):
        numbers = [((first.number or 0) + step * (position - start) - 1) % highest + 1 for position in range(length)]
        if all(tile.number == numbers[position] for position, tile in plain.items()):
            seams = {
                near
                for position in range(1, length)
                if abs(numbers[position] - numbers[position - 1]) != 1
                for near in (position - 1, position)
            }
            return sorted(seams)
    return []


def _breaks(plain: dict[int, Tile]) -> list[int]:
    """The positions on either side of each break in a run, read in the direction in which there are fewer."""

    def breaks(step: int) -> list[int]:
        found: set[int] = set()
        for (here, tile), (there, following) in pairwise(plain.items()):
            if (following.number or 0) - (tile.number or 0) != step * (there - here):
                found |= {here, there}
        return sorted(found)

    return min(breaks(1), breaks(-1), key=len)

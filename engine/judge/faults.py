"""Faults of a single table: rows that are not valid melds, and tiles that the box does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from tilekeeper.engine.rules.meld import is_valid, largest_group, shapes
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile


def stock_faults(table: Table, counts: Counter[Tile], side: Side, rules: RuleSet) -> Iterator[Violation]:
    """Yield violations for tiles that the box does not hold, and for tiles with too many copies."""
    bounds = {tile: rules.stock.copies_of(tile) for tile in counts}
    unknown = [place for place, tile in table.places() if not bounds[tile]] if not all(bounds.values()) else []
    if unknown:
        yield Violation.from_tiles(Code.UNKNOWN_TILE, side, tuple(unknown))
    for excess in [tile for tile, count in counts.items() if 0 < bounds[tile] < count]:
        places = tuple(place for place, tile in table.places() if tile == excess)
        yield Violation.from_tiles(Code.TOO_MANY_COPIES, side, places, counts[excess], bounds[excess])


def meld_faults(table: Table, index: int, side: Side, rules: RuleSet) -> Iterator[Violation]:
    """Yield the violations of a row that is not a valid meld; nothing for a valid meld.

    A row is judged as a group if its tiles have one number, and as a run if they have one colour. If the edition does
    not have one of the tiles, only the length is judged.
    """
    meld = table.melds[index]
    all_places = _places(index, range(len(meld)))
    if len(meld) < rules.melds.shortest:
        yield Violation.from_tiles(Code.MELD_TOO_SHORT, side, all_places, len(meld), rules.melds.shortest)
        return
    plain = {position: tile for position, tile in enumerate(meld) if not tile.is_joker}
    if not all(rules.stock.copies_of(tile) for tile in plain.values()) or is_valid(meld, rules):
        return
    if not rules.joker.allows(len(meld) - len(plain)):
        jokers = tuple(place for place in all_places if place.position not in plain)
        yield Violation.from_tiles(Code.TOO_MANY_JOKERS, side, jokers, len(jokers), rules.joker.most_in_set)
        if shapes(meld, rules):
            return
    yield from _shape_faults(index, len(meld), plain, side, rules)


def _places(meld: int, positions: Iterable[int]) -> tuple[Place, ...]:
    return tuple(Place(meld, position) for position in positions)


def _shape_faults(index: int, length: int, plain: dict[int, Tile], side: Side, rules: RuleSet) -> Iterator[Violation]:
    """Yield the violations of a row that is neither a group nor a run; `plain` are its numbered tiles by position."""
    colours = {tile.colour for tile in plain.values()}
    one_number = len({tile.number for tile in plain.values()}) == 1
    if one_number and largest_group(rules) is not None:
        yield from _group_faults(index, length, plain, side, rules)
    elif one_number and len(colours) > 1:
        yield Violation.from_tiles(Code.GROUPS_NOT_PLAYED, side, _places(index, range(length)))
    elif len(colours) == 1:
        yield _run_fault(index, length, plain, side, rules)
    else:
        yield Violation.from_tiles(Code.NOT_A_MELD, side, _places(index, range(length)))


def _group_faults(index: int, length: int, plain: dict[int, Tile], side: Side, rules: RuleSet) -> Iterator[Violation]:
    """Yield the violations of a row of one number that is not a group."""
    colours = Counter(tile.colour for tile in plain.values())
    if doubled := [position for position, tile in plain.items() if colours[tile.colour] > 1]:
        yield Violation.from_tiles(Code.GROUP_COLOUR_TWICE, side, _places(index, doubled))
    largest = largest_group(rules)
    if largest is not None and length > largest:
        yield Violation.from_tiles(Code.GROUP_TOO_LONG, side, _places(index, range(length)), length, largest)


def _run_fault(index: int, length: int, plain: dict[int, Tile], side: Side, rules: RuleSet) -> Violation:
    """Return the violation of a row of one colour that is not a run."""
    highest = rules.stock.numbers
    seams = _seams(length, plain, highest)
    if seams and rules.melds.wraps:
        return Violation.from_tiles(Code.RUN_TOO_LONG, side, _places(index, range(length)), length, highest)
    if seams:
        return Violation.from_tiles(Code.WRAPS_PAST_HIGHEST, side, _places(index, seams), bound=highest)
    return Violation.from_tiles(Code.RUN_BROKEN, side, _places(index, _breaks(plain)))


def _seams(length: int, plain: dict[int, Tile], highest: int) -> list[int]:
    """Return the positions on both sides of each step from the highest number to 1.

    The list is empty if the row of one colour is not in order even when 1 may follow the highest number.
    """
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
    """Return the positions of the tiles on both sides of each break in a run.

    The row is compared with a rising and with a falling run; the one with fewer such positions counts.
    """

    def breaks(step: int) -> list[int]:
        positions: set[int] = set()
        for (position, tile), (next_position, next_tile) in pairwise(plain.items()):
            if (next_tile.number or 0) - (tile.number or 0) != step * (next_position - position):
                positions |= {position, next_position}
        return sorted(positions)

    return min(breaks(1), breaks(-1), key=len)

"""Valid melds: the readings of a row as a run or a group, the tiles that its jokers stand for, and its points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import combinations
from typing import assert_never

from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.errors import expect
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


class Kind(Enum):
    """The two kinds of valid meld."""

    RUN = "run"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Reading:
    """One valid reading of a row: its tiles in order, each joker replaced by the tile that it stands for."""

    kind: Kind
    tiles: Meld


def readings(meld: Meld | list[Tile], rules: RuleSet) -> tuple[Reading, ...]:
    """Return all valid readings of a row, as a run or a group; empty if the row is not a valid meld.

    A run may rise or fall along the row. In a run the position of a joker determines the tile that it stands for; in a
    group a joker stands for any missing colour. The edition decides whether a joker may be past the end of a run
    (`RuleSet.joker.past_end`), and whether jokers alone are a meld (`RuleSet.joker.alone`).

    Args:
        meld: a row of tiles in order.
        rules: the edition in play.

    Raises:
        ArgumentError: if the row is not a tuple or list of tiles, or the rules are not a rule set.

    >>> [reading.kind.value for reading in readings(parse_rack("R12 J J"), rule_set("travel"))]
    ['run', 'group', 'group', 'group']
    """
    try:
        return _cached_readings(tuple(meld) if isinstance(meld, list) else meld, rules)
    except TypeError:  # a value without a hash, which the cache can't look up
        expect("meld", meld, tuple, "parse_meld('R3 R4 R5')")
        expect("rules", rules, RuleSet, "rule_set('large-numbers')")
        raise


@lru_cache(maxsize=8_192)  # from turn to turn most melds of a table stay the same
def _cached_readings(meld: Meld, rules: RuleSet) -> tuple[Reading, ...]:
    expect("meld", meld, tuple, "parse_meld('R3 R4 R5')")
    for tile in meld:
        expect("a tile of a meld", tile, Tile, "Tile('R5')")
    expect("rules", rules, RuleSet, "rule_set('large-numbers')")
    if not rules.joker.allows(sum(tile.is_joker for tile in meld)):
        return ()
    return shapes(meld, rules)


def stand_ins(meld: Meld, position: int, rules: RuleSet) -> dict[Tile, None]:
    """Return the tiles that the joker at a position of a row can stand for in any valid reading, as keys in order.

    In a group each joker can stand for any missing colour.
    """
    found: dict[Tile, None] = {}
    for reading in readings(meld, rules):
        positions = (position,) if reading.kind is Kind.RUN else range(len(meld))
        found |= dict.fromkeys(reading.tiles[index] for index in positions if meld[index].is_joker)
    return found


def shapes(meld: Meld, rules: RuleSet) -> tuple[Reading, ...]:
    """Return all readings of a row, even if it has more jokers than one meld may have (`RuleSet.joker.most_in_set`)."""
    if len(meld) < rules.melds.shortest:
        return ()
    plain = _plain(meld)
    if not plain:
        return tuple(_jokers_alone(meld, rules)) if rules.joker.alone else ()
    return (*_runs(meld, plain, rules), *_groups(meld, plain, rules))


def largest_group(rules: RuleSet) -> int | None:
    """Return the largest number of tiles in a group; None if the edition has no groups, or too few colours for one."""
    if rules.melds.largest_group is None:
        return None
    most = min(rules.melds.largest_group, len(rules.stock.inks))
    return most if most >= rules.melds.shortest else None


def _plain(meld: Meld) -> list[tuple[int, Tile]]:
    """Return the numbered tiles of a row with their positions."""
    return [(position, tile) for position, tile in enumerate(meld) if tile.colour is not None]


def _runs(meld: Meld, plain: list[tuple[int, Tile]], rules: RuleSet) -> Iterator[Reading]:
    start, first = plain[0]
    assert first.number is not None  # plain tiles have a number
    if first.colour not in rules.stock.inks or any(tile.colour is not first.colour for _, tile in plain):
        return
    if len(meld) > rules.stock.numbers:
        return
    for step in (1, -1):
        line = range(first.number - step * start, first.number + step * (len(meld) - start), step)
        in_stock = min(line[0], line[-1]) >= 1 and max(line[0], line[-1]) <= rules.stock.numbers
        numbers = line if in_stock else _past_an_end(meld, line, rules)
        if numbers and all(tile.number == numbers[position] for position, tile in plain):
            yield Reading(
                Kind.RUN,
                tuple(
                    Tile(first.colour, number) if tile.is_joker else tile
                    for tile, number in zip(meld, numbers, strict=True)
                ),
            )


def _past_an_end(meld: Meld, line: range, rules: RuleSet) -> list[int]:
    """Return the numbers along a run that continues past 1 or the highest number; empty if that is not allowed.

    Args:
        meld: the row.
        line: the numbers of its places as if numbers had no end; some are below 1 or above the highest number.
        rules: the edition in play.
    """
    highest = rules.stock.numbers
    if rules.melds.wraps:
        return [(number - 1) % highest + 1 for number in line]
    match rules.joker.past_end:
        case PastEnd.NOTHING:
            return []
        case PastEnd.OTHER_END:
            inside = range(1, highest + 1)
            if any(number not in inside and not tile.is_joker for tile, number in zip(meld, line, strict=True)):
                return []
            # A number beyond one end continues the run at its other end.
            return [number - len(meld) * ((number > highest) - (number < 1)) for number in line]
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _groups(meld: Meld, plain: list[tuple[int, Tile]], rules: RuleSet) -> Iterator[Reading]:
    most = largest_group(rules)
    if most is None or len(meld) > most:
        return
    number = plain[0][1].number
    if any(tile.number != number for _, tile in plain) or not rules.stock.copies_of(plain[0][1]):
        return
    missing = [ink for ink in rules.stock.inks if all(tile.colour is not ink for _, tile in plain)]
    if len(rules.stock.inks) - len(missing) < len(plain):
        return  # a colour appears twice, or the edition does not have it
    for chosen in combinations(missing, len(meld) - len(plain)):
        colours = iter(chosen)
        yield Reading(Kind.GROUP, tuple(Tile(next(colours), number) if tile.is_joker else tile for tile in meld))


def _jokers_alone(meld: Meld, rules: RuleSet) -> Iterator[Reading]:
    """Yield every run and group of the length of a row of jokers."""
    inks, numbers, length = rules.stock.inks, range(1, rules.stock.numbers + 1), len(meld)
    for ink in inks:
        for start in numbers[: max(0, len(numbers) - length + 1)]:
            yield Reading(Kind.RUN, tuple(Tile(ink, number) for number in range(start, start + length)))
    most = largest_group(rules)
    if most is not None and length <= most:
        for number in numbers:
            for chosen in combinations(inks, length):
                yield Reading(Kind.GROUP, tuple(Tile(ink, number) for ink in chosen))


def worth(meld: Meld | list[Tile], reading: Reading, rules: RuleSet) -> int:
    """Return the points of a meld towards the opening, in one of its readings.

    >>> row, rules = parse_rack("R10 J R12"), rule_set("large-numbers")
    >>> worth(row, readings(row, rules)[0], rules)
    33
    """
    expect("reading", reading, Reading, "best_reading(meld, rules)")
    fixed = rules.opening.joker_points
    points = 0
    for tile, stands_for in zip(meld, reading.tiles, strict=True):
        points += (stands_for.number or 0) if fixed is None or not tile.is_joker else fixed
    return points


def best_reading(meld: Meld | list[Tile], rules: RuleSet) -> Reading | None:
    """Return the valid reading that is worth most points; None if the row is not a valid meld."""
    return max(readings(meld, rules), key=lambda reading: worth(meld, reading, rules), default=None)


def is_valid(meld: Meld | list[Tile], rules: RuleSet) -> bool:
    """Return whether a row is a valid run or group.

    Raises:
        ArgumentError: if the row is not a tuple or list of tiles, or the rules are not a rule set.

    >>> is_valid(parse_rack("K7 B7 J"), rule_set("junior"))  # this edition has no groups
    False
    """
    return bool(readings(meld, rules))


def is_group(meld: Meld, rules: RuleSet) -> bool:
    """Return whether a row can be read as a group, in which the order of the tiles does not matter."""
    return bool(_plain(meld)) and any(reading.kind is Kind.GROUP for reading in readings(meld, rules))

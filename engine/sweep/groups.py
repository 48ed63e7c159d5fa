"""Groups of one number: every choice of tiles and jokers that can be in groups, for the sweep over the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

JOKER_JOINS: Final = -2
"""In the place of a colour: a joker that is added to a block."""

Counts = tuple[int, ...]
"""How many tiles of each colour, in the order of the inks."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """One choice of tiles of a number for groups."""

    tiles: Counts
    """How many tiles of each colour are in new groups or are added to blocks."""
    jokers: int
    """How many jokers are with them."""
    groups: int
    """How many new groups there are."""
    joined: tuple[int, ...]
    """For each block that is a group of this number, the colour added to it; -1 for none, -2 for a joker."""


@dataclass(frozen=True, slots=True)
class Groupings:
    """All choices of tiles of one number for groups."""

    options: tuple[Grouping, ...]
    """Fewest jokers first."""
    plain_options: tuple[Grouping, ...]
    """Those without jokers."""
    most: Counts
    """How many tiles of each colour can be in groups."""
    plain: Counts
    """How many of each can be without jokers."""
    jokers_for_more: tuple[tuple[tuple[int, int], ...], ...]
    """For each colour, the numbers of tiles above `plain`, each with the least number of jokers that it takes."""
    halves: tuple[tuple[Counts, ...], tuple[Counts, ...]]
    """The distinct counts of tiles in groups for the first half of the colours, and for the second."""
    split: tuple[tuple[int, int, Grouping], ...]
    """The options, each with the indices of its counts in `halves`."""


class GroupRules(NamedTuple):
    """The limits of a group; a tuple, since it is looked up for every number."""

    shortest: int
    largest: int | None
    most_jokers: int | None


@lru_cache(maxsize=4096)
def groupings(
    there: Counts, jokers: int, rules: GroupRules, spare: bool, old: tuple[tuple[int, ...], ...] = ()
) -> Groupings:
    """Every choice of the available tiles for groups.

    Args:
        there: how many tiles of the number there are in each colour.
        jokers: how many jokers there are.
        rules: the limits of a group.
        spare: whether jokers may be used where no group needs them.
        old: for each block that is a group and may be extended, what it can take: missing colours, a joker.
    """
    found: dict[tuple[Counts, int], Grouping] = {}
    for joined in product(*[(-1, *lacking) for lacking in old]):
        left = list(there)
        for colour in joined:
            if colour >= 0:
                left[colour] -= 1
        joining = joined.count(JOKER_JOINS)
        if min(left, default=0) < 0 or joining > jokers:
            continue
        for tiles, with_jokers, groups in _new_groups(left, jokers - joining, rules, spare):
            total = [count + joined.count(colour) for colour, count in enumerate(tiles)]
            grouping = Grouping(tuple(total), with_jokers + joining, groups, joined)
            found.setdefault((grouping.tiles, grouping.jokers), grouping)
    options = tuple(sorted(found.values(), key=lambda grouping: (grouping.jokers, sum(grouping.tiles))))
    colours = range(len(there))
    most, plain = (
        tuple(max(option.tiles[colour] for option in options if option.jokers <= bound) for colour in colours)
        for bound in (jokers, 0)
    )
    jokers_for_more = tuple(
        tuple(
            (count, min(option.jokers for option in options if option.tiles[colour] >= count))
            for count in range(plain[colour] + 1, most[colour] + 1)
        )
        for colour in colours
    )
    middle = half_of(len(there))
    low, high = (
        {half: at for at, half in enumerate(dict.fromkeys(halves))}
        for halves in ([option.tiles[:middle] for option in options], [option.tiles[middle:] for option in options])
    )
    split = tuple((low[option.tiles[:middle]], high[option.tiles[middle:]], option) for option in options)
    plain_options = tuple(option for option in options if not option.jokers)
    return Groupings(options, plain_options, most, plain, jokers_for_more, (tuple(low), tuple(high)), split)


def half_of(colours: int) -> int:
    """How many colours the first half has."""
    return (colours + 1) // 2


def _new_groups(there: Sequence[int], jokers: int, rules: GroupRules, spare: bool) -> Iterator[tuple[Counts, int, int]]:
    """The possible counts of tiles of each colour, jokers and groups."""
    yield (0,) * len(there), 0, 0
    if rules.largest is None:
        return
    largest = min(rules.largest, len(there))
    for tiles in product(*[range(count + 1) for count in there]):
        plain = sum(tiles)
        for with_jokers in range(jokers + 1) if plain else ():
            everything = plain + with_jokers
            # Tiles are dealt to the groups in turn, colour by colour, so the sizes of groups differ by one at most; a
            # joker stands for a colour that its group lacks.
            for groups in range(max(tiles), plain + 1):
                if not rules.shortest * groups <= everything <= largest * groups:
                    continue
                if rules.most_jokers is not None and with_jokers > rules.most_jokers * groups:
                    continue
                if spare or not with_jokers or everything == rules.shortest * groups:
                    yield tiles, with_jokers, groups
                    break


def deal(tiles: Counts, jokers: int, groups: int) -> list[tuple[list[int], int]]:
    """Deal tiles and jokers to groups of nearly equal size: the colours of each group, and its jokers."""
    dealt: list[list[int]] = [[] for _ in range(groups)]
    turn = 0
    for colour, count in enumerate(tiles):
        for _ in range(count):
            dealt[turn % groups].append(colour)
            turn += 1
    with_jokers = [0] * groups
    for _ in range(jokers):
        least = min(range(groups), key=lambda group: (len(dealt[group]) + with_jokers[group], with_jokers[group]))
        with_jokers[least] += 1
    return list(zip(dealt, with_jokers, strict=True))

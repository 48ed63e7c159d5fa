"""Which tiles of one number can lie in groups together, for the sweep over the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

JOKER_JOINS: Final = -2
"""In the place of a colour: a joker that is put to an old group."""

Counts = tuple[int, ...]
"""How many tiles of each colour, in the order of the inks."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to lay tiles of one number in groups."""

    tiles: Counts
    """How many tiles of each colour lie in new groups or are put to old ones."""
    jokers: int
    """How many jokers lie with them."""
    groups: int
    """How many new groups there are."""
    joined: tuple[int, ...]
    """For each old group of this number that stays together, the colour put to it; -1 for none, -2 for a joker."""


@dataclass(frozen=True, slots=True)
class Groupings:
    """All ways to lay tiles of one number in groups."""

    ways: tuple[Grouping, ...]
    """Fewest jokers first."""
    most: Counts
    """How many tiles of each colour can lie in groups."""
    plain: Counts
    """How many of each can where no joker lies with them."""
    dear: tuple[tuple[tuple[int, int], ...], ...]
    """For each colour, numbers of tiles above that, and how many jokers it takes at least that so many can."""
    halves: tuple[tuple[Counts, ...], tuple[Counts, ...]]
    """How many tiles of the first half of the colours can lie in groups, each once, and of the second."""
    split: tuple[tuple[int, int, Grouping], ...]
    """The ways, each with the places of what it takes of either half."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What bounds a group."""

    shortest: int
    largest: int | None
    most_jokers: int | None


@lru_cache(maxsize=4096)
def groupings(
    there: Counts, jokers: int, rules: GroupRules, spare: bool, old: tuple[tuple[int, ...], ...] = ()
) -> Groupings:
    """Every way to lay some of the tiles that are there in groups.

    Args:
        there: how many tiles of the number there are in each colour.
        jokers: how many jokers there are.
        rules: what bounds a group.
        spare: whether jokers may lie where no group needs them.
        old: for each old group that stays together and may be put to, what may be: colours that it lacks, a joker.
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
    ways = tuple(sorted(found.values(), key=lambda grouping: (grouping.jokers, sum(grouping.tiles))))
    colours = range(len(there))
    most, plain = (
        tuple(max(way.tiles[colour] for way in ways if way.jokers <= bound) for colour in colours)
        for bound in (jokers, 0)
    )
    dear = tuple(
        tuple(
            (count, min(way.jokers for way in ways if way.tiles[colour] >= count))
            for count in range(plain[colour] + 1, most[colour] + 1)
        )
        for colour in colours
    )
    middle = half_of(len(there))
    low, high = (
        {half: at for at, half in enumerate(dict.fromkeys(halves))}
        for halves in ([way.tiles[:middle] for way in ways], [way.tiles[middle:] for way in ways])
    )
    split = tuple((low[way.tiles[:middle]], high[way.tiles[middle:]], way) for way in ways)
    return Groupings(ways, most, plain, dear, (tuple(low), tuple(high)), split)


def half_of(colours: int) -> int:
    """How many of some colours are the first half of them."""
    return (colours + 1) // 2


def _new_groups(there: Sequence[int], jokers: int, rules: GroupRules, spare: bool) -> Iterator[tuple[Counts, int, int]]:
    """How many tiles of each colour, jokers and groups there can be."""
    yield (0,) * len(there), 0, 0
    if rules.largest is None:
        return
    largest = min(rules.largest, len(there))
    for tiles in product(*[range(count + 1) for count in there]):
        plain = sum(tiles)
        for with_jokers in range(jokers + 1) if plain else ():
            everything = plain + with_jokers
            # Colours can be dealt to the groups in turn, so the groups are of a size as nearly as can be; a joker is a
            # colour that its group lacks.
            for groups in range(max(tiles), plain + 1):
                if not rules.shortest * groups <= everything <= largest * groups:
                    continue
                if rules.most_jokers is not None and with_jokers > rules.most_jokers * groups:
                    continue
                if spare or not with_jokers or everything == rules.shortest * groups:
                    yield tiles, with_jokers, groups
                    break


def deal(tiles: Counts, jokers: int, groups: int) -> list[tuple[list[int], int]]:
    """Deal tiles and jokers to groups of sizes as equal as can be: the colours of each group, and its jokers."""
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

"""The choices of the sweep for groups: which tiles and jokers of one number are in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from tilekeeper.engine.rules.meld import largest_group
from tilekeeper.engine.rules.ruleset import RuleSet

JOKER_JOINS: Final = -2
"""The value in place of a colour's index if a joker joins a block."""

Counts = tuple[int, ...]
"""The number of tiles of each colour, in the order of the inks."""


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """One choice of tiles of a number for groups."""

    tiles: Counts
    """For each colour, the number of its tiles in new groups or added to blocks."""
    jokers: int
    """The number of jokers in new groups or added to blocks."""
    groups: int
    """The number of new groups."""
    joined: tuple[int, ...]
    """For each block that is a group of this number, the index of the colour that joins it; -1 for none, or
    `JOKER_JOINS`."""


@dataclass(frozen=True, slots=True)
class GroupChoices:
    """All choices of tiles of one number for groups."""

    options: tuple[GroupChoice, ...]
    """The choices, fewest jokers first."""
    plain_options: tuple[GroupChoice, ...]
    """The choices without jokers."""
    most: Counts
    """The most tiles of each colour in groups."""
    plain: Counts
    """The most tiles of each colour in groups without jokers."""
    jokers_for_more: tuple[tuple[tuple[int, int], ...], ...]
    """For each colour, pairs of a number of tiles in groups above `plain`, and the fewest jokers needed for it."""
    halves: tuple[tuple[Counts, ...], tuple[Counts, ...]]
    """The distinct counts of tiles in groups for the first half of the colours, and for the second."""
    split: tuple[tuple[int, int, GroupChoice], ...]
    """The options, each with the indices of its counts in `halves`."""


@lru_cache(maxsize=4096)
def list_group_choices(
    available: Counts, jokers: int, rules: RuleSet, spare: bool, old: tuple[tuple[int, ...], ...]
) -> GroupChoices:
    """Return every choice of the available tiles of each colour for groups.

    `spare` says whether jokers may join groups that do not need them. `old` has for each block that is a group the
    missing colours, and `JOKER_JOINS` if it can take a joker.
    """
    found: dict[tuple[Counts, int], GroupChoice] = {}
    for joined in product(*[(-1, *lacking) for lacking in old]):
        remaining = list(available)
        for colour in joined:
            if colour >= 0:
                remaining[colour] -= 1
        joining = joined.count(JOKER_JOINS)
        if min(remaining, default=0) < 0 or joining > jokers:
            continue
        for tiles, with_jokers, groups in _new_groups(remaining, jokers - joining, rules, spare):
            total = [count + joined.count(colour) for colour, count in enumerate(tiles)]
            group_choice = GroupChoice(tuple(total), with_jokers + joining, groups, joined)
            found.setdefault((group_choice.tiles, group_choice.jokers), group_choice)
    options = tuple(sorted(found.values(), key=lambda group_choice: (group_choice.jokers, sum(group_choice.tiles))))
    colours = range(len(available))
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
    middle = half_count(len(available))
    low, high = (
        {half: at for at, half in enumerate(dict.fromkeys(halves))}
        for halves in ([option.tiles[:middle] for option in options], [option.tiles[middle:] for option in options])
    )
    split = tuple((low[option.tiles[:middle]], high[option.tiles[middle:]], option) for option in options)
    plain_options = tuple(option for option in options if not option.jokers)
    return GroupChoices(options, plain_options, most, plain, jokers_for_more, (tuple(low), tuple(high)), split)


def half_count(colours: int) -> int:
    """Return the number of colours in the first half, which has the middle colour of an odd number."""
    return (colours + 1) // 2


def _new_groups(
    available: Sequence[int], jokers: int, rules: RuleSet, spare: bool
) -> Iterator[tuple[Counts, int, int]]:
    """Yield the possible new groups: the number of tiles of each colour, of jokers, and of groups."""
    yield (0,) * len(available), 0, 0
    largest, shortest = largest_group(rules), rules.melds.shortest
    if largest is None:
        return
    for tiles in product(*[range(count + 1) for count in available]):
        plain = sum(tiles)
        for with_jokers in range(jokers + 1) if plain else ():
            total_tiles = plain + with_jokers
            # `deal` gives tiles to the groups by turns, colour by colour, so that the sizes of groups differ by one at
            # most. A joker stands for a colour that its group lacks.
            for groups in range(max(tiles), plain + 1):
                if not shortest * groups <= total_tiles <= largest * groups:
                    continue
                if rules.joker.most_in_set is not None and with_jokers > rules.joker.most_in_set * groups:
                    continue
                if spare or not with_jokers or total_tiles == shortest * groups:
                    yield tiles, with_jokers, groups
                    break


def deal(tiles: Counts, jokers: int, groups: int) -> list[tuple[list[int], int]]:
    """Deal tiles and jokers to groups of nearly equal size.

    Returns:
        For each group the indices of its colours and the number of its jokers.
    """
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

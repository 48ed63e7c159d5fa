"""The search for the best way: choose the paths of every tile so that as few rules as possible are broken.

A rule looks at some tiles only, and most tiles have one path only. Tiles that no rule looks at are left out, tiles
that share no rule are searched apart, and a branch ends once it breaks more than the best way found. Of ways that
break as many rules the choice depends on what they break, so that the order of melds never matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.tile import Tile
from tilekeeper.engine.verdict import CODE_RANKS, Violation
from tilekeeper.engine.way_board import Paths

MOST_STEPS: Final = 20_000
"""How many tiles are looked at for one turn, each time a rule asks for them; a real turn needs a fraction of it."""

Assigned = dict[Tile, Paths]


class OutOfSteps(Exception):  # noqa: N818 - says what it is
    """The search is longer than anybody waits; what it would have found is not known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule about the way: which tiles it looks at, and what is broken once their paths are known."""

    tiles: frozenset[Tile]
    broken: Callable[[Assigned], Sequence[Violation]]


class Steps:
    """Counts down how often a tile was looked at."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self._left = most

    def take(self, count: int) -> None:
        """Count some. Raises OutOfSteps when there were too many."""
        self._left -= count
        if self._left < 0:
            raise OutOfSteps


def fewest_broken(
    rules: Sequence[Rule], paths: Mapping[Tile, Sequence[Paths]], steps: Steps, most: int
) -> list[Violation] | None:
    """What the best way breaks, or none where every way breaks more than `most`.

    Args:
        rules: the rules about the way.
        paths: for every tile of theirs the ways in which its copies can have gone.
        steps: how much may be searched.
        most: how many violations are of interest.

    Raises:
        OutOfSteps: when that is not enough.
    """
    assigned: Assigned = {tile: choices[0] for tile, choices in paths.items() if len(choices) == 1}
    open_rules = []
    violations: list[Violation] = []
    for rule in rules:
        if rule.tiles <= assigned.keys():
            steps.take(len(rule.tiles))
            violations += rule.broken(assigned)
        else:
            open_rules.append(rule)
    if len(violations) > most:
        return None
    for party in _parties(open_rules, assigned):
        found = _search(party, _order(party, assigned), paths, assigned, steps, most - len(violations))
        if found is None:
            return None
        violations += found
    return violations


def _parties(rules: Iterable[Rule], assigned: Assigned) -> list[list[Rule]]:
    """The rules in parties that share no tile whose path is open."""
    parties: list[tuple[set[Tile], list[Rule]]] = []
    for rule in rules:
        tiles, members = set(rule.tiles - assigned.keys()), [rule]
        apart = []
        for party in parties:
            if party[0].isdisjoint(tiles):
                apart.append(party)
            else:
                tiles |= party[0]
                members = party[1] + members
        parties = [*apart, (tiles, members)]
    return [members for _, members in parties]


def _order(rules: Sequence[Rule], assigned: Assigned) -> list[Tile]:
    """The open tiles, so that rules come to be decided one soon after the other."""
    order: dict[Tile, None] = {}
    waiting = [rule.tiles - assigned.keys() for rule in rules]
    while waiting:
        nearest = min(waiting, key=lambda tiles: len(tiles - order.keys()))
        order.update(dict.fromkeys(sorted(nearest, key=lambda tile: tile.order)))
        waiting = [tiles for tiles in waiting if not tiles <= order.keys()]
    return list(order)


def _search(
    rules: Sequence[Rule],
    order: Sequence[Tile],
    paths: Mapping[Tile, Sequence[Paths]],
    fixed: Assigned,
    steps: Steps,
    most: int,
) -> list[Violation] | None:
    """What the best way breaks of some rules, choosing paths for the tiles in `order`."""
    ranks = {tile: rank for rank, tile in enumerate(order)}
    decided: list[list[Rule]] = [[] for _ in order]
    for rule in rules:
        decided[max(ranks[tile] for tile in rule.tiles if tile in ranks)].append(rule)
    assigned = dict(fixed)
    best: list[Violation] | None = None

    def descend(depth: int, broken: list[Violation]) -> None:
        nonlocal best, most
        if depth == len(order):
            if best is None or badness(broken) < badness(best):
                best, most = broken, len(broken)
            return
        for choice in paths[order[depth]]:
            assigned[order[depth]] = choice
            now = list(broken)
            for rule in decided[depth]:
                steps.take(len(rule.tiles))
                now += rule.broken(assigned)
                if len(now) > most:
                    break
            else:
                descend(depth + 1, now)
            if best == []:
                return

    descend(0, [])
    return best


def badness(violations: Sequence[Violation]) -> tuple[int, list[tuple[int, int, int]]]:
    """A key by which ways are compared: how much they break, then what, whatever the order of the melds.

    What is listed later presupposes more that was right, and is told rather.
    """
    return len(violations), sorted(
        (-CODE_RANKS[violation.code], -(violation.found or 0), violation.bound or 0) for violation in violations
    )

"""The search for the best way: choose the paths of every tile so that as few rules as possible are broken.

A rule looks at some tiles only, and most tiles have one path only. Tiles that no rule looks at are left out, tiles
that share no rule are searched apart, and a branch ends once it breaks more than the best way found. Of ways that
break as many rules the choice depends on what they break, so that the order of melds never matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilekeeper.engine.provenance.board import Paths
from tilekeeper.engine.provenance.budget import OutOfSteps, Steps
from tilekeeper.engine.rules.violations import CODE_RANKS, Violation
from tilekeeper.engine.tiles.tile import Tile

Assigned = dict[Tile, Paths]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule about the way: which tiles it looks at, and what is broken once their paths are known."""

    tiles: frozenset[Tile]
    broken: Callable[[Assigned], Iterable[Violation]]
    doomed: Callable[[Assigned], bool] | None = None
    """Whether it is broken for certain, though only some of the tiles are known; none where nothing can be said."""


def can_hold(
    rules: Sequence[Rule], common: Sequence[Rule], paths: Mapping[Tile, Sequence[Paths]], steps: Steps
) -> bool:
    """Whether some way breaks none of the rules.

    Args:
        rules: rules about the way.
        common: more of them, of which it is known that they can all be kept together if no other is asked.
        paths: for every tile of theirs the ways in which its copies can have gone.
        steps: how much may be searched.

    Raises:
        OutOfSteps: when that is not enough.
    """
    asked = {tile for rule in (*rules, *common) for tile in rule.tiles}
    assigned: Assigned = {tile: paths[tile][0] for tile in asked if len(paths[tile]) == 1}
    steps.take(len(asked) // 8)
    open_rules = []
    for rule in rules:
        if rule.tiles <= assigned.keys():
            steps.take(len(rule.tiles))
            if next(iter(rule.broken(assigned)), None) is not None:
                return False
        else:
            open_rules.append(rule)
    # A rule that can't be kept even by itself is found so here, not after all that it has nothing to do with.
    for rule in open_rules:
        if not _can_hold([rule], _order([rule], assigned), paths, assigned, steps):
            return False
    if len(open_rules) < 2 and not common:
        return True
    together = [*open_rules, *(rule for rule in common if not rule.tiles <= assigned.keys())]
    asked_for = set(map(id, open_rules))
    parties = [party for party in _parties(together, assigned) if not asked_for.isdisjoint(map(id, party))]
    return all(_can_hold(party, _order(party, assigned), paths, assigned, steps) for party in parties)


def _can_hold(
    rules: Sequence[Rule],
    order: Sequence[Tile],
    paths: Mapping[Tile, Sequence[Paths]],
    fixed: Assigned,
    steps: Steps,
) -> bool:
    """Whether paths can be chosen for the tiles in `order` so that no rule is broken."""
    decided = _decided(rules, order)
    watching: list[list[Rule]] = [[] for _ in order]
    for depth, tile in enumerate(order):
        later = {id(rule) for party in decided[depth + 1 :] for rule in party}
        watching[depth] = [rule for rule in rules if rule.doomed and tile in rule.tiles and id(rule) in later]
    assigned = dict(fixed)

    def descend(depth: int) -> bool:
        if depth == len(order):
            return True
        for choice in paths[order[depth]]:
            assigned[order[depth]] = choice
            steps.take(1)
            if _holds_so_far(watching[depth], decided[depth], assigned, steps) and descend(depth + 1):
                return True
        del assigned[order[depth]]
        return False

    return descend(0)


def _holds_so_far(watching: Sequence[Rule], decided: Sequence[Rule], assigned: Assigned, steps: Steps) -> bool:
    for rule in watching:
        steps.take(len(rule.tiles))
        if rule.doomed is not None and rule.doomed(assigned):
            return False
    for rule in decided:
        steps.take(len(rule.tiles))
        if next(iter(rule.broken(assigned)), None) is not None:
            return False
    return True


def fewest_broken(
    rules: Sequence[Rule], paths: Mapping[Tile, Sequence[Paths]], steps: Steps, most: int
) -> list[Violation] | None:
    """What the best way breaks, or none where every way breaks more than `most`.

    Where there are more ways than may be looked into, the best of those counts that were, or the likeliest.

    Args:
        rules: the rules about the way.
        paths: for every tile of theirs the ways in which its copies can have gone.
        steps: how much may be searched.
        most: how many violations are of interest.

    Raises:
        OutOfSteps: when not even that can be looked into for which there is but one way.
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


def straight_on(rules: Sequence[Rule], paths: Mapping[Tile, Sequence[Paths]]) -> list[Violation]:
    """What the likeliest way breaks, without any search."""
    assigned: Assigned = {tile: choices[0] for tile, choices in paths.items()}
    return [violation for rule in rules for violation in rule.broken(assigned)]


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
    decided = _decided(rules, order)
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

    try:
        descend(0, [])
    except OutOfSteps:
        if best is None:
            straight = straight_on(rules, {**{tile: [choice] for tile, choice in fixed.items()}, **paths})
            best = straight if len(straight) <= most else None
    return best


def _decided(rules: Sequence[Rule], order: Sequence[Tile]) -> list[list[Rule]]:
    """For each tile in `order` the rules whose last tile it is."""
    ranks = {tile: rank for rank, tile in enumerate(order)}
    decided: list[list[Rule]] = [[] for _ in order]
    for rule in rules:
        decided[max(ranks[tile] for tile in rule.tiles if tile in ranks)].append(rule)
    return decided


def badness(violations: Sequence[Violation]) -> tuple[int, list[tuple[int, int, int]]]:
    """A key by which ways are compared: how much they break, then what, whatever the order of the melds.

    What is listed later presupposes more that was right, and is told rather.
    """
    return len(violations), sorted(
        (-CODE_RANKS[violation.code], -(violation.found or 0), violation.bound or 0) for violation in violations
    )

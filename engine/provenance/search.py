"""A constraint search: choose a provenance for every tile so that as few rules as possible are broken.

The tiles are the variables, their possible provenances the values. A constraint concerns few tiles, and most tiles
have one possible provenance. Tiles of no constraint are left out, constraints that share no open tile are searched
apart, and a branch ends once it breaks more than the best assignment found. Among assignments that break equally many
rules the choice depends on which rules these are, so the order of the melds never matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilekeeper.engine.provenance.board import RACK, Provenance
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.rules.violations import CODE_RANKS, Violation
from tilekeeper.engine.tiles.tile import Tile

Assignment = dict[Tile, Provenance]
"""The chosen provenance of each tile; tiles without an entry are open."""

Choices = Mapping[Tile, Sequence[Provenance]]
"""The possible provenances of each tile, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One rule that some provenances break."""

    tiles: frozenset[Tile]
    """The tiles whose provenance it depends on."""
    violations: Callable[[Assignment], Iterable[Violation]]
    """The violations of an assignment of all these tiles."""
    prunes: Callable[[Assignment], bool] | None = None
    """Whether an assignment of some of these tiles breaks it in every case; None if that can't be known."""
    wants_rack_tiles: int | None = None
    """The new meld that should hold tiles of the rack, if any: provenances with them are tried first."""

    def is_kept(self, assignment: Assignment) -> bool:
        """Whether an assignment of all its tiles breaks nothing."""
        return next(iter(self.violations(assignment)), None) is None


def is_satisfiable(
    constraints: Sequence[Constraint], common: Sequence[Constraint], choices: Choices, budget: Budget
) -> bool:
    """Return whether some assignment breaks no constraint (constraint satisfaction by backtracking).

    Args:
        constraints: the constraints to satisfy.
        common: further constraints, known to be satisfiable together.
        choices: the possible provenances of all their tiles.
        budget: the steps that the search may take.

    Raises:
        BudgetExceeded: if it needs more steps.
    """
    tiles = {tile for constraint in (*constraints, *common) for tile in constraint.tiles}
    assignment: Assignment = {tile: choices[tile][0] for tile in tiles if len(choices[tile]) == 1}
    budget.spend(len(tiles) // 8)
    open_constraints = []
    for constraint in constraints:
        if constraint.tiles <= assignment.keys():
            budget.spend(len(constraint.tiles))
            if not constraint.is_kept(assignment):
                return False
        else:
            open_constraints.append(constraint)
    # Each constraint is tried by itself first, which finds one that can't be satisfied alone at once.
    for constraint in open_constraints:
        if not _is_satisfiable([constraint], _order([constraint], assignment), choices, assignment, budget):
            return False
    if len(open_constraints) < 2 and not common:
        return True
    together = [*open_constraints, *(each for each in common if not each.tiles <= assignment.keys())]
    wanted = set(map(id, open_constraints))
    components = [each for each in _components(together, assignment) if not wanted.isdisjoint(map(id, each))]
    return all(_is_satisfiable(each, _order(each, assignment), choices, assignment, budget) for each in components)


def _is_satisfiable(
    constraints: Sequence[Constraint], order: Sequence[Tile], choices: Choices, fixed: Assignment, budget: Budget
) -> bool:
    """Return whether provenances for the tiles in `order` can be chosen so that no constraint is broken."""
    complete = _completed_at(constraints, order)
    pruning: list[list[Constraint]] = [[] for _ in order]
    for depth, tile in enumerate(order):
        later = {id(constraint) for each in complete[depth + 1 :] for constraint in each}
        pruning[depth] = [each for each in constraints if each.prunes and tile in each.tiles and id(each) in later]
    assignment = dict(fixed)
    wanted = {(RACK, each.wants_rack_tiles) for each in constraints if each.wants_rack_tiles is not None}
    likely_first = [sorted(choices[tile], key=wanted.isdisjoint) if wanted else choices[tile] for tile in order]

    def descend(depth: int) -> bool:
        if depth == len(order):
            return True
        for choice in likely_first[depth]:
            assignment[order[depth]] = choice
            budget.spend(1)
            if _is_kept_so_far(pruning[depth], complete[depth], assignment, budget) and descend(depth + 1):
                return True
        del assignment[order[depth]]
        return False

    return descend(0)


def _is_kept_so_far(
    pruning: Sequence[Constraint], complete: Sequence[Constraint], assignment: Assignment, budget: Budget
) -> bool:
    for constraint in pruning:
        budget.spend(1 + len(constraint.tiles) // 3)
        if constraint.prunes is not None and constraint.prunes(assignment):
            return False
    for constraint in complete:
        budget.spend(len(constraint.tiles))
        if not constraint.is_kept(assignment):
            return False
    return True


def fewest_violations(
    constraints: Sequence[Constraint], choices: Choices, budget: Budget, most: int
) -> list[Violation] | None:
    """Return the violations of the best assignment; None if every assignment breaks more than `most` rules.

    If the budget does not suffice, the result is that of the best assignment so far, or of the likeliest one.

    Args:
        constraints: the rules.
        choices: the possible provenances of all their tiles.
        budget: the steps that the search may take.
        most: the most violations of interest.

    Raises:
        BudgetExceeded: if not even the tiles with one possible provenance can be checked.
    """
    assignment: Assignment = {tile: possible[0] for tile, possible in choices.items() if len(possible) == 1}
    open_constraints = []
    violations: list[Violation] = []
    for constraint in constraints:
        if constraint.tiles <= assignment.keys():
            budget.spend(len(constraint.tiles))
            violations += constraint.violations(assignment)
        else:
            open_constraints.append(constraint)
    if len(violations) > most:
        return None
    for component in _components(open_constraints, assignment):
        order = _order(component, assignment)
        found = _fewest(component, order, choices, assignment, budget, most - len(violations))
        if found is None:
            return None
        violations += found
    return violations


def likeliest_violations(constraints: Sequence[Constraint], choices: Choices) -> list[Violation]:
    """Return the violations of the likeliest provenance of every tile, without a search."""
    assignment: Assignment = {tile: possible[0] for tile, possible in choices.items()}
    return [violation for constraint in constraints for violation in constraint.violations(assignment)]


def _components(constraints: Iterable[Constraint], assignment: Assignment) -> list[list[Constraint]]:
    """Return the constraints in groups that share no open tile."""
    components: list[tuple[set[Tile], list[Constraint]]] = []
    for constraint in constraints:
        tiles, members = set(constraint.tiles - assignment.keys()), [constraint]
        others = []
        for component in components:
            if component[0].isdisjoint(tiles):
                others.append(component)
            else:
                tiles |= component[0]
                members = component[1] + members
        components = [*others, (tiles, members)]
    return [members for _, members in components]


def _order(constraints: Sequence[Constraint], assignment: Assignment) -> list[Tile]:
    """Return the open tiles in an order in which each constraint is complete as early as possible."""
    order: dict[Tile, None] = {}
    incomplete = [constraint.tiles - assignment.keys() for constraint in constraints]
    while incomplete:
        nearest = min(incomplete, key=lambda tiles: len(tiles - order.keys()))
        order.update(dict.fromkeys(sorted(nearest, key=lambda tile: tile.order)))
        incomplete = [tiles for tiles in incomplete if not tiles <= order.keys()]
    return list(order)


def _fewest(
    constraints: Sequence[Constraint],
    order: Sequence[Tile],
    choices: Choices,
    fixed: Assignment,
    budget: Budget,
    most: int,
) -> list[Violation] | None:
    """Return the violations of the best assignment of the tiles in `order`; None if there are more than `most`."""
    complete = _completed_at(constraints, order)
    assignment = dict(fixed)
    best: list[Violation] | None = None

    def descend(depth: int, before: list[Violation]) -> None:
        nonlocal best, most
        if depth == len(order):
            if best is None or severity(before) < severity(best):
                best, most = before, len(before)
            return
        for choice in choices[order[depth]]:
            assignment[order[depth]] = choice
            violations = list(before)
            for constraint in complete[depth]:
                budget.spend(len(constraint.tiles))
                violations += constraint.violations(assignment)
                if len(violations) > most:
                    break
            else:
                descend(depth + 1, violations)
            if best == []:
                return

    try:
        descend(0, [])
    except BudgetExceeded:
        if best is None:
            likeliest = likeliest_violations(constraints, {**{tile: [each] for tile, each in fixed.items()}, **choices})
            best = likeliest if len(likeliest) <= most else None
    return best


def _completed_at(constraints: Sequence[Constraint], order: Sequence[Tile]) -> list[list[Constraint]]:
    """Return for each tile in `order` the constraints that are complete once it has a provenance."""
    ranks = {tile: rank for rank, tile in enumerate(order)}
    complete: list[list[Constraint]] = [[] for _ in order]
    for constraint in constraints:
        complete[max(ranks[tile] for tile in constraint.tiles if tile in ranks)].append(constraint)
    return complete


def severity(violations: Sequence[Violation]) -> tuple[int, list[tuple[int, int, int]]]:
    """Return a sort key for assignments: the number of violations, then their codes, whatever the order of the melds.

    Among equally many violations later codes are milder, because they presuppose that more was right.
    """
    return len(violations), sorted(
        (-CODE_RANKS[violation.code], -(violation.found or 0), violation.bound or 0) for violation in violations
    )

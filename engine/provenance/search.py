"""A constraint search: choose a provenance for every tile so that as few rules as possible are broken.

The tiles are the variables, their possible provenances the values. A constraint concerns few tiles, and most tiles
have one possible provenance. Tiles of no constraint are left out, constraints that share no open tile are searched
separately, and a branch ends once it breaks more rules than the best assignment so far. Of assignments that break
equally many rules, the codes of these rules decide, so the order of the melds never matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilekeeper.engine.provenance.board import Provenance
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.rules.violations import CODE_RANKS, Violation
from tilekeeper.engine.tiles.tile import Tile

Assignment = dict[Tile, Provenance]
"""The chosen provenance of each tile; tiles without an entry are open."""

Choices = Mapping[Tile, Sequence[Provenance]]
"""The possible provenances of each tile."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A rule of manipulation, which a provenance of some tiles may break."""

    tiles: frozenset[Tile]
    """The tiles on whose provenance the rule depends."""
    violations: Callable[[Assignment], Iterable[Violation]]
    """Returns the violations, given an assignment of all these tiles."""
    prunes: Callable[[Assignment], bool] | None = None
    """Returns whether an assignment of some of these tiles is enough to break the rule; None without such a test."""


def fewest_violations(
    constraints: Sequence[Constraint], choices: Choices, budget: Budget, most: int
) -> list[Violation] | None:
    """Return the violations of the best assignment; None if every assignment breaks more than `most` rules.

    If the budget does not suffice, the violations of the best assignment so far are returned, or of the first one; but
    not if `most` is 0.

    Raises:
        BudgetExceeded: if not even the tiles with one possible provenance can be checked, or if `most` is 0.
    """
    fixed = {tile: possible[0] for tile, possible in choices.items() if len(possible) == 1}
    violations, open_constraints = _check_fixed(constraints, fixed, budget, most)
    for component in _components(open_constraints, fixed):
        if len(violations) > most:
            break
        try:
            found = _fewest(component, choices, fixed, budget, most - len(violations))
        except BudgetExceeded:
            if not most:
                raise
            found = first_violations(component, choices)
        if found is None:
            return None
        violations += found
    return violations if len(violations) <= most else None


def _check_fixed(
    constraints: Sequence[Constraint], fixed: Assignment, budget: Budget, most: int
) -> tuple[list[Violation], list[Constraint]]:
    """Return the violations of the constraints whose tiles are all fixed, and the constraints with open tiles.

    After more than `most` violations no further constraint is checked.
    """
    violations: list[Violation] = []
    open_constraints = []
    for constraint in constraints:
        if not constraint.tiles <= fixed.keys():
            open_constraints.append(constraint)
        elif len(violations) <= most:
            budget.spend(len(constraint.tiles))
            violations += constraint.violations(fixed)
    return violations, open_constraints


def first_violations(constraints: Sequence[Constraint], choices: Choices) -> list[Violation]:
    """Return the violations of the first possible provenance of every tile, without a search."""
    assignment: Assignment = {tile: possible[0] for tile, possible in choices.items()}
    return [violation for constraint in constraints for violation in constraint.violations(assignment)]


def _components(constraints: Iterable[Constraint], assignment: Assignment) -> list[list[Constraint]]:
    """Return the connected components of constraints that share an open tile."""
    components: list[tuple[frozenset[Tile], list[Constraint]]] = []
    for constraint in constraints:
        tiles, together, others = constraint.tiles - assignment.keys(), [constraint], []
        for component in components:
            if component[0].isdisjoint(tiles):
                others.append(component)
            else:
                tiles |= component[0]
                together = component[1] + together
        components = [*others, (tiles, together)]
    return [together for _, together in components]


def _order(constraints: Sequence[Constraint], assignment: Assignment) -> list[Tile]:
    """Return the open tiles in the order of the search: constraints with few open tiles are completed first."""
    order: dict[Tile, None] = {}
    incomplete = [constraint.tiles - assignment.keys() for constraint in constraints]
    while incomplete:
        nearest = min(incomplete, key=lambda tiles: len(tiles - order.keys()))
        order.update(dict.fromkeys(sorted(nearest, key=lambda tile: tile.order)))
        incomplete = [tiles for tiles in incomplete if not tiles <= order.keys()]
    return list(order)


def _fewest(
    constraints: Sequence[Constraint], choices: Choices, fixed: Assignment, budget: Budget, most: int
) -> list[Violation] | None:
    """Return the violations of the best assignment (branch and bound); None if each has more than `most`.

    Raises:
        BudgetExceeded: if the budget ends before an assignment with at most `most` violations was found.
    """
    order = _order(constraints, fixed)
    complete = _completed_at(constraints, order)
    pruning: list[list[Constraint]] = [[] for _ in order]
    for depth, tile in enumerate(order):
        later = {id(constraint) for each in complete[depth + 1 :] for constraint in each}
        pruning[depth] = [each for each in constraints if each.prunes and tile in each.tiles and id(each) in later]
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
            budget.spend(1)
            violations = _add_violations(before, pruning[depth], complete[depth], assignment, budget, most)
            if violations is not None:
                descend(depth + 1, violations)
            if best == []:
                return
        del assignment[order[depth]]

    try:
        descend(0, [])
    except BudgetExceeded:
        if best is None:
            raise
    return best


def _add_violations(
    before: list[Violation],
    pruning: Sequence[Constraint],
    complete: Sequence[Constraint],
    assignment: Assignment,
    budget: Budget,
    most: int,
) -> list[Violation] | None:
    """Return the violations `before` and those of the `complete` constraints; None if there will be more than `most`.

    The `pruning` constraints have open tiles; those that are broken already count towards `most`.
    """
    found, to_come = list(before), 0
    for constraint in pruning:
        budget.spend(1 + len(constraint.tiles) // 3)
        to_come += constraint.prunes is not None and constraint.prunes(assignment)
        if len(found) + to_come > most:
            return None
    for constraint in complete:
        budget.spend(len(constraint.tiles))
        for violation in constraint.violations(assignment):
            found.append(violation)
            if len(found) + to_come > most:
                return None
    return found


def _completed_at(constraints: Sequence[Constraint], order: Sequence[Tile]) -> list[list[Constraint]]:
    """Return for each tile in `order` the constraints of which it is the last tile to get a provenance."""
    ranks = {tile: rank for rank, tile in enumerate(order)}
    complete: list[list[Constraint]] = [[] for _ in order]
    for constraint in constraints:
        complete[max(ranks[tile] for tile in constraint.tiles if tile in ranks)].append(constraint)
    return complete


def severity(violations: Sequence[Violation]) -> tuple[int, list[tuple[int, int, int]]]:
    """Return a sort key for assignments: the number of violations, then their codes, whatever the order of the melds.

    Of equally many violations, those with later codes in `Code` are milder, because a player breaks them only after
    doing more things right.
    """
    return len(violations), sorted(
        (-CODE_RANKS[violation.code], -(violation.found or 0), violation.bound or 0) for violation in violations
    )

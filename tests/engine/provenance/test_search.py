"""The constraint search: it finds the assignment with the fewest violations, and ends with its budget."""

from collections.abc import Mapping, Sequence

import pytest

from tilekeeper.engine.provenance.board import Provenance
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.search import (
    Assignment,
    Constraint,
    fewest_violations,
    first_violations,
    severity,
)
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import Tile

RED_5, RED_6, RED_7 = parse_table("R5 R6 R7").melds[0]
STRAIGHT: Provenance = ((0, 0), (1, 1))
CROSSED: Provenance = ((0, 1), (1, 0))
EITHER = {tile: [STRAIGHT, CROSSED] for tile in (RED_5, RED_6, RED_7)}


def fault(code: Code) -> Violation:
    return Violation.from_tiles(code, Side.BEFORE, (Place(0, 0),))


def alike(first: Tile, second: Tile, code: Code = Code.EXTEND_ONLY) -> Constraint:
    """A constraint that two tiles have the same provenance."""

    def broken(assignment: Assignment) -> list[Violation]:
        return [] if assignment[first] == assignment[second] else [fault(code)]

    return Constraint(frozenset((first, second)), broken)


def crossed(tile: Tile, code: Code) -> Constraint:
    """A constraint that a tile has the crossed provenance."""
    return Constraint(frozenset((tile,)), lambda assignment: [] if assignment[tile] == CROSSED else [fault(code)])


def is_satisfiable(
    constraints: Sequence[Constraint], choices: Mapping[Tile, Sequence[Provenance]], budget: Budget
) -> bool:
    """Whether some assignment breaks no constraint."""
    return fewest_violations(constraints, choices, budget, 0) == []


def test_legal_assignment_is_found() -> None:
    """Even if the first choice breaks a constraint, and if constraints share tiles."""
    constraints = [alike(RED_5, RED_6), crossed(RED_6, Code.JOKER_NOT_REUSED), alike(RED_6, RED_7)]
    assert fewest_violations(constraints, EITHER, Budget(), 10) == []


def test_mildest_violation_is_reported() -> None:
    """Of two contradicting constraints the one with the later code is broken."""
    constraints = [
        Constraint(
            frozenset((RED_5,)), lambda assignment: [fault(Code.EXTEND_ONLY)] if assignment[RED_5] == CROSSED else []
        ),
        crossed(RED_5, Code.JOKER_NOT_REUSED),
    ]
    assert fewest_violations(constraints, EITHER, Budget(), 10) == [fault(Code.JOKER_NOT_REUSED)]
    assert fewest_violations(constraints, EITHER, Budget(), 0) is None


def test_tiles_with_one_provenance_are_fixed_first() -> None:
    """Their violations count towards the most violations of interest."""
    provenances = {RED_5: [STRAIGHT], RED_6: [STRAIGHT, CROSSED]}
    constraints = [crossed(RED_5, Code.JOKER_NOT_REUSED), crossed(RED_6, Code.EXTEND_ONLY)]
    assert fewest_violations(constraints, provenances, Budget(), 1) == [fault(Code.JOKER_NOT_REUSED)]
    assert fewest_violations(constraints, provenances, Budget(), 0) is None


def test_best_assignment_so_far_is_reported_when_the_budget_ends() -> None:
    """If only the first assignment was tried, its violations; nothing if these are too many."""
    constraints = [crossed(RED_5, Code.JOKER_NOT_REUSED), alike(RED_5, RED_6), crossed(RED_6, Code.EXTEND_ONLY)]
    first = [fault(Code.JOKER_NOT_REUSED), fault(Code.EXTEND_ONLY)]
    assert first_violations(constraints, EITHER) == first
    assert fewest_violations(constraints, EITHER, Budget(0), 10) == first
    assert fewest_violations(constraints, EITHER, Budget(0), 1) is None
    # Both tiles straight take four steps, red 6 crossed four more, and the budget is exceeded.
    assert fewest_violations(constraints, EITHER, Budget(6), 10) == first
    assert fewest_violations(constraints, EITHER, Budget(), 10) == []
    settled = {tile: [STRAIGHT] for tile in EITHER}
    with pytest.raises(BudgetExceeded):
        fewest_violations(constraints, settled, Budget(1), 10)


def test_constraints_are_satisfiable_if_an_assignment_breaks_none() -> None:
    """A search for such an assignment that exceeds its budget says so."""
    constraints = [alike(RED_5, RED_6), crossed(RED_6, Code.JOKER_NOT_REUSED), alike(RED_6, RED_7)]
    assert is_satisfiable(constraints, EITHER, Budget())
    straight = {**EITHER, RED_7: [STRAIGHT]}
    assert not is_satisfiable(constraints, straight, Budget())
    assert is_satisfiable(constraints[:2], straight, Budget())
    settled = {tile: [STRAIGHT] for tile in EITHER}
    assert is_satisfiable([alike(RED_5, RED_6)], settled, Budget())
    assert not is_satisfiable(constraints, settled, Budget())
    with pytest.raises(BudgetExceeded):
        is_satisfiable(constraints, EITHER, Budget(3))


def test_branch_with_a_broken_constraint_is_pruned() -> None:
    """If a partial assignment breaks a constraint, its completions are not tried."""
    assignments: list[Assignment] = []

    def broken(assignment: Assignment) -> list[Violation]:
        assignments.append(dict(assignment))
        return [] if assignment[RED_5] == CROSSED else [fault(Code.EXTEND_ONLY)]

    tiles = frozenset((RED_5, RED_6, RED_7))
    pruned = Constraint(tiles, broken, lambda assignment: assignment.get(RED_5) == STRAIGHT)
    assert is_satisfiable([pruned], EITHER, Budget())
    assert [assignment[RED_5] for assignment in assignments] == [CROSSED]
    assignments.clear()
    assert is_satisfiable([Constraint(tiles, broken)], EITHER, Budget())
    assert len(assignments) == 5


def never(*tiles: Tile) -> Constraint:
    """A constraint that every assignment breaks."""
    return Constraint(frozenset(tiles), lambda assignment: [fault(Code.EXTEND_ONLY)])


def straight(tile: Tile) -> Constraint:
    """A constraint that a tile has the straight provenance."""
    return Constraint(
        frozenset((tile,)), lambda assignment: [] if assignment[tile] == STRAIGHT else [fault(Code.EXTEND_ONLY)]
    )


@pytest.mark.parametrize("count", [2, 3, 4])
def test_contradicting_constraints_are_not_satisfiable_together(count: int) -> None:
    """Each is satisfiable by itself; two of them together are not."""
    other_constraints = [straight(RED_6), alike(RED_6, RED_7)]
    assert not is_satisfiable(
        [crossed(RED_5, Code.EXTEND_ONLY), straight(RED_5), *other_constraints][:count], EITHER, Budget()
    )
    assert is_satisfiable([straight(RED_7), straight(RED_5), *other_constraints][:count], EITHER, Budget())


def test_constraint_that_is_always_broken_is_reported() -> None:
    """It can not be satisfied, and its violation is added to the others."""
    assert not is_satisfiable([never(RED_5)], EITHER, Budget())
    assert not is_satisfiable([never(RED_5, RED_6), straight(RED_7)], EITHER, Budget())
    provenances = {RED_5: [STRAIGHT], RED_6: [STRAIGHT, CROSSED]}
    constraints = [never(RED_5), never(RED_6)]
    assert fewest_violations(constraints, provenances, Budget(), 1) is None
    assert fewest_violations(constraints, provenances, Budget(), 2) == [fault(Code.EXTEND_ONLY)] * 2
    three = [never(RED_5), never(RED_6), never(RED_6, RED_7)]
    assert fewest_violations(three, EITHER, Budget(), 2) is None
    assert fewest_violations(three, EITHER, Budget(), 3) == [fault(Code.EXTEND_ONLY)] * 3


def test_bound_holds_when_the_budget_ends() -> None:
    """The first assignment counts if it breaks exactly as many rules as are of interest."""
    constraints = [crossed(RED_5, Code.EXTEND_ONLY), crossed(RED_5, Code.JOKER_NOT_REUSED)]
    first = [fault(Code.EXTEND_ONLY), fault(Code.JOKER_NOT_REUSED)]
    assert fewest_violations(constraints, EITHER, Budget(0), 2) == first
    assert fewest_violations(constraints, EITHER, Budget(0), 1) is None


def test_severity_orders_by_number_code_and_distance() -> None:
    """More violations are worse; of equally many, later codes are milder, then those nearer to the bound."""

    def key(*faults: tuple[Code, int | None, int | None]) -> tuple[int, list[tuple[int, int, int]]]:
        return severity([Violation(code, Side.AFTER, (), (), found, bound) for code, found, bound in faults])

    short, locked = Code.ORIGINAL_TOO_SHORT, Code.JOKER_SET_LOCKED
    assert key((short, 2, 3)) < key((short, 1, 3))
    assert key((short, 2, 3)) < key((short, 2, 4))
    assert key((locked, None, None)) < key((short, 2, 3)) < key((locked, None, None), (locked, None, None))
    assert key((locked, None, None)) == key((locked, 0, 0))
    assert key((short, 2, 3), (locked, None, None)) == key((locked, None, None), (short, 2, 3))

"""The budget of a search: remaining steps, and the error when it is exceeded."""

import pytest

from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded


def test_steps_are_counted_down_to_zero() -> None:
    """The last step may be taken, one more raises an error; the remaining steps are never below 0."""
    budget = Budget(5)
    budget.spend(3)
    assert budget.left == 2
    budget.spend(2)
    assert budget.left == 0
    budget.spend(0)
    with pytest.raises(BudgetExceeded):
        budget.spend(1)
    assert budget.left == 0


def test_budget_within_another_is_paid_from_both() -> None:
    """A small search ends with its own steps or with those of the larger search, and so does a sibling of it."""
    whole = Budget(10)
    part = Budget(8, within=whole)
    part.spend(3)
    assert (part.left, whole.left) == (5, 7)
    sibling = part.sibling(100)
    assert sibling.left == 7
    sibling.spend(6)
    assert (part.left, whole.left) == (1, 1)
    with pytest.raises(BudgetExceeded):
        part.spend(2)

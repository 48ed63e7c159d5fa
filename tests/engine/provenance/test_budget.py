"""The budget of a search: remaining steps, and the error when it is exceeded."""

import pytest

from tilekeeper.engine.provenance.budget import TURN_BUDGET, Budget, BudgetExceeded


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


def test_exhausted_budget_raises_only_at_the_next_step() -> None:
    """An empty budget raises an error only when another step is taken."""
    budget = Budget()
    assert budget.left == TURN_BUDGET == 20_000
    budget.exhaust()
    assert budget.left == 0
    budget.spend(0)
    with pytest.raises(BudgetExceeded):
        budget.spend(1)

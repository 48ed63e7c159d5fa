"""The budget: how many steps are left, and when it is exceeded."""

import pytest

from tilekeeper.engine.provenance.budget import TURN_BUDGET, Budget, BudgetExceeded


def test_steps_are_counted_down() -> None:
    """The last step may still be taken, one more exceeds the budget; what is left is never below 0."""
    budget = Budget(5)
    budget.spend(3)
    assert budget.left == 2
    budget.spend(2)
    assert budget.left == 0
    budget.spend(0)
    with pytest.raises(BudgetExceeded):
        budget.spend(1)
    assert budget.left == 0


def test_a_budget_is_exhausted() -> None:
    """No step is left then, which raises nothing until one is taken."""
    budget = Budget()
    assert budget.left == TURN_BUDGET == 20_000
    budget.exhaust()
    assert budget.left == 0
    budget.spend(0)
    with pytest.raises(BudgetExceeded):
        budget.spend(1)

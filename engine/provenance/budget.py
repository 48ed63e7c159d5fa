"""The budget of a search in steps, not seconds, so that a turn gets the same verdict on any machine."""

from __future__ import annotations

from typing import Final

TURN_BUDGET: Final = 20_000
"""Steps for one turn. A step takes about 3 µs on one core; real turns need a small part of them."""


class BudgetExceeded(Exception):  # noqa: N818 - says what happened
    """The search has used up its budget; its result is unknown."""


class Budget:
    """The remaining steps of a search; all steps take about the same time. A larger search may pay for them, too."""

    def __init__(self, steps: int = TURN_BUDGET, within: Budget | None = None) -> None:
        self._left = steps
        self._within = within

    @property
    def left(self) -> int:
        """The number of remaining steps, 0 or more."""
        left = max(0, self._left)
        return left if self._within is None else min(left, self._within.left)

    def sibling(self, steps: int) -> Budget:
        """Return a new budget for another search; the larger search pays for its steps, this budget does not."""
        return Budget(steps, self._within)

    def spend(self, steps: int) -> None:
        """Subtract steps from this budget and from that of the larger search.

        Raises:
            BudgetExceeded: if fewer steps remained.
        """
        self._left -= steps
        if self._within is not None:
            self._within.spend(steps)
        if self._left < 0:
            raise BudgetExceeded

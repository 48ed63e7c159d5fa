"""The budget of a search: a number of steps, so that the same turn gets the same verdict on any machine."""

from __future__ import annotations

from typing import Final

TURN_BUDGET: Final = 20_000
"""Steps for one turn. A step takes about 3 µs on one core; real turns need a small part of them."""


class BudgetExceeded(Exception):  # noqa: N818 - says what happened
    """The search needs more steps than it has; its result is unknown."""


class Budget:
    """Counts the steps that a search may still take; every step takes about the same time."""

    def __init__(self, steps: int = TURN_BUDGET) -> None:
        self._left = steps

    @property
    def left(self) -> int:
        """How many steps are left, 0 or more."""
        return max(0, self._left)

    def exhaust(self) -> None:
        """Set the steps left to 0, for a search that skips something it should have tried."""
        self._left = 0

    def spend(self, steps: int) -> None:
        """Take some steps.

        Raises:
            BudgetExceeded: if fewer are left.
        """
        self._left -= steps
        if self._left < 0:
            raise BudgetExceeded

"""The budget of a search in steps, not seconds, so that a turn gets the same verdict on any machine."""

from __future__ import annotations

from typing import Final

TURN_BUDGET: Final = 20_000
"""Steps for one turn. A step takes about 3 µs on one core; real turns need a small part of them."""


class BudgetExceeded(Exception):  # noqa: N818 - says what happened
    """The search has used up its budget; its result is unknown."""


class Budget:
    """The remaining steps of a search; all steps take about the same time."""

    def __init__(self, steps: int = TURN_BUDGET) -> None:
        self._left = steps

    @property
    def left(self) -> int:
        """The number of remaining steps, 0 or more."""
        return max(0, self._left)

    def exhaust(self) -> None:
        """Set the remaining steps to 0, for a search that skips a part of its work."""
        self._left = 0

    def spend(self, steps: int) -> None:
        """Use up some steps.

        Raises:
            BudgetExceeded: if fewer steps remain.
        """
        self._left -= steps
        if self._left < 0:
            raise BudgetExceeded

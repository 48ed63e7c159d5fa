"""How much may be looked into for one turn: a count, so that the same turn gets the same verdict on any machine."""

from __future__ import annotations

from typing import Final

MOST_STEPS: Final = 20_000
"""For one turn. A step is worth about 3 µs of one core; a real turn needs a fraction of them."""


class OutOfSteps(Exception):  # noqa: N818 - says what it is
    """There is more to be looked into than anybody waits for; what it would have shown is not known."""


class Steps:
    """Counts down what a search does, in steps that take about equally long."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self._left = most

    @property
    def left(self) -> int:
        """How many may still be taken."""
        return max(0, self._left)

    def take_all(self) -> None:
        """Leave none, where something is left out that should have been looked into."""
        self._left = 0

    def take(self, count: int) -> None:
        """Count some. Raises OutOfSteps when there were too many."""
        self._left -= count
        if self._left < 0:
            raise OutOfSteps

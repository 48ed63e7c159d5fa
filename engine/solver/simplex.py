"""The revised simplex method for linear programmes with column generation.

It maximises the value of the columns in use, with every constraint met exactly: a column has a level of 0 or more
and uses up some constraints. The duals are the prices of the constraints; a column whose value exceeds the prices that
it pays improves the solution. Once there is no such column, the total price of all constraints is an upper bound for
every solution, and for every integer solution.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Final

ENOUGH: Final = 1e-6
"""The least reduced cost that counts as positive; smaller ones may be rounding errors."""
_NIL: Final = 1e-11
_LEAST_PIVOT: Final = 1e-7
_SHIFT: Final = 1e-4


class Simplex:
    """A linear programme and its present solution.

    Args:
        sizes: the amount of each constraint that must be used.
        unused: the value of each unused unit of a constraint: 0 if it may stay unused, much below 0 if it must be used.
            The slack columns of these units come first, one for each constraint.
    """

    def __init__(self, sizes: Sequence[int], unused: Sequence[float]) -> None:
        count = len(sizes)
        self.prices = list(unused)
        self._sizes = sizes
        self._values = list(unused)
        self._uses: list[tuple[int, ...]] = [(at,) for at in range(count)]
        # Slightly different shifts of all sizes keep the method from cycling.
        shifts = random.Random(count)
        self._levels = [size + _SHIFT * shifts.random() for size in sizes]
        self._basis = list(range(count))
        self._inverse = [[float(at == other) for other in range(count)] for at in range(count)]

    def add(self, value: float, uses: tuple[int, ...]) -> int:
        """Add a column that is not in use yet, and return its number.

        Args:
            value: its value.
            uses: the constraints that it uses up, one unit for each occurrence.
        """
        self._values.append(value)
        self._uses.append(uses)
        return len(self._values) - 1

    @property
    def bound(self) -> float:
        """The dual objective: the total price of all units of the constraints."""
        return sum([price * size for price, size in zip(self.prices, self._sizes, strict=True)])

    def in_use(self) -> list[tuple[int, float]]:
        """Return the columns in use (the basis) and their levels, slack columns included."""
        return [(column, level) for column, level in zip(self._basis, self._levels, strict=True) if level > 10 * _SHIFT]

    def revalue(self, columns: Sequence[int], by: float) -> None:
        """Change the values of some columns; their levels stay."""
        for column in columns:
            self._values[column] += by
        changed = set(columns)
        for at, column in enumerate(self._basis):
            if column in changed:
                self.prices = [price + by * each for price, each in zip(self.prices, self._inverse[at], strict=True)]

    def gain(self, column: int) -> float:
        """The reduced cost of a column: its value minus the prices that it pays."""
        prices = self.prices
        return self._values[column] - sum([prices[at] for at in self._uses[column]])

    def optimise(self, columns: Sequence[int], most: int) -> None:
        """Bring columns into use, the best first, until none has a positive reduced cost.

        Args:
            columns: the columns to consider.
            most: the most columns to bring into use.
        """
        values, uses = self._values, self._uses
        priced = [(values[column], uses[column], column) for column in columns]
        for _ in range(most):
            prices = self.prices
            gains = [value - sum([prices[at] for at in used]) for value, used, _ in priced]
            gain = max(gains, default=0.0)
            if gain < ENOUGH:
                return
            self._enter(priced[gains.index(gain)][2], gain)

    def _enter(self, column: int, gain: float) -> None:
        """Bring a column into use as far as possible; the column that reaches 0 first leaves the basis."""
        inverse, levels = self._inverse, self._levels
        used = Counter(self._uses[column])
        if len(used) == len(self._uses[column]):
            needs = [sum([row[at] for at in used]) for row in inverse]
        else:
            needs = [sum([row[at] * count for at, count in used.items()]) for row in inverse]
        leaving, least = -1, float("inf")
        for at, need in enumerate(needs):
            if need > _LEAST_PIVOT and levels[at] < least * need:
                leaving, least = at, levels[at] / need
        assert leaving >= 0  # every column uses up something, so none goes on for ever
        pivot = needs[leaving]
        row = inverse[leaving] = [each / pivot for each in inverse[leaving]]
        filled = [(at, each) for at, each in enumerate(row) if each > _NIL or each < -_NIL]
        for at, need in enumerate(needs):
            if at != leaving and (need > _NIL or need < -_NIL):
                other = inverse[at]
                for place, each in filled:
                    other[place] -= need * each
                levels[at] -= need * least
        levels[leaving] = least
        self._basis[leaving] = column
        for at, each in filled:
            self.prices[at] += gain * each

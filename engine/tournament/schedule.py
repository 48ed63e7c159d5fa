"""Schedules of all rounds in which nobody meets twice, built from finite fields where the number of players allows it.

The players stand in columns of `m`; in round `r` table `i` takes from column `c` the player at `i + c·r`. Two players
of different columns meet only in the one round that solves `i + c·r = j + d·r`, as long as `c - d` has an inverse: true
for all four columns in a finite field of four elements or more, and in a product of such fields (MacNeish 1922). Where
as many columns as rows are used, the columns are the tables of one more round: an affine plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias

Element: TypeAlias = tuple[int, ...]
_Arithmetic: TypeAlias = Callable[[int, int], int]

_POLYNOMIALS: Final = {4: (2, 0b111), 8: (2, 0b1011), 16: (2, 0b10011), 9: (3, 0)}
"""Fields that are no whole numbers: their characteristic, and for those of two the polynomial they are counted by."""


def schedule(tables: int, columns: int) -> list[list[list[int]]]:
    """Rounds in which no two of `tables * columns` players meet twice; empty where none are built.

    Args:
        tables: how many tables there are, 3 or more.
        columns: how many sit at each, 3 or 4.

    Returns:
        Rounds of tables of players; player `c * tables + i` stands in column `c` at row `i`.
    """
    powers = _prime_powers(tables)
    if tables < 2 or any(power < columns or not _is_built(power) for power in powers):
        return []
    elements: list[Element] = list(product(*map(range, powers)))
    row = {element: at for at, element in enumerate(elements)}
    sums, products = zip(*map(_field, powers), strict=True)

    def player(table: Element, column: int, turn: Element) -> int:
        at = tuple(
            add(place, times(column, step)) for place, step, add, times in zip(table, turn, sums, products, strict=True)
        )
        return column * tables + row[at]

    rounds = [[[player(table, column, turn) for column in range(columns)] for table in elements] for turn in elements]
    if columns == tables:
        rounds.append([[column * tables + at for at in range(tables)] for column in range(columns)])
    return rounds


def _prime_powers(number: int) -> list[int]:
    """The powers of different primes whose product a number is."""
    powers, prime = [], 2
    while number > 1:
        power = 1
        while number % prime == 0:
            number //= prime
            power *= prime
        if power > 1:
            powers.append(power)
        prime += 1
    return powers


def _is_built(power: int) -> bool:
    return power in _POLYNOMIALS or all(power % divisor for divisor in range(2, power))


def _field(power: int) -> tuple[_Arithmetic, _Arithmetic]:
    """How elements of a field are added and multiplied; they are the numbers below its size."""
    if power == 9:  # a + b·i with i² = -1, counted in threes
        return (
            lambda one, other: (one // 3 + other // 3) % 3 * 3 + (one + other) % 3,
            lambda one, other: _product_of_nine(divmod(one, 3), divmod(other, 3)),
        )
    if power in _POLYNOMIALS:
        polynomial = _POLYNOMIALS[power][1]
        return (lambda one, other: one ^ other, lambda one, other: _carryless(one, other, power, polynomial))
    return (lambda one, other: (one + other) % power, lambda one, other: one * other % power)


def _product_of_nine(one: Sequence[int], other: Sequence[int]) -> int:
    imaginary = (one[0] * other[1] + one[1] * other[0]) % 3
    return imaginary * 3 + (one[1] * other[1] - one[0] * other[0]) % 3


def _carryless(one: int, other: int, power: int, polynomial: int) -> int:
    product_ = 0
    while other:
        if other & 1:
            product_ ^= one
        one, other = one << 1, other >> 1
        if one & power:
            one ^= polynomial
    return product_

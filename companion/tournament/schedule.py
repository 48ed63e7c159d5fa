"""Schedules without repeated meetings, from orthogonal Latin squares over finite fields.

The players form columns of `m`, one player per table. In round `r` table `i` takes from each column `c` the player in
row `i + c·r`. Players of two columns `c` and `d` meet in exactly one round if `c - d` has an inverse. That holds for
four columns in a finite field of four elements or more, and in a product of such fields (MacNeish 1922). If there are
as many columns as rows, the columns are the tables of one more round (an affine plane).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias

Element: TypeAlias = tuple[int, ...]
_Arithmetic: TypeAlias = Callable[[int, int], int]

_POLYNOMIALS: Final = {4: (2, 0b111), 8: (2, 0b1011), 16: (2, 0b10011), 9: (3, 0)}
"""Finite fields of non-prime order: characteristic, and for characteristic 2 the irreducible polynomial as bits."""


def schedule(tables: int, columns: int) -> list[list[list[int]]]:
    """Return rounds in which no two of `tables * columns` players meet twice; empty if no construction fits.

    Args:
        tables: the number of tables, 3 or more.
        columns: the number of players at each table, 3 or 4.

    Returns:
        For each round the tables, for each table its players; player `c * tables + i` is in column `c`, row `i`.
    """
    powers = _prime_powers(tables)
    if tables < 2 or any(power < columns or not _is_supported(power) for power in powers):
        return []
    elements: list[Element] = list(product(*map(range, powers)))
    row = {element: index for index, element in enumerate(elements)}
    sums, products = zip(*map(_field, powers), strict=True)

    def player(table: Element, column: int, turn: Element) -> int:
        element = tuple(
            add(place, times(column, step)) for place, step, add, times in zip(table, turn, sums, products, strict=True)
        )
        return column * tables + row[element]

    rounds = [[[player(table, column, turn) for column in range(columns)] for table in elements] for turn in elements]
    if columns == tables:
        rounds.append([[column * tables + index for index in range(tables)] for column in range(columns)])
    return rounds


def _prime_powers(number: int) -> list[int]:
    """Factor a number into powers of different primes."""
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


def _is_supported(power: int) -> bool:
    return power in _POLYNOMIALS or all(power % divisor for divisor in range(2, power))


def _field(power: int) -> tuple[_Arithmetic, _Arithmetic]:
    """Return addition and multiplication of the finite field of order `power`; its elements are 0 to `power` - 1."""
    if power == 9:  # a + b·i with i² = -1 over the integers modulo 3
        return (
            lambda one, other: (one // 3 + other // 3) % 3 * 3 + (one + other) % 3,
            lambda one, other: _multiply_in_nine(divmod(one, 3), divmod(other, 3)),
        )
    if power in _POLYNOMIALS:
        polynomial = _POLYNOMIALS[power][1]
        return (lambda one, other: one ^ other, lambda one, other: _multiply_polynomials(one, other, power, polynomial))
    return (lambda one, other: (one + other) % power, lambda one, other: one * other % power)


def _multiply_in_nine(one: Sequence[int], other: Sequence[int]) -> int:
    imaginary = (one[0] * other[1] + one[1] * other[0]) % 3
    return imaginary * 3 + (one[1] * other[1] - one[0] * other[0]) % 3


def _multiply_polynomials(one: int, other: int, power: int, polynomial: int) -> int:
    """Multiply two polynomials over the field of two elements, given as bits, modulo the field's polynomial."""
    total = 0
    while other:
        if other & 1:
            total ^= one
        one, other = one << 1, other >> 1
        if one & power:
            one ^= polynomial
    return total

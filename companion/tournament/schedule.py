"""Schedules in which nobody meets twice, from orthogonal Latin squares over finite fields.

The players form columns of `m`. In round `r` table `i` takes the player at `i + c·r` from each column `c`. Two players
of different columns meet only in the round that solves `i + c·r = j + d·r`, if `c - d` has an inverse. That holds for
four columns in a finite field of four elements or more, and in a product of such fields (MacNeish 1922). If there are
as many columns as rows, the columns themselves are the tables of one more round: an affine plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, TypeAlias

Element: TypeAlias = tuple[int, ...]
_Arithmetic: TypeAlias = Callable[[int, int], int]

_POLYNOMIALS: Final = {4: (2, 0b111), 8: (2, 0b1011), 16: (2, 0b10011), 9: (3, 0)}
"""Fields of non-prime order: the characteristic, and for characteristic 2 the irreducible polynomial as bits."""


def schedule(tables: int, columns: int) -> list[list[list[int]]]:
    """Return rounds in which no two of `tables * columns` players meet twice; empty if no construction fits.

    Args:
        tables: the number of tables, 3 or more.
        columns: the number of players at each table, 3 or 4.

    Returns:
        Rounds of tables of players; player `c * tables + i` is in column `c`, row `i`.
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
    """Return the addition and the multiplication of a finite field; its elements are the numbers below its order."""
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
    """Carry-less product of two polynomials over two elements, as bits, modulo the field polynomial."""
    total = 0
    while other:
        if other & 1:
            total ^= one
        one, other = one << 1, other >> 1
        if one & power:
            one ^= polynomial
    return total

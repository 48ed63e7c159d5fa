"""The kinds of arrays that vision hands from function to function; a docstring states each one's shape and unit."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""A picture `(H, W, 3)`, channels in the order blue, green, red; of one channel `(H, W)`. Also many crops."""
Quads: TypeAlias = NDArray[np.float32]
"""Four corners of each of N tiles, `(N, 4, 2)` in pixels, clockwise from the tile's own top left."""
Floats: TypeAlias = NDArray[np.floating]
"""Numbers in single or double precision: points, quads that are still computed with, probabilities."""
Ints: TypeAlias = NDArray[np.integer]
"""Indices or counts."""
Bools: TypeAlias = NDArray[np.bool_]
"""A mask."""
Objects: TypeAlias = NDArray[np.object_]
"""What is no number, such as a tuple of doubts for each tile."""

Value = TypeVar("Value", bound=np.generic)


def expect_shape(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise `ValueError` where an array has another shape."""
    if values.shape != shape:
        raise ValueError(f"{name} must be {shape}, got {values.shape}")


def values_at(values: NDArray[Value], at: Ints) -> NDArray[Value]:
    """Return values `(..., P)` at indices `(..., K)` into their last axis: in a third of `take_along_axis`'s time."""
    rows = values.shape[:-1]
    firsts = np.arange(math.prod(rows)).reshape(*rows, 1) * values.shape[-1]
    picked: NDArray[Value] = values.take(firsts + at)
    return picked


def are_among(values: Ints, some: Ints | Sequence[int]) -> Bools:
    """Return which values `(N,)` are any of some `(M,)`: of the few of a table, in a third of `np.isin`'s time."""
    among: Bools = (values[:, None] == np.asarray(some)).any(axis=1)
    return among


def channels_apart(crops: NDArray[Value]) -> NDArray[Value]:
    """Return pictures `(N, ..., 3)` as `(N, 3, P)`, channel after channel: NumPy is slow where three alternate."""
    return np.stack([crops[..., channel] for channel in range(3)], axis=1).reshape(len(crops), 3, -1)


class Columns:
    """Arrays with one row for each thing; a dataclass of at least two of them gets these ways to pick rows."""

    __slots__ = ()

    def __len__(self) -> int:
        """Return how many rows there are."""
        kind: Any = type(self)
        return len(_first_of(kind)(self))

    def at(self, which: Ints | Bools | slice) -> Self:
        """Return the rows of some indices, or of a mask or slice; the very same where a mask takes all."""
        if isinstance(which, slice):
            return _rows_of(type(self), [column[which] for column in _columns(self)])
        if which.dtype == bool:
            if which.all():
                return self
            which = np.flatnonzero(which)
        # in half of the time that indexing takes
        return _rows_of(type(self), [column.take(which, 0) for column in _columns(self)])

    def copy(self) -> Self:
        """Return the same rows, to be written to."""
        return _rows_of(type(self), [column.copy() for column in _columns(self)])

    def put(self, which: Ints | Bools, other: Self) -> None:
        """Overwrite some rows with those of `other`."""
        for column, new in zip(_columns(self), _columns(other), strict=True):
            column[which] = new

    @classmethod
    def joined(cls, some: Iterable[Self]) -> Self:
        """Return the rows of all of these, one at least, in their order; the very same where only one has any."""
        every = list(some)
        every = [one for one in every if len(one)] or every[:1]
        if len(every) == 1:
            return every[0]
        return _rows_of(cls, [np.concatenate(columns) for columns in zip(*map(_columns, every), strict=True)])


Rows = TypeVar("Rows", bound=Columns)


def _rows_of(kind: type[Rows], columns: Sequence[NDArray[Any]]) -> Rows:
    of: Any = kind
    made: Rows = of(**dict(zip(_names_of(of), columns, strict=True)))
    return made


@functools.cache
def _taken_from(columns: Any) -> Callable[[Any], tuple[NDArray[Any], ...]]:
    """Return what takes all fields of a dataclass at once: a turn asks a hundred times."""
    return operator.attrgetter(*_names_of(columns))


@functools.cache
def _first_of(columns: Any) -> Callable[[Any], NDArray[Any]]:
    return operator.attrgetter(_names_of(columns)[0])


@functools.cache
def _names_of(columns: Any) -> list[str]:
    names = [field.name for field in fields(columns)]
    if len(names) < 2:  # of one alone its rows would be taken for fields
        raise TypeError(f"{columns.__name__} must have at least two fields, got {len(names)}")
    return names


def _columns(rows: Columns) -> tuple[NDArray[Any], ...]:
    kind: Any = type(rows)
    return _taken_from(kind)(rows)

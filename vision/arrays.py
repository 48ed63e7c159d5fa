"""Array types that vision hands from function to function, and small helpers; docstrings state shape and unit."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]  # BGR image `(H, W, 3)`, or one channel `(H, W)`; also stacks of crops
Floats: TypeAlias = NDArray[np.floating]  # single or double precision numbers: points, quads, probabilities
Ints: TypeAlias = NDArray[np.integer]  # indices or counts
Bools: TypeAlias = NDArray[np.bool_]  # a mask
Objects: TypeAlias = NDArray[np.object_]  # Python objects, such as a tuple of doubts for each tile

Value = TypeVar("Value", bound=np.generic)


def expect_shape(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise `ValueError`, with `name` in its message, unless `values` has exactly this shape."""
    if values.shape != shape:
        raise ValueError(f"{name} must be {shape}, got {values.shape}")


def no_quads() -> Floats:
    """Return an empty array of quads, `(0, 4, 2) float32`."""
    return np.zeros((0, 4, 2), np.float32)


def values_at(values: NDArray[Value], indices: Ints) -> NDArray[Value]:
    """Return the elements `(..., K)` of `values (..., P)` at `indices (..., K)`: a faster `np.take_along_axis`."""
    leading_shape = values.shape[:-1]
    row_starts = np.arange(math.prod(leading_shape)).reshape(*leading_shape, 1) * values.shape[-1]
    return np.asarray(values.take(row_starts + indices))


def are_among(values: Ints, choices: Ints | Sequence[int]) -> Bools:
    """Return a mask `(N,)` of the values that occur in `choices (M,)`; faster than `np.isin` for short arrays."""
    return np.asarray((values[:, None] == np.asarray(choices)).any(axis=1))


def split_channels(crops: NDArray[Value]) -> NDArray[Value]:
    """Return N images of P pixels `(N, ..., 3)` as planes `(N, 3, P)`, on which NumPy is faster."""
    return np.stack([crops[..., channel] for channel in range(3)], axis=1).reshape(len(crops), 3, -1)


class Columns:
    """Base class of a table: a dataclass whose fields, at least two, are arrays of one length, the columns."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(_columns(self)[0])

    def at(self, which: Ints | Bools | slice) -> Self:
        """Return the rows that indices, a mask or a slice select; `self` if a mask selects all rows."""
        if isinstance(which, slice):
            return _from_columns(type(self), [column[which] for column in _columns(self)])
        if which.dtype == bool:
            if which.all():
                return self
            which = np.flatnonzero(which)
        # `take` is twice as fast as indexing.
        return _from_columns(type(self), [column.take(which, 0) for column in _columns(self)])

    def copy(self) -> Self:
        return _from_columns(type(self), [column.copy() for column in _columns(self)])

    def put(self, which: Ints | Bools, other: Self) -> None:
        """Overwrite the rows that indices or a mask select with those of `other`."""
        for column, new in zip(_columns(self), _columns(other), strict=True):
            column[which] = new

    @classmethod
    def concatenate(cls, tables: Iterable[Self]) -> Self:
        """Concatenate the rows of one or more tables; if only one has any rows, it is returned itself."""
        parts = list(tables)
        parts = [part for part in parts if len(part)] or parts[:1]
        if len(parts) == 1:
            return parts[0]
        return _from_columns(cls, [np.concatenate(columns) for columns in zip(*map(_columns, parts), strict=True)])


Rows = TypeVar("Rows", bound=Columns)


def _from_columns(kind: type[Rows], columns: Sequence[NDArray[Any]]) -> Rows:
    factory: Any = kind
    rows: Rows = factory(**dict(zip(_column_names(factory), columns, strict=True)))
    return rows


@functools.cache
def _column_getter(columns: Any) -> Callable[[Any], tuple[NDArray[Any], ...]]:
    """Return a function that gets all columns of a dataclass; cached because a turn needs it hundreds of times."""
    return operator.attrgetter(*_column_names(columns))


@functools.cache
def _column_names(columns: Any) -> list[str]:
    names = [field.name for field in fields(columns)]
    if len(names) < 2:
        raise TypeError(f"{columns.__name__} must have at least two fields, got {len(names)}")
    return names


def _columns(rows: Columns) -> tuple[NDArray[Any], ...]:
    kind: Any = type(rows)
    return _column_getter(kind)(rows)


def quantile(values: Floats | Ints, fraction: float) -> Floats:
    """Return the quantiles `(...)` over the last axis of `values (..., K)`, K at least 1, interpolated as by NumPy.

    `fraction` is 0 to 1. NaNs count as larger than all numbers.
    """
    position = fraction * (values.shape[-1] - 1)
    low = int(position)
    if low == position:  # a neighbour with weight 0 may be infinite, and 0 * inf is NaN
        return np.asarray(np.add(np.partition(values, low, axis=-1)[..., low], 0.0))
    high = low + 1
    ordered = np.partition(values, (low, high), axis=-1)
    lower, higher = ordered[..., low], ordered[..., high]
    return np.asarray(np.add(lower, (higher - lower) * (position - low)))


def normalise_log_probs(log_probs: Floats) -> Floats:
    """Normalise log probabilities `(..., K)` so that the probabilities sum to 1."""
    return np.asarray(log_probs - np.logaddexp.reduce(log_probs, axis=-1, keepdims=True))


def median(values: Floats) -> Floats:
    """Return the medians `(...)` over the last axis of `values (..., K)`, K at least 1."""
    return quantile(values, 0.5)


def median_level(levels: Image) -> float:
    """Return the median of one or more bytes, by a histogram, which takes two thirds of the time of sorting."""
    counted = np.bincount(levels.ravel()).cumsum()
    low, high = np.searchsorted(counted, ((levels.size - 1) // 2, levels.size // 2), side="right")
    return float(low + high) / 2

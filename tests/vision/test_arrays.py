"""Rows of several arrays are picked, copied, overwritten and joined together, and shapes are checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tilekeeper.vision.arrays import Columns, Floats, Ints, expect_shape, split_channels, values_at


@dataclass(slots=True, eq=False)
class Places(Columns):
    """Where things lie, and how many."""

    middles_px: Floats
    counts: Ints


def places(count: int, first: int = 0) -> Places:
    counts = np.arange(first, first + count)
    return Places(np.stack([counts + 0.5, counts], axis=1), counts)


def rows(some: Places) -> list[int]:
    """The counts, of which each has its own middle beside it."""
    assert some.middles_px[:, 0].tolist() == (some.counts + 0.5).tolist()
    assert len(some) == len(some.counts)
    return some.counts.tolist()


@pytest.mark.parametrize(
    ("which", "there"),
    [
        (np.array([2, 0, 2]), [2, 0, 2]),
        (np.array([False, True, True, False]), [1, 2]),
        (np.zeros(4, bool), []),
        (slice(1, None, 2), [1, 3]),
    ],
    ids=["indices", "mask", "none", "slice"],
)
def test_rows_are_picked_from_all_columns(which: np.ndarray | slice, there: list[int]) -> None:
    """In the order that is asked for, as often as it is."""
    assert rows(places(4).at(which)) == there


def test_a_mask_of_all_gives_the_very_same() -> None:
    some = places(3)
    assert some.at(np.ones(3, bool)) is some


def test_a_copy_is_written_to_alone() -> None:
    """What some of its rows are overwritten with stays out of what was copied."""
    some = places(4)
    other = some.copy()
    other.put(np.array([1, 3]), places(2, first=7))
    assert rows(other) == [0, 7, 2, 8]
    assert rows(some) == [0, 1, 2, 3]


def test_several_are_joined_in_their_order() -> None:
    """Those without rows count for nothing, and of one that is left nothing is copied."""
    some, none = places(2), places(0)
    assert rows(Places.concatenate([some, none, places(1, first=5)])) == [0, 1, 5]
    assert Places.concatenate([none, some]) is some
    assert rows(Places.concatenate([none, none])) == []


def test_a_single_column_is_refused() -> None:
    """Its first row would be taken for its first column."""

    @dataclass(slots=True, eq=False)
    class Alone(Columns):
        counts: Ints

    with pytest.raises(TypeError, match="Alone must have at least two fields, got 1"):
        len(Alone(np.arange(3)))


def test_values_are_taken_along_the_last_axis() -> None:
    """As `take_along_axis` takes them, also where one row of indices is for several rows of values."""
    values = np.random.default_rng(1).normal(size=(5, 3, 7))
    at = np.random.default_rng(2).integers(0, 7, (5, 1, 4))
    assert np.array_equal(values_at(values, at), np.take_along_axis(values, at, axis=2))


def test_channels_come_one_after_the_other() -> None:
    """All of the blue of a picture, then its green and red, for each picture."""
    crops = np.arange(2 * 4 * 5 * 3).reshape(2, 4, 5, 3)
    apart = split_channels(crops)
    assert apart.shape == (2, 3, 20)
    assert apart[1, 2].tolist() == crops[1, ..., 2].ravel().tolist()


def test_another_shape_is_refused() -> None:
    """The message has both shapes and the name."""
    expect_shape("quads_px", np.zeros((2, 4, 2)), (2, 4, 2))
    with pytest.raises(ValueError, match=r"quads_px must be \(4, 2\), got \(2, 4, 2\)"):
        expect_shape("quads_px", np.zeros((2, 4, 2)), (4, 2))

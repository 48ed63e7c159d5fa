"""Tables of columns: select, copy, overwrite and concatenate rows; shape checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tilekeeper.vision.arrays import Columns, Floats, Ints, expect_shape, split_channels, values_at


@dataclass(slots=True, eq=False)
class Places(Columns):
    centres_px: Floats
    counts: Ints


def places(count: int, first: int = 0) -> Places:
    counts = np.arange(first, first + count)
    return Places(np.stack([counts + 0.5, counts], axis=1), counts)


def rows(places: Places) -> list[int]:
    """Return the counts, after a check that each row still has its own centre."""
    assert places.centres_px[:, 0].tolist() == (places.counts + 0.5).tolist()
    assert len(places) == len(places.counts)
    return places.counts.tolist()


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (np.array([2, 0, 2]), [2, 0, 2]),
        (np.array([False, True, True, False]), [1, 2]),
        (np.zeros(4, bool), []),
        (slice(1, None, 2), [1, 3]),
    ],
    ids=["indices", "mask", "none", "slice"],
)
def test_selected_rows_come_from_all_columns_in_the_given_order(
    selected: np.ndarray | slice, expected: list[int]
) -> None:
    assert rows(places(4).at(selected)) == expected


def test_mask_of_all_rows_returns_the_same_object() -> None:
    table = places(3)
    assert table.at(np.ones(3, bool)) is table


def test_writing_to_a_copy_keeps_the_original() -> None:
    table = places(4)
    copy = table.copy()
    copy.put(np.array([1, 3]), places(2, first=7))
    assert rows(copy) == [0, 7, 2, 8]
    assert rows(table) == [0, 1, 2, 3]


def test_concatenation_keeps_the_order_and_copies_nothing_if_one_part_has_rows() -> None:
    table, empty = places(2), places(0)
    assert rows(Places.concatenate([table, empty, places(1, first=5)])) == [0, 1, 5]
    assert Places.concatenate([empty, table]) is table
    assert rows(Places.concatenate([empty, empty])) == []


def test_table_with_one_column_is_refused() -> None:

    @dataclass(slots=True, eq=False)
    class Alone(Columns):
        counts: Ints

    with pytest.raises(TypeError, match="Alone must have at least two fields, got 1"):
        len(Alone(np.arange(3)))


def test_values_at_equals_take_along_axis() -> None:
    """One row of indices may be broadcast to several rows of values."""
    values = np.random.default_rng(1).normal(size=(5, 3, 7))
    indices = np.random.default_rng(2).integers(0, 7, (5, 1, 4))
    assert np.array_equal(values_at(values, indices), np.take_along_axis(values, indices, axis=2))


def test_split_channels_returns_blue_then_green_then_red() -> None:
    crops = np.arange(2 * 4 * 5 * 3).reshape(2, 4, 5, 3)
    split = split_channels(crops)
    assert split.shape == (2, 3, 20)
    assert split[1, 2].tolist() == crops[1, ..., 2].ravel().tolist()


def test_wrong_shape_is_refused_with_name_and_both_shapes() -> None:
    expect_shape("quads_px", np.zeros((2, 4, 2)), (2, 4, 2))
    with pytest.raises(ValueError, match=r"quads_px must be \(4, 2\), got \(2, 4, 2\)"):
        expect_shape("quads_px", np.zeros((2, 4, 2)), (4, 2))

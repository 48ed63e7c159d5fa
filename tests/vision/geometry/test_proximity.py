"""Same place, free place, nearest neighbours and duplicates."""

import numpy as np

from tilekeeper.vision.geometry.proximity import are_free, are_same_place, nearest_neighbours, suppress_duplicates

MIDDLES = np.array([[0.0, 0.0], [10.0, 0.0], [13.0, 4.0]])


def test_centres_closer_than_the_limit_are_the_same_place() -> None:
    """A limit per column counts for its column."""
    assert are_same_place(MIDDLES, MIDDLES, 5.1).tolist() == [
        [True, False, False],
        [False, True, True],
        [False, True, True],
    ]
    assert are_same_place(MIDDLES[1:2], MIDDLES, np.array([11.0, 1.0, 4.9])).tolist() == [[True, True, False]]


def test_place_far_from_all_others_is_free() -> None:
    assert are_free(MIDDLES, MIDDLES[1:2], 5.1).tolist() == [True, False, False]
    assert are_free(MIDDLES, MIDDLES[:0], 5.1).all()


def test_of_duplicates_the_first_or_best_is_kept_in_order() -> None:
    order = np.array([2, 1, 0])
    assert suppress_duplicates(order, MIDDLES, np.full(3, 6.0)).tolist() == [2, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 6.0), np.array([1.0, 2.0, 0.0])).tolist() == [1, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 4.0)).tolist() == [2, 1, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 4.0), max_count=2).tolist() == [2, 1]
    # each tile has its own limit
    assert suppress_duplicates(order, MIDDLES, np.array([11.0, 0.0, 0.0])).tolist() == [2, 1]
    assert suppress_duplicates(order, MIDDLES, np.array([0.0, 6.0, 0.0])).tolist() == [2, 0]
    assert suppress_duplicates(order[:0], MIDDLES, np.full(3, 4.0)).tolist() == []


def test_neighbours_are_nearest_first_without_the_tile_itself() -> None:
    """Missing neighbours are marked."""
    nearest, exists = nearest_neighbours(MIDDLES, np.arange(3), np.array([1, 2]), 2)
    assert nearest[0].tolist() == [1, 2]
    assert exists.tolist() == [[True, True], [True, False], [True, False]]
    assert nearest[1:, 0].tolist() == [2, 1]

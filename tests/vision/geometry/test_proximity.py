"""Same place, free place, nearest neighbours and duplicates."""

import numpy as np

from tilekeeper.vision.geometry.proximity import are_free, are_same_place, nearest_neighbours, suppress_duplicates

CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [13.0, 4.0]])


def test_centres_closer_than_the_limit_are_the_same_place() -> None:
    """The limit may be an array with one value per column."""
    assert are_same_place(CENTRES, CENTRES, 5.1).tolist() == [
        [True, False, False],
        [False, True, True],
        [False, True, True],
    ]
    assert are_same_place(CENTRES[1:2], CENTRES, np.array([11.0, 1.0, 4.9])).tolist() == [[True, True, False]]


def test_place_far_from_all_others_is_free() -> None:
    assert are_free(CENTRES, CENTRES[1:2], 5.1).tolist() == [True, False, False]
    assert are_free(CENTRES, CENTRES[:0], 5.1).all()


def test_duplicates_leave_the_first_or_best_in_order() -> None:
    order = np.array([2, 1, 0])
    assert suppress_duplicates(order, CENTRES, np.full(3, 6.0)).tolist() == [2, 0]
    assert suppress_duplicates(order, CENTRES, np.full(3, 6.0), np.array([1.0, 2.0, 0.0])).tolist() == [1, 0]
    assert suppress_duplicates(order, CENTRES, np.full(3, 4.0)).tolist() == [2, 1, 0]
    assert suppress_duplicates(order, CENTRES, np.full(3, 4.0), max_count=2).tolist() == [2, 1]
    # each tile has its own limit
    assert suppress_duplicates(order, CENTRES, np.array([11.0, 0.0, 0.0])).tolist() == [2, 1]
    assert suppress_duplicates(order, CENTRES, np.array([0.0, 6.0, 0.0])).tolist() == [2, 0]
    assert suppress_duplicates(order[:0], CENTRES, np.full(3, 4.0)).tolist() == []


def test_neighbours_are_nearest_first_without_the_tile_itself() -> None:
    """`exists` is false for missing neighbours."""
    nearest, exists = nearest_neighbours(CENTRES, np.arange(3), np.array([1, 2]), 2)
    assert nearest[0].tolist() == [1, 2]
    assert exists.tolist() == [[True, True], [True, False], [True, False]]
    assert nearest[1:, 0].tolist() == [2, 1]

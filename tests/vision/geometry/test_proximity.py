"""Tests of what counts as the same place."""

import numpy as np

from tilekeeper.vision.geometry.proximity import are_free, are_same_place, nearest_neighbours, suppress_duplicates

MIDDLES = np.array([[0.0, 0.0], [10.0, 0.0], [13.0, 4.0]])


def test_middles_nearer_than_the_limit_are_in_one_place() -> None:
    """The last two are 5 px apart; a limit for each of the others holds for its column."""
    assert are_same_place(MIDDLES, MIDDLES, 5.1).tolist() == [
        [True, False, False],
        [False, True, True],
        [False, True, True],
    ]
    assert are_same_place(MIDDLES[1:2], MIDDLES, np.array([11.0, 1.0, 4.9])).tolist() == [[True, True, False]]


def test_a_place_is_free_where_nothing_lies() -> None:
    """Without others every place is."""
    assert are_free(MIDDLES, MIDDLES[1:2], 5.1).tolist() == [True, False, False]
    assert are_free(MIDDLES, MIDDLES[:0], 5.1).all()


def test_the_first_of_each_place_is_kept() -> None:
    """What comes later in the order, or is worth less, than one in its place goes; the order stays."""
    order = np.array([2, 1, 0])
    assert suppress_duplicates(order, MIDDLES, np.full(3, 6.0)).tolist() == [2, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 6.0), np.array([1.0, 2.0, 0.0])).tolist() == [1, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 4.0)).tolist() == [2, 1, 0]
    assert suppress_duplicates(order, MIDDLES, np.full(3, 4.0), max_count=2).tolist() == [2, 1]
    # how near a place may lie to one that is kept is its own
    assert suppress_duplicates(order, MIDDLES, np.array([11.0, 0.0, 0.0])).tolist() == [2, 1]
    assert suppress_duplicates(order, MIDDLES, np.array([0.0, 6.0, 0.0])).tolist() == [2, 0]
    assert suppress_duplicates(order[:0], MIDDLES, np.full(3, 4.0)).tolist() == []


def test_nobody_is_its_own_neighbour() -> None:
    """The nearest come first, and where there are fewer than asked for, that is told."""
    nearest, there = nearest_neighbours(MIDDLES, np.arange(3), np.array([1, 2]), 2)
    assert nearest[0].tolist() == [1, 2]
    assert there.tolist() == [[True, True], [True, False], [True, False]]
    assert nearest[1:, 0].tolist() == [2, 1]

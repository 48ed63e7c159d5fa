"""Tests of what counts as the same place."""

import numpy as np

from tilekeeper.vision.geometry.proximity import free_places, one_each, same_place

MIDDLES = np.array([[0.0, 0.0], [10.0, 0.0], [13.0, 4.0]])


def test_middles_nearer_than_the_limit_are_in_one_place() -> None:
    """The last two are 5 px apart; a limit for each of the others holds for its column."""
    assert same_place(MIDDLES, MIDDLES, 5.1).tolist() == [
        [True, False, False],
        [False, True, True],
        [False, True, True],
    ]
    assert same_place(MIDDLES[1:2], MIDDLES, np.array([11.0, 1.0, 4.9])).tolist() == [[True, True, False]]


def test_a_place_is_free_where_nothing_lies() -> None:
    """Without others every place is."""
    assert free_places(MIDDLES, MIDDLES[1:2], 5.1).tolist() == [True, False, False]
    assert free_places(MIDDLES, MIDDLES[:0], 5.1).all()


def test_the_first_of_each_place_is_kept() -> None:
    """What comes later in the order than one in its place goes; indices come back sorted."""
    assert one_each([2, 1, 0], MIDDLES, np.full(3, 6.0)).tolist() == [0, 2]
    assert one_each([2, 1, 0], MIDDLES, np.full(3, 4.0)).tolist() == [0, 1, 2]
    assert one_each([], MIDDLES, np.full(3, 4.0)).tolist() == []

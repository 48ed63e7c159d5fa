"""Tiles in doubt are named by what lies beside them and by what a set has; what is sure stays, doubt stays doubt."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.scoring.set_decoding import beside_neighbours, decode
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, LabelProbabilities, label_of

INKS = ("black", "blue", "orange", "red")


def named(label: str, sure: float = 0.99, other: str = "", share: float = 0.0) -> np.ndarray:
    """`(54,)` log-probabilities of a tile that is `label` with so much certainty, and `other` with so much."""
    probs = np.full(54, 1e-4)
    probs[index(label)] = sure
    if other:
        probs[index(other)] = share
    return np.log(probs / probs.sum())


def index(label: str) -> int:
    """Where a label stands in `TileNames.log_probs`."""
    return JOINT_JOKER if label == "joker" else next(i for i in range(52) if label_of(i) == label)


def labels(names: np.ndarray) -> list[str]:
    return [label_of(int(name)) for name in names]


def test_a_tile_in_doubt_takes_the_name_that_goes_with_its_neighbours() -> None:
    """Between a red 6 and a red 8 what is a 9 or, a little less likely, a 7, is a 7; it stays in doubt."""
    table = np.array([named("red-6"), named("red-9", 0.5, "red-7", 0.4), named("red-8")])
    names, doubtful = decode(table, np.array([False, True, False]), ((0, 1, 2),))
    assert labels(names) == ["red-6", "red-7", "red-8"]
    assert doubtful.tolist() == [False, True, False]


def test_a_foul_that_is_seen_well_stays_a_foul() -> None:
    """What is sure is not bent into a meld, nor is what is in doubt but far likelier to be something else."""
    table = np.array([named("red-6"), named("red-9", 0.97, "red-7", 0.02), named("red-8")])
    for doubtful in (False, True):
        names, flagged = decode(table, np.array([False, doubtful, False]), ((0, 1, 2),))
        assert labels(names) == ["red-6", "red-9", "red-8"]
        assert flagged.tolist() == [False, doubtful, False]


def test_a_group_is_liked_as_well_as_a_run() -> None:
    """Beside a black and a red 7 what is a blue 1 or 7 is a 7, in whichever direction the row is read."""
    table = np.array([named("black-7"), named("red-7"), named("blue-1", 0.5, "blue-7", 0.35)])
    for row in ((0, 1, 2), (2, 1, 0)):
        assert labels(decode(table, np.array([False, False, True]), (row,))[0])[2] == "blue-7"


def test_a_lone_tile_and_one_beside_a_joker_are_named_as_they_look() -> None:
    """Nothing beside it, or a joker, which goes with everything, says nothing."""
    table = np.array([named("red-9", 0.5, "red-7", 0.4), named("joker")])
    for rows in (((0,), (1,)), ((0, 1),)):
        assert labels(decode(table, np.array([True, False]), rows)[0]) == ["red-9", "joker"]


def test_no_name_is_given_oftener_than_a_set_has_it() -> None:
    """Of three red 7s the one that may well be a 1 is a 1, and all three are in doubt."""
    table = np.array([named("red-7"), named("red-7", 0.6, "red-1", 0.35), named("red-7", 0.9), named("blue-3")])
    names, doubtful = decode(table, np.zeros(4, bool), ((0,), (1,), (2,), (3,)))
    assert labels(names) == ["red-7", "red-1", "red-7", "blue-3"]
    assert doubtful.tolist() == [True, True, True, False]


@given(st.data())
def test_only_tiles_in_doubt_are_weighed_and_no_tile_stays_as_likely(data: st.DataObject) -> None:
    """Whatever lies beside what: sure tiles keep their probabilities, the others still add up to one."""
    count = data.draw(st.integers(1, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    numbers = np.log(rng.dirichlet(np.full(15, 0.3), count) + 1e-9)
    inks = np.log(rng.dirichlet(np.full(4, 0.3), count) + 1e-9)
    table = np.array([LabelProbabilities(*both).log_probs for both in zip(numbers, inks, strict=True)])
    doubtful = rng.random(count) < 0.5
    cut = data.draw(st.integers(0, count))
    rows = tuple(row for row in (tuple(range(cut)), tuple(range(cut, count))) if row)
    weighed = beside_neighbours(table, doubtful, rows)
    assert np.array_equal(weighed[~doubtful], table[~doubtful])
    assert np.allclose(weighed[:, JOINT_NOT_A_TILE], table[:, JOINT_NOT_A_TILE])
    assert np.allclose(np.exp(weighed).sum(axis=1), np.exp(table).sum(axis=1))
    names, flagged = decode(table, doubtful, rows)
    assert (flagged | ~doubtful).all()
    assert names.max() < JOINT_NOT_A_TILE

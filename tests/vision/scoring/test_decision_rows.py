"""Decoding the labels of doubtful tiles by their neighbours and by the stock of the set."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.scoring.decision import beside_neighbours, decode
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, LabelProbabilities, label_of

INKS = ("black", "blue", "orange", "red")


def likely(label: str, sure: float = 0.99, other: str = "", share: float = 0.0) -> np.ndarray:
    """Return `(54,)` log-probabilities: `sure` for `label`, `share` for `other`, and almost nothing for the rest."""
    probs = np.full(54, 1e-4)
    probs[index(label)] = sure
    if other:
        probs[index(other)] = share
    return np.log(probs / probs.sum())


def index(label: str) -> int:
    """Return the index of a label in `LabelProbabilities.log_probs`."""
    return JOINT_JOKER if label == "joker" else next(i for i in range(52) if label_of(i) == label)


def labels(label_indices: np.ndarray) -> list[str]:
    return [label_of(int(label_index)) for label_index in label_indices]


def test_doubtful_tile_takes_the_label_that_fits_its_neighbours() -> None:
    """Between a red 6 and a red 8, "red-9 or a little less likely red-7" becomes red-7 and stays doubtful."""
    table = np.array([likely("red-6"), likely("red-9", 0.5, "red-7", 0.4), likely("red-8")])
    label_indices, doubtful = decode(table, np.array([False, True, False]), ((0, 1, 2),))
    assert labels(label_indices) == ["red-6", "red-7", "red-8"]
    assert doubtful.tolist() == [False, True, False]


def test_clearly_read_illegal_meld_keeps_its_labels() -> None:
    """Neither a confident tile nor a doubtful one with a far likelier label is changed to make a meld legal."""
    table = np.array([likely("red-6"), likely("red-9", 0.97, "red-7", 0.02), likely("red-8")])
    for doubtful in (False, True):
        label_indices, flagged = decode(table, np.array([False, doubtful, False]), ((0, 1, 2),))
        assert labels(label_indices) == ["red-6", "red-9", "red-8"]
        assert flagged.tolist() == [False, doubtful, False]


def test_doubtful_tile_in_a_group_takes_the_label_of_the_group() -> None:
    """Beside a black and a red 7, "blue-1 or blue-7" becomes blue-7, whichever way the row is read."""
    table = np.array([likely("black-7"), likely("red-7"), likely("blue-1", 0.5, "blue-7", 0.35)])
    for row in ((0, 1, 2), (2, 1, 0)):
        assert labels(decode(table, np.array([False, False, True]), (row,))[0])[2] == "blue-7"


def test_isolated_tile_and_tile_beside_a_joker_keep_their_likeliest_label() -> None:
    """A joker fits beside every tile, so it is no evidence."""
    table = np.array([likely("red-9", 0.5, "red-7", 0.4), likely("joker")])
    for rows in (((0,), (1,)), ((0, 1),)):
        assert labels(decode(table, np.array([True, False]), rows)[0]) == ["red-9", "joker"]


def test_third_copy_of_a_tile_gets_another_label_and_all_three_are_flagged() -> None:
    """The red 7 that is likeliest to be a red 1 becomes one."""
    table = np.array([likely("red-7"), likely("red-7", 0.6, "red-1", 0.35), likely("red-7", 0.9), likely("blue-3")])
    label_indices, doubtful = decode(table, np.zeros(4, bool), ((0,), (1,), (2,), (3,)))
    assert labels(label_indices) == ["red-7", "red-1", "red-7", "blue-3"]
    assert doubtful.tolist() == [True, True, True, False]


@given(st.data())
def test_reweighting_changes_only_doubtful_tiles_and_keeps_the_chance_of_no_tile(data: st.DataObject) -> None:
    """Whatever the rows are, all probabilities still add up to one."""
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
    label_indices, flagged = decode(table, doubtful, rows)
    assert (flagged | ~doubtful).all()
    assert label_indices.max() < JOINT_NOT_A_TILE

"""A set has two of each tile: a third copy is flagged, and relabelled if another label is likely."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.recognition.inks import COPIES
from tilekeeper.vision.scoring.decision import MAX_RELABEL_LOSS_LOG, within_stock
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NO_TILE_LABEL, label_of

NAMES = [label_of(index) for index in range(54)]


def likely(label: str, sure: float = 0.999, other: str = "", share: float = 0.0) -> np.ndarray:
    """Return `(54,)` log-probabilities: `sure` for `label`, `share` for `other`, and almost nothing for the rest."""
    probs = np.full(54, 1e-7)
    probs[NAMES.index(label)] = sure
    if other:
        probs[NAMES.index(other)] = share
    return np.log(probs / probs.sum())


def read(*tiles: np.ndarray) -> tuple[list[str], list[bool]]:
    label_indices, is_flagged = within_stock(np.array(tiles).reshape(-1, 54))
    return [NAMES[label_index] for label_index in label_indices], is_flagged.tolist()


def test_two_copies_of_a_tile_are_not_flagged() -> None:
    assert read(likely("red-7"), likely("red-7"), likely("blue-7")) == (["red-7", "red-7", "blue-7"], [False] * 3)
    assert read() == ([], [])
    assert read(likely("joker")) == (["joker"], [False])


def test_third_copy_is_relabelled_where_that_costs_least() -> None:
    """All three copies are flagged, the other tile is not."""
    labels, is_flagged = read(
        likely("red-7", 0.99, "red-1", 0.009), likely("red-7", 0.7, "orange-7", 0.29), likely("red-7"), likely("red-8")
    )
    assert labels == ["red-7", "orange-7", "red-7", "red-8"]
    assert is_flagged == [True, True, True, False]


def test_surplus_tile_gets_only_a_label_that_is_still_free() -> None:
    """Both orange 7s are on the table already, so the third red 7 becomes a red 1."""
    likely_a_one = likely("red-7", 0.6, "orange-7", 0.3)
    likely_a_one[NAMES.index("red-1")] = np.log(0.01)
    labels, is_flagged = read(likely("orange-7"), likely("orange-7"), likely_a_one, *[likely("red-7")] * 2)
    assert labels == ["orange-7", "orange-7", "red-1", "red-7", "red-7"]
    assert is_flagged == [False, False, True, True, True]


def test_any_number_of_jokers_is_not_flagged() -> None:
    """Editions have two or four jokers, and vision does not know the edition."""
    assert read(*[likely("joker")] * 5) == (["joker"] * 5, [False] * 5)


def test_surplus_tile_may_become_a_joker() -> None:
    """The number of jokers on the table does not matter."""
    labels, is_flagged = read(*[likely("joker")] * 4, *[likely("red-7")] * 2, likely("red-7", 0.8, "joker", 0.19))
    assert labels == [*["joker"] * 4, "red-7", "red-7", "joker"]
    assert is_flagged == [False] * 4 + [True] * 3


@pytest.mark.parametrize("sets", [2, 3])
def test_several_sets_on_one_table_are_flagged_and_keep_their_labels(sets: int) -> None:
    """Confident tiles keep their labels; a person decides what to do about the surplus."""
    labels = [NAMES[at] for at in range(JOINT_JOKER)] * COPIES * sets
    label_indices, is_flagged = read(*(likely(label) for label in labels))
    assert label_indices == labels
    assert all(is_flagged)


def test_set_with_three_copies_allows_a_third_tile() -> None:
    three = np.array([*[likely("red-7")] * 2, likely("red-7", 0.8, "joker", 0.19)])
    for copies, label_indices in ((2, ["red-7", "red-7", "joker"]), (3, ["red-7"] * 3)):
        kept_labels, is_flagged = within_stock(three, copies)
        assert [NAMES[label_index] for label_index in kept_labels] == label_indices
        assert is_flagged.tolist() == [copies == 2] * 3


def test_106_equal_tiles_keep_their_label_and_are_flagged() -> None:
    """No relabelling makes 106 red 7s a possible table."""
    label_indices, is_flagged = read(*[likely("red-7")] * 106)
    assert set(label_indices) == {"red-7"}
    assert all(is_flagged)


@given(st.integers(0, 12), st.integers(0, 10**6), st.floats(0.05, 1.0))
def test_random_tables_keep_unflagged_labels_and_likely_labels(count: int, seed: int, spread: float) -> None:
    """Only flagged tiles are relabelled, and never to an unlikely label."""
    rng = np.random.default_rng(seed)
    log_probs = np.log(rng.dirichlet(np.full(54, spread), count) + 1e-12).reshape(-1, 54)
    log_probs[: count // 2, rng.integers(0, JOINT_JOKER)] = 0.5  # equal tiles give more surplus copies
    label_indices, is_flagged = within_stock(log_probs)
    likeliest = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    assert np.array_equal(label_indices[~is_flagged], likeliest[~is_flagged])
    assert NO_TILE_LABEL not in [NAMES[label_index] for label_index in label_indices]
    at = np.arange(count)
    assert (log_probs[at, likeliest] - log_probs[at, label_indices] <= MAX_RELABEL_LOSS_LOG + 1e-9).all()
    # no surplus tile is left that has a likely free label
    counts = np.bincount(label_indices, minlength=54)
    for label_index in np.flatnonzero(counts[:JOINT_JOKER] > COPIES):
        same_label = np.flatnonzero(label_indices == label_index)
        free = np.append(counts[:JOINT_JOKER] < COPIES, True)
        assert (
            log_probs[same_label, label_index] - np.where(free, log_probs[same_label, :53], -np.inf).max(axis=1)
            > MAX_RELABEL_LOSS_LOG
        ).all()

"""A set has two of each tile: a third is questioned, called what it may well be, and never bent where it is sure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.scoring.set_decoding import MAX_RELABEL_LOSS_LOG, within_stock
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NO_TILE_LABEL, label_of

NAMES = [label_of(index) for index in range(54)]


def looks(label: str, sure: float = 0.999, other: str = "", share: float = 0.0) -> np.ndarray:
    """`(54,)` log-probabilities of what looks like `label` and, a little, like `other`; like the rest all but not."""
    probs = np.full(54, 1e-7)
    probs[NAMES.index(label)] = sure
    if other:
        probs[NAMES.index(other)] = share
    return np.log(probs / probs.sum())


def read(*tiles: np.ndarray) -> tuple[list[str], list[bool]]:
    names, questioned = within_stock(np.array(tiles).reshape(-1, 54))
    return [NAMES[name] for name in names], questioned.tolist()


def test_two_of_a_tile_are_as_many_as_there_are() -> None:
    """Nothing is asked and nothing changed."""
    assert read(looks("red-7"), looks("red-7"), looks("blue-7")) == (["red-7", "red-7", "blue-7"], [False] * 3)
    assert read() == ([], [])
    assert read(looks("joker")) == (["joker"], [False])


def test_of_three_the_one_that_loses_least_is_called_otherwise() -> None:
    """All three that look alike are in question, the others are not."""
    labels, questioned = read(
        looks("red-7", 0.99, "red-1", 0.009), looks("red-7", 0.7, "orange-7", 0.29), looks("red-7"), looks("red-8")
    )
    assert labels == ["red-7", "orange-7", "red-7", "red-8"]
    assert questioned == [True, True, True, False]


def test_the_name_that_it_gets_must_be_free() -> None:
    """Where both orange sevens lie there already, the third red one becomes a red 1."""
    likely_a_one = looks("red-7", 0.6, "orange-7", 0.3)
    likely_a_one[NAMES.index("red-1")] = np.log(0.01)
    labels, questioned = read(looks("orange-7"), looks("orange-7"), likely_a_one, *[looks("red-7")] * 2)
    assert labels == ["orange-7", "orange-7", "red-1", "red-7", "red-7"]
    assert questioned == [False, False, True, True, True]


def test_jokers_come_in_any_number() -> None:
    """Editions have two or four of them: vision does not say how many are too many."""
    assert read(*[looks("joker")] * 5) == (["joker"] * 5, [False] * 5)


def test_one_too_many_may_well_be_a_joker() -> None:
    """However many jokers there are already."""
    labels, questioned = read(*[looks("joker")] * 4, *[looks("red-7")] * 2, looks("red-7", 0.8, "joker", 0.19))
    assert labels == [*["joker"] * 4, "red-7", "red-7", "joker"]
    assert questioned == [False] * 4 + [True] * 3


@pytest.mark.parametrize("sets", [2, 3])
def test_several_sets_on_one_table_are_questioned_and_not_bent(sets: int) -> None:
    """Tiles that are told well keep their names; that they are too many is for a person to say."""
    labels = [NAMES[at] for at in range(JOINT_JOKER)] * COPIES * sets
    names, questioned = read(*(looks(label) for label in labels))
    assert names == labels
    assert all(questioned)


def test_a_set_may_have_more_of_each() -> None:
    """Of a third copy that might be a joker nothing is asked where the set has three."""
    three = np.array([*[looks("red-7")] * 2, looks("red-7", 0.8, "joker", 0.19)])
    for copies, names in ((2, ["red-7", "red-7", "joker"]), (3, ["red-7"] * 3)):
        kept_labels, questioned = within_stock(three, copies)
        assert [NAMES[name] for name in kept_labels] == names
        assert questioned.tolist() == [copies == 2] * 3


def test_all_tiles_alike_stay_so() -> None:
    """106 red sevens are no table of this game, and no other one either."""
    names, questioned = read(*[looks("red-7")] * 106)
    assert set(names) == {"red-7"}
    assert all(questioned)


@given(st.integers(0, 12), st.integers(0, 10**6), st.floats(0.05, 1.0))
def test_what_comes_out_holds_whatever_goes_in(count: int, seed: int, spread: float) -> None:
    """Every tile gets a name; only tiles in question change theirs, and none for one that is far from likely."""
    rng = np.random.default_rng(seed)
    log_probs = np.log(rng.dirichlet(np.full(54, spread), count) + 1e-12).reshape(-1, 54)
    log_probs[: count // 2, rng.integers(0, JOINT_JOKER)] = 0.5  # the more that look alike, the more is in question
    names, questioned = within_stock(log_probs)
    likeliest = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    assert np.array_equal(names[~questioned], likeliest[~questioned])
    assert NO_TILE_LABEL not in [NAMES[name] for name in names]
    at = np.arange(count)
    assert (log_probs[at, likeliest] - log_probs[at, names] <= MAX_RELABEL_LOSS_LOG + 1e-9).all()
    # what could still be called otherwise and is too many does not exist
    counts = np.bincount(names, minlength=54)
    for name in np.flatnonzero(counts[:JOINT_JOKER] > COPIES):
        alike = np.flatnonzero(names == name)
        free = np.append(counts[:JOINT_JOKER] < COPIES, True)
        assert (
            log_probs[alike, name] - np.where(free, log_probs[alike, :53], -np.inf).max(axis=1) > MAX_RELABEL_LOSS_LOG
        ).all()

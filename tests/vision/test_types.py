"""Class probabilities and labels of a tile."""

import numpy as np
import pytest

from tilekeeper.vision.types import (
    INKS,
    JOINT_JOKER,
    JOINT_NOT_A_TILE,
    NO_TILE_LABEL,
    LabelProbabilities,
    Sighting,
    label_of,
)

QUAD = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)


def some_probabilities() -> LabelProbabilities:
    number = np.array([0.02] * 15)
    number[6], number[13], number[14] = 0.5, 0.15, 0.11
    ink = np.array([0.1, 0.2, 0.3, 0.4])
    return LabelProbabilities(np.log(number), np.log(ink))


def test_joint_probabilities_add_up_to_one() -> None:
    """The 54 classes are 13 numbers in 4 inks, the joker and no tile."""
    joint = np.exp(some_probabilities().log_probs)
    assert joint.shape == (54,)
    assert joint.sum() == pytest.approx(1)
    assert joint[6 * 4 + 3] == pytest.approx(0.5 * 0.4)
    assert joint[JOINT_JOKER] == pytest.approx(0.15)
    assert joint[JOINT_NOT_A_TILE] == pytest.approx(0.11)


def test_labels_use_the_editions_ink_names() -> None:
    labels = [label_of(index) for index in range(54)]
    assert len(set(labels)) == 54
    assert (labels[0], labels[27], labels[51]) == ("black-1", "red-7", "red-13")
    assert labels[52:] == ["joker", NO_TILE_LABEL]
    cards = ("black", "blue", "yellow", "red")
    assert label_of(2 * 4 + 2, cards) == "yellow-3"
    assert INKS == ("black", "blue", "orange", "red")


@pytest.mark.parametrize("index", [-1, 54])
def test_unknown_label_index_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="54 names"):
        label_of(index)


def test_wrong_shape_is_refused_with_the_expected_one() -> None:
    with pytest.raises(ValueError, match=r"number_log_probs must be \(15,\), got \(14,\)"):
        LabelProbabilities(np.zeros(14), np.zeros(4))
    with pytest.raises(ValueError, match=r"ink_log_probs must be \(4,\)"):
        LabelProbabilities(np.zeros(15), np.zeros((1, 4)))
    with pytest.raises(ValueError, match=r"quad_px must be \(4, 2\)"):
        Sighting(0, np.zeros((4, 3)), some_probabilities())
    assert Sighting(0, QUAD, some_probabilities()).log_probs.shape == (54,)

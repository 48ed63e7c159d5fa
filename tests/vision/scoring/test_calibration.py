"""Logistic regression of the confidence: the effect of each feature, and the weights in the manifest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.support.tile_tables import tile_row
from tilekeeper.vision.scoring.calibration import FEATURES, MAX_LABEL_LOG_ODDS, Confidence, chances, confidence_features
from tilekeeper.vision.types import LabelProbabilities


def label_probs(number: int, chance: float, ink: int, ink_chance: float) -> LabelProbabilities:
    """Return a tile with one likely number and one likely ink; the rest of the probability is spread evenly."""
    numbers, inks = np.full(15, (1 - chance) / 14), np.full(4, (1 - ink_chance) / 3)
    numbers[number], inks[ink] = chance, ink_chance
    return LabelProbabilities(np.log(numbers), np.log(inks))


def feature_values(name: str, tiles: Sequence[LabelProbabilities], by_person: np.ndarray | None = None) -> np.ndarray:
    """Return one feature of every tile of a table."""
    by_nobody, log_probs = np.zeros(len(tiles), bool), np.array([tile.log_probs for tile in tiles])
    features = confidence_features(log_probs, by_nobody if by_person is None else by_person)
    return features[:, FEATURES.index(name)]


def test_label_log_odds_multiply_number_and_ink_and_are_capped() -> None:
    """Above the cap only the networks' rounding would count. The ink of a joker does not count."""
    of = [label_probs(6, 0.9, 2, 0.8), label_probs(6, 1 - 1e-9, 2, 1 - 1e-9), label_probs(13, 0.99, 1, 0.3)]
    assert feature_values("name_log_odds", of) == pytest.approx([np.log(0.72 / 0.28), MAX_LABEL_LOG_ODDS, np.log(99)])


def test_others_feature_counts_all_tiles_but_the_tile_itself() -> None:
    """A confident tile among unreadable tiles gets a low value; an isolated tile is compared with itself."""
    sure, unsure = label_probs(2, 0.999, 0, 0.999), label_probs(2, 0.6, 0, 0.999)
    well, badly = feature_values("others", [sure] * 20)[0], feature_values("others", [unsure])[0]
    assert badly < 0.2 * well
    assert feature_values("others", [sure])[0] == pytest.approx(well)
    assert feature_values("others", [sure, *[unsure] * 40])[0] < badly + 0.05 * well
    assert feature_values("others", [unsure, *[sure] * 40])[0] > well - 0.05 * well


def test_few_feature_is_one_for_an_isolated_tile_and_falls_with_each_other_tile() -> None:
    """False detections and tiles labelled by a person are not counted."""
    tile, cloth = label_probs(2, 0.9, 0, 0.999), label_probs(14, 1 - 1e-9, 0, 0.5)
    assert [feature_values("few", [tile] * count)[0] for count in (1, 2, 4)] == pytest.approx(
        [1, 1 / 2, 1 / 4], rel=0.1
    )
    assert feature_values("few", [tile, cloth, cloth])[0] == pytest.approx(1)
    assert feature_values("few", [tile, tile], np.array([False, True]))[0] == pytest.approx(1)


def test_growing_chance_of_the_neighbour_raises_the_others_feature_smoothly() -> None:
    """The neighbour counts by its probability of being a tile, without a step."""

    def value_beside(chance: float) -> float:
        numbers = np.full(15, 1e-6)
        numbers[2], numbers[14] = chance, 1 - chance
        other = LabelProbabilities(np.log(numbers / numbers.sum()), np.log([0.997, 0.001, 0.001, 0.001]))
        return float(feature_values("others", [label_probs(2, 0.6, 0, 0.999), other])[0])

    values = [value_beside(chance) for chance in np.linspace(0.02, 0.98, 49)]
    steps = np.diff(values)
    assert (steps > 0).all()
    assert steps.max() < 0.3


def test_tiles_labelled_by_a_person_are_not_counted_as_others() -> None:
    """A correction only shows that there was a mistake, not how readable the other tiles are."""
    unsure, corrected = label_probs(2, 0.6, 0, 0.999), label_probs(4, 1 - 1e-12, 0, 1 - 1e-12)
    of = [unsure, unsure, *[corrected] * 6]
    assert feature_values("others", of, np.arange(8) > 1)[0] == pytest.approx(
        feature_values("others", [unsure, unsure])[0]
    )


def test_false_detections_are_not_counted_as_others() -> None:
    """A pattern of the cloth that was detected as a tile hardly changes the feature of one tile or of two."""
    sure, cloth = label_probs(2, 0.999, 0, 0.999), label_probs(14, 0.99, 0, 0.5)
    assert feature_values("others", [sure, cloth, cloth])[0] == pytest.approx(
        feature_values("others", [sure])[0], abs=0.4
    )
    both = feature_values("others", [sure, sure, cloth])[:2]
    assert both == pytest.approx(feature_values("others", [sure, sure])[:2], abs=0.2)


def test_empty_table_has_no_features_and_no_confidence() -> None:
    nobody = np.zeros(0, bool)
    assert confidence_features(np.zeros((0, 54)), nobody).shape == (0, len(FEATURES))
    nothing = tile_row("red-7", np.zeros((4, 2)), 1.0, False).at(nobody.nonzero()[0])
    assert Confidence((1.0,) * len(FEATURES), 0.0)(nothing).shape == (0,)


@pytest.mark.parametrize("at", FEATURES)
def test_positive_weight_raises_the_confidence(at: str) -> None:
    """The confidence always stays between 0 and 1."""
    weights = np.array([float(feature_values == at) for feature_values in FEATURES])
    low, high = np.zeros(len(FEATURES)), weights * 3
    assert 0 < chances(low[None], weights, -1)[0] < chances(high[None], weights, -1)[0] < 1


def test_weights_are_read_from_the_manifest_by_name() -> None:
    """Without a fit there is no confidence, an unknown feature is an error, and a missing feature has weight 0."""
    assert Confidence.of_manifest({}) is None
    assert Confidence.of_manifest({"reader": {"doubtful_below": 0.9}}) is None
    fitted = {"reader": {"confidence": {"weights": {"few": 1.5}, "bias": 2}}}
    assert Confidence.of_manifest(fitted) == Confidence(
        tuple(1.5 if feature_values == "few" else 0.0 for feature_values in FEATURES), 2.0
    )
    with pytest.raises(ValueError, match="hue"):
        Confidence.of_manifest({"reader": {"confidence": {"weights": {"hue": 1.0}, "bias": 0}}})
    with pytest.raises(ValueError, match=str(len(FEATURES))):
        Confidence((1.0,), 0.0)

"""Confidence from several signs: each sign moves it the way it should, and weights come from the manifest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.support.tile_tables import tile_row
from tilekeeper.vision.scoring.calibration import MAX_LABEL_LOG_ODDS, SIGNS, Confidence, signs_of
from tilekeeper.vision.scoring.tileness import chances
from tilekeeper.vision.types import LabelProbabilities


def names(number: int, chance: float, ink: int, ink_chance: float) -> LabelProbabilities:
    """A tile that is likely one number and ink, the rest shared out evenly."""
    numbers, inks = np.full(15, (1 - chance) / 14), np.full(4, (1 - ink_chance) / 3)
    numbers[number], inks[ink] = chance, ink_chance
    return LabelProbabilities(np.log(numbers), np.log(inks))


def sign(name: str, tiles: Sequence[LabelProbabilities], by_person: np.ndarray | None = None) -> np.ndarray:
    """One sign of each of the tiles of a table."""
    by_nobody, log_probs = np.zeros(len(tiles), bool), np.array([tile.log_probs for tile in tiles])
    signs = signs_of(log_probs, by_nobody if by_person is None else by_person)
    return signs[:, SIGNS.index(name)]


def test_log_odds_of_what_is_likeliest() -> None:
    """Of number and ink together, cut off where the networks' last digits would speak; a joker has any ink."""
    of = [names(6, 0.9, 2, 0.8), names(6, 1 - 1e-9, 2, 1 - 1e-9), names(13, 0.99, 1, 0.3)]
    assert sign("name_log_odds", of) == pytest.approx([np.log(0.72 / 0.28), MAX_LABEL_LOG_ODDS, np.log(99)])


def test_others_are_all_but_the_tile_itself() -> None:
    """Among tiles that can hardly be named, one that is sure stands in bad company; a lone tile is its own company."""
    sure, unsure = names(2, 0.999, 0, 0.999), names(2, 0.6, 0, 0.999)
    well, badly = sign("others", [sure] * 20)[0], sign("others", [unsure])[0]
    assert badly < 0.2 * well
    assert sign("others", [sure])[0] == pytest.approx(well)
    assert sign("others", [sure, *[unsure] * 40])[0] < badly + 0.05 * well
    assert sign("others", [unsure, *[sure] * 40])[0] > well - 0.05 * well


def test_few_is_a_whole_for_a_tile_by_itself_and_less_for_each_other() -> None:
    """What people said, and what is no tile, is no company here either."""
    tile, cloth = names(2, 0.9, 0, 0.999), names(14, 1 - 1e-9, 0, 0.5)
    assert [sign("few", [tile] * count)[0] for count in (1, 2, 4)] == pytest.approx([1, 1 / 2, 1 / 4], rel=0.1)
    assert sign("few", [tile, cloth, cloth])[0] == pytest.approx(1)
    assert sign("few", [tile, tile], np.array([False, True]))[0] == pytest.approx(1)


def test_company_grows_evenly() -> None:
    """Nothing changes by a step with the chance that another is a tile: what is half a tile is half a company."""

    def beside(chance: float) -> float:
        numbers = np.full(15, 1e-6)
        numbers[2], numbers[14] = chance, 1 - chance
        other = LabelProbabilities(np.log(numbers / numbers.sum()), np.log([0.997, 0.001, 0.001, 0.001]))
        return float(sign("others", [names(2, 0.6, 0, 0.999), other])[0])

    said = [beside(chance) for chance in np.linspace(0.02, 0.98, 49)]
    steps = np.diff(said)
    assert (steps > 0).all()
    assert steps.max() < 0.3


def test_what_people_said_is_no_company() -> None:
    """Corrections show no more of how well the rest can be named than that there were mistakes."""
    unsure, corrected = names(2, 0.6, 0, 0.999), names(4, 1 - 1e-12, 0, 1 - 1e-12)
    of = [unsure, unsure, *[corrected] * 6]
    assert sign("others", of, np.arange(8) > 1)[0] == pytest.approx(sign("others", [unsure, unsure])[0])


def test_what_is_no_tile_is_no_company() -> None:
    """A pattern of the cloth that the detector took for a tile makes a single tile no less sure, nor a pair of them."""
    sure, cloth = names(2, 0.999, 0, 0.999), names(14, 0.99, 0, 0.5)
    assert sign("others", [sure, cloth, cloth])[0] == pytest.approx(sign("others", [sure])[0], abs=0.4)
    both = sign("others", [sure, sure, cloth])[:2]
    assert both == pytest.approx(sign("others", [sure, sure])[:2], abs=0.2)


def test_no_tiles_have_no_signs() -> None:
    """An empty table is no error."""
    nobody = np.zeros(0, bool)
    assert signs_of(np.zeros((0, 54)), nobody).shape == (0, len(SIGNS))
    nothing = tile_row("red-7", np.zeros((4, 2)), 1.0, False).at(nobody.nonzero()[0])
    assert Confidence((1.0,) * len(SIGNS), 0.0)(nothing).shape == (0,)


@pytest.mark.parametrize("at", SIGNS)
def test_weights_raise_the_chance(at: str) -> None:
    """More of a sign with a weight above 0 means more confidence; all stays between 0 and 1."""
    weights = np.array([float(sign == at) for sign in SIGNS])
    low, high = np.zeros(len(SIGNS)), weights * 3
    assert 0 < chances(low[None], weights, -1)[0] < chances(high[None], weights, -1)[0] < 1


def test_weights_come_from_the_manifest() -> None:
    """By name; none fitted is none, an unknown sign is an error, one left out counts nothing."""
    assert Confidence.of_manifest({}) is None
    assert Confidence.of_manifest({"reader": {"doubtful_below": 0.9}}) is None
    fitted = {"reader": {"confidence": {"weights": {"few": 1.5}, "bias": 2}}}
    assert Confidence.of_manifest(fitted) == Confidence(tuple(1.5 if sign == "few" else 0.0 for sign in SIGNS), 2.0)
    with pytest.raises(ValueError, match="hue"):
        Confidence.of_manifest({"reader": {"confidence": {"weights": {"hue": 1.0}, "bias": 0}}})
    with pytest.raises(ValueError, match=str(len(SIGNS))):
        Confidence((1.0,), 0.0)

"""Classifier output: which quads are tiles, and with which certainty."""

import numpy as np
import pytest

from tilekeeper.vision.tile_table import Appearances
from tilekeeper.vision.types import INKS, JOKER, NOT_A_TILE, NUMBERS


def appearance(**numbers: float) -> Appearances:
    """Return the output for a black tile: probabilities of `none`, `joker`, `n1` to `n13`, the rest shared evenly."""
    places = {"none": NOT_A_TILE, "joker": JOKER} | {f"n{n}": n - 1 for n in range(1, NUMBERS + 1)}
    chances = np.full(NUMBERS + 2, max(1 - sum(numbers.values()), 1e-6) / (NUMBERS + 2 - len(numbers)))
    for name, chance in numbers.items():
        chances[places[name]] = chance
    inks = np.full(len(INKS), 1e-6)
    inks[0] = 1
    shapes = (1,), (1, 4, 2), (1, 3), (1, 0)
    return Appearances(np.log(chances)[None], np.log(inks)[None], *map(np.zeros, shapes))


@pytest.mark.parametrize(
    ("chances", "tile", "certainty"),
    [
        pytest.param({"n7": 0.9}, True, 0.9, id="a name"),
        pytest.param({"none": 0.9}, False, 0.0, id="none"),
        pytest.param({"none": 0.4, "n3": 0.2, "n8": 0.2, "n6": 0.2}, True, 0.2, id="a tile that can't be read"),
        pytest.param({"none": 0.6, "n3": 0.2, "n8": 0.2}, False, 0.0, id="likelier none than all names together"),
        pytest.param({"joker": 0.8}, True, 0.8, id="a joker, which needs no ink"),
    ],
)
def test_likely_tile_has_the_certainty_of_its_best_label(
    chances: dict[str, float], tile: bool, certainty: float
) -> None:
    """ "No tile" is compared with all labels together."""
    output = appearance(**chances)
    assert output.is_tile.tolist() == [tile]
    assert output.certainty() == pytest.approx([certainty], abs=1e-4)


@pytest.mark.parametrize(
    ("chances", "numbered"),
    [
        pytest.param({"none": 0.02, "n3": 0.2, "n8": 0.2}, True, id="a number that can't be read"),
        pytest.param({"none": 0.02, "n3": 0.9}, True, id="a number that can"),
        pytest.param({"none": 0.1, "n3": 0.9}, False, id="it may be none"),
        pytest.param({"none": 0.01, "joker": 0.6}, True, id="a joker or a number"),
        pytest.param({"none": 0.01, "joker": 0.8}, False, id="hardly a number"),
    ],
)
def test_certain_number_tile_is_surely_numbered_even_if_unreadable(chances: dict[str, float], numbered: bool) -> None:
    assert appearance(**chances).is_surely_numbered.tolist() == [numbered]


def test_tile_is_a_joker_if_that_is_its_best_label() -> None:
    assert appearance(joker=0.5, n7=0.4).is_joker.tolist() == [True]
    assert appearance(joker=0.4, n7=0.5).is_joker.tolist() == [False]

"""The inks of one table are told by comparing its tiles; what is alone, or has no number, is left as it was named."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.recognition.ink_evidence import InkEvidence
from tilekeeper.vision.recognition.ink_mixture import MIN_INK_MIXTURE_TILES, ink_absorption
from tilekeeper.vision.recognition.ink_mixture import joint_inks as joint_inks_of
from tilekeeper.vision.recognition.ink_pairs import INK_ABSORPTION_RGB_SHARE
from tilekeeper.vision.types import JOKER, WHITE

BLACK, BLUE, WARM, RED = range(4)


def joint_inks(log_probs: np.ndarray, colours: np.ndarray, number_log_probs: np.ndarray) -> np.ndarray:
    """The inks of a table of which nobody has named a tile."""
    return joint_inks_of(InkEvidence(log_probs, colours, np.full(len(log_probs), -1)), number_log_probs)


def table(rng: np.random.Generator, inks: list[int], lamp: np.ndarray, noise: float = 0.02) -> np.ndarray:
    """What the inks of a table take from the light of a lamp, `(N, 3)` of length 1."""
    colours = np.array(INK_ABSORPTION_RGB_SHARE)[inks] * lamp + rng.normal(0, noise, (len(inks), 3))
    return colours / np.linalg.norm(colours, axis=1, keepdims=True)


def named(inks: list[int], sure: float | list[float] = 0.95) -> np.ndarray:
    """Log-probabilities `(N, 4)` of a classifier that gives each tile's ink so much of its certainty."""
    share = np.broadcast_to(sure, len(inks))
    probs = np.repeat((1 - share)[:, None] / 3, 4, axis=1)
    probs[np.arange(len(inks)), inks] = share
    return np.log(probs)


def numbers(of_each: list[int | None]) -> np.ndarray:
    """Log-probabilities `(N, 15)` of a classifier that is all but certain of each tile's number, 1 to 13; None: a
    joker."""
    probs = np.full((len(of_each), 15), 1e-6)
    probs[np.arange(len(of_each)), [JOKER if number is None else number - 1 for number in of_each]] = 1 - 14e-6
    return np.log(probs)


def spread(inks: list[int]) -> np.ndarray:
    """Numbers for tiles of these inks so that none is there a third time."""
    seen: dict[int, int] = {}
    of_each = []
    for ink in inks:
        of_each.append(seen.get(ink, 0) // 2 % 13 + 1)
        seen[ink] = seen.get(ink, 0) + 1
    return numbers(of_each)


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.7, 1.0, 1.1), (1.1, 1.0, 0.75)])
def test_a_tile_in_doubt_goes_with_those_that_look_alike(lamp: tuple[float, float, float]) -> None:
    """Two red tiles that the classifier takes for orange, by a little, are red among the red ones."""
    inks = [BLACK, BLUE, WARM, RED] * 6
    said = list(inks)
    said[3] = said[7] = WARM
    sure = [0.95] * len(inks)
    sure[3] = sure[7] = 0.6
    colours = table(np.random.default_rng(1), inks, np.array(lamp))
    joint = joint_inks(named(said, sure), colours, spread(inks))
    assert joint.argmax(axis=1).tolist() == inks
    assert np.exp(joint).sum(axis=1) == pytest.approx(1)


def test_agreement_makes_surer_and_never_turns_a_sure_tile() -> None:
    """Where the classifier is right and sure, it stays so, and most doubts go."""
    rng = np.random.default_rng(2)
    inks = rng.integers(0, 4, 60).tolist()
    before = named(inks, rng.uniform(0.5, 0.99, 60).tolist())
    after = joint_inks(before, table(rng, inks, np.ones(3)), spread(inks))
    assert after.argmax(axis=1).tolist() == inks
    assert (after.max(axis=1) < np.log(0.9)).sum() < (before.max(axis=1) < np.log(0.9)).sum() / 4


def test_few_tiles_are_left_as_they_were() -> None:
    """One short of enough changes nothing, and neither do jokers, which come in any ink."""
    inks = [BLUE] * (MIN_INK_MIXTURE_TILES + 3)
    colours = table(np.random.default_rng(3), inks, np.ones(3))
    before = named(inks, 0.8)
    few = numbers([number + 1 if number < MIN_INK_MIXTURE_TILES - 1 else None for number in range(len(inks))])
    assert np.array_equal(joint_inks(before, colours, few), before)
    assert not np.allclose(joint_inks(before, colours, spread(inks)), before)
    assert joint_inks(np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 15))).shape == (0, 4)


def test_an_ink_that_is_on_no_tile_takes_none() -> None:
    """On a table of black and red alone nothing becomes blue or orange."""
    inks = [BLACK, RED] * 10
    colours = table(np.random.default_rng(4), inks, np.array((0.8, 1.0, 1.0)))
    joint = joint_inks(named(inks, 0.5), colours, spread(inks))
    assert joint.argmax(axis=1).tolist() == inks


def test_an_orange_as_dark_as_red_is_told_by_what_a_set_has() -> None:
    """Where the classifier takes all orange for red, four red ones of each number can't be: the two less red are
    orange."""
    inks = [BLACK, BLUE, WARM, RED] * 6
    colours = table(np.random.default_rng(5), inks, np.ones(3), 0.01)
    warm = np.array(inks) == WARM
    dark = 0.8 * np.array(INK_ABSORPTION_RGB_SHARE)[RED] + 0.2 * np.array(INK_ABSORPTION_RGB_SHARE)[WARM]
    colours[warm] = dark / np.linalg.norm(dark)
    before = named(inks, 0.9)
    before[warm] = np.log([0.01, 0.01, 0.14, 0.84])
    of_each = numbers([at // 8 + 1 for at in range(len(inks))])
    assert joint_inks(before, colours, of_each).argmax(axis=1).tolist() == inks
    # with a number for each, and colours that are one cluster, nothing says that they are not red
    apart = numbers([at % 12 + 1 for at in range(len(inks))])
    alike = colours.copy()
    alike[warm] = colours[np.array(inks) == RED]
    assert set(joint_inks(before, alike, apart).argmax(axis=1)[warm]) == {RED}


@pytest.mark.parametrize("many", [3, 8, 40, 106])
def test_all_tiles_alike_are_not_made_into_others(many: int) -> None:
    """Red sevens alone, more than a set has: each is named surely, and none is turned to blue or black for it."""
    inks = [RED] * many
    colours = table(np.random.default_rng(6), inks, np.ones(3))
    joint = joint_inks(named(inks, 0.9999), colours, numbers([7] * many))
    assert joint.argmax(axis=1).tolist() == inks
    assert np.isfinite(joint).all()


def test_two_sets_on_one_table_keep_their_inks() -> None:
    """Four of each tile, told well: nothing is bent into one set."""
    inks = [BLACK, BLUE, WARM, RED] * 52
    of_each = [at // 16 + 1 for at in range(208)]
    colours = table(np.random.default_rng(7), inks, np.ones(3))
    joint = joint_inks(named(inks, 0.999), colours, numbers(of_each))
    assert joint.argmax(axis=1).tolist() == inks


@pytest.mark.parametrize("strength", [1.0, 0.6, 0.3])
def test_thin_strokes_take_the_same_from_the_light(strength: float) -> None:
    """Ink mixed with the white of the face has the same colour, less of it."""
    crops = np.ones((2, 72, 48, 3))
    wanted = np.array([(0.2, 0.8, 0.7), (0.9, 0.6, 0.1)])
    crops[:, 20:40, 18:30] -= strength * wanted[:, None, None, ::-1]
    seen = ink_absorption(np.rint(WHITE * crops).astype(np.uint8))
    assert seen == pytest.approx(wanted / np.linalg.norm(wanted, axis=1, keepdims=True), abs=0.01)


def test_a_blank_crop_has_no_colour_and_makes_no_error() -> None:
    """A face without print takes nothing; nothing is not a number either."""
    assert np.isfinite(ink_absorption(np.full((1, 72, 48, 3), WHITE, np.uint8))).all()

"""Inks of printings: wide ones change nothing else, and all inks of a set stay apart."""

import colorsys
from dataclasses import replace

import numpy as np
import pytest

from tilekeeper.datasets.synthesis.printings.printing import (
    LEAST_INK_DISTANCE,
    WIDE_INKS,
    Printing,
    draw_printing,
    ink_distance,
)

SETS = 400


def hue_and_value(ink_bgr: tuple[int, int, int]) -> tuple[float, float]:
    """Hue in degrees, and value from 0 to 1."""
    hue, _, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in ink_bgr[::-1]))
    return hue * 360, value


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Printing, Printing]]:
    """Printings drawn without and with wide inks, from the same seeds."""
    return [
        (draw_printing(np.random.default_rng(seed)), draw_printing(np.random.default_rng(seed), wide_inks=True))
        for seed in range(SETS)
    ]


@pytest.mark.parametrize(
    ("seed", "inks"),
    [
        (7, ((33, 39, 35), (194, 27, 14), (34, 142, 230), (18, 34, 145))),
        (48, ((20, 20, 18), (209, 71, 21), (22, 100, 250), (61, 21, 188))),
        (101, ((60, 60, 60), (198, 111, 45), (13, 150, 240), (75, 50, 166))),
    ],
)
def test_held_out_printing_of_a_seed_keeps_its_inks(seed: int, inks: tuple[tuple[int, int, int], ...]) -> None:
    """The rendered sets of the benches are the same as before."""
    assert draw_printing(np.random.default_rng(seed), "kept-out").inks_bgr == inks


def test_wide_inks_change_nothing_but_inks(pairs: list[tuple[Printing, Printing]]) -> None:
    """All other choices are equal, black and red stay, and so does the generator of the caller."""
    assert all(replace(wide, inks_bgr=usual.inks_bgr) == usual for usual, wide in pairs)
    assert all(wide.inks_bgr[::3] == usual.inks_bgr[::3] for usual, wide in pairs)
    usual_rng, wide_rng = np.random.default_rng(1), np.random.default_rng(1)
    draw_printing(usual_rng)
    draw_printing(wide_rng, wide_inks=True)
    assert usual_rng.bit_generator.state == wide_rng.bit_generator.state


def test_wide_inks_are_dark_orange_and_teal_in_their_share_of_sets(pairs: list[tuple[Printing, Printing]]) -> None:
    """Both are drawn in about the stated share, less what would be too near another ink."""
    warm = [hue_and_value(wide.inks_bgr[2]) for usual, wide in pairs if wide.inks_bgr[2] != usual.inks_bgr[2]]
    teal = [hue_and_value(wide.inks_bgr[1]) for usual, wide in pairs if wide.inks_bgr[1] != usual.inks_bgr[1]]
    assert all(15 <= hue <= 37 and 0.44 <= value <= 0.81 for hue, value in warm)
    assert all(175 <= hue <= 201 and 0.39 <= value <= 0.81 for hue, value in teal)
    assert 0.6 * WIDE_INKS < len(warm) / SETS < 1.2 * WIDE_INKS
    assert 0.6 * WIDE_INKS < len(teal) / SETS < 1.2 * WIDE_INKS


def test_wide_ink_differs_from_all_other_inks_of_its_set(pairs: list[tuple[Printing, Printing]]) -> None:
    """A dark orange is never as near to red as to be taken for it."""
    for usual, wide in pairs:
        for place in (1, 2):
            if wide.inks_bgr[place] != usual.inks_bgr[place]:
                others = [ink for at, ink in enumerate(wide.inks_bgr) if at != place]
                assert min(ink_distance(wide.inks_bgr[place], ink) for ink in others) > LEAST_INK_DISTANCE

"""Lamps tint as black bodies do, and what lies in their light keeps what a camera can keep of it."""

import numpy as np
import pytest

from tilekeeper.models.training.lamps import DAYLIGHT_XY, chromaticity, lamp_matrix, under_lamp


@pytest.mark.parametrize(
    ("kelvin", "xy"),
    [(2000, (0.5267, 0.4133)), (2700, (0.4599, 0.4106)), (4000, (0.3804, 0.3767)), (10_000, (0.2807, 0.2883))],
)
def test_black_bodies_have_the_colour_that_tables_give(kelvin: float, xy: tuple[float, float]) -> None:
    assert chromaticity(kelvin) == pytest.approx(xy, abs=0.002)


def test_daylight_changes_nothing() -> None:
    assert lamp_matrix(DAYLIGHT_XY) == pytest.approx(np.eye(3), abs=1e-6)


@pytest.mark.parametrize(("kelvin", "brightest", "darkest"), [(2700, 2, 0), (12_000, 0, 2)])
def test_white_keeps_its_brightest_channel_and_loses_most_of_another(kelvin, brightest, darkest) -> None:
    lit = under_lamp(np.full((4, 4, 3), 240, np.float32), kelvin)[0, 0]
    assert lit.argmax() == brightest
    assert lit.argmin() == darkest
    assert lit[brightest] == pytest.approx(240, abs=1)
    assert lit[darkest] < 0.85 * 240


def test_nothing_gets_darker_than_black() -> None:
    orange = np.tile(np.float32([10, 120, 250]), (3, 3, 1))
    assert under_lamp(orange, 2300).min() >= 0

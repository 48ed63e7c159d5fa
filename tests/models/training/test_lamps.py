"""Lamps tint as black bodies do, and what lies in their light keeps what a camera can keep of it."""

import json

import numpy as np
import pytest

from tilekeeper.models.training.lamps import (
    DAYLIGHT_XY,
    LAMPS,
    chromaticity,
    lamp_matrix,
    measured_lamps,
    seeming,
    some_lamp,
    under_lamp,
)


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


TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.95]])


@pytest.mark.parametrize(
    ("lamp", "xy"),
    [("FL2", (0.3721, 0.3751)), ("FL11", (0.3805, 0.3769)), ("LED-B1", (0.4560, 0.4078)), ("LED-B5", (0.3118, 0.3236))],
)
def test_lamps_of_measured_spectra_have_the_colour_that_the_cie_gives(lamp: str, xy: tuple[float, float]) -> None:
    """White as a camera sees it that sees as people do (CIE 15:2018, tables of illuminants)."""
    (of_eye,) = (one for one in json.loads(LAMPS.read_text("utf-8")) if (one["lamp"], one["camera"]) == (lamp, "eye"))
    white = TO_XYZ @ np.array(of_eye["to_lamp"]) @ np.ones(3)
    assert (white[0] / white.sum(), white[1] / white.sum()) == pytest.approx(xy, abs=0.003)


def test_every_measured_lamp_is_one_of_two_cameras_and_keeps_the_brightest_channel_of_white() -> None:
    lamps = json.loads(LAMPS.read_text("utf-8"))
    assert len({(one["lamp"], one["camera"]) for one in lamps}) == len(lamps) == len(measured_lamps())
    whites = measured_lamps() @ np.ones(3)
    assert whites.max(axis=1) == pytest.approx(1, abs=1e-4)
    assert whites.min() > 0.05


def test_white_under_a_measured_lamp_looks_as_the_camera_leaves_it_and_colours_do_not() -> None:
    """White is that of the black body; a red is another one under each of the lamps."""
    white, red = np.full((1, 1, 3), 220, np.float32), np.tile(np.float32([40, 30, 200]), (1, 1, 1))
    reds = []
    for lamp in measured_lamps():
        assert seeming(lamp, 4000) @ np.ones(3) == pytest.approx(lamp_matrix(chromaticity(4000)) @ np.ones(3))
        assert under_lamp(white, 4000, lamp) == pytest.approx(under_lamp(white, 4000), abs=0.5)
        reds.append(under_lamp(red, 4000, lamp)[0, 0])
    assert np.ptp(reds, axis=0).max() > 15
    assert np.abs(np.array(reds) - under_lamp(red, 4000)[0, 0]).max(axis=1).min() > 0.2


def test_some_lamps_are_black_bodies() -> None:
    assert {some_lamp(np.random.default_rng(seed)) is None for seed in range(20)} == {True, False}

"""Light of lamps: black bodies and measured spectra, with the white balance of a camera."""

import json

import numpy as np
import pytest

from tilekeeper.models.training.lamps import (
    DAYLIGHT_XY,
    GAMMA,
    LAMPS_FILE,
    black_body,
    chromaticity,
    lamp_matrix,
    measured_lamp,
    measured_lamps,
    relight,
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
    lit = relight(np.full((4, 4, 3), 240, np.float32), black_body(kelvin))[0, 0]
    assert lit.argmax() == brightest
    assert lit.argmin() == darkest
    assert lit[brightest] == pytest.approx(240, abs=1)
    assert lit[darkest] < 0.85 * 240


def test_nothing_gets_darker_than_black() -> None:
    orange = np.tile(np.float32([10, 120, 250]), (3, 3, 1))
    assert relight(orange, black_body(2300)).min() >= 0


TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.95]])
MEASURED = json.loads(LAMPS_FILE.read_text("utf-8"))


@pytest.mark.parametrize(
    ("lamp", "xy"),
    [("FL2", (0.3721, 0.3751)), ("FL11", (0.3805, 0.3769)), ("LED-B1", (0.4560, 0.4078)), ("LED-B5", (0.3118, 0.3236))],
)
def test_lamps_of_measured_spectra_have_the_colour_that_the_cie_gives(lamp: str, xy: tuple[float, float]) -> None:
    """The camera has the sensitivity of the eye and no white balance (CIE 15:2018, tables of illuminants)."""
    (measured,) = (
        lamp_entry
        for lamp_entry in MEASURED
        if (lamp_entry["lamp"], lamp_entry["camera"], lamp_entry["mended"]) == (lamp, "eye", 0)
    )
    white = TO_XYZ @ np.array(measured["to_lamp"]) @ np.ones(3)
    assert (white[0] / white.sum(), white[1] / white.sum()) == pytest.approx(xy, abs=0.003)


def test_white_is_corrected_by_none_half_or_all() -> None:
    whites = measured_lamps() @ np.ones(3)
    balance_shares = np.array([lamp_entry["mended"] for lamp_entry in MEASURED])
    assert whites.max(axis=1) == pytest.approx(1, abs=1e-4)
    assert whites[balance_shares == 1] == pytest.approx(1, abs=1e-4)
    darkest_channels = [whites[balance_shares == share].min(axis=1) for share in (0, 0.5, 1)]
    assert 0.05 < darkest_channels[0].min() < 0.2
    assert (
        (darkest_channels[0] <= darkest_channels[1] + 1e-4) & (darkest_channels[1] <= darkest_channels[2] + 1e-4)
    ).all()


def test_reds_differ_under_white_balanced_lamps() -> None:
    """Reds and oranges keep their hue but differ by more than white suggests."""
    red, orange = (np.tile(np.float32(bgr), (1, 1, 1)) for bgr in ([40, 30, 200], [30, 120, 235]))
    balanced_lamps = [
        lamp for lamp, lamp_entry in zip(measured_lamps(), MEASURED, strict=True) if lamp_entry["mended"] == 1
    ]
    reds, oranges = (np.array([relight(ink, lamp)[0, 0] for lamp in balanced_lamps]) for ink in (red, orange))
    assert np.ptp(reds, axis=0).max() > 15
    assert (oranges[:, 1] > reds[:, 1] + 20).mean() > 0.9
    assert (reds[:, 2] > reds[:, 1]).all()


def test_good_lamp_with_white_balance_hardly_changes_reds() -> None:
    """LED-V1 renders reds well (CIE 15:2018); a larger change would be an error of the camera model."""
    red = np.tile(np.float32([40, 30, 200]), (1, 1, 1))
    good = [
        lamp
        for lamp, lamp_entry in zip(measured_lamps(), MEASURED, strict=True)
        if (lamp_entry["lamp"], lamp_entry["mended"]) == ("LED-V1", 1)
    ]
    assert len(good) == 2
    for lamp in good:
        assert relight(red, lamp)[0, 0] == pytest.approx([40, 30, 200], abs=15)


def test_lamp_applies_its_matrix_to_bgr_images() -> None:
    """The channels of the image are in the opposite order."""
    lamp = measured_lamps()[7]
    bgr = np.float32([40, 90, 200])
    wanted = np.maximum(lamp @ (bgr[::-1] / 255) ** GAMMA, 0) ** (1 / GAMMA) * 255
    assert relight(bgr.reshape(1, 1, 3), lamp)[0, 0] == pytest.approx(wanted[::-1], abs=0.1)


def test_every_measured_lamp_is_drawn() -> None:
    drawn = {measured_lamp(np.random.default_rng(seed)).tobytes() for seed in range(3000)}
    assert drawn == {lamp.tobytes() for lamp in measured_lamps()}

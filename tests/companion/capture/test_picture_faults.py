"""Torn frames, swapped colours and noise are detected, and hands and changing light are not mistaken for them."""

import numpy as np

from tilekeeper.companion.capture.health import SNOWED_FRAMES, Health
from tilekeeper.companion.capture.picture_faults import WINDOW, Colours, Tears

RNG = np.random.default_rng(7)
TABLE = np.kron(RNG.integers(40, 220, (36, 48, 3), np.uint8), np.ones((10, 10, 1), np.uint8))


def noisy(image: np.ndarray) -> np.ndarray:
    """Return the picture with the noise of a camera."""
    return np.clip(image + RNG.integers(-4, 5, image.shape), 0, 255).astype(np.uint8)


def torn(row: int) -> np.ndarray:
    """Return the table, shifted sideways below a row."""
    return np.vstack([TABLE[:row], np.roll(TABLE[row:], 35, axis=1)])


def with_hand(column: int, row: int) -> np.ndarray:
    """Return the table with a hand that reaches in from below."""
    image = TABLE.copy()
    image[row:, column : column + 160] = (120, 150, 200)
    return image


def test_frames_with_tears_at_changing_heights_are_torn():
    tears = Tears()
    reports = [tears.push(noisy(torn(int(RNG.integers(50, 300))))) for _ in range(2 * WINDOW)]
    assert all(reports[WINDOW:])


def test_hands_and_a_table_that_is_moved_once_are_not_torn():
    tears = Tears()
    pictures = [TABLE, *(with_hand(20 * at, 330 - 15 * at) for at in range(15)), TABLE, *[torn(150)] * 10]
    assert not any(tears.push(noisy(picture)) for picture in pictures)


def test_swapped_colours_are_reported_until_they_are_right_again():
    colours = Colours()
    assert not colours.push(noisy(TABLE))
    assert all(colours.push(noisy(TABLE[..., ::-1])) for _ in range(5))
    assert not colours.push(noisy(TABLE))


def test_less_light_another_table_and_grey_are_not_swapped_colours():
    colours = Colours()
    other = RNG.integers(0, 255, TABLE.shape, np.uint8)
    grey = np.repeat(TABLE[..., :1], 3, axis=2)
    pictures = (TABLE, TABLE // 2, TABLE, with_hand(100, 80), other, grey, grey[..., ::-1])
    assert not any(colours.push(noisy(picture)) for picture in pictures)


def test_health_reports_each_fault():
    health = Health("camera 0", 0.0)
    assert health.push(noisy(TABLE), 0.0) == ""
    assert "red as blue" in health.push(noisy(TABLE[..., ::-1]), 0.1)
    assert health.push(noisy(TABLE), 0.2) == ""
    snow = [health.push(RNG.integers(0, 256, TABLE.shape, np.uint8), 0.3 + at / 20) for at in range(SNOWED_FRAMES + 2)]
    assert "noise" in snow[-1]
    reports = [health.push(noisy(torn(int(RNG.integers(50, 300)))), 1 + at / 15) for at in range(2 * WINDOW)]
    assert "broken" in reports[-1]
    well = [health.push(noisy(TABLE), 9 + at / 15) for at in range(2 * WINDOW)]
    assert well[-1] == ""

"""Tests of what is as white as a tile."""

import numpy as np

from tilekeeper.vision.geometry.face_color import (
    LOG_LIGHT_OFFSET_LEVELS,
    SATURATED_LEVELS,
    as_white,
    light_and_tint,
)

IVORY = np.log([205.0, 228.0, 238.0])


def test_a_shadow_darkens_and_does_not_tint() -> None:
    """Half the light in all channels is a difference of log 2 in light and none in tint."""
    light, tint = light_and_tint(IVORY - np.log(2), IVORY)
    assert np.allclose((light, tint), (-np.log(2), 0.0))
    assert as_white(IVORY - np.log(2), IVORY, 0.7, 0.1)
    assert not as_white(IVORY - np.log(2), IVORY, 0.6, 0.1)


def test_a_tint_is_the_distance_of_blue_and_red_from_green() -> None:
    """Blue a tenth lower (a logarithm) than the usual white's is a tint of a tenth, for one white or for many."""
    yellow = IVORY - np.array([0.1, 0.0, 0.0])
    assert np.isclose(light_and_tint(yellow, IVORY)[1], 0.1)
    assert as_white(np.stack([yellow, IVORY]), IVORY, 0.3, 0.05).tolist() == [False, True]


def test_what_is_cut_off_in_all_channels_has_no_tint() -> None:
    """A face too bright for the camera is as white as one beside it that a lamp tints; what keeps a channel is not."""
    tinted, blown = (np.log(np.array(levels) + LOG_LIGHT_OFFSET_LEVELS) for levels in ((190, 245, 255), (255,) * 3))
    assert as_white(blown, tinted, 0.3, 0.12)
    at_the_limit, below = (np.log(np.full(3, SATURATED_LEVELS - less) + LOG_LIGHT_OFFSET_LEVELS) for less in (0, 2))
    assert as_white(at_the_limit, tinted, 0.3, 0.12)  # a JPEG's white wavers by some levels
    assert not as_white(below, tinted, 0.3, 0.12)
    assert not as_white(np.log(np.array([240, 255, 255]) + LOG_LIGHT_OFFSET_LEVELS), tinted - (0.3, 0, 0), 0.3, 0.12)

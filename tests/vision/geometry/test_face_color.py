"""Light and tint of a face relative to a white tile."""

import numpy as np
import pytest

from tilekeeper.vision.geometry.face_color import (
    LOG_LIGHT_OFFSET_LEVELS,
    SATURATED_LEVELS,
    as_white,
    find_uncovered_faces,
    light_and_tint,
)
from tilekeeper.vision.types import FaceMap

IVORY = np.log([205.0, 228.0, 238.0])


def test_shadow_lowers_the_light_and_not_the_tint() -> None:
    """Half the light in all channels is a difference of log 2."""
    light, tint = light_and_tint(IVORY - np.log(2), IVORY)
    assert np.allclose((light, tint), (-np.log(2), 0.0))
    assert as_white(IVORY - np.log(2), IVORY, 0.7, 0.1)
    assert not as_white(IVORY - np.log(2), IVORY, 0.6, 0.1)


def test_lower_blue_is_a_tint() -> None:
    """The tint is the distance of the logarithms of blue and red from green, for one white or for many."""
    yellow = IVORY - np.array([0.1, 0.0, 0.0])
    assert np.isclose(light_and_tint(yellow, IVORY)[1], 0.1)
    assert as_white(np.stack([yellow, IVORY]), IVORY, 0.3, 0.05).tolist() == [False, True]


def test_saturated_face_has_no_tint() -> None:
    """It is as white as a face that a lamp tints. A face with one unsaturated channel is not."""
    tinted, blown = (np.log(np.array(levels) + LOG_LIGHT_OFFSET_LEVELS) for levels in ((190, 245, 255), (255,) * 3))
    assert as_white(blown, tinted, 0.3, 0.12)
    at_the_limit, below = (np.log(np.full(3, SATURATED_LEVELS - offset) + LOG_LIGHT_OFFSET_LEVELS) for offset in (0, 2))
    assert as_white(at_the_limit, tinted, 0.3, 0.12)  # JPEG compression changes white by some levels
    assert not as_white(below, tinted, 0.3, 0.12)
    assert not as_white(np.log(np.array([240, 255, 255]) + LOG_LIGHT_OFFSET_LEVELS), tinted - (0.3, 0, 0), 0.3, 0.12)


def test_ground_that_may_be_a_face_does_not_move_the_centre_of_a_face() -> None:
    """As in a soft shadow beside a tile, which the network takes for a face with a probability of a half."""
    logits = np.full((40, 40), -6.0, np.float32)
    logits[15:25, 25:35] = 0.0
    logits[15:25, 15:25] = 6.0
    points = find_uncovered_faces(FaceMap(logits, np.full(2, 4.0)), np.zeros((0, 4, 2), np.float32), 60.0)
    assert points.mean(axis=0) == pytest.approx(np.full(2, 4 * 19.5 + 1.5), abs=1.0)

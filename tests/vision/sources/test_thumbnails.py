"""While a table lies still only what is new is given, and that at once."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.companion.capture.health import Health
from tilekeeper.vision.sources.thumbnails import (
    FULL_FRAME_INTERVAL_S,
    MIN_NOISY_FRAMES,
    THUMBNAIL_INTERVAL_S,
    ThumbnailFilter,
)

TABLE = np.random.default_rng(1).integers(40, 200, (135, 240)).astype(np.uint8)
ODD = 1 / 3
"""Seconds between two glances that no limit is a multiple of."""


def noisy(picture: np.ndarray, levels: float, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, levels, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def begun(noise: float = 1.0) -> ThumbnailFilter:
    """Glances of a table of which one picture was given at 0 s."""
    glances = ThumbnailFilter()
    assert glances.is_needed(noisy(TABLE, noise, 0), is_repeat=False, time_s=0.0)
    return glances


@given(seed=st.integers(1, 1000), noise=st.floats(0, 6), lighter=st.integers(-20, 20))
def test_neither_noise_nor_light_everywhere_is_anything_new(seed, noise, lighter):
    lit = np.clip(noisy(TABLE, noise, seed).astype(int) + lighter, 0, 255).astype(np.uint8)
    assert not begun(noise).is_needed(lit, is_repeat=False, time_s=0.1)


@given(seed=st.integers(1, 1000), x=st.integers(0, 236), y=st.integers(0, 131), by=st.sampled_from([-40, 40]))
def test_a_fingertip_is(seed, x, y, by):
    touched = noisy(TABLE, 1.0, seed).astype(int)
    touched[y : y + 4, x : x + 4] += by
    assert begun().is_needed(np.clip(touched, 0, 255).astype(np.uint8), is_repeat=False, time_s=0.1)


def test_what_changes_slowly_adds_up():
    """Each glance is held against the picture that was given last, and not against the one before."""
    glances, given_at = begun(), []
    for step in range(1, 7):
        slid = TABLE.copy()
        slid[60:70, 100 : 100 + 2 * step] = 250
        if glances.is_needed(slid, is_repeat=False, time_s=step / 100):
            given_at.append(step)
    assert given_at


def test_a_picture_is_given_now_and_then_though_nothing_moves():
    glances = begun()
    times_s = [at * ODD for at in range(1, 60)]
    given_s = [at for at in times_s if glances.is_needed(noisy(TABLE, 1.0, round(at * 3)), is_repeat=False, time_s=at)]
    apart_s = np.diff([0.0, *given_s])
    assert apart_s.min() >= FULL_FRAME_INTERVAL_S
    assert apart_s.max() < FULL_FRAME_INTERVAL_S + ODD


def test_another_resolution_is_new():
    assert begun().is_needed(TABLE[::2, ::2], is_repeat=False, time_s=0.1)


@pytest.mark.parametrize(("lively", "given"), [(True, True), (False, False)])
def test_pictures_that_repeat_are_given_where_this_camera_never_repeats_one(lively, given):
    """A camera that hangs must be told of soon; a film of a still table has the same picture again and again."""
    glances = begun(0.0)
    for at in range(MIN_NOISY_FRAMES):
        glances.is_needed(TABLE, is_repeat=not lively and at % 2 == 0, time_s=0.001 * at)
    assert glances.is_needed(TABLE, is_repeat=True, time_s=0.1) is given


@pytest.mark.parametrize("repeated", [False, None])
def test_where_nobody_says_whether_pictures_repeat_glances_tell(repeated):
    """A camera at USB, or a stream of H.264, whose pictures are not seen as they were sent."""
    glances = begun()
    for at in range(1, MIN_NOISY_FRAMES + 1):
        glances.is_needed(noisy(TABLE, 1.0, at), repeated, time_s=0.001 * at)
    hangs = noisy(TABLE, 1.0, MIN_NOISY_FRAMES)
    assert [glances.is_needed(hangs, repeated, 0.1 + 0.06 * at) for at in range(8)] == [repeated is None] * 8


def test_a_frozen_picture_of_a_table_at_rest_is_told_within_two_seconds():
    glances, health = begun(), Health("camera 0", 0.0)
    for at in range(1, 900):
        time_s = at / 15
        picture = noisy(TABLE, 2.0, min(at, 780))
        if glances.is_due(time_s) and glances.is_needed(picture, None, time_s):
            trouble = health.push(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), time_s)
            assert bool(trouble) == ("hangs" in trouble)
            if trouble:
                assert 0 < time_s - 780 / 15 <= 2
                return
    pytest.fail("nobody told that the picture hangs")


def test_a_glance_is_due_often_enough_to_see_a_hand_within_a_tenth_of_a_second():
    glances = begun()
    assert not glances.is_due(0.9 * THUMBNAIL_INTERVAL_S)
    assert glances.is_due(THUMBNAIL_INTERVAL_S)
    assert THUMBNAIL_INTERVAL_S <= 0.1

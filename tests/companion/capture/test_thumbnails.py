"""While nothing moves, only changed frames are delivered, and at once."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.companion.capture.health import Health
from tilekeeper.companion.capture.thumbnails import (
    FULL_FRAME_INTERVAL_S,
    MIN_NOISY_FRAMES,
    THUMBNAIL_INTERVAL_S,
    ThumbnailFilter,
)

TABLE = np.random.default_rng(1).integers(40, 200, (135, 240)).astype(np.uint8)
ODD = 1 / 3
"""The interval of thumbnails in seconds; no limit is a multiple of it."""


def noisy(picture: np.ndarray, levels: float, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, levels, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def filter_at_start(noise: float = 1.0) -> ThumbnailFilter:
    """Return a filter that has delivered one frame of a table at 0 s."""
    glances = ThumbnailFilter()
    assert glances.is_needed(noisy(TABLE, noise, 0), is_repeat=False, time_s=0.0)
    return glances


@given(seed=st.integers(1, 1000), noise=st.floats(0, 6), lighter=st.integers(-20, 20))
def test_noise_and_even_light_are_no_change(seed, noise, lighter):
    lit = np.clip(noisy(TABLE, noise, seed).astype(int) + lighter, 0, 255).astype(np.uint8)
    assert not filter_at_start(noise).is_needed(lit, is_repeat=False, time_s=0.1)


@given(seed=st.integers(1, 1000), x=st.integers(0, 236), y=st.integers(0, 131), by=st.sampled_from([-40, 40]))
def test_fingertip_is_a_change(seed, x, y, by):
    touched = noisy(TABLE, 1.0, seed).astype(int)
    touched[y : y + 4, x : x + 4] += by
    assert filter_at_start().is_needed(np.clip(touched, 0, 255).astype(np.uint8), is_repeat=False, time_s=0.1)


def test_slow_change_adds_up_against_the_last_delivered_frame():
    glances, given_at = filter_at_start(), []
    for step in range(1, 7):
        slid = TABLE.copy()
        slid[60:70, 100 : 100 + 2 * step] = 250
        if glances.is_needed(slid, is_repeat=False, time_s=step / 100):
            given_at.append(step)
    assert given_at


def test_still_table_delivers_a_frame_about_every_second():
    glances = filter_at_start()
    times_s = [time_s * ODD for time_s in range(1, 60)]
    given_s = [
        time_s
        for time_s in times_s
        if glances.is_needed(noisy(TABLE, 1.0, round(time_s * 3)), is_repeat=False, time_s=time_s)
    ]
    apart_s = np.diff([0.0, *given_s])
    assert apart_s.min() >= FULL_FRAME_INTERVAL_S
    assert apart_s.max() < FULL_FRAME_INTERVAL_S + ODD


def test_new_resolution_is_a_change():
    assert filter_at_start().is_needed(TABLE[::2, ::2], is_repeat=False, time_s=0.1)


@pytest.mark.parametrize(("lively", "given"), [(True, True), (False, False)])
def test_repeated_frame_of_a_noisy_camera_is_delivered(lively, given):
    """A hanging camera must be noticed soon; a recording of a still table repeats frames all the time."""
    glances = filter_at_start(0.0)
    for at in range(MIN_NOISY_FRAMES):
        glances.is_needed(TABLE, is_repeat=not lively and at % 2 == 0, time_s=0.001 * at)
    assert glances.is_needed(TABLE, is_repeat=True, time_s=0.1) is given


@pytest.mark.parametrize("repeated", [False, None])
def test_repeats_are_found_by_thumbnails_if_the_source_does_not_know(repeated):
    """USB cameras and H.264 streams."""
    glances = filter_at_start()
    for at in range(1, MIN_NOISY_FRAMES + 1):
        glances.is_needed(noisy(TABLE, 1.0, at), repeated, time_s=0.001 * at)
    hangs = noisy(TABLE, 1.0, MIN_NOISY_FRAMES)
    assert [glances.is_needed(hangs, repeated, 0.1 + 0.06 * at) for at in range(8)] == [repeated is None] * 8


def test_frozen_image_of_a_still_table_is_reported_within_two_seconds():
    glances, health = filter_at_start(), Health("camera 0", 0.0)
    for at in range(1, 900):
        time_s = at / 15
        picture = noisy(TABLE, 2.0, min(at, 780))
        if glances.is_due(time_s) and glances.is_needed(picture, None, time_s):
            trouble = health.push(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), time_s)
            assert bool(trouble) == ("same picture" in trouble)
            if trouble:
                assert 0 < time_s - 780 / 15 <= 2
                return
    pytest.fail("nobody told that the picture hangs")


def test_thumbnails_are_due_often_enough_to_see_a_hand_within_100_ms():
    glances = filter_at_start()
    assert not glances.is_due(0.9 * THUMBNAIL_INTERVAL_S)
    assert glances.is_due(THUMBNAIL_INTERVAL_S)
    assert THUMBNAIL_INTERVAL_S <= 0.1

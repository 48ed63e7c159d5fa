"""A face with the same print is unchanged in any light; another figure or ink is a new print."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import lit, noisy, picture, quad_at, row
from tilekeeper.vision.tracking.tracks import have_new_print

LYING = row(400, 200, "red-6", "red-8", "red-3")
QUADS = np.array([quad_at(x, y) for x, y, _ in LYING])
SWAPPED = [LYING[0], (425, 200, "red-9"), LYING[2]]


@pytest.mark.parametrize(("light", "noise"), [(0.3, 2.0), (1.0, 2.0), (1.15, 2.0), (0.2, 3.0), (0.15, 3.0)])
def test_unchanged_face_in_another_light_has_no_new_print(light: float, noise: float) -> None:
    now = noisy(lit(picture(LYING), light, 0.2), 2, noise)
    assert not have_new_print(noisy(picture(LYING), 1, noise), now, QUADS).any()


@pytest.mark.parametrize("light", [0.3, 1.0])
def test_other_figure_on_a_dim_face_is_a_new_print(light: float) -> None:
    """A 9 replaces an 8 under a lamp so weak that the grey levels hardly differ."""
    before, now = (noisy(lit(picture(lying), light), seed, 2.0) for seed, lying in enumerate((LYING, SWAPPED)))
    assert have_new_print(before, now, QUADS).tolist() == [False, True, False]


def test_same_figure_in_another_ink_is_a_new_print() -> None:
    before = picture(LYING)
    now = before.copy()
    face = now[183:218, 413:438]
    face[face[..., 1] < 100] = (40, 40, 40)
    assert have_new_print(before, now, QUADS).tolist() == [False, True, False]


def test_blank_face_and_no_tiles_have_no_new_print() -> None:
    blank = cv2.rectangle(picture(LYING), (380, 180), (470, 220), (215, 232, 236), -1)
    assert not have_new_print(noisy(blank, 1, 2.0), noisy(blank, 2, 2.0), QUADS).any()
    assert have_new_print(blank, blank, np.zeros((0, 4, 2))).shape == (0,)


def test_thin_yellow_nine_in_place_of_a_six_is_a_new_print() -> None:
    """Most dark pixels of both tiles belong to the groove around the face."""

    def rimmed(figure: str) -> np.ndarray:
        face = np.full((140, 120, 3), (60, 90, 120), np.uint8)
        cv2.rectangle(face, (30, 28), (89, 111), (235, 240, 240), -1)
        cv2.rectangle(face, (36, 35), (83, 105), (148, 153, 153), 5)
        cv2.putText(face, figure, (51, 66), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (70, 190, 235), 2, cv2.LINE_AA)
        return face

    quad = np.array([[[30, 28], [90, 28], [90, 112], [30, 112]]], np.float32)
    assert have_new_print(rimmed("6"), rimmed("9"), quad).tolist() == [True]
    assert have_new_print(rimmed("6"), noisy(rimmed("6"), 1, 2.0), quad).tolist() == [False]

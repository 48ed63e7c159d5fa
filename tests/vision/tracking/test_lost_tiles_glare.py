"""A tile under glare is recognised by its visible print."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.truthful_networks import noisy, picture, quad_at
from tilekeeper.vision.tracking.lost_tiles import under_glare

TILE = [(400, 200, "red-6")]
QUAD = np.array([quad_at(400, 200)])
PLAIN = picture(TILE)


def with_glare(image: np.ndarray, middle_px: tuple[int, int], reach_px: float) -> np.ndarray:
    """Return the image with the reflection of a lamp, soft at its rim."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    share = np.clip(1.6 - np.hypot(x - middle_px[0], y - middle_px[1]) / reach_px, 0, 1)[..., None]
    return np.clip(image + share * (255.0 - image), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("middle", [(394, 188), (408, 208), (392, 210)])
def test_print_visible_beside_glare_is_recognised_as_the_same_tile(middle: tuple[int, int]) -> None:
    now = noisy(with_glare(PLAIN, middle, 5.0), 3, 2.0)
    assert under_glare(noisy(PLAIN, 1, 2.0), now, QUAD).tolist() == [True]


def test_other_tile_under_glare_is_not_the_same() -> None:
    now = with_glare(picture([(400, 200, "red-1")]), (408, 212), 5.0)
    assert under_glare(PLAIN, now, QUAD).tolist() == [False]


def test_similar_tile_on_a_bright_face_is_not_taken_for_glare() -> None:
    """It is white where the first tile had print, as under glare, but it also has print at other places."""
    before, after = (np.full_like(PLAIN, 250) for _ in range(2))
    for image, left in ((before, 404), (after, 408)):  # most of both figures is equal, as for 12 and 13
        cv2.rectangle(image, (390, 186), (401, 212), (40, 40, 40), -1)
        cv2.rectangle(image, (left, 190), (left + 2, 200), (40, 40, 40), -1)
    assert under_glare(before, after, QUAD).tolist() == [False]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((40, 40, 200), (40, 40, 40)),
        ((40, 40, 40), (40, 40, 200)),
        ((40, 40, 200), (40, 150, 240)),
        ((40, 190, 240), (40, 40, 200)),
    ],
    ids=["red-black", "black-red", "red-orange", "orange-red"],
)
def test_same_figure_in_another_ink_is_not_taken_for_glare(
    before: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    """A reflection makes no channel darker, and brings every channel the same share of the way to white."""
    images = [np.full_like(PLAIN, 240) for _ in range(2)]
    for image, ink in zip(images, (before, after), strict=True):
        cv2.rectangle(image, (392, 186), (397, 206), ink, -1)
        cv2.rectangle(image, (402, 186), (407, 206), ink, -1)
    assert under_glare(images[0], with_glare(images[0], (410, 215), 5.0), QUAD).tolist() == [True]
    assert under_glare(images[0], with_glare(images[1], (410, 215), 5.0), QUAD).tolist() == [False]


def test_glare_over_all_print_or_on_a_blank_face_is_not_recognised() -> None:
    assert under_glare(PLAIN, with_glare(PLAIN, (400, 200), 20.0), QUAD).tolist() == [False]
    blank = PLAIN.copy()
    cv2.rectangle(blank, (388, 183), (412, 217), (215, 232, 236), -1)
    assert under_glare(blank, with_glare(blank, (396, 190), 5.0), QUAD).tolist() == [False]


def test_unchanged_tile_or_no_tile_is_not_under_glare() -> None:
    assert under_glare(PLAIN, PLAIN, QUAD).tolist() == [False]
    assert under_glare(PLAIN, PLAIN, np.zeros((0, 4, 2))).shape == (0,)

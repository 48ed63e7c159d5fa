"""A tile on which glare has come is the one that lay there as long as its print still shows; else nobody can tell."""

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
    """The picture with a lamp thrown back there, soft at its rim."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    share = np.clip(1.6 - np.hypot(x - middle_px[0], y - middle_px[1]) / reach_px, 0, 1)[..., None]
    return np.clip(image + share * (255.0 - image), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("middle", [(394, 188), (408, 208), (392, 210)])
def test_a_tile_whose_print_shows_beside_the_glare_is_the_same(middle: tuple[int, int]) -> None:
    """Wherever the lamp shines, and with a camera's noise."""
    now = noisy(with_glare(PLAIN, middle, 5.0), 3, 2.0)
    assert under_glare(noisy(PLAIN, 1, 2.0), now, QUAD).tolist() == [True]


def test_another_tile_under_the_same_glare_is_another() -> None:
    """What shows of its print is not as it was."""
    now = with_glare(picture([(400, 200, "red-1")]), (408, 212), 5.0)
    assert under_glare(PLAIN, now, QUAD).tolist() == [False]


def test_a_tile_much_like_the_one_before_it_is_no_glare() -> None:
    """On a face as bright as glare, white comes where the first had print: but the second has print elsewhere."""
    before, after = (np.full_like(PLAIN, 250) for _ in range(2))
    for image, left in ((before, 404), (after, 408)):  # most of both figures is one, as of a 12 and a 13
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
def test_the_same_figure_in_another_ink_is_no_glare(before: tuple[int, int, int], after: tuple[int, int, int]) -> None:
    """Light makes no channel darker, and none whiter than the others; beside it glare has come to the second."""
    images = [np.full_like(PLAIN, 240) for _ in range(2)]
    for image, ink in zip(images, (before, after), strict=True):
        cv2.rectangle(image, (392, 186), (397, 206), ink, -1)
        cv2.rectangle(image, (402, 186), (407, 206), ink, -1)
    assert under_glare(images[0], with_glare(images[0], (410, 215), 5.0), QUAD).tolist() == [True]
    assert under_glare(images[0], with_glare(images[1], (410, 215), 5.0), QUAD).tolist() == [False]


def test_where_no_print_shows_nobody_can_tell() -> None:
    """All of it is white, or the face is blank."""
    assert under_glare(PLAIN, with_glare(PLAIN, (400, 200), 20.0), QUAD).tolist() == [False]
    blank = PLAIN.copy()
    cv2.rectangle(blank, (388, 183), (412, 217), (215, 232, 236), -1)
    assert under_glare(blank, with_glare(blank, (396, 190), 5.0), QUAD).tolist() == [False]


def test_without_glare_it_is_for_others_to_say() -> None:
    """The very same look, and no tile at all."""
    assert under_glare(PLAIN, PLAIN, QUAD).tolist() == [False]
    assert under_glare(PLAIN, PLAIN, np.zeros((0, 4, 2))).shape == (0,)

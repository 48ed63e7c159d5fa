"""Tests that what ends nowhere as tiles do is told from them, and that a tile on a pale cloth is not."""

import cv2
import numpy as np
import pytest

from tilekeeper.vision.peers import DIM, FEWEST
from tilekeeper.vision.rims import rim_steps, rimless

WOOD = (60, 80, 120)
IVORY = (205, 228, 238)
INK = (30, 30, 30)


def quad(x: float, y: float, width: float = 40.0) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + 1.4 * width], [x, y + 1.4 * width]]


def table(others: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ivory tiles apart from one another on wood, and a printed page: picture, quads, which are sure.

    The last quad lies amid the page.
    """
    image = np.full((260, 640, 3), WOOD, np.uint8)
    quads = [quad(20 + 80 * k, 100) for k in range(others)]
    for x in (20 + 80 * k for k in range(others)):
        image[100:156, x : x + 40] = IVORY
        image[112:135, x + 12 : x + 28] = INK
    image[20:240, 400:620] = IVORY
    for x, y in np.random.default_rng(5).integers((402, 22), (612, 234), (250, 2)):
        image[y : y + 5, x : x + 7] = INK
    return image, np.array([*quads, quad(480, 100)], np.float32), np.array([True] * others + [False])


def test_a_face_on_the_table_ends_on_all_sides() -> None:
    """The step is that of the white to the wood, in logarithms of light, whichever channel changes most."""
    image, quads, _ = table()
    steps = rim_steps(image, quads[:1])[0]
    step = np.log((DIM + np.array(IVORY)) / (DIM + np.array(WOOD))).max()
    assert np.abs(steps - step).max() < 0.1 * step


def test_sides_outside_the_picture_are_not_known() -> None:
    """Of a quad that hangs out below, the lower side is not a number, the others are."""
    image, _, _ = table()
    steps = rim_steps(image, np.array([quad(300, 222)]))[0]
    assert np.isnan(steps).tolist() == [False, False, True, False]


def test_a_place_in_a_printed_page_is_no_tile() -> None:
    """Print averages out along a side, and the page ends at none of them."""
    image, quads, sure = table()
    assert rimless(image, quads, sure, ~sure).tolist() == [False] * 4 + [True]


def test_only_what_is_asked_about_goes() -> None:
    """What nobody asks about stays, whatever it looks like."""
    image, quads, sure = table()
    assert not rimless(image, quads, sure, np.zeros(5, bool)).any()


@pytest.mark.parametrize("turn_deg", [0, 8, -8])
def test_a_tile_found_a_little_aslant_ends_nonetheless(turn_deg: float) -> None:
    """A tile of which the corners are off stays."""
    image, quads, sure = table()
    turn = cv2.getRotationMatrix2D(tuple(map(float, quads[0].mean(axis=0))), turn_deg, 0.95)
    quads[0] = cv2.transform(quads[0][None], turn)[0]
    asked = np.array([True] + [False] * 4)
    assert not rimless(image, quads, sure & ~asked, asked).any()


def test_where_all_faces_hardly_end_none_goes() -> None:
    """On a cloth as white as the tiles the others say that sides need not show."""
    image = np.full((260, 640, 3), np.array(IVORY) - 12, np.uint8)
    quads = np.array([quad(20 + 80 * k, 100) for k in range(5)], np.float32)
    for x in (20 + 80 * k for k in range(5)):
        image[100:156, x : x + 40] = IVORY
    asked = np.array([False] * 4 + [True])
    assert not rimless(image, quads, ~asked, asked).any()


def test_what_lies_beside_a_tile_stays() -> None:
    """Two sides of a tile in a row lie against others, so that little can be told."""
    image, quads, sure = table()
    quads = np.concatenate([quads, quads[-1:] + np.float32([42, 0])])
    asked = np.array([False] * 4 + [True, False])
    assert not rimless(image, quads, np.append(sure, False), asked).any()


def test_too_few_sure_tiles_tell_nothing() -> None:
    """With one fewer than are needed even the page stays."""
    image, quads, sure = table(FEWEST - 1)
    assert not rimless(image, quads, sure, ~sure).any()

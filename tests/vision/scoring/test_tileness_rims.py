"""Rims: steps in brightness along the sides of a tile, on wood, on a pale cloth, in a row and in a printed page."""

import cv2
import numpy as np
import pytest

from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS
from tilekeeper.vision.scoring.tileness import compare_rims, rim_steps

WOOD = (60, 80, 120)
IVORY = (205, 228, 238)
INK = (30, 30, 30)


def quad(x: float, y: float, width: float = 40.0) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + 1.4 * width], [x, y + 1.4 * width]]


def table(others: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an image, quads and which of them are confident: separate ivory tiles on wood and a printed page.

    The last quad is inside the page.
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


def test_face_on_the_table_has_rims_on_all_sides() -> None:
    """The step is the difference of the logarithms of white and wood, in the channel that changes most."""
    image, quads, _ = table()
    steps = rim_steps(image, quads[:1])[0]
    step = np.log((LOG_LIGHT_OFFSET_LEVELS + np.array(IVORY)) / (LOG_LIGHT_OFFSET_LEVELS + np.array(WOOD))).max()
    assert np.abs(steps - step).max() < 0.1 * step


def test_side_outside_the_image_is_nan() -> None:
    image, _, _ = table()
    steps = rim_steps(image, np.array([quad(300, 222)]))[0]
    assert np.isnan(steps).tolist() == [False, False, True, False]


def lone(count: int) -> np.ndarray:
    return np.ones(count, bool)


def test_candidate_in_a_printed_page_shows_no_rim() -> None:
    """Print averages out along a side. The confident tiles show the usual rims."""
    image, quads, sure = table()
    shown = compare_rims(image, quads, sure, lone(5), np.arange(5))
    assert np.abs(shown[:4]).max() < 0.2
    assert shown[4][0] < np.log(0.5)


@pytest.mark.parametrize("turn_deg", [0, 8, -8])
def test_slightly_turned_quad_still_shows_its_rims(turn_deg: float) -> None:
    image, quads, sure = table()
    turn = cv2.getRotationMatrix2D(tuple(map(float, quads[0].mean(axis=0))), turn_deg, 0.95)
    quads[0] = cv2.transform(quads[0][None], turn)[0]
    weakest, plainest = compare_rims(image, quads, sure, lone(5), np.array([0]))[0]
    assert weakest > np.log(0.5)
    assert plainest > np.log(0.75)


def test_faint_rims_of_all_tiles_make_faint_rims_usual() -> None:
    """The tiles are on a cloth almost as white as they are."""
    image = np.full((260, 640, 3), np.array(IVORY) - 12, np.uint8)
    quads = np.array([quad(20 + 80 * k, 100) for k in range(5)], np.float32)
    for x in (20 + 80 * k for k in range(5)):
        image[100:156, x : x + 40] = IVORY
    assert np.abs(compare_rims(image, quads, lone(5), lone(5), np.array([4]))).max() < 0.2


def test_tile_in_a_row_need_not_show_the_sides_it_shares() -> None:
    """Its top and bottom show rims as clear as usual."""
    image = np.full((260, 640, 3), WOOD, np.uint8)
    image[100:156, 20:260] = IVORY
    quads = np.array([quad(20 + 40 * k, 100) for k in range(6)], np.float32)
    in_row = np.zeros(6, bool)
    weakest, plainest = compare_rims(image, quads, ~in_row, in_row, np.array([2]))[0]
    assert weakest == pytest.approx(0, abs=0.2)
    assert plainest == pytest.approx(0, abs=0.2)
    assert compare_rims(image, quads, ~in_row, np.arange(6) == 2, np.array([2]))[0][0] < np.log(0.5)


def test_side_outside_the_image_does_not_count() -> None:
    """The other sides count, but a single visible side is not enough."""
    image, quads, sure = table()
    image[222:, 300:340] = IVORY
    image[220:, 600:] = IVORY
    more = np.array([quad(300, 222), quad(600, 220), quad(620, 255)], np.float32)
    quads, sure = np.concatenate([quads[:4], more]), np.append(sure[:4], [False] * 3)
    shown = compare_rims(image, quads, sure, lone(7), np.array([4, 5, 6]))
    assert np.abs(shown[0]).max() < 0.2
    assert not shown[2].any()

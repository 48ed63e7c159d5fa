"""Quads: their middles, sizes, own frames and rectified pictures."""

import cv2
import numpy as np
import pytest

from tilekeeper.vision.geometry import quads as geometry

SQUARE = np.array([[[0, 0], [10, 0], [10, 20], [0, 20]]], np.float32)


def test_sizes_and_middle_of_a_plain_rectangle() -> None:
    """Width is between left and right, height between top and bottom, in the tile's own sense."""
    assert geometry.sizes_wh_px(SQUARE).tolist() == [[10, 20]]
    assert geometry.centres_px(SQUARE).tolist() == [[5, 10]]


def test_the_middle_is_the_projected_middle() -> None:
    """Under perspective the diagonals cross where the tile's middle is, which the mean of the corners misses."""
    view = np.array([[1, 0.1, 3], [0.05, 1, 2], [0.0005, 0.01, 1]], np.float32)
    quads = cv2.perspectiveTransform(SQUARE, view)
    middle = cv2.perspectiveTransform(np.array([[[5, 10]]], np.float32), view)[0]
    assert geometry.centres_px(quads) == pytest.approx(middle, abs=1e-3)
    assert np.abs(quads.mean(axis=1) - middle).max() > 0.1


def test_own_frame_has_the_tile_as_unit() -> None:
    """A tile's corners in its own frame are one wide and `TILE_ASPECT` high, whatever the picture shows."""
    quads = SQUARE + np.array([[3, 7], [0, 1], [2, 0], [1, 1]], np.float32)
    flat = geometry.homographies(quads)[0].astype(np.float32)
    own = cv2.perspectiveTransform(quads, flat)[0]
    height = geometry.TILE_ASPECT
    assert own == pytest.approx(np.array([[0, 0], [1, 0], [1, height], [0, height]]), abs=1e-4)


def test_upside_down_starts_at_the_other_end() -> None:
    """Turned twice a quad is itself; once, its top left is what was bottom right."""
    assert geometry.turn_upside_down(SQUARE)[0, 0].tolist() == [10, 20]
    assert geometry.turn_upside_down(SQUARE[0])[0].tolist() == [10, 20]
    assert np.array_equal(geometry.turn_upside_down(geometry.turn_upside_down(SQUARE)), SQUARE)


def test_points_of_a_quad_begin_at_its_top_left() -> None:
    """Shares of width and height lead to places between the corners; what is beyond 0 to 1 lies outside."""
    points = geometry.grid_points(SQUARE, np.array([0.0, 0.5, 1.2]), np.array([0.0, 1.0]))
    assert points[0, :, :, 0] == pytest.approx(np.array([[0, 5, 12], [0, 5, 12]]))
    assert points[0, :, :, 1] == pytest.approx(np.array([[0, 0, 0], [20, 20, 20]]))


def test_distances_go_from_each_point_to_each_other() -> None:
    """One row for each of the first, one column for each of the second."""
    assert geometry.distances_px(np.array([[0, 0], [3, 4]]), np.array([[3.0, 4]])).tolist() == [[5], [0]]


def test_the_area_of_a_quad_is_that_of_its_diagonals() -> None:
    """Whichever of its corners comes first."""
    assert geometry.areas_px(np.concatenate([SQUARE, geometry.turn_upside_down(SQUARE)])).tolist() == [200, 200]


def test_rectify_stands_a_lying_tile_up() -> None:
    """A tile that lies on its side in the picture stands upright in its crop."""
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:40, 10:40] = 200
    image[20:40, 30:40] = (0, 0, 255)  # the tile's upper third points to the right
    lying = np.array([[40, 20], [40, 40], [10, 40], [10, 20]], np.float32) - 0.5
    crop = geometry.rectify(image, lying, (20, 30))
    assert crop.shape == (30, 20, 3)
    assert crop[3, 10].tolist() == [0, 0, 255]
    assert crop[25, 10].tolist() == [200, 200, 200]


@pytest.mark.parametrize("shape", [(4, 2), (3, 2, 4), (2, 3, 2)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    """What are no quads is told with the shape that came."""
    with pytest.raises(ValueError, match=r"\(N, 4, 2\)"):
        geometry.as_quads(np.zeros(shape))


def test_no_quads_are_no_error() -> None:
    """An empty table has middles and sizes: none."""
    assert geometry.centres_px([]).shape == (0, 2)
    assert geometry.sizes_wh_px(np.zeros((0, 4, 2))).shape == (0, 2)
    assert geometry.homographies([]).shape == (0, 3, 3)


@pytest.mark.parametrize(
    ("left", "share"),
    [(10.0, 1.0), (-20.0, 0.5), (-40.0, 0.0), (80.0, 0.5), (-200.0, 0.0)],
)
def test_shares_inside_is_what_the_picture_shows(left: float, share: float) -> None:
    """A quad of 40 px that slides over the edge of a picture 100 px wide."""
    quad = np.array([[[left, 10], [left + 40, 10], [left + 40, 66], [left, 66]]])
    assert geometry.shares_inside(quad, (100, 100)) == pytest.approx([share], abs=1e-6)
    assert geometry.shares_inside(quad[:, ::-1], (100, 100)) == pytest.approx([share], abs=1e-6)


def test_the_share_of_a_quad_that_another_covers() -> None:
    """The largest of those there are, however large the other is and wherever its middle lies; both ways round."""
    halves = SQUARE + np.float32([5, 0])
    apart, around = SQUARE + np.float32([40, 0]), (SQUARE - np.float32([9, 9])) * 20
    assert geometry.covered_share(SQUARE[0], np.concatenate([apart, halves])) == pytest.approx(0.5)
    assert geometry.covered_share(SQUARE[0], around) == pytest.approx(1.0)
    assert geometry.covered_share(SQUARE[0], apart) == geometry.covered_share(SQUARE[0], SQUARE[:0]) == 0.0
    assert geometry.covered_share(SQUARE[0, ::-1], halves[:, ::-1]) == pytest.approx(0.5)


def test_how_far_corners_were_moved_forgives_half_a_turn() -> None:
    moved = np.roll(SQUARE + np.float32([2, 0]), 2, axis=1)
    assert geometry.corner_shifts(np.concatenate([SQUARE, SQUARE]), np.concatenate([SQUARE, moved])) == pytest.approx(
        [0, 0.2]
    )

"""Quads: centres, sizes, own frames and crops."""

import cv2
import numpy as np
import pytest

from tilekeeper.vision.geometry import quads as geometry

SQUARE = np.array([[[0, 0], [10, 0], [10, 20], [0, 20]]], np.float32)


def test_rectangle_has_width_between_left_and_right_side() -> None:
    assert geometry.sizes_wh_px(SQUARE).tolist() == [[10, 20]]
    assert geometry.centres_px(SQUARE).tolist() == [[5, 10]]


def test_centre_under_perspective_is_where_the_diagonals_cross() -> None:
    view = np.array([[1, 0.1, 3], [0.05, 1, 2], [0.0005, 0.01, 1]], np.float32)
    quads = cv2.perspectiveTransform(SQUARE, view)
    middle = cv2.perspectiveTransform(np.array([[[5, 10]]], np.float32), view)[0]
    assert geometry.centres_px(quads) == pytest.approx(middle, abs=1e-3)
    assert np.abs(quads.mean(axis=1) - middle).max() > 0.1


def test_own_frame_maps_corners_to_one_by_tile_aspect() -> None:
    quads = SQUARE + np.array([[3, 7], [0, 1], [2, 0], [1, 1]], np.float32)
    flat = geometry.homographies(quads)[0].astype(np.float32)
    corners = cv2.perspectiveTransform(quads, flat)[0]
    height = geometry.TILE_ASPECT
    assert corners == pytest.approx(np.array([[0, 0], [1, 0], [1, height], [0, height]]), abs=1e-4)


def test_turned_upside_down_twice_a_quad_is_the_same() -> None:
    assert geometry.turn_upside_down(SQUARE)[0, 0].tolist() == [10, 20]
    assert geometry.turn_upside_down(SQUARE[0])[0].tolist() == [10, 20]
    assert np.array_equal(geometry.turn_upside_down(geometry.turn_upside_down(SQUARE)), SQUARE)


def test_grid_points_start_at_the_top_left_and_extend_beyond_the_quad() -> None:
    points = geometry.grid_points(SQUARE, np.array([0.0, 0.5, 1.2]), np.array([0.0, 1.0]))
    assert points[0, :, :, 0] == pytest.approx(np.array([[0, 5, 12], [0, 5, 12]]))
    assert points[0, :, :, 1] == pytest.approx(np.array([[0, 0, 0], [20, 20, 20]]))


def test_distances_have_a_row_per_point_and_a_column_per_other_point() -> None:
    assert geometry.distances_px(np.array([[0, 0], [3, 4]]), np.array([[3.0, 4]])).tolist() == [[5], [0]]


def test_area_does_not_depend_on_the_first_corner() -> None:
    assert geometry.areas_px(np.concatenate([SQUARE, geometry.turn_upside_down(SQUARE)])).tolist() == [200, 200]


def test_crop_of_a_sideways_tile_is_upright() -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:40, 10:40] = 200
    image[20:40, 30:40] = (0, 0, 255)  # the tile's top points to the right
    lying = np.array([[40, 20], [40, 40], [10, 40], [10, 20]], np.float32) - 0.5
    crop = geometry.rectify(image, lying, (20, 30))
    assert crop.shape == (30, 20, 3)
    assert crop[3, 10].tolist() == [0, 0, 255]
    assert crop[25, 10].tolist() == [200, 200, 200]


@pytest.mark.parametrize("shape", [(4, 2), (3, 2, 4), (2, 3, 2)])
def test_wrong_shape_is_refused_with_the_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"\(N, 4, 2\)"):
        geometry.as_quads(np.zeros(shape))


def test_empty_list_has_no_centres_and_sizes() -> None:
    assert geometry.centres_px([]).shape == (0, 2)
    assert geometry.sizes_wh_px(np.zeros((0, 4, 2))).shape == (0, 2)
    assert geometry.homographies([]).shape == (0, 3, 3)


@pytest.mark.parametrize(
    ("left", "share"),
    [(10.0, 1.0), (-20.0, 0.5), (-40.0, 0.0), (80.0, 0.5), (-200.0, 0.0)],
)
def test_quad_across_the_edge_is_inside_by_its_visible_share(left: float, share: float) -> None:
    quad = np.array([[[left, 10], [left + 40, 10], [left + 40, 66], [left, 66]]])
    assert geometry.shares_inside(quad, (100, 100)) == pytest.approx([share], abs=1e-6)
    assert geometry.shares_inside(quad[:, ::-1], (100, 100)) == pytest.approx([share], abs=1e-6)


def test_covered_share_is_the_largest_overlap() -> None:
    """The other quad may have any size, and its corners may run clockwise or not."""
    halves = SQUARE + np.float32([5, 0])
    distant, around = SQUARE + np.float32([40, 0]), (SQUARE - np.float32([9, 9])) * 20
    assert geometry.covered_share(SQUARE[0], np.concatenate([distant, halves])) == pytest.approx(0.5)
    assert geometry.covered_share(SQUARE[0], around) == pytest.approx(1.0)
    assert geometry.covered_share(SQUARE[0], distant) == geometry.covered_share(SQUARE[0], SQUARE[:0]) == 0.0
    assert geometry.covered_share(SQUARE[0, ::-1], halves[:, ::-1]) == pytest.approx(0.5)


def test_half_turn_is_no_corner_shift() -> None:
    moved = np.roll(SQUARE + np.float32([2, 0]), 2, axis=1)
    assert geometry.corner_shifts(np.concatenate([SQUARE, SQUARE]), np.concatenate([SQUARE, moved])) == pytest.approx(
        [0, 0.2]
    )

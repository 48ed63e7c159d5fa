"""Rectification: a low camera's table is shown with tiles of one size and shape."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.geometry.quads import TILE_ASPECT, axes_px, centred_corners
from tilekeeper.vision.geometry.rectification import (
    Rectification,
    fit_rectification,
    foreshortening_ratios,
    guess_rectification,
    trim_overlaps,
)
from tilekeeper.vision.imaging import project

WIDTH, WH = 60.0, (1600, 1200)
PICTURE = np.full((WH[1], WH[0], 3), 90, np.uint8)


def seen_from(elevation_deg: float, heading: float = 0.3) -> np.ndarray:
    """Return the homography from a table, in tile widths from its centre, to the image of a low camera."""
    rise, (cos, sin) = np.radians(elevation_deg), (np.cos(heading), np.sin(heading))
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    away, focal = 30.0, 1600.0
    tilt = np.array([[focal, 0, 0], [0, focal * np.sin(rise), 0], [0, -np.cos(rise), away]])
    return np.array([[1, 0, WH[0] / 2], [0, 1, WH[1] / 2], [0, 0, 1]]) @ tilt @ turn


def tiles(places: list[tuple[float, float, float]]) -> np.ndarray:
    """Return quads on the table of tiles at x, y and an angle."""
    corners = np.array(
        [[-0.5, -TILE_ASPECT / 2], [0.5, -TILE_ASPECT / 2], [0.5, TILE_ASPECT / 2], [-0.5, TILE_ASPECT / 2]]
    )
    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for _, _, a in places]
    return np.array([corners @ turn.T + (x, y) for turn, (x, y, _) in zip(turns, places, strict=True)])


SPREAD = tiles([(x, y, 0.5 * x + y) for x in (-4, -1, 2, 5) for y in (-5, -2, 1, 4)])
FAR = tiles([(7, 7, 1.0), (-7, -6, 0.2)])


def warp(quads: np.ndarray, homography: np.ndarray) -> np.ndarray:
    return project(quads.reshape(-1, 2), homography).reshape(quads.shape)


def shape_error(quads: np.ndarray, width: float) -> float:
    """Return the deviation of the sides of quads from those of a tile, as a share of its width."""
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2) / width
    return float(np.abs(sides - [1, TILE_ASPECT, 1, TILE_ASPECT]).max())


@pytest.mark.parametrize("elevation_deg", [20, 25, 30, 35])
@pytest.mark.parametrize("heading", [0.0, 1.1, 4.0])
def test_rectified_tiles_have_one_size_and_shape(elevation_deg: float, heading: float) -> None:
    """Tiles that were not used for the fit have the same size and shape."""
    camera = seen_from(elevation_deg, heading)
    rectification = fit_rectification(warp(SPREAD, camera), PICTURE)
    assert rectification is not None
    in_view = rectification.to_view(warp(SPREAD, camera))
    width = float(np.median(np.linalg.norm(in_view[:, 1] - in_view[:, 0], axis=1)))
    assert shape_error(in_view, width) < 0.02
    assert shape_error(rectification.to_view(warp(FAR, camera)), width) < 0.05
    assert rectification.to_image(in_view) == pytest.approx(warp(SPREAD, camera), abs=0.1)


def test_some_too_square_quads_do_not_change_the_fit() -> None:
    camera = seen_from(25)
    quads = warp(SPREAD, camera)
    for indices in (0, 5, 9):
        quads[indices] = quads[indices].mean(axis=0) + 20 * tiles([(0, 0, 0.7)])[0]
    rectification = fit_rectification(quads, PICTURE)
    assert rectification is not None
    in_view = rectification.to_view(warp(SPREAD, camera))
    assert shape_error(in_view, float(np.median(np.linalg.norm(in_view[:, 1] - in_view[:, 0], axis=1)))) < 0.1


def test_two_tiles_give_an_approximate_rectification() -> None:
    """The horizon stays at its default, but the foreshortening is corrected."""
    camera = seen_from(20)
    rectification = fit_rectification(warp(SPREAD[[5, 10]], camera), PICTURE)
    assert rectification is not None
    assert (
        foreshortening_ratios(rectification.to_view(warp(SPREAD, camera))).max()
        < 1.4
        < foreshortening_ratios(warp(SPREAD, camera)).min()
    )


@pytest.mark.parametrize("elevation_deg", [55, 90])
def test_high_camera_needs_no_rectification(elevation_deg: float) -> None:
    assert fit_rectification(warp(SPREAD, seen_from(elevation_deg)), PICTURE) is None
    assert fit_rectification(np.zeros((0, 4, 2)), PICTURE) is None


def test_view_shows_image_points_and_the_usual_colour_outside() -> None:
    camera = seen_from(30)
    picture = PICTURE.copy()
    quads = warp(SPREAD, camera)
    x, y = quads[6].mean(axis=0).astype(int)
    picture[y - 6 : y + 7, x - 6 : x + 7] = (10, 200, 30)
    rectification = fit_rectification(quads, picture)
    assert rectification is not None
    view = rectification.warp(picture)
    assert view.shape == (rectification.view_wh[1], rectification.view_wh[0], 3)
    u, v = rectification.to_view(np.array([[x, y]], np.float32))[0].round().astype(int)
    assert view[v, u].tolist() == [10, 200, 30]
    assert {tuple(colour) for colour in view[[0, 0, -1, -1], [0, -1, 0, -1]].tolist()} == {(90, 90, 90)}


def test_outline_across_the_horizon_is_cut_there() -> None:
    view = Rectification((200, 100), np.array([[1.0, 0, 0], [0, 1, 0], [0, 0.01, 0.0]]), (300, 200), (0, 0, 0))
    across = np.array([[-50, -80], [250, -80], [250, 150], [-50, 150]], np.float32)
    in_view = view.outline_in_view(across)
    assert len(in_view)
    assert (in_view >= 0).all()
    assert (in_view < (300, 200)).all()
    assert not len(view.outline_in_view(across - (0, 400)))


def test_tile_cut_by_the_image_edge_is_half_shown() -> None:
    """The tile is entirely within the view."""
    view = Rectification(WH, np.array([[1.0, 0, 200], [0, 1, 100], [0, 0, 1]]), (2000, 1500), (0, 0, 0))
    quads = np.array([[200, 300], [300, 300]])[:, None] + 50 * tiles([(0, 0, 0)])[0]
    assert view.shares_shown(quads.astype(np.float32)) == pytest.approx([0.5, 1.0])


def test_single_leaning_tile_makes_the_rectification_a_guess() -> None:
    """A table with only one tile also gives a guess. Before a low camera most tiles agree."""
    leaning = tiles([(0, 0, 0)])[0] * (1, 0.5)
    from_above = WIDTH * np.concatenate([SPREAD, leaning[None]]) + (800, 600)
    firm = fit_rectification(from_above, PICTURE)
    assert firm is not None
    assert not firm.firm
    camera = seen_from(25)
    alone, majority = (
        fit_rectification(warp(SPREAD[:1], camera), PICTURE),
        fit_rectification(warp(SPREAD, camera), PICTURE),
    )
    assert alone is not None
    assert not alone.firm
    assert majority is not None
    assert majority.firm


def test_tiles_too_small_to_be_read_are_in_the_view() -> None:
    small = warp(SPREAD, seen_from(25)) * 0.1
    rectification = fit_rectification(small, PICTURE)
    assert rectification is not None
    assert min(rectification.view_wh) > 10


def test_view_knows_which_boxes_it_shows() -> None:
    camera = seen_from(30)
    quads = warp(SPREAD, camera)
    rectification = fit_rectification(quads, PICTURE)
    assert rectification is not None
    around = np.concatenate([quads.min(axis=(0, 1)), quads.max(axis=(0, 1))])
    assert rectification.shows(around[None])
    assert rectification.shows(np.zeros((0, 4)))
    assert not rectification.shows(np.array([[-900.0, -900.0, 10.0, 10.0]]))


def test_guess_stretches_the_height_and_shows_the_whole_image() -> None:
    guess = guess_rectification(PICTURE)
    quads = warp(SPREAD[5:9], seen_from(35, 0.0))
    assert foreshortening_ratios(guess.to_view(quads)).max() < 1.4 < foreshortening_ratios(quads).max()
    assert guess.to_image(np.array([guess.view_wh], np.float32))[0] == pytest.approx(WH, abs=2)
    assert not guess.firm


def test_overlapping_tiles_of_a_row_are_trimmed_to_their_distance() -> None:
    row = np.array([centred_corners(1.4) * 40 + [25 * xy, 20 * (xy % 2)] for xy in range(5)])
    narrow = trim_overlaps(row)
    assert narrow.mean(axis=1) == pytest.approx(row.mean(axis=1))
    assert np.ptp(narrow, axis=1) == pytest.approx(np.tile([25, 56], (5, 1)))
    assert trim_overlaps(row[:, :, ::-1]) == pytest.approx(narrow[:, :, ::-1])


@pytest.mark.parametrize(
    "beside", [(41, 0), (3, 2), (30, 29), (0, 45)], ids=["apart", "found twice", "corner to corner", "row below"]
)
def test_quads_outside_the_row_trim_nothing(beside: tuple[float, float]) -> None:
    """Quads without area trim nothing, and a single tile is not trimmed."""
    two = centred_corners(1.4) * 40 + np.array([(0, 0), beside])[:, None]
    assert trim_overlaps(two) == pytest.approx(two)
    assert trim_overlaps(two[:0]).shape == (0, 4, 2)
    flat = np.concatenate([two[:1], np.full((1, 4, 2), 200.0)])
    assert trim_overlaps(flat) == pytest.approx(flat)


def test_rows_of_too_square_quads_are_rectified_by_their_overlaps() -> None:
    """The rows run away from a camera 25° above the table."""
    camera = seen_from(25, 1.5)
    rows = warp(tiles([(x, y, 0.0) for y in (-6, 0, 6) for x in range(-3, 4)]), camera)
    across, down = axes_px(rows)
    as_wide = np.linalg.norm(down, axis=1) / TILE_ASPECT / np.linalg.norm(across, axis=1)
    square = rows.mean(axis=1)[:, None] + (rows - rows.mean(axis=1)[:, None]) * [1, as_wide.mean()]
    assert foreshortening_ratios(square).max() < 1.3
    rectification = fit_rectification(square, PICTURE)
    assert rectification is not None
    in_view = rectification.to_view(rows)
    assert shape_error(in_view, float(np.median(np.linalg.norm(in_view[:, 1] - in_view[:, 0], axis=1)))) < 0.15

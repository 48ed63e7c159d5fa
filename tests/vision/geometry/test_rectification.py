"""The view from above: a table that a low camera sees is shown with tiles of one size and shape."""

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
    """The homography from a table, in units of its tiles' width about its middle, to a picture from so low."""
    rise, (cos, sin) = np.radians(elevation_deg), (np.cos(heading), np.sin(heading))
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    away, focal = 30.0, 1600.0
    tilt = np.array([[focal, 0, 0], [0, focal * np.sin(rise), 0], [0, -np.cos(rise), away]])
    return np.array([[1, 0, WH[0] / 2], [0, 1, WH[1] / 2], [0, 0, 1]]) @ tilt @ turn


def tiles(places: list[tuple[float, float, float]]) -> np.ndarray:
    """Quads on the table of tiles at x, y and turned by so much."""
    corners = np.array(
        [[-0.5, -TILE_ASPECT / 2], [0.5, -TILE_ASPECT / 2], [0.5, TILE_ASPECT / 2], [-0.5, TILE_ASPECT / 2]]
    )
    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for _, _, a in places]
    return np.array([corners @ turn.T + (x, y) for turn, (x, y, _) in zip(turns, places, strict=True)])


SPREAD = tiles([(x, y, 0.5 * x + y) for x in (-4, -1, 2, 5) for y in (-5, -2, 1, 4)])
FAR = tiles([(7, 7, 1.0), (-7, -6, 0.2)])


def led(quads: np.ndarray, homography: np.ndarray) -> np.ndarray:
    return project(quads.reshape(-1, 2), homography).reshape(quads.shape)


def unlike(quads: np.ndarray, width: float) -> float:
    """By how much the sides of quads differ from those of a tile, as a share of its width."""
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2) / width
    return float(np.abs(sides - [1, TILE_ASPECT, 1, TILE_ASPECT]).max())


@pytest.mark.parametrize("elevation_deg", [20, 25, 30, 35])
@pytest.mark.parametrize("heading", [0.0, 1.1, 4.0])
def test_all_tiles_are_of_one_size_and_shape_from_above(elevation_deg: float, heading: float) -> None:
    """Also those from which it was not told."""
    camera = seen_from(elevation_deg, heading)
    found = fit_rectification(led(SPREAD, camera), PICTURE)
    assert found is not None
    shown = found.to_view(led(SPREAD, camera))
    width = float(np.median(np.linalg.norm(shown[:, 1] - shown[:, 0], axis=1)))
    assert unlike(shown, width) < 0.02
    assert unlike(found.to_view(led(FAR, camera)), width) < 0.05
    assert found.to_image(shown) == pytest.approx(led(SPREAD, camera), abs=0.1)


def test_quads_that_were_found_too_square_do_not_mislead() -> None:
    """The detector knows tiles as they are seen from above, and takes some for those."""
    camera = seen_from(25)
    quads = led(SPREAD, camera)
    for at in (0, 5, 9):
        quads[at] = quads[at].mean(axis=0) + 20 * tiles([(0, 0, 0.7)])[0]
    found = fit_rectification(quads, PICTURE)
    assert found is not None
    shown = found.to_view(led(SPREAD, camera))
    assert unlike(shown, float(np.median(np.linalg.norm(shown[:, 1] - shown[:, 0], axis=1)))) < 0.1


def test_two_tiles_tell_about_how_the_table_lies() -> None:
    """With few the line of the horizon stays where it is usual; what was a third of its height no longer is."""
    camera = seen_from(20)
    found = fit_rectification(led(SPREAD[[5, 10]], camera), PICTURE)
    assert found is not None
    assert (
        foreshortening_ratios(found.to_view(led(SPREAD, camera))).max()
        < 1.4
        < foreshortening_ratios(led(SPREAD, camera)).min()
    )


@pytest.mark.parametrize("elevation_deg", [55, 90])
def test_a_table_seen_from_high_above_is_read_as_it_is(elevation_deg: float) -> None:
    assert fit_rectification(led(SPREAD, seen_from(elevation_deg)), PICTURE) is None
    assert fit_rectification(np.zeros((0, 4, 2)), PICTURE) is None


def test_the_view_shows_the_picture() -> None:
    """What lies at a point of the picture is at its place in the view, and beyond the picture is its usual colour."""
    camera = seen_from(30)
    picture = PICTURE.copy()
    quads = led(SPREAD, camera)
    x, y = quads[6].mean(axis=0).astype(int)
    picture[y - 6 : y + 7, x - 6 : x + 7] = (10, 200, 30)
    found = fit_rectification(quads, picture)
    assert found is not None
    view = found.warp(picture)
    assert view.shape == (found.view_wh[1], found.view_wh[0], 3)
    u, v = found.to_view(np.array([[x, y]], np.float32))[0].round().astype(int)
    assert view[v, u].tolist() == [10, 200, 30]
    assert {tuple(colour) for colour in view[[0, 0, -1, -1], [0, -1, 0, -1]].tolist()} == {(90, 90, 90)}


def test_an_outline_ends_at_the_horizon() -> None:
    """What reaches past it is shown up to the view's edge, and what lies past it not at all."""
    view = Rectification((200, 100), np.array([[1.0, 0, 0], [0, 1, 0], [0, 0.01, 0.0]]), (300, 200), (0, 0, 0))
    across = np.array([[-50, -80], [250, -80], [250, 150], [-50, 150]], np.float32)
    shown = view.outline_in_view(across)
    assert len(shown)
    assert (shown >= 0).all()
    assert (shown < (300, 200)).all()
    assert not len(view.outline_in_view(across - (0, 400)))


def test_what_the_picture_cuts_is_not_all_shown() -> None:
    """Half of a tile lies beyond the left edge of the picture, though well within the view."""
    view = Rectification(WH, np.array([[1.0, 0, 200], [0, 1, 100], [0, 0, 1]]), (2000, 1500), (0, 0, 0))
    quads = np.array([[200, 300], [300, 300]])[:, None] + 50 * tiles([(0, 0, 0)])[0]
    assert view.shares_shown(quads.astype(np.float32)) == pytest.approx([0.5, 1.0])


def test_one_that_leans_among_those_that_lie_is_a_guess() -> None:
    """And so is what a single tile tells; of a table that a low camera sees most tell it."""
    leaning = tiles([(0, 0, 0)])[0] * (1, 0.5)
    from_above = WIDTH * np.concatenate([SPREAD, leaning[None]]) + (800, 600)
    told = fit_rectification(from_above, PICTURE)
    assert told is not None
    assert not told.firm
    camera = seen_from(25)
    alone, most = fit_rectification(led(SPREAD[:1], camera), PICTURE), fit_rectification(led(SPREAD, camera), PICTURE)
    assert alone is not None
    assert not alone.firm
    assert most is not None
    assert most.firm


def test_tiles_too_small_to_be_read_are_shown_all_the_same() -> None:
    """No place of the picture shows tiles large enough, and only what lies around these is in the view."""
    small = led(SPREAD, seen_from(25)) * 0.1
    found = fit_rectification(small, PICTURE)
    assert found is not None
    assert min(found.view_wh) > 10


def test_the_view_tells_which_changes_it_shows() -> None:
    camera = seen_from(30)
    quads = led(SPREAD, camera)
    found = fit_rectification(quads, PICTURE)
    assert found is not None
    around = np.concatenate([quads.min(axis=(0, 1)), quads.max(axis=(0, 1))])
    assert found.shows(around[None])
    assert found.shows(np.zeros((0, 4)))
    assert not found.shows(np.array([[-900.0, -900.0, 10.0, 10.0]]))


def test_a_guess_gives_the_picture_more_height() -> None:
    """What a level camera sees from 35° is nearly as wide as it is high there, and all of the picture is shown."""
    guess = guess_rectification(PICTURE)
    quads = led(SPREAD[5:9], seen_from(35, 0.0))
    assert foreshortening_ratios(guess.to_view(quads)).max() < 1.4 < foreshortening_ratios(quads).max()
    assert guess.to_image(np.array([guess.view_wh], np.float32))[0] == pytest.approx(WH, abs=2)
    assert not guess.firm


def test_tiles_that_are_found_too_square_are_parted() -> None:
    """No wider than they lie apart in a row, each about its middle."""
    row = np.array([centred_corners(1.4) * 40 + [25 * at, 20 * (at % 2)] for at in range(5)])
    narrow = trim_overlaps(row)
    assert narrow.mean(axis=1) == pytest.approx(row.mean(axis=1))
    assert np.ptp(narrow, axis=1) == pytest.approx(np.tile([25, 56], (5, 1)))
    assert trim_overlaps(row[:, :, ::-1]) == pytest.approx(narrow[:, :, ::-1])


@pytest.mark.parametrize(
    "beside", [(41, 0), (3, 2), (30, 29), (0, 45)], ids=["apart", "found twice", "corner to corner", "row below"]
)
def test_what_does_not_lie_beside_a_tile_in_its_row_does_not_part_it(beside: tuple[float, float]) -> None:
    """Nor what has no area, or is alone."""
    two = centred_corners(1.4) * 40 + np.array([(0, 0), beside])[:, None]
    assert trim_overlaps(two) == pytest.approx(two)
    assert trim_overlaps(two[:0]).shape == (0, 4, 2)
    flat = np.concatenate([two[:1], np.full((1, 4, 2), 200.0)])
    assert trim_overlaps(flat) == pytest.approx(flat)


def test_rows_found_too_square_tell_how_the_table_lies() -> None:
    """Rows that run away from a camera 25° above the table: only that each tile covers the next one tells it."""
    camera = seen_from(25, 1.5)
    rows = led(tiles([(x, y, 0.0) for y in (-6, 0, 6) for x in range(-3, 4)]), camera)
    across, down = axes_px(rows)
    as_wide = np.linalg.norm(down, axis=1) / TILE_ASPECT / np.linalg.norm(across, axis=1)
    square = rows.mean(axis=1)[:, None] + (rows - rows.mean(axis=1)[:, None]) * [1, as_wide.mean()]
    assert foreshortening_ratios(square).max() < 1.3
    found = fit_rectification(square, PICTURE)
    assert found is not None
    shown = found.to_view(rows)
    assert unlike(shown, float(np.median(np.linalg.norm(shown[:, 1] - shown[:, 0], axis=1)))) < 0.15

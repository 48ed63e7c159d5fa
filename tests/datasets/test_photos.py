"""Annotated photos: each outline becomes a quad whose first corner is the tile's own top left."""

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.projected_tiles import seen_by_camera, tile_mm
from tilekeeper.datasets.photos import AnnotatedPhoto, exceptions, fit_quad, load_annotated, upright_quad
from tilekeeper.vision.geometry.quads import rectify, sizes_wh_px


@pytest.fixture(scope="module")
def photos(photos_folder: Path) -> tuple[AnnotatedPhoto, ...]:
    """Load all real photos."""
    return load_annotated(photos_folder)


def rounded_outline(quad_px: np.ndarray, share: float) -> np.ndarray:
    """Cut off the corners of a quad, like an outline drawn around a tile's rounded face."""
    points = []
    for before, corner, after in zip(np.roll(quad_px, 1, axis=0), quad_px, np.roll(quad_px, -1, axis=0), strict=True):
        points += [corner + (before - corner) * share, corner + (after - corner) * share]
    return np.array(points, np.float32)


def same_corners(quad: np.ndarray, other: np.ndarray, within_px: float) -> bool:
    """Return whether two quads have the same corners in the same direction, with any first corner."""
    return any(np.abs(np.roll(quad, turn, axis=0) - other).max() <= within_px for turn in range(4))


@given(st.floats(0, 50), st.floats(0, 360), st.floats(0.02, 0.15), st.randoms(use_true_random=False))
def test_cut_corners_of_an_outline_are_restored(tilt: float, turn: float, share: float, random: object) -> None:
    """Eight points around a tile in perspective give its four corners, clockwise."""
    quad = seen_by_camera([tile_mm((60, -40))], tilt_deg=tilt, turn_deg=turn, px_per_mm=3)[0]
    points = rounded_outline(quad, share).tolist()
    random.shuffle(points)
    fitted = fit_quad(np.array(points))
    assert fitted.dtype == np.float32
    assert same_corners(fitted, quad, within_px=0.6)


def test_triangle_gets_a_box_and_a_line_is_refused() -> None:
    """Three points get the smallest box around them."""
    box = fit_quad(np.array([[0, 0], [40, 0], [0, 60]], np.float32))
    assert box.shape == (4, 2)
    assert abs(cv2.contourArea(box)) == pytest.approx(2400, rel=0.01)
    with pytest.raises(ValueError, match="needs an area"):
        fit_quad(np.array([[0, 0], [5, 5], [10, 10]], np.float32))


@pytest.mark.parametrize("turn_deg", range(0, 360, 45))
def test_first_corner_is_found_by_the_ink(turn_deg: float) -> None:
    """A drawn tile in any direction has its own top left corner first."""
    quad = seen_by_camera([tile_mm((20, 10))], tilt_deg=35, turn_deg=turn_deg, px_per_mm=3)[0]
    crop = np.full((72, 48, 3), (215, 230, 235), np.uint8)
    cv2.putText(crop, "6", (13, 36), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (40, 120, 240), 4)
    cv2.putText(crop, "name", (10, 62), cv2.FONT_HERSHEY_SIMPLEX, 0.3, (190, 205, 210), 1)
    corners = np.array([[0, 0], [48, 0], [48, 72], [0, 72]], np.float32) - 0.5
    image = cv2.warpPerspective(
        crop, cv2.getPerspectiveTransform(corners, quad), (1920, 1080), borderValue=(40, 60, 80)
    )
    for first in range(4):
        assert upright_quad(image, np.roll(quad, first, axis=0)) == pytest.approx(quad)


def test_all_photos_and_tiles_are_listed(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """There are 204 photos with 2,184 tiles, 30 of which are cut."""
    assert Counter(photo.session for photo in photos) == {"s1": 39, "s2": 42, "s3": 29, "s4": 85, "background": 9}
    tiles = [tile for photo in photos for tile in photo.tiles]
    assert len(tiles) == 2184
    assert sum(not tile.cut for tile in tiles) == 2154
    assert not any(photo.tiles for photo in photos if photo.session == "background")
    assert len({tile.label for tile in tiles}) == 53


def test_quads_fit_their_outlines(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """Each quad is clockwise around its outline, close to it, and has the shape of a tile."""
    for photo in photos:
        for tile in photo.tiles:
            assert tile.quad_px.shape == (4, 2)
            area = cv2.contourArea(tile.quad_px, oriented=True)
            outline = cv2.contourArea(cv2.convexHull(tile.polygon_px))
            assert outline <= area * 1.001, (photo.file, tile.label)
            assert area < 1.2 * outline or tile.cut, (photo.file, tile.label)
            across, along = sizes_wh_px(tile.quad_px[None])[0]
            assert 1.0 < along / across < 2.0 or tile.cut, (photo.file, tile.label)


def test_all_whole_tiles_are_upright(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """Each tile resembles the mean of its number more than the upside-down mean, so no 6 is among the 9s.

    The rule that finds the first corner by the ink knows no labels, so this check is independent.
    """
    crops: dict[str, list[tuple[str, np.ndarray]]] = {}
    for photo in photos:
        image = cv2.imread(str(photo.path))
        for tile in photo.tiles:
            if not tile.cut:
                darkest = rectify(image, tile.quad_px, (24, 36))[2:-2, 2:-2].astype(np.float32).min(axis=2)
                number = tile.label.rpartition("-")[2]
                crops.setdefault(number, []).append((f"{photo.file} {tile.label}", standard(darkest)))
    assert len(crops) == 14
    upside_down = []
    for number, named in crops.items():
        mean = standard(np.mean([crop for _, crop in named], axis=0))
        upside_down += [name for name, crop in named if (crop * mean).sum() <= (crop[::-1, ::-1] * mean).sum()]
        # the number is in the upper half of the mean
        assert mean[: len(mean) // 2].mean() < mean[len(mean) // 2 :].mean(), number
    assert upside_down == []


def standard(crop: np.ndarray) -> np.ndarray:
    return (crop - crop.mean()) / (crop.std() + 1e-6)


def test_exceptions_are_cut_tiles_with_the_given_first_corner(photos: tuple[AnnotatedPhoto, ...]) -> None:
    """The few tiles turned by hand exist and are cut."""
    by_file = {photo.file: photo for photo in photos}
    for file, tiles in exceptions().items():
        for index, top_left_px in tiles.items():
            tile = by_file[file].tiles[int(index)]
            assert tile.cut
            assert np.abs(tile.quad_px[0] - top_left_px).max() < 3


def test_sessions_can_be_chosen(photos_folder: Path) -> None:
    assert {photo.session for photo in load_annotated(photos_folder, sessions=["s3"])} == {"s3"}


def test_missing_folder_raises_an_error(tmp_path: Path) -> None:
    """Missing images are an error too."""
    with pytest.raises(FileNotFoundError):
        load_annotated(tmp_path)
    (tmp_path / "photos.json").write_text(
        '{"photos": [{"file": "a.jpg", "width": 4, "height": 3, "session": "s1", "tiles": []}]}'
    )
    with pytest.raises(FileNotFoundError, match=r"a\.jpg is missing"):
        load_annotated(tmp_path)

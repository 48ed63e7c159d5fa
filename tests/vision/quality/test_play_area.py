"""The play area is found on tables with racks at their rims."""

import json

import cv2
import numpy as np
import pytest

from tilekeeper.companion.capture.source_choice import demo_path
from tilekeeper.vision.quality.play_area import find_play_area

WH = (1280, 960)
FLOOR, IVORY = (38, 44, 60), (214, 232, 238)
NO_TILES = np.zeros((0, 4, 2), np.float32)
MELDS = [(470, 400), (700, 520), (560, 620)]
"""Left top corners of melds of four tiles each, in pixels."""
TABLE = np.array([(150, 90), (1130, 110), (1200, 900), (90, 880)])
RACKS = [
    [(420, 120), (860, 125), (860, 180), (420, 175)],
    [(420, 820), (880, 825), (880, 885), (420, 880)],
    [(160, 330), (215, 330), (200, 660), (145, 660)],
    [(1085, 330), (1140, 330), (1155, 660), (1100, 660)],
]


def tile_quads() -> np.ndarray:
    """Return the corners of all tiles on the table."""
    corners = np.array([(0, 0), (34, 0), (34, 46), (0, 46)])
    return np.array([corners + np.array((x + 36 * place, y)) for x, y in MELDS for place in range(4)], np.float32)


def scene(cloth: tuple[int, int, int], racks: bool = True, seed: int = 1) -> np.ndarray:
    """Draw a table from above on a dark floor, lit from one side, with melds in the middle and racks at the rims."""
    rng = np.random.default_rng(seed)
    image = np.full((WH[1], WH[0], 3), FLOOR, np.float32)
    cv2.fillPoly(image, [TABLE], cloth)
    for rack in RACKS if racks else []:
        cv2.fillPoly(image, [np.array(rack)], (20, 22, 24))
        cv2.polylines(image, [np.array(rack)], True, (90, 96, 110), 4)
    for quad in tile_quads():
        cv2.fillPoly(image, [quad.astype(np.int32)], IVORY)
    light = np.linspace(0.75, 1.1, WH[0])[None, :, None] * np.linspace(0.9, 1.05, WH[1])[:, None, None]
    noise = rng.normal(0, 4, image.shape)
    return np.clip(image * light + noise, 0, 255).astype(np.uint8)


def inside(corners: tuple[tuple[float, float], ...], points: np.ndarray) -> np.ndarray:
    """Return which points `(N, 2)`, in pixels, are in an area."""
    area = (np.array(corners) * WH).astype(np.float32)
    return np.array([cv2.pointPolygonTest(area, (float(x), float(y)), False) >= 0 for x, y in points])


@pytest.mark.parametrize("cloth", [(60, 110, 70), (150, 170, 190), (70, 95, 140), (200, 205, 210)])
def test_play_area_includes_melds_and_leaves_out_racks_and_floor(cloth):
    corners = find_play_area(scene(cloth), tile_quads())
    assert corners is not None
    assert inside(corners, tile_quads().reshape(-1, 2)).all()
    assert not inside(corners, np.array([np.mean(rack, axis=0) for rack in RACKS])).any()
    assert not inside(corners, np.array([(20, 20), (1260, 30), (1265, 940), (15, 940)])).any()
    assert cv2.contourArea(np.array(corners, np.float32)) > 0.3


def test_table_in_perspective_without_racks_is_the_play_area_up_to_its_rim():
    corners = find_play_area(scene((60, 110, 70), racks=False), tile_quads())
    assert corners is not None
    share = cv2.contourArea((np.array(corners) * WH).astype(np.float32)) / cv2.contourArea(TABLE)
    assert 0.85 < share < 1.02


def test_empty_table_has_a_play_area():
    assert find_play_area(scene((150, 170, 190)), NO_TILES) is not None


def test_image_without_a_surface_has_no_play_area():
    noise = np.random.default_rng(2).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    assert find_play_area(noise, NO_TILES) is None


BOARD = np.array([(330, 270), (960, 255), (1010, 760), (300, 745)])
"""A slightly turned playing mat in the middle of the table, under the melds."""


def mat_scene(extra: np.ndarray) -> np.ndarray:
    """Draw the table with a dark green mat under the melds, and `extra` tiles `(N, 4, 2)` beside the melds."""
    image = scene((150, 170, 190)).astype(np.float32)
    mat = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mat, [BOARD], 1)
    for quad in tile_quads():
        cv2.fillPoly(mat, [quad.astype(np.int32)], 0)
    image[mat > 0] = image[mat > 0] * 0.25 + (18, 44, 22)
    for quad in extra:
        cv2.fillPoly(image, [quad.astype(np.int32)], IVORY)
    return image.clip(0, 255).astype(np.uint8)


def tile_at(x_px: float, y_px: float) -> np.ndarray:
    """Return the corners `(4, 2)` of a tile around a point."""
    return np.array([(-17, -23), (17, -23), (17, 23), (-17, 23)], np.float32) + np.float32((x_px, y_px))


def test_mat_on_the_table_is_the_play_area():
    corners = find_play_area(mat_scene(np.zeros((0, 4, 2))), tile_quads())
    assert corners is not None
    area = (np.array(corners) * WH).astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(cv2.convexHull(area), BOARD.astype(np.float32))
    # the area and the mat are almost equal
    assert shared / cv2.contourArea(BOARD) > 0.9
    assert shared / cv2.contourArea(area) > 0.95
    assert inside(corners, tile_quads().reshape(-1, 2)).all()


@pytest.mark.parametrize("place", [(985, 500), (640, 752), (318, 480), (700, 262)])
def test_tile_across_the_rim_extends_the_play_area(place):
    """The area extends a little around it, but not as far as a rack."""
    tile = tile_at(*place)
    corners = find_play_area(mat_scene(tile[None]), np.concatenate([tile_quads(), tile[None]]))
    assert corners is not None
    assert inside(corners, tile).all()
    assert inside(corners, tile_quads().reshape(-1, 2)).all()
    assert not inside(corners, np.array([np.mean(rack, axis=0) for rack in RACKS])).any()
    area = cv2.contourArea((np.array(corners) * WH).astype(np.float32))
    assert area / cv2.contourArea(BOARD) < 1.05


def test_row_across_the_rim_is_in_the_play_area_as_a_whole():
    """Without the row, the rim would go through the middle of the set."""
    row = np.array([tile_at(905 + 36 * at, 500) for at in range(5)])
    image, tiles = mat_scene(row), np.concatenate([tile_quads(), row])
    corners = find_play_area(image, tiles, (tuple(range(len(tiles) - 5, len(tiles))),))
    cut = find_play_area(image, tiles)
    assert corners is not None
    assert cut is not None
    assert inside(corners, tiles.reshape(-1, 2)).all()
    assert not inside(cut, row.reshape(-1, 2)).all()
    assert not inside(corners, np.array([np.mean(rack, axis=0) for rack in RACKS])).any()


def test_tile_that_hardly_touches_the_area_crosses_its_rim():
    """The tile may be on a rack, so the area does not grow. A person sees the rim and can move a corner."""
    tile = tile_at(640, 768)
    corners = find_play_area(mat_scene(tile[None]), np.concatenate([tile_quads(), tile[None]]))
    assert corners is not None
    assert len(corners) == 4
    assert not inside(corners, tile).all()
    assert inside(corners, tile_quads().reshape(-1, 2)).all()


def test_rim_through_many_tiles_is_mistaken():
    """Many tiles cross the rim, so the surface is no mat, and no play area is returned."""
    tiles = np.array([tile_at(360 + 85 * at, 758 + 2 * at) for at in range(7)])
    assert find_play_area(mat_scene(tiles), np.concatenate([tile_quads(), tiles])) is None


def test_recorded_table_gets_no_play_area():
    """The wood grain ends the detected surface in the middle of the table, and its rim would leave out melds."""
    demo = demo_path()
    assert demo is not None
    film = cv2.VideoCapture(str(demo))
    cues = json.loads(demo.with_suffix(".json").read_text("utf-8"))
    for still in cues["stills"][:3]:
        film.set(cv2.CAP_PROP_POS_FRAMES, still["last_frame"])
        has_frame, image = film.read()
        assert has_frame
        tiles = np.array([quad for meld in still["quads_px"] for quad in meld], np.float32)
        assert find_play_area(image, tiles) is None

"""Finds the play area on an image: the free middle of the table, with racks, pool and box outside.

The table's surface is grown from the middle of the image up to edges, by flood fill, and includes the tiles on it. A
large object towards the rim (a rack, a box, an arm) is outside. The area is the largest quadrilateral without such
objects, extended a little around tiles across its rim. The page shows it before it is stored; its corners can be moved.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.imaging import convex_hull, morphology, resize
from tilekeeper.vision.types import Rows

PLAY_AREA_SEARCH_SIDE_PX = 192  # the frame is resized to this longer side for the play-area search
MAX_SURFACE_STEP_LEVELS = 4  # neighbouring pixels of the table's surface differ by at most this, in each Lab channel
MIN_OBSTACLE_FRAME_SHARE = 0.006  # anything smaller on the table is a tile or its shadow, not an obstacle
CENTRAL_ZONE_FRAME_SHARE = 0.5  # of the frame's width and height; anything in this middle part belongs to the game
MIN_FREE_AREA_SHARE = 0.985  # a play area has this share of free pixels; the rest may be shadows or a cloth's letters
MIN_PLAY_AREA_FRAME_SHARE = 0.12  # with a smaller play area the table was not recognized
MAX_AREA_EXTENSION_SIDES = 0.85  # a tile that extends further beyond the rim, in longer sides, may be on a rack
RIM_TOLERANCE_PX = 0.05  # a corner outside the play area by less than this counts as on the rim
RIM_TILE_MARGIN_RATIO = 0.15  # a tile across the rim is enlarged by this share before the area extends around it
MAX_RIM_TILES_SHARE = 0.1  # at most this share of the tiles, and one in any case, may cross the rim of the play area
SURFACE_SEED_RANGE_SHARE = (0.28, 0.72)  # of width and height; flood fills start at 7 × 7 points
MIN_SURFACE_PIECE_FRAME_SHARE = 0.02  # a larger filled piece is table; wood and woven cloth fill in several pieces

Corners = tuple[tuple[float, float], ...]
"""Four corners in order around the area, as shares of the image's width and height."""


def find_play_area(image_bgr: Image, tiles_px: Floats, rows: Rows = ()) -> Corners | None:
    """Return the play area of an image `(H, W, 3) uint8` in which nothing is blacked out; None if it is not recognised.

    `tiles_px`: quads `(N, 4, 2)` of the tiles that were read in the image; N may be 0.
    `rows`: the tiles of each row, by their indices; no row is cut by the area.
    """
    height_px, width_px = image_bgr.shape[:2]
    scale = PLAY_AREA_SEARCH_SIDE_PX / max(height_px, width_px)
    small_wh = max(8, round(width_px * scale)), max(8, round(height_px * scale))
    small = resize(image_bgr, small_wh, cv2.INTER_AREA)
    tiles = np.asarray(tiles_px, np.float32).reshape(-1, 4, 2) * scale
    free = _free(_surface(small, tiles), tiles)
    area = _largest_rectangle(free)
    if area is None:
        return None
    area = _extend_around(_move_corners_outwards(free, area), tiles, rows, small_wh)
    if cv2.contourArea(area) < MIN_PLAY_AREA_FRAME_SHARE * free.size or _is_implausible(area, tiles, small_wh):
        return None
    width, height = small_wh
    return tuple((round(float(x) / (width - 1), 4), round(float(y) / (height - 1), 4)) for x, y in area)


def _surface(image_bgr: Image, tiles: Floats) -> Bools:
    """Flood fill from points in the middle; return the table's surface as a mask `(H, W) bool`."""
    height, width = image_bgr.shape[:2]
    lab = cv2.cvtColor(cv2.bilateralFilter(image_bgr, 7, 28, 5), cv2.COLOR_BGR2LAB)
    taken = np.zeros((height, width), np.uint8)
    cv2.fillPoly(taken, list(tiles.round().astype(np.int32)), 1)
    best, covered = np.zeros((height, width), bool), np.zeros((height, width), bool)
    starts, largest_step = np.linspace(*SURFACE_SEED_RANGE_SHARE, 7), (MAX_SURFACE_STEP_LEVELS,) * 3
    for y in starts * height:
        for x in starts * width:
            at = int(x), int(y)
            if covered[at[1], at[0]] or taken[at[1], at[0]]:
                continue
            mask = np.zeros((height + 2, width + 2), np.uint8)
            cv2.floodFill(lab, mask, at, 0, largest_step, largest_step, cv2.FLOODFILL_MASK_ONLY | 4)
            found = mask[1:-1, 1:-1].astype(bool)
            covered |= found
            if found.mean() > MIN_SURFACE_PIECE_FRAME_SHARE:
                best |= found
    return best


def _free(surface: Bools, tiles: Floats) -> Image:
    """Return a mask `(H, W) uint8`, 255 where tiles may lie: the surface, and tiles and small objects on it."""
    height, width = surface.shape
    free = morphology(surface.astype(np.uint8) * 255, cv2.MORPH_CLOSE, 5)
    cv2.fillPoly(free, list(tiles.round().astype(np.int32)), 255)
    count, pieces, stats, middles = cv2.connectedComponentsWithStats(255 - free, connectivity=4)
    for piece in range(1, count):
        left, top, wide, high, size = stats[piece]
        at_rim = left == 0 or top == 0 or left + wide == width or top + high == height
        x, y = middles[piece] / (width, height) - 0.5
        inner = max(abs(x), abs(y)) < CENTRAL_ZONE_FRAME_SHARE / 2
        if not at_rim and (inner or size < MIN_OBSTACLE_FRAME_SHARE * free.size):
            free[pieces == piece] = 255
    return morphology(free, cv2.MORPH_ERODE, 3)


def _largest_rectangle(free: Image) -> Floats | None:
    """Return the largest upright rectangle of free pixels, `(4, 2)` clockwise from the top left; None without any."""
    height, width = free.shape
    depth = np.zeros(width + 1, int)  # number of free pixels in each column upwards from this row; 0 ends the row
    best, corners = 0, None
    for row in range(height):
        depth[:width] = np.where(free[row] > 0, depth[:width] + 1, 0)
        open_: list[tuple[int, int]] = []  # rectangles that may grow: (first column, depth), depths rising
        for column, here in enumerate(depth.tolist()):
            begin = column
            while open_ and open_[-1][1] >= here:
                begin, above = open_.pop()
                if above * (column - begin) > best:
                    best = above * (column - begin)
                    left, right, top = begin, column - 1, row - above + 1
                    corners = np.array([(left, top), (right, top), (right, row), (left, row)], np.float32)
            open_.append((begin, here))
    return corners


def _move_corners_outwards(free: Image, area: Floats) -> Floats:
    """Hill climbing: move the area's corners outwards while it stays free, as a table seen askew is no rectangle."""
    height, width = free.shape
    for reach in (16, 8, 4, 2, 1):
        for _ in range(8):
            before = area.copy()
            for corner in range(4):
                for step in ((-reach, 0), (reach, 0), (0, -reach), (0, reach), (-reach, -reach), (reach, reach)):
                    tried = area.copy()
                    tried[corner] = np.clip(tried[corner] + step, 0, (width - 1, height - 1))
                    if cv2.contourArea(tried) > cv2.contourArea(area) and _is_clear(free, tried):
                        area = tried
            if np.array_equal(before, area):
                break
    return area


def _extend_around(area: Floats, tiles: Floats, rows: Rows, wh: tuple[int, int]) -> Floats:
    """Return the convex hull of the area, tiles across its rim except those far beyond it, and rows that it cuts."""
    depth = _depth(area, tiles)
    sides = np.linalg.norm(tiles - np.roll(tiles, 1, axis=1), axis=2).max(axis=1)
    is_near = depth.min(axis=1) > -MAX_AREA_EXTENSION_SIDES * sides
    across = tiles[(depth.max(axis=1) > 0) & (depth.min(axis=1) < 0) & is_near]
    wider = across + RIM_TILE_MARGIN_RATIO * (across - across.mean(axis=1, keepdims=True))
    wider = np.clip(wider, 0, np.array((wh[0] - 1, wh[1] - 1), np.float32))
    inside = set(np.flatnonzero(depth.min(axis=1) > -RIM_TOLERANCE_PX).tolist())
    cut = [tiles[tile] for row in rows if 0 < len(inside.intersection(row)) < len(row) for tile in row]
    return convex_hull(np.concatenate([area, *wider, *cut])).reshape(-1, 2) if len(wider) or cut else area


def _is_implausible(area: Floats, tiles: Floats, wh: tuple[int, int]) -> bool:
    """Return whether the area cannot be the table: it leaves out a tile in the middle, or its rim cuts many tiles."""
    inside = _depth(area, tiles) > -RIM_TOLERANCE_PX
    in_the_middle = (np.abs(tiles.mean(axis=1) / wh - 0.5) < CENTRAL_ZONE_FRAME_SHARE / 2).all(axis=1)
    across = inside.any(axis=1) & ~inside.all(axis=1)
    is_middle_left_out = (in_the_middle & ~inside.any(axis=1)).any()
    return bool(is_middle_left_out or across.sum() > max(1.0, MAX_RIM_TILES_SHARE * len(tiles)))


def _depth(area: Floats, tiles: Floats) -> Floats:
    """Return the signed distance `(N, 4)` of each tile's corners from the area's rim, in pixels; below 0 outside."""
    depth = [cv2.pointPolygonTest(area, (float(x), float(y)), True) for x, y in tiles.reshape(-1, 2)]
    return np.array(depth).reshape(-1, 4)


def _is_clear(free: Image, area: Floats) -> bool:
    """Return whether the area is convex and nearly all of its pixels are free."""
    corners = area.astype(np.int32)
    if not cv2.isContourConvex(corners):
        return False
    inside = np.zeros(free.shape, np.uint8)
    cv2.fillConvexPoly(inside, corners, 1)
    return float((free[inside > 0] > 0).mean()) >= MIN_FREE_AREA_SHARE

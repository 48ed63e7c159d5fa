"""Face-down tiles: weak detections as white and as large as the tiles around them, with an edge and without print."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, median, no_quads, quantile
from tilekeeper.vision.geometry.face_color import as_white
from tilekeeper.vision.geometry.proximity import are_free, suppress_duplicates
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    areas_px,
    as_quads,
    centred_corners,
    centres_px,
    distances_px,
    grid_points,
    rotation_matrices,
    shares_inside,
)
from tilekeeper.vision.geometry.table_plane import axes_of
from tilekeeper.vision.imaging import darkest_channel, remap
from tilekeeper.vision.quality.occlusion import MAX_FACE_TINT_LOG, MIN_INSIDE_FRAME_SHARE
from tilekeeper.vision.scene import Scene

MIN_FACE_DOWN_REFERENCE_TILES = 3  # fewer certain tiles do not show how large and how white a tile is
FACE_DOWN_NEIGHBOUR_COUNT = 6  # a face-down candidate is compared with this many of its nearest certain tiles
FACE_DOWN_ORIENTATION_COUNT = 12  # an outline is tested in this many directions within half a turn
FACE_DOWN_OUTLINE_SHIFT_WIDTHS = 0.12  # an outline is also tested shifted by this, in four directions
MAX_FACE_DOWN_LIGHT_LOG = 0.35  # difference of light from its neighbours (natural log); measured: at most 0.28
MAX_FACE_DOWN_VARIATION_SHARE = 0.15  # a face is blank if its light varies by at most this share of its bright level
MIN_FACE_DOWN_EDGE_STEP_SHARE = 0.05  # a drop in light counts as an edge if it exceeds this share of the face's light
MIN_FACE_DOWN_OUTLINE_SHARE = 0.6  # a face-down tile shows an edge along at least this share of its outline
FACE_DOWN_MIN_SPACING_RATIO = 0.6  # two tiles are never closer than this many times the square root of a tile's area
FACE_DOWN_PROFILE_HALF_TILES = (0.82, 0.94, 1.0, 1.06, 1.12)  # distances of light samples: the face, then its edge
FACE_DOWN_CORE_SIZE_RATIO = 0.55  # only if this part of a tile is blank and white, outlines around it are tested
MAX_FACE_DOWN_SIZE_LOG = 0.2  # outlines get the shape of a neighbour within this of the usual size (natural log)
FACE_DOWN_VARIATION_QUANTILES = (0.08, 0.92)  # a face's light varies from the first to the second; specks are beyond
CONTRAST_FLOOR_LEVELS = 8.0  # contrast is divided by at least this; in the dark one level is a large share

SIDEWAYS = np.array([[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])  # no shift, then the four shifts


def find_face_down_tiles(scene: Scene, candidates_px: Floats, tiles_px: Floats, sure: Bools) -> Floats:
    """Return the quads `(M, 4, 2) float32` of face-down tiles; either end may be the top.

    `candidates_px (K, 4, 2)`: weak detections, best first; `tiles_px (N, 4, 2)`: the tiles that were read; `sure`: mask
    `(N,)` of the tiles without doubts, which show how large and white a tile is.
    """
    candidates_px, tiles_px = as_quads(candidates_px), as_quads(tiles_px)
    if not len(candidates_px) or np.count_nonzero(sure) < MIN_FACE_DOWN_REFERENCE_TILES:
        return no_quads()
    middles = candidates_px.mean(axis=1)
    shapes = _shapes_near(middles, tiles_px[sure])
    units = np.sqrt(np.maximum(areas_px(shapes), 1.0))
    free = np.flatnonzero(are_free(middles, centres_px(tiles_px), FACE_DOWN_MIN_SPACING_RATIO * units[:, None]))
    if len(free):  # most candidates are not pale, so their outlines need not be tested
        free = free[_are_pale(scene, middles[free], shapes[free], tiles_px[sure])]
    if not len(free):
        return no_quads()
    placed, edged = _fit_outlines(scene.image_bgr, middles[free], shapes[free])
    is_good = (shares_inside(placed, scene.wh) >= MIN_INSIDE_FRAME_SHARE) & (edged >= MIN_FACE_DOWN_OUTLINE_SHARE)
    is_good &= _variation(scene.image_bgr, placed) <= MAX_FACE_DOWN_VARIATION_SHARE
    within_px = FACE_DOWN_MIN_SPACING_RATIO * units[free]
    kept = suppress_duplicates(np.flatnonzero(is_good), placed.mean(axis=1), within_px, edged)
    return placed[np.sort(kept)]


def _are_pale(scene: Scene, middles_px: Floats, shapes_px: Floats, peers_px: Floats) -> Floats:
    """Return a mask `(K,)` of the centres whose surroundings are blank and as white as the certain tiles nearby."""
    small = middles_px[:, None] + FACE_DOWN_CORE_SIZE_RATIO * (shapes_px - middles_px[:, None])
    plain = np.flatnonzero(_variation(scene.image_bgr, small) <= MAX_FACE_DOWN_VARIATION_SHARE)
    pale = np.zeros(len(small), bool)
    if not len(plain):
        return pale
    white = scene.face_whites(np.concatenate([peers_px, small[plain]]))
    apart = distances_px(middles_px[plain], centres_px(peers_px))
    nearest = np.argsort(apart, axis=1)[:, :FACE_DOWN_NEIGHBOUR_COUNT]
    usual = median(white[nearest].swapaxes(1, 2))
    pale[plain] = as_white(white[len(peers_px) :], usual, MAX_FACE_DOWN_LIGHT_LOG, MAX_FACE_TINT_LOG)
    return pale


def _shapes_near(points_px: Floats, peers_px: Floats) -> Floats:
    """Return quads `(K, 4, 2)` around points `(K, 2)` in the shape of the nearest certain tile of usual size."""
    middles, sizes = centres_px(peers_px), np.sqrt(areas_px(peers_px))
    apart = distances_px(points_px, middles)
    nearest = np.argsort(apart, axis=1)[:, :FACE_DOWN_NEIGHBOUR_COUNT]
    usual = median(sizes[nearest])
    alike = np.abs(np.log(sizes[nearest] / usual[:, None])) <= MAX_FACE_DOWN_SIZE_LOG
    chosen = nearest[np.arange(len(points_px)), np.argmax(alike, axis=1)]
    return np.asarray(peers_px[chosen] - middles[chosen][:, None] + points_px[:, None])


def _fit_outlines(image_bgr: Image, middles_px: Floats, shapes_px: Floats) -> tuple[Floats, Floats]:
    """Try many directions and shifts of each shape; return the best outlines `(K, 4, 2)` and their edge shares."""
    # Two rows for each centre, (K, 2, 2): a tile's width along either axis of the table, in pixels.
    frames = axes_of(shapes_px, TILE_ASPECT).swapaxes(1, 2)
    directions = FACE_DOWN_ORIENTATION_COUNT
    turns = rotation_matrices(np.arange(directions) * np.pi / directions).swapaxes(1, 2)
    # One channel is enough, because tiles are pale and the gaps between them are darker.
    grey = np.asarray(cv2.GaussianBlur(darkest_channel(image_bgr), (3, 3), 0), np.uint8)
    outline, at = _outline() * (1, TILE_ASPECT), np.arange(len(middles_px))
    direct = np.broadcast_to(outline @ turns, (len(at), directions, len(outline), 2))
    best = turns[_edge_shares(grey, middles_px, frames, direct).argmax(axis=1)]
    shifts = FACE_DOWN_OUTLINE_SHIFT_WIDTHS * SIDEWAYS
    moved = (outline @ best)[:, None] + shifts[None, :, None]
    edged = _edge_shares(grey, middles_px, frames, moved)
    shift = edged.argmax(axis=1)
    quads = middles_px[:, None] + (centred_corners(TILE_ASPECT) @ best + shifts[shift][:, None]) @ frames
    return quads.astype(np.float32), edged[at, shift]


def _edge_shares(grey: Image, middles_px: Floats, frames: Floats, local: Floats) -> Floats:
    """Return the share `(K, W)` of each outline that is an edge; `local (K, W, P, 2)`: sample points in tile widths."""
    points = middles_px[:, None, None] + local @ frames[:, None]
    light = remap(grey, points).astype(np.float32).reshape(*local.shape[:2], -1, len(FACE_DOWN_PROFILE_HALF_TILES))
    step = light[..., 0] - light[..., 1:].min(axis=-1)
    is_edge = step > MIN_FACE_DOWN_EDGE_STEP_SHARE * np.maximum(light[..., 0], CONTRAST_FLOOR_LEVELS)
    return np.asarray(is_edge.mean(axis=2))


def _outline() -> Floats:
    """Return sample points `(P * A, 2)` around a square of side 1: at each of P places, A points across the edge."""
    ends = [end * share for end in (-0.5, 0.5) for share in FACE_DOWN_PROFILE_HALF_TILES]
    sides = [[[(s, end) for end in ends], [(end, s) for end in ends]] for s in np.linspace(-0.4, 0.4, 7).tolist()]
    return np.array(sides).reshape(-1, 2)


def _variation(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return how much the light inside each quad varies, `(N,)`, as a share of its bright level; print varies much."""
    points = grid_points(quads_px, np.linspace(0.2, 0.8, 12), np.linspace(0.14, 0.86, 16))
    levels = darkest_channel(remap(image_bgr, points.reshape(len(quads_px), -1, 2)))
    low, high = (quantile(levels, share) for share in FACE_DOWN_VARIATION_QUANTILES)
    return np.asarray((high - low) / np.maximum(high, CONTRAST_FLOOR_LEVELS))

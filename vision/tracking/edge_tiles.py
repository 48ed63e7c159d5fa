"""Tells tiles that were laid at the edge of the picture from what reaches in over it, such as a sleeve.

Both are large, new and joined to the edge. But tiles are as pale there as those on the table, they are read, and they
fill what is new.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS, as_white, face_whites
from tilekeeper.vision.geometry.quads import centres_px, enlarge, lengths, sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.tracking.motion_detection import Rest, State
from tilekeeper.vision.tracking.occluded_tiles import TILE_WITH_SHADOW_RATIO
from tilekeeper.vision.tracking.redetection import found_anew
from tilekeeper.vision.tracking.regions import box_of, in_boxes, in_outlines
from tilekeeper.vision.tracking.table_view import TableView

# An outline at the frame's edge that tiles fill to more than this share is a row of tiles and no occluder.
MIN_EDGE_TILE_FILL_SHARE = 0.5
# A pixel may be a tile face if its light and its tint differ from the nearest tile's by less than these.
MAX_FACE_LIGHT_AND_TINT_LOG = (0.4, 0.17)
# The detector runs on an outline only if more than this share of it along the frame's edge is as pale as tiles.
MIN_EDGE_PALE_SHARE = 0.25


PALE_SAMPLES = 6
"""What may be pale is looked at in so many places along a tile's width."""
HELD_PX = 128
"""The longer side of the picture in which tiles are held against an outline."""


def are_tiles(
    reader: Reader,
    picture_bgr: np.ndarray,
    outlines_px: Sequence[np.ndarray],
    tracks: TileTable,
    view: TableView,
) -> list[bool]:
    """Return which outlines `(K, 2) float32` of what is new at the edge of a picture are those of tiles that lie there.

    `tracks` are followed in pixels of what the `view` shows of the picture `(H, W, 3) uint8`. The detector looks only
    where what is new is as pale as tiles, and the classifier only where what was found could fill it.
    """
    tiles = tracks.at(tracks.is_tile)
    lay_px = view.back(tiles.quads_px)
    shown_px = lay_px[~tiles.covered & ~in_outlines(lay_px, outlines_px)]
    pale = [_is_pale(picture_bgr, outline, shown_px) for outline in outlines_px]
    if not any(pale):
        return pale
    rest = view.in_view(Rest(State.STILL, changed_px=np.array([box_of(outline) for outline in outlines_px])))
    image = view.of(picture_bgr)
    touched = in_boxes(tiles.quads_px, rest.parts_px)
    resting_px, left_px = tiles.quads_px[~touched], lay_px[touched]

    def filled(asked: Sequence[bool], seen_px: np.ndarray) -> list[bool]:
        there_px = view.back(seen_px)
        return [may and _is_filled(outline, there_px, left_px) for may, outline in zip(asked, outlines_px, strict=True)]

    found_px = found_anew(reader.detector, image, rest, resting_px)[0].quads_px
    # corners may be mended outwards
    may_be = filled(pale, enlarge(found_px, TILE_WITH_SHADOW_RATIO))
    if not any(may_be):
        return may_be
    seen = classify_tiles(reader.classifier, image, found_px, resting_px)
    return filled(may_be, seen.quads_px[seen.certainty() >= MIN_CONFIDENT_LABEL_PROB])


def _is_pale(image_bgr: np.ndarray, outline_px: np.ndarray, tiles_px: np.ndarray) -> bool:
    """Return whether what an outline `(K, 2) float32` holds is as pale at the picture's edge as tiles' faces.

    `tiles_px (N, 4, 2)` are tiles on the same table; where N is 0 nobody can tell.
    """
    if not len(tiles_px):
        return True
    nearest_px = tiles_px[[lengths(centres_px(tiles_px) - outline_px.mean(axis=0)).argmin()]]
    step = max(1, int(sizes_wh_px(nearest_px)[0, 0] / PALE_SAMPLES))
    sparse = image_bgr[::step, ::step]
    inside = np.zeros(sparse.shape[:2], np.uint8)
    cv2.fillPoly(inside, [(outline_px / step).astype(np.int32)], 1)
    inside[PALE_SAMPLES:-PALE_SAMPLES, PALE_SAMPLES:-PALE_SAMPLES] = 0
    levels = np.log(sparse[inside > 0] + LOG_LIGHT_OFFSET_LEVELS)
    pale = as_white(levels, face_whites(image_bgr, nearest_px), *MAX_FACE_LIGHT_AND_TINT_LOG)
    return bool(np.count_nonzero(pale) > MIN_EDGE_PALE_SHARE * len(pale))


def _is_filled(outline_px: np.ndarray, tiles_px: np.ndarray, lay_px: np.ndarray) -> bool:
    """Return whether an outline `(K, 2) float32` of what is new at the edge holds the tiles there and little else.

    `tiles_px (N, 4, 2)` are seen in it now, such as a row that was laid at the edge; where tiles lay before, at
    `lay_px (M, 4, 2)`, the bare table may be what is new.
    """
    low = outline_px.min(axis=0)
    scale = HELD_PX / max(1.0, float((outline_px.max(axis=0) - low).max()))

    def drawn(shapes_px: Sequence[np.ndarray]) -> np.ndarray:
        mask = np.zeros((HELD_PX + 1, HELD_PX + 1), np.uint8)
        for shape_px in shapes_px:
            cv2.fillPoly(mask, [((shape_px - low) * scale).round().astype(np.int32)], 1)
        return mask > 0

    tiles, lay = (drawn(list(enlarge(quads_px, TILE_WITH_SHADOW_RATIO))) for quads_px in (tiles_px, lay_px))
    held = drawn([outline_px]) & (tiles | ~lay)
    return bool(np.count_nonzero(held & tiles) > MIN_EDGE_TILE_FILL_SHARE * np.count_nonzero(held))

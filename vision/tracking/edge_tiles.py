"""Rows of tiles at the edge of the image, which are no occluders although they reach in over the edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.detection.tiling import detect_changes
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS, as_white, measure_face_whites
from tilekeeper.vision.geometry.proximity import box_of, in_boxes, in_outlines
from tilekeeper.vision.geometry.quads import centres_px, enlarge, lengths, sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.scene import Rest, State
from tilekeeper.vision.tile_table import MIN_CONFIDENT_LABEL_PROB, TileTable
from tilekeeper.vision.tracking.lost_tiles import TILE_WITH_SHADOW_RATIO

if TYPE_CHECKING:  # the tracker imports this file
    from tilekeeper.vision.tracking.tracker import TableView

MIN_EDGE_TILE_FILL_SHARE = 0.5  # an outline at the frame's edge is a row of tiles if tiles fill more of it
MAX_FACE_LIGHT_AND_TINT_LOG = (0.4, 0.17)  # a pixel that differs less from the nearest tile's white is pale
MIN_EDGE_PALE_SHARE = 0.25  # the detector runs only if more of an outline along the edge is as pale as tiles
PALE_SAMPLES_PER_TILE_WIDTH = 6  # pale pixels are sampled at this many places along a tile's width
FILL_MASK_SIDE_PX = 128  # tiles are drawn over an outline in a mask whose longer side has this length


def are_tiles(
    reader: Reader, image_bgr: Image, outlines_px: Sequence[Floats], tracks: TileTable, view: TableView
) -> list[bool]:
    """Return for each outline `(K, 2) float32` of a change at the edge of the image whether tiles fill it.

    `tracks`: the followed tiles, in pixels of `view`. To save time, the detector searches only if a change is as pale
    as tiles, and the classifier runs only if the detections could fill an outline.
    """
    tiles = tracks.at(tracks.is_tile)
    tiles_px = view.to_image(tiles.quads_px)
    visible_px = tiles_px[~tiles.covered & ~in_outlines(tiles_px, outlines_px)]
    is_pale = [_is_pale(image_bgr, outline, visible_px) for outline in outlines_px]
    if not any(is_pale):
        return is_pale
    changed_px = np.array([box_of(outline) for outline in outlines_px])
    scene = view.scene(image_bgr, Rest(State.STILL, changed_px=changed_px))
    is_changed = in_boxes(tiles.quads_px, scene.rest.parts_px)
    unchanged_px, changed_tiles_px = tiles.quads_px[~is_changed], tiles_px[is_changed]

    def are_filled(candidates: Sequence[bool], in_view_px: Floats) -> list[bool]:
        in_image_px = view.to_image(in_view_px)
        pairs = zip(candidates, outlines_px, strict=True)
        return [is_one and _is_filled(outline, in_image_px, changed_tiles_px) for is_one, outline in pairs]

    detected_px = detect_changes(reader.detector, scene, unchanged_px)[0].quads_px
    # The refined corners of a tile may be further out than the detected ones.
    may_be_tiles = are_filled(is_pale, enlarge(detected_px, TILE_WITH_SHADOW_RATIO))
    if not any(may_be_tiles):
        return may_be_tiles
    looks = classify_tiles(reader.classifier, scene.image_bgr, detected_px, unchanged_px)
    return are_filled(may_be_tiles, looks.quads_px[looks.certainty() >= MIN_CONFIDENT_LABEL_PROB])


def _is_pale(image_bgr: Image, outline_px: Floats, tiles_px: Floats) -> bool:
    """Return whether an outline `(K, 2) float32` is as pale along the image's edge as the faces of tiles.

    `tiles_px (N, 4, 2)`: tiles on the same table; without any the result is true.
    """
    if not len(tiles_px):
        return True
    nearest_px = tiles_px[[lengths(centres_px(tiles_px) - outline_px.mean(axis=0)).argmin()]]
    step = max(1, int(sizes_wh_px(nearest_px)[0, 0] / PALE_SAMPLES_PER_TILE_WIDTH))
    sparse = image_bgr[::step, ::step]
    inside = np.zeros(sparse.shape[:2], np.uint8)
    cv2.fillPoly(inside, [(outline_px / step).astype(np.int32)], 1)
    rim = PALE_SAMPLES_PER_TILE_WIDTH
    inside[rim:-rim, rim:-rim] = 0
    levels = np.log(sparse[inside > 0] + LOG_LIGHT_OFFSET_LEVELS)
    is_pale = as_white(levels, measure_face_whites(image_bgr, nearest_px), *MAX_FACE_LIGHT_AND_TINT_LOG)
    return bool(np.count_nonzero(is_pale) > MIN_EDGE_PALE_SHARE * len(is_pale))


def _is_filled(outline_px: Floats, tiles_px: Floats, before_px: Floats) -> bool:
    """Return whether tiles fill an outline `(K, 2) float32` of a change at the edge.

    `tiles_px (N, 4, 2)`: the tiles there now. Where tiles were before, at `before_px (M, 4, 2)`, the change may be the
    bare table, so these places do not count.
    """
    low, high = outline_px.min(axis=0), outline_px.max(axis=0)
    scale = FILL_MASK_SIDE_PX / max(1.0, float((high - low).max()))

    def mask_of(shapes_px: Sequence[Floats]) -> Bools:
        mask = np.zeros((FILL_MASK_SIDE_PX + 1, FILL_MASK_SIDE_PX + 1), np.uint8)
        for shape_px in shapes_px:
            cv2.fillPoly(mask, [((shape_px - low) * scale).round().astype(np.int32)], 1)
        return mask > 0

    tiles, before = (mask_of(list(enlarge(quads_px, TILE_WITH_SHADOW_RATIO))) for quads_px in (tiles_px, before_px))
    counted = mask_of([outline_px]) & (tiles | ~before)
    return bool(np.count_nonzero(counted & tiles) > MIN_EDGE_TILE_FILL_SHARE * np.count_nonzero(counted))

"""Detects places where a row continues but can't be read: under a hand or a cup, or in glare.

The place beside a row's end holds a partly covered tile if its near part is as white as the row, but not its far part
and not the table above and below.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, median
from tilekeeper.vision.geometry.face_color import as_white
from tilekeeper.vision.geometry.quads import as_quads, axes_px, covered_share, grid_points, shares_inside, sizes_wh_px
from tilekeeper.vision.imaging import morphology, remap
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import IN_THE_WAY, Rows, TableReading

ROW_END_SAMPLE_COLUMNS = 10  # the place beside a row's end is sampled at this many positions along the row
ROW_END_SAMPLE_LINES = 14  # the place beside a row's end is sampled at this many positions across the row
MAX_FACE_TINT_LOG = 0.1  # largest difference in tint of two tiles (natural log); measured: face-down tiles 0.04
MAX_FACE_LIGHT_LOG = 0.3  # a sample is as white as the row's face if its light differs by less (natural log)
MIN_WHITE_NEAR_SHARE = 0.5  # a partly covered tile's near part, or its best edge, has a larger share of white samples
MAX_WHITE_FAR_SHARE = 0.3  # a partly covered tile's far part beside a row has a smaller share of white samples
MIN_WHITE_EDGE_SHARE = 0.15  # a tile's edge with a smaller share of white samples is covered by something
MAX_WHITE_BACKGROUND_SHARE = 0.15  # white samples above and below; on a pale cloth no covered tile is detectable
MAX_ROW_END_OCCUPIED_SHARE = 0.1  # if one tile covers more of a place beside a row, the place belongs to that tile
MIN_OVEREXPOSED_LEVELS = 250  # a pixel is overexposed if all its channels reach this level; nothing can be read there
MAX_GLARE_FACE_LEVELS = 239  # if the tiles' faces are brighter than this, only lamp reflections count as glare
MIN_GLARE_TILE_AREAS = 0.12  # an overexposed patch counts as glare from this size on, in areas of a tile
MIN_LAMP_TILE_AREAS = 1.5  # a patch this large that fades softly is a lamp's reflection, unlike paper
LAMP_FALLOFF_RINGS = 7  # the light is measured in this many rings around a patch, each a sixteenth of a tile wide
MIN_LAMP_BRIGHT_RINGS = 2  # a patch fades softly, as a lamp does, if this many rings are brighter than the midpoint
GLARE_SEARCH_STEP_PX = 4  # the first search for overexposed patches reads one pixel in this many, each way
MIN_GLARE_SEARCH_LEVELS = 240  # no glare is searched for unless a sparse pixel reaches this in all channels
ROW_END_GAP_WIDTHS = 0.03  # the place of the next tile begins this far beyond a row's end
MIN_INSIDE_FRAME_SHARE = 0.9  # a place beside a row, or a face-down tile, counts only if more of it is in the frame
MIN_GLARE_BESIDE_TILES_SHARE = 0.3  # glare counts if more of a patch is beside tiles; a lamp's with any part of it

MIRRORED = [1, 0, 3, 2]  # the corners of a quad as seen from the other side of the table
LOGS = np.log(np.maximum(np.arange(256.0), 1.0)).astype(np.float32)  # log of each level; a table is faster
SHIFT = 4  # fractional bits of drawn corners: they are placed to 1 / 2^4 of a pixel
FURTHEST = 1 << 24  # coordinates of drawn corners are clipped to this, in sixteenths of a pixel


def _logs(image_bgr: Image, points: Floats) -> Floats:
    return np.asarray(LOGS[remap(image_bgr, points, cv2.BORDER_CONSTANT)])


def _face_lights(logs: Floats, brightest: float) -> Floats:
    """Return the light `(N, 3)` of each face: the median of the `brightest` share of its samples, in logs."""
    flat = logs.reshape(len(logs), -1, 3)
    darker = flat.shape[1] - int(brightest * flat.shape[1])
    order = np.argsort(flat @ np.ones(3, np.float32), axis=1)[:, darker:]
    return median(np.take_along_axis(flat, order[..., None], axis=1).swapaxes(1, 2))


def _are_white(logs: Floats, faces: Floats) -> Bools:
    """Return a mask `(N, V, U)` of the samples that are as white as the face `(N, 3)` to which they belong."""
    return as_white(logs, faces[:, None, None], MAX_FACE_LIGHT_LOG, MAX_FACE_TINT_LOG)


def find_covered_row_ends(image_bgr: Image, quads_px: Floats, rows: Rows, others_px: Floats) -> Floats:
    """Return the quads `(M, 4, 2) float32` of partly covered tiles beyond the ends of rows.

    `quads_px (N, 4, 2)`: the tiles read; `rows`: indices into these; `others_px (K, 4, 2)`: face-down tiles.
    """
    quads, others = as_quads(quads_px), as_quads(others_px)
    if not rows:
        return np.zeros((0, 4, 2), np.float32)
    ends = np.array([end for row in rows for end in (row[0], row[-1])])
    inner = np.array([tile for row in rows for tile in (row[:2][-1], row[-2:][0])])
    lefts, rights = quads[ends][:, [0, 3]].mean(axis=1), quads[ends][:, [1, 2]].mean(axis=1)
    middles = quads[inner].mean(axis=1)
    # The place is on the side that faces away from the next tile of the row; a lone tile has one on either side.
    away = np.linalg.norm(rights - middles, axis=1) > np.linalg.norm(lefts - middles, axis=1)
    on_right = np.where(ends == inner, np.arange(len(ends)) % 2 == 1, away)
    # Quads are mirrored where the place is on the left, so that it can be treated as one on the right.
    facing_edges = np.where(on_right[:, None, None], quads[ends], quads[ends][:, MIRRORED])
    place = 1 + ROW_END_GAP_WIDTHS
    us = (np.arange(ROW_END_SAMPLE_COLUMNS) + 0.5) / ROW_END_SAMPLE_COLUMNS
    vs = (np.arange(ROW_END_SAMPLE_LINES) + 0.5) / ROW_END_SAMPLE_LINES * 0.92 + 0.04
    faces = _face_lights(_logs(image_bgr, grid_points(facing_edges, us * 0.8 + 0.1, vs)), 0.5)
    white = _are_white(_logs(image_bgr, grid_points(facing_edges, place + us, vs)), faces)
    # In the near part only the outer lines are sampled, because they contain hardly any print.
    near = white[:, [0, 1, -2, -1], 1:4].mean(axis=(1, 2))
    far = white[:, :, 6:].mean(axis=(1, 2))
    hidden = np.flatnonzero((near > MIN_WHITE_NEAR_SHARE) & (far < MAX_WHITE_FAR_SHARE))
    if not len(hidden):
        return np.zeros((0, 4, 2), np.float32)
    beside = np.concatenate([np.linspace(-0.5, -0.15, 5), np.linspace(1.15, 1.5, 5)])
    around = _logs(image_bgr, grid_points(facing_edges[hidden], place + us, beside))
    hidden = hidden[_are_white(around, faces[hidden]).mean(axis=(1, 2)) < MAX_WHITE_BACKGROUND_SHARE]
    boxes = grid_points(facing_edges[hidden], np.array([place, place + 1]), np.array([0.0, 1.0])).reshape(-1, 4, 2)
    boxes = boxes[:, [0, 1, 3, 2]]
    boxes = np.where(on_right[hidden, None, None], boxes, boxes[:, MIRRORED])
    inside_frame = shares_inside(boxes, image_bgr.shape[1::-1]) > MIN_INSIDE_FRAME_SHARE
    boxes, ends = boxes[inside_frame], ends[hidden][inside_frame]
    tiles_beside = [np.concatenate([np.delete(quads, end, axis=0), others]) for end in ends]
    return boxes[np.array([*map(covered_share, boxes, tiles_beside)]) < MAX_ROW_END_OCCUPIED_SHARE]


def are_partly_covered(image_bgr: Image, quads_px: Floats) -> Bools:
    """Return a mask `(N,)` of the tiles of which something covers an edge: it is hardly white, another edge is."""
    quads = as_quads(quads_px)
    if not len(quads):
        return np.zeros(0, bool)
    steps = (np.arange(12) + 0.5) / 12 * 0.92 + 0.04
    logs = _logs(image_bgr, grid_points(quads, steps, steps))
    white = _are_white(logs, _face_lights(logs, 1 / 3))
    bands = white[:, :3], white[:, -3:], white[:, :, :3], white[:, :, -3:]
    shares = np.stack([band.mean(axis=(1, 2)) for band in bands], axis=1)
    return np.asarray((shares.min(axis=1) < MIN_WHITE_EDGE_SHARE) & (shares.max(axis=1) > MIN_WHITE_NEAR_SHARE))


def find_glare(scene: Scene, quads_px: Floats, doubtful: Bools) -> Floats:
    """Return boxes `(M, 4) float64`, left, top, right, bottom, around patches of glare that harm the reading.

    Such a patch is on a doubtful tile, or close enough to a tile to hide its neighbour.
    """
    quads, none = as_quads(quads_px), np.zeros((0, 4))
    if not len(quads):
        return none
    image_bgr, share = scene.image_bgr, 1 / GLARE_SEARCH_STEP_PX
    sparse = cv2.resize(image_bgr, None, fx=share, fy=share, interpolation=cv2.INTER_NEAREST)
    if not cv2.inRange(sparse, (MIN_GLARE_SEARCH_LEVELS,) * 3, (255,) * 3).any():
        return none
    area = float(np.median([cv2.contourArea(quad) for quad in quads.astype(np.float32)]))
    times = max(1.0, area**0.5 / 16)
    size_wh = max(1, round(image_bgr.shape[1] / times)), max(1, round(image_bgr.shape[0] / times))
    small = scene.shrink(size_wh, cv2.INTER_AREA).image_bgr
    blown = np.asarray(cv2.inRange(small, (MIN_OVEREXPOSED_LEVELS,) * 3, (255,) * 3), np.uint8)
    if not blown.any():
        return none
    scale = np.array(image_bgr.shape[1::-1]) / size_wh
    vs = np.linspace(0.15, 0.85, 6)
    logs = _logs(image_bgr, grid_points(quads, vs, vs)).mean(axis=3).reshape(len(quads), -1)
    glaring = np.median(np.exp(np.percentile(logs, 80, axis=1))) > MAX_GLARE_FACE_LEVELS
    count, marks, stats, _ = cv2.connectedComponentsWithStats(blown)
    sizes = stats[:, cv2.CC_STAT_AREA] * scale.prod() / area
    least = MIN_LAMP_TILE_AREAS if glaring else MIN_GLARE_TILE_AREAS
    large = [mark for mark in range(1, count) if sizes[mark] >= least]
    if not large:
        return none
    on_doubtful, beside = _doubtful_and_free_masks(quads, doubtful, scale, size_wh, area)
    boxes = []
    for mark in large:
        left, top, width, height, _ = stats[mark].tolist()
        box = np.s_[top : top + height, left : left + width]
        patch = marks[box] == mark
        lamp = sizes[mark] >= MIN_LAMP_TILE_AREAS and _fades_softly(small, marks == mark, stats[mark])
        if glaring and not lamp:
            continue
        if on_doubtful[box][patch].any() or beside[box][patch].mean() > (0.0 if lamp else MIN_GLARE_BESIDE_TILES_SHARE):
            low, high = np.array([left, top]) + 0.5, np.array([left + width, top + height]) - 0.5
            boxes.append([*low * scale, *high * scale])
    return np.array(boxes).reshape(-1, 4)


def _doubtful_and_free_masks(
    quads: Floats, doubtful: Bools, scale: Floats, size_wh: tuple[int, int], area: float
) -> tuple[Bools, Bools]:
    """Return two masks `(h, w)` of the small image: doubtful tiles, and free places close enough to hold a neighbour.

    `scale (2,)`: size of a pixel of the small image in pixels of the image; `area`: a tile's area in the image.
    """
    on_doubtful, free = np.zeros(size_wh[::-1], np.uint8), np.ones(size_wh[::-1], np.uint8)
    middles = quads.mean(axis=1, keepdims=True)
    # Quads are shrunk first, because OpenCV also draws the outline, half a pixel more on each side.
    inner = middles + (quads - middles) * (1 - np.sqrt(scale.prod() / area))
    drawn = np.clip((inner / scale - 0.5) * (1 << SHIFT), -FURTHEST, FURTHEST)
    for quad, in_doubt in zip(np.round(drawn).astype(np.int32), doubtful, strict=True):
        cv2.fillConvexPoly(free, quad, 0, shift=SHIFT)
        if in_doubt:
            cv2.fillConvexPoly(on_doubtful, quad, 1, shift=SHIFT)
    # Distances are from the centre of a tile's outermost pixel, which is half a pixel inside the tile.
    reach = area**0.5 / float(np.sqrt(scale.prod())) + 0.5
    apart = np.asarray(cv2.distanceTransform(free, cv2.DIST_L2, cv2.DIST_MASK_PRECISE), np.float32)
    return on_doubtful > 0, (free > 0) & (apart < reach)


def _fades_softly(small: Image, patch: Bools, stats: Ints) -> bool:
    """Return whether the light around a patch `(h, w)` of a small image falls off step by step."""
    left, top, width, height, _ = stats.tolist()
    rows = slice(max(top - LAMP_FALLOFF_RINGS, 0), top + height + LAMP_FALLOFF_RINGS)
    columns = slice(max(left - LAMP_FALLOFF_RINGS, 0), left + width + LAMP_FALLOFF_RINGS)
    light, grown, levels = small[rows, columns].min(axis=2), patch[rows, columns].astype(np.uint8), list[float]()
    for _ in range(LAMP_FALLOFF_RINGS):
        wider = morphology(grown, cv2.MORPH_DILATE, 3)
        ring = light[(wider > 0) & (grown == 0)]
        if not len(ring):  # the patch fills the image
            return False
        levels.append(float(np.median(ring)))
        grown = wider
    half = (255 + levels[-1]) / 2
    return sum(level > half for level in levels) >= MIN_LAMP_BRIGHT_RINGS


MIN_HIDING_COVER_TILE_AREAS = 2.5  # an occluder larger than this, in areas of a tile, may hide tiles never read
MAX_COVERED_ROW_END_SHARE = 0.1  # if more of the place beside a row's end is covered, the row may continue there


def covered_rows(reading: TableReading, rows: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return the indices of the `rows` (of tile indices) that are partly covered or have an occluder beside an end."""
    regions = _covered_regions(reading)
    if not regions:
        return frozenset()
    hidden, quads_px = [tile.sighting.hidden for tile in reading.tiles], reading.quads_px
    is_covered = (any(hidden[at] for at in row) or _may_continue(quads_px[list(row)], regions) for row in rows)
    return frozenset(at for at, covered in enumerate(is_covered) if covered)


def may_hide_tiles(reading: TableReading) -> bool:
    """Return whether an occluder is so large that tiles that were never read may be under it."""
    regions = _covered_regions(reading) if reading.tiles else []
    areas_px = sizes_wh_px(reading.quads_px).prod(axis=1)
    return any(cv2.contourArea(region) > MIN_HIDING_COVER_TILE_AREAS * np.median(areas_px) for region in regions)


def _covered_regions(reading: TableReading) -> list[np.ndarray]:
    """Return the regions `(4, 2) float32` of occluders over the table; an empty list for a photo."""
    if reading.time_s is None:
        return []
    return [trouble.region_px.astype(np.float32) for trouble in reading.troubles if trouble.kind == IN_THE_WAY]


def _may_continue(quads_px: np.ndarray, regions_px: Sequence[np.ndarray]) -> bool:
    """Return whether an occluder covers the place beside either end of a row of tiles `(N, 4, 2)`."""
    middles = quads_px.mean(axis=1)
    for end, inner in {(0, min(1, len(quads_px) - 1)), (len(quads_px) - 1, max(len(quads_px) - 2, 0))}:
        quad = quads_px[end]
        across, _ = axes_px(quad)
        outward = (middles[end] - middles[inner]) @ across
        for side in (1, -1) if end == inner else (1 if outward > 0 else -1,):
            place = cv2.convexHull((quad + side * across).astype(np.float32))
            area_px = max(float(cv2.contourArea(place)), 1.0)
            shared = (cv2.intersectConvexConvex(place, cv2.convexHull(region))[0] for region in regions_px)
            if any(shared_px > MAX_COVERED_ROW_END_SHARE * area_px for shared_px in shared):
                return True
    return False

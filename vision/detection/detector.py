"""Tile detector: a one-class keypoint network finds each tile's four corners, clockwise from its own top left."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, median, no_quads, quantile, values_at
from tilekeeper.vision.geometry.quads import areas_px, distances_px, lengths, points_in_quads, sizes_wh_px
from tilekeeper.vision.imaging import extend, resize_corner
from tilekeeper.vision.runtime.network import Network, space_to_depth
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import Detections, FaceMap

SEARCH_SIDE_PX = 1024  # longer side of the first search; a smaller frame is enlarged to it if nothing is detected
MAX_SEARCH_SIDE_PX = 2048  # a second search, if tiles are small or none is detected, has at most this longer side
MIN_SINGLE_SEARCH_TILE_PX = 17.0  # a second search follows if the median detection of the first one is narrower
MIN_FIGURE_WIDTH_RATIO = 3.0  # a quad on a higher-scored one that is this many times as wide is a figure or logo on it
MAX_FIGURE_SCORE = 0.8  # a detection from this score on is no figure; measured: figures at most 0.73 on the photos
SECOND_SEARCH_TILE_PX = 24.0  # the second search enlarges the frame until tiles are this wide, up to its largest side
MIN_DETECTION_SCORE = 0.3  # a peak of the network with a lower score is no detection
MIN_WEAK_DETECTION_SCORE = 0.035  # weak detections may be face-down tiles (0.04 to 0.3) or missed; others are dropped
# The searches at full, half and quarter size keep only detections of these widths, in pixels of the resized image.
WIDTH_RANGES_PX = (0.0, 110.0), (30.0, 400.0), (40.0, 200.0)  # a weave is wide close up
MAX_SMALL_TILE_WIDTH_PX = 42.0  # if most detections are no wider than this, the searches for large tiles are left out
MIN_SMALL_TILE_COUNT = 6  # the searches for large tiles are left out only with at least this many detections
MIN_SMALL_TILE_MEDIAN_SCORE = 0.7  # large-tile searches are left out from this median score on; a weave scores less
NMS_OVERLAP_SHARE = 0.35  # a quad that overlaps a better one by this share of the smaller area is dropped
MIN_NEIGHBOUR_DISTANCE_RATIO = 0.5  # overlapping quads further apart (unit: root of the smaller area) are neighbours
MAX_NEIGHBOUR_AREA_RATIO = 1.8  # two detections are neighbours only if the areas differ by less than this factor
SIZE_NEIGHBOUR_COUNT = 8  # a detection's size is compared with those of this many nearest detections, itself included
MIN_SIZE_COMPARISON_TILES = 4  # sizes are compared only if there are at least this many tiles
MIN_SIZE_NEIGHBOUR_SCORE_SHARE = 0.7  # a neighbour counts in the size comparison from this share of the score on
MAX_SIZE_NEIGHBOUR_SIDES = 5.0  # sizes are compared up to this distance, in sides of the larger of both tiles
SAME_TILE_DISTANCE_SIDES = 0.4  # detections of several searches closer than this, in sides of the smaller, are one tile
MIN_NEIGHBOUR_SIZE_RATIO = 0.8  # a quad smaller than this times its neighbours is resized to them: it collapsed
MAX_NEIGHBOUR_SIZE_RATIO = 1.15  # a detection larger than this times its neighbours is resized to them
PART_MARGIN_PX = 24  # a part of the frame is searched with this margin around it, at the size of the search
MAX_PARTS_FRAME_SHARE = 0.5  # the whole frame is searched if the parts cover more than this share of a 16 : 9 frame
SIZE_NEIGHBOUR_QUANTILE = 0.75  # the expected size is this quantile of the neighbours' sizes; collapsed ones are small
NMS_DISTANCE_RATIO = 0.25  # quads closer than this (unit: root of the smaller area) are always one tile
MIN_SMALL_TILES_SHARE = 0.9  # large-tile searches are left out if this share of the detections is narrow

STRIDE_PX = 4
CORNER_UNIT_PX = 16.0  # scale of the network's corner offsets, as in training
CELL_PX = 32  # grid of the parts that are searched separately

Box = list[int]  # left, top, right and bottom of a part of the resized image, in its pixels
SearchResult = tuple[tuple[int, int], Floats, Floats, Floats]
"""Width and height of the searched image, quads `(N, 4, 2)` in its pixels, scores `(N,)`, and face logits `(h, w)`."""


def decode(maps: Floats, min_score: float) -> tuple[Floats, Floats]:
    """Decode the peaks of the network's maps `(10, h, w)`: a score logit, the offsets of four corners, a face logit.

    Return quads `(N, 4, 2) float32` in pixels of the input and scores `(N,)` of at least `min_score`, best first.
    """
    heat = np.ascontiguousarray(maps[0])
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    candidates = np.flatnonzero(heat > np.log(min_score / (1 - min_score)))
    peaks = candidates[heat.ravel()[candidates] >= highest.ravel()[candidates]]
    scores = 1 / (1 + np.exp(-heat.ravel()[peaks]))
    order = np.argsort(-scores)[:600]
    (ys, xs), scores = np.divmod(peaks[order], heat.shape[1]), scores[order]
    middles = np.stack([(xs + 0.5) * STRIDE_PX, (ys + 0.5) * STRIDE_PX], axis=1)
    offsets = maps[1:9, ys, xs].T.reshape(-1, 4, 2) * CORNER_UNIT_PX
    return (middles[:, None] + offsets).astype(np.float32), scores


def _are_figures(quads_px: Floats, scores: Floats) -> Bools:
    """Return a mask `(N,)` of the quads on a higher-scored quad that is over `MIN_FIGURE_WIDTH_RATIO` times as wide.

    These are glyphs and logos of tiles that are too large for a search. They would distort the estimated tile size.
    """
    widths = sizes_wh_px(quads_px)[:, 0]
    figures = np.zeros(len(widths), bool)
    narrow = np.flatnonzero((widths * MIN_FIGURE_WIDTH_RATIO < widths.max(initial=0.0)) & (scores < MAX_FIGURE_SCORE))
    if not len(narrow):
        return figures
    wide = np.flatnonzero((widths > widths.min() * MIN_FIGURE_WIDTH_RATIO) & (scores > scores[narrow].min()))
    on_it = points_in_quads(quads_px[narrow].mean(axis=1), quads_px[wide])
    on_it &= (widths[narrow, None] * MIN_FIGURE_WIDTH_RATIO < widths[wide]) & (scores[narrow, None] < scores[wide])
    figures[narrow] = on_it.any(axis=1)
    return figures


def _are_tile_shaped(quads_px: Floats) -> Bools:
    """Return a mask `(N,)` of the quads that are convex, clockwise, and no longer than a tile at a flat angle."""
    edges = quads_px[:, [1, 2, 3, 0]] - quads_px
    next_edges = edges[:, [1, 2, 3, 0]]
    turns, sides = edges[..., 0] * next_edges[..., 1] - edges[..., 1] * next_edges[..., 0], lengths(edges)
    shortest, longest = sides.min(axis=1), sides.max(axis=1)
    return np.asarray((turns > 0).all(axis=1) & (shortest > 4) & (longest < 5 * shortest))


def equalise_sizes(quads_px: Floats, scores: Floats, count: int | None = None) -> Floats:
    """Resize collapsed and oversized quads `(N, 4, 2)` to their neighbours; return the first `count` quads, or all.

    If the network cannot tell which end of a tile is up, it puts each corner between the two possible places. The
    centre stays right, but the quad shrinks, even to nothing. An oversized quad would suppress its neighbours. A
    neighbour counts only if its score, in `scores (N,)`, is comparable.
    """
    selected = np.s_[:count]
    if len(quads_px) < MIN_SIZE_COMPARISON_TILES:
        return quads_px[selected]
    middles, sizes = quads_px.mean(axis=1), np.sqrt(np.maximum(areas_px(quads_px), 1e-3))
    distances = distances_px(middles, middles)
    is_same_tile = distances < SAME_TILE_DISTANCE_SIDES * np.minimum(sizes[:, None], sizes[None])
    if np.count_nonzero(~(is_same_tile & (scores[None] > scores[:, None])).any(axis=1)) < MIN_SIZE_COMPARISON_TILES:
        return quads_px[selected]  # a few tiles, detected by several searches
    distances, selected_sizes, middles = distances[selected], sizes[selected, None], middles[selected, None]
    is_far = distances > MAX_SIZE_NEIGHBOUR_SIDES * np.maximum(selected_sizes, sizes[None])
    distances[is_far | (scores[None] < MIN_SIZE_NEIGHBOUR_SCORE_SHARE * scores[selected, None])] = np.inf
    nearest = np.argsort(distances, axis=1)[:, :SIZE_NEIGHBOUR_COUNT]
    is_counted = np.isfinite(values_at(distances, nearest))
    usual = quantile(np.where(is_counted, sizes[nearest], selected_sizes), SIZE_NEIGHBOUR_QUANTILE)[:, None]
    is_odd = (selected_sizes < MIN_NEIGHBOUR_SIZE_RATIO * usual) | (selected_sizes > MAX_NEIGHBOUR_SIZE_RATIO * usual)
    factor = np.where(is_odd, usual / selected_sizes, 1.0).astype(np.float32)
    return np.asarray(middles + (quads_px[selected] - middles) * factor[..., None])


def non_maximum_suppression(quads_px: Floats, scores: Floats) -> list[int]:
    """Non-maximum suppression: return the indices of the quads to keep, highest score first.

    A quad is dropped if it overlaps a better one by `NMS_OVERLAP_SHARE` of the smaller area, or has no tile's shape.
    """
    shaped = np.flatnonzero(_are_tile_shaped(quads_px))
    order = shaped[np.argsort(-scores[shaped], kind="stable")]
    quads = np.ascontiguousarray(quads_px[order], np.float32)
    middles = quads.mean(axis=1)
    distances = distances_px(middles, middles)
    reach = lengths(quads - middles[:, None]).max(axis=1)
    areas = areas_px(quads)
    # Neighbours in a row touch without overlap, so only closer pairs are measured.
    is_near = np.triu(distances < np.maximum(reach[:, None], reach[None]) * 1.2, 1)
    firsts, seconds = np.nonzero(is_near)
    pairs = np.stack([areas[firsts], areas[seconds]])
    smaller = np.maximum(pairs.min(axis=0), 1.0)
    spacing = distances[firsts, seconds] / np.sqrt(smaller)
    # Tiles side by side are a width apart, which is 0.85 of this unit in every direction.
    beside = (spacing > MIN_NEIGHBOUR_DISTANCE_RATIO) & (pairs.max(axis=0) < MAX_NEIGHBOUR_AREA_RATIO * smaller)
    one_place = spacing < NMS_DISTANCE_RATIO  # at this distance two quads of one size overlap by more than the limit
    is_dropped = np.zeros(len(order), bool)
    for k in np.flatnonzero(one_place | ~beside):
        first, second = firsts[k], seconds[k]
        if is_dropped[first] or is_dropped[second]:
            continue
        overlap = 0.0 if one_place[k] else cv2.intersectConvexConvex(quads[first], quads[second])[0]
        is_dropped[second] = one_place[k] or overlap >= NMS_OVERLAP_SHARE * smaller[k]
    return [int(k) for k in order[~is_dropped]]


class Detector(Protocol):
    """Interface of a detector, implemented by `TileDetector`: detects tiles in a whole image or in boxes of it."""

    def detect(self, scene: Scene) -> Detections: ...
    def detect_in(self, scene: Scene, boxes_px: Floats, known_px: Floats) -> Detections: ...


class TileDetector:
    """Runs the detector's ONNX session (any object with `run`) on images of any size."""

    def __init__(self, session: Network, min_score: float = MIN_DETECTION_SCORE) -> None:
        self._session, self._min_score = session, min_score
        self._min_weak_score = min(MIN_WEAK_DETECTION_SCORE, min_score)

    def detect(self, scene: Scene) -> Detections:
        """Detect the tiles of a whole image, and weak detections down to `MIN_WEAK_DETECTION_SCORE`.

        The image is resized for the search. Unless nearly all tiles are small, it is also searched at half and quarter
        of that size. If tiles are very small, or none is detected, a second search uses a larger size. Tiles whose
        centres are outside the image are left out.
        """
        longer = max(scene.wh)
        side = min(SEARCH_SIDE_PX, longer)
        quads, scores, faces = self._search_scales(scene, side)
        strong = scores >= self._min_score
        usual = float(median(sizes_wh_px(quads[strong])[:, 0])) * side / longer if strong.any() else 0.0
        if usual and usual < MIN_SINGLE_SEARCH_TILE_PX:
            # The narrow detections may be the weave of a cloth, and the wide one a single tile on it.
            is_wide = strong & (sizes_wh_px(quads)[:, 0] * side / longer > MIN_FIGURE_WIDTH_RATIO * usual)
            large, large_scores = quads[is_wide], scores[is_wide]
            quads, scores, faces = self._search_scales(scene, _second_side_px(side, usual))
            quads, scores = np.concatenate([large, quads]), np.concatenate([large_scores, scores])
        elif not usual and longer != SEARCH_SIDE_PX:
            # A small image may show a single small tile.
            quads, scores, faces = self._search_scales(scene, min(MAX_SEARCH_SIDE_PX, max(longer, SEARCH_SIDE_PX)))
        return self._postprocess(quads, scores, faces, no_quads())

    def detect_in(self, scene: Scene, boxes_px: Floats, known_px: Floats) -> Detections:
        """Detect the tiles whose centres are in boxes of an image, as `detect` would; highest score first.

        `boxes_px`: `(M, 4)`, left, top, right, bottom; `known_px`: tiles elsewhere in the image, `(N, 4, 2)`, N > 0,
        which give the scale of the search. If the boxes are large, or the tiles are, the whole image is searched.
        """
        longer = max(scene.wh)
        side = min(SEARCH_SIDE_PX, longer)
        usual = float(median(sizes_wh_px(known_px)[:, 0])) * side / longer
        if usual < MIN_SINGLE_SEARCH_TILE_PX:
            side = _second_side_px(side, usual)
        parts = _parts(boxes_px, scene.image_bgr.shape[:2], side)
        area = sum((right - left) * (bottom - top) for left, top, right, bottom in parts)
        if usual > MAX_SMALL_TILE_WIDTH_PX or area > MAX_PARTS_FRAME_SHARE * side * side * 9 / 16:
            return self.detect(scene).select_inside(boxes_px)
        width, height = _resized_wh(scene.wh, side)
        scale_xy = np.array((scene.wh[0] / width, scene.wh[1] / height), np.float32)
        quads, scores = list[Floats]([no_quads()]), list[Floats]([np.zeros(0)])
        logits = np.full([-(-size // CELL_PX) * CELL_PX // STRIDE_PX for size in (height, width)], -np.inf, np.float32)
        for (left, top, *_), part_bgr in zip(parts, _resize_parts(scene, side, parts), strict=True):
            _, new_quads, new_scores, new_logits = _in_range(self._search(part_bgr), WIDTH_RANGES_PX[0])
            first_row, first_column = top // STRIDE_PX, left // STRIDE_PX
            rows, columns = new_logits.shape
            logits[first_row : first_row + rows, first_column : first_column + columns] = new_logits
            quads.append((new_quads + np.array((left, top), np.float32) + 0.5) * scale_xy - np.float32(0.5))
            scores.append(new_scores)
        faces = FaceMap(logits, STRIDE_PX * scale_xy)
        found = self._postprocess(np.concatenate(quads), np.concatenate(scores), faces, known_px.astype(np.float32))
        return found.select_inside(boxes_px)

    def _postprocess(self, quads_px: Floats, scores: Floats, faces: FaceMap, known_px: Floats) -> Detections:
        """Separate the weak detections, then equalise sizes, with `known_px` as neighbours, and suppress duplicates."""
        strong = scores >= self._min_score
        weak = np.flatnonzero(~strong)[np.argsort(-scores[~strong], kind="stable")]
        faint_px, quads_px, scores = quads_px[weak], quads_px[strong], scores[strong]
        all_quads, all_scores = np.concatenate([quads_px, known_px]), np.append(scores, np.ones(len(known_px)))
        quads_px = equalise_sizes(all_quads, all_scores, len(quads_px))
        kept = non_maximum_suppression(quads_px, scores) if len(scores) else []
        return Detections(quads_px[kept], scores[kept].astype(np.float64), faint_px, faces)

    def _search_scales(self, scene: Scene, side_px: int) -> tuple[Floats, Floats, FaceMap]:
        """Search the image resized to the longer side `side_px`, and to half and quarter of it unless tiles are small.

        Return quads in pixels of the image, scores, and the faces that the first search found. Each search keeps only
        quads in its range of widths.
        """
        full = _resize(scene, side_px)
        results = [self._search(full.image_bgr)]
        # Detections outside the range of widths count as well: narrow ones on them are glyphs and logos.
        strong = results[0][2] >= self._min_score
        widths = sizes_wh_px(results[0][1][strong])[:, 0]
        if (
            len(widths) < MIN_SMALL_TILE_COUNT
            or quantile(widths, MIN_SMALL_TILES_SHARE) > MAX_SMALL_TILE_WIDTH_PX
            or median(results[0][2][strong]) < MIN_SMALL_TILE_MEDIAN_SCORE
        ):
            half = _resize(full, side_px // 2)
            quarter = _resize(half, side_px // 4)
            results += [self._search(half.image_bgr), self._search(quarter.image_bgr)]
        width, height = scene.wh
        quads, scores = [], []
        for result, range_px in zip(results, WIDTH_RANGES_PX, strict=False):
            from_wh, local, local_scores, _ = _in_range(result, range_px)
            # Pixel centres are at whole numbers, as in OpenCV, so half a pixel is scaled as well.
            scaled = (local + 0.5) * np.array((width / from_wh[0], height / from_wh[1]), np.float32) - np.float32(0.5)
            middles = scaled.mean(axis=1)
            inside = ((middles > -0.5) & (middles < (width - 0.5, height - 0.5))).all(axis=1)
            quads.append(scaled[inside])
            scores.append(local_scores[inside])
        all_quads, all_scores = np.concatenate(quads), np.concatenate(scores)
        is_kept = all_scores < self._min_score
        is_kept[~is_kept] = ~_are_figures(all_quads[~is_kept], all_scores[~is_kept])
        faces = FaceMap(results[0][3], STRIDE_PX * np.array(scene.wh) / results[0][0])
        return all_quads[is_kept], all_scores[is_kept], faces

    def _search(self, bgr: Image) -> SearchResult:
        """Run the network once on an image, without resizing it."""
        height, width = bgr.shape[:2]
        if height % 32 or width % 32:
            bgr = extend(bgr, -width % 32, -height % 32)
        maps = self._session.run(None, {"picture": space_to_depth(bgr[None])})[0][0]
        return (width, height), *decode(maps, self._min_weak_score), maps[9]


def _second_side_px(side_px: int, tile_px: float) -> int:
    """Return the longer side, in pixels, of a second search, if tiles are `tile_px` wide in the first at `side_px`."""
    return min(MAX_SEARCH_SIDE_PX, round(side_px * SECOND_SEARCH_TILE_PX / tile_px))


def _in_range(result: SearchResult, range_px: tuple[float, float]) -> SearchResult:
    """Return the search result without the quads whose width is outside `range_px`."""
    from_wh, quads, scores, faces = result
    widths = sizes_wh_px(quads)[:, 0]
    is_in_range = (widths >= range_px[0]) & (widths <= range_px[1])
    return from_wh, quads[is_in_range], scores[is_in_range], faces


def _parts(boxes_px: Floats, shape: tuple[int, int], side_px: int) -> list[Box]:
    """Return the boxes in pixels of the resized image, with a margin, aligned to the grid; overlapping ones merged."""
    scale = side_px / max(shape)
    limit = np.round(np.array([shape[1], shape[0]]) * scale).astype(int)
    top_left = np.floor((boxes_px[:, :2] * scale - PART_MARGIN_PX) / CELL_PX).astype(int) * CELL_PX
    bottom_right = np.ceil((boxes_px[:, 2:] * scale + PART_MARGIN_PX) / CELL_PX).astype(int) * CELL_PX
    pending: list[Box] = np.column_stack([np.maximum(top_left, 0), np.minimum(bottom_right, limit)]).tolist()
    parts: list[Box] = []
    while pending:
        part = pending.pop()
        overlapping = [box for box in pending if _overlap(part, box)]
        if overlapping:
            pending = [box for box in pending if not _overlap(part, box)]
            merged = [part, *overlapping]
            pending.append([min(b[k] for b in merged) if k < 2 else max(b[k] for b in merged) for k in range(4)])
        elif part[0] < part[2] and part[1] < part[3]:
            parts.append(part)
    return parts


def _overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _resize_parts(scene: Scene, side_px: int, parts: list[Box]) -> list[Image]:
    """Return the `parts` of the image resized to the longer side `side_px`, without resizing all of it if possible.

    Only the parts are resized if grid cells cover whole pixels, also after the halvings before the resize, as with all
    16 : 9 cameras. Otherwise everything above and left of them, or the whole image, is resized.
    """
    width, height = scene.wh
    width_px, height_px = _resized_wh(scene.wh, side_px)
    cell = CELL_PX * width // width_px
    halves = 1 << max(0, (width // width_px).bit_length() - 1)
    if width_px > width or cell % halves or cell * width_px != CELL_PX * width or cell * height_px != CELL_PX * height:
        if 2 * width_px > width and _interpolation(side_px / max(height, width)) == cv2.INTER_LINEAR:
            right, bottom = (max((part[index] for part in parts), default=1) for index in (2, 3))
            resized = resize_corner(scene.image_bgr, (width_px, height_px), (right, bottom))
        else:
            resized = _resize(scene, side_px).image_bgr
        return [resized[top:bottom, left:right] for left, top, right, bottom in parts]
    images = []
    for part in parts:
        left, top = (index // CELL_PX * cell for index in part[:2])
        right, bottom = (-(-index * cell // CELL_PX) for index in part[2:])
        source = Scene(scene.image_bgr[top:bottom, left:right])
        size_wh = part[2] - part[0], part[3] - part[1]
        images.append(source.shrink(size_wh, _interpolation(width_px / width)).image_bgr)
    return images


def _resized_wh(image_wh: tuple[int, int], side_px: int) -> tuple[int, int]:
    width, height = image_wh
    scale = side_px / max(height, width)
    return max(8, round(width * scale)), max(8, round(height * scale))  # at least 8, for panoramas


def _interpolation(scale: float) -> int:
    # Down to a half, bilinear is nearly an area average, in a sixth of the time.
    return cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR


def _resize(scene: Scene, side_px: int) -> Scene:
    """Return a scene with only the image, resized to the longer side `side_px`."""
    return scene.shrink(_resized_wh(scene.wh, side_px), _interpolation(side_px / max(scene.wh)))

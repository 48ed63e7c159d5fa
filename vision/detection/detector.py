"""Finds tiles in a picture with the one-class network: where each lies, as four corners in its own orientation."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, values_at
from tilekeeper.vision.geometry.quads import areas_px, distances_px, lengths, points_in_quads, sizes_wh_px
from tilekeeper.vision.geometry.quantiles import median, quantile
from tilekeeper.vision.imaging import extend, resize_corner, shrink
from tilekeeper.vision.runtime.network import Network
from tilekeeper.vision.runtime.space_to_depth import space_to_depth
from tilekeeper.vision.types import Detections, no_quads

# The first search uses at most this longer side; if it detects nothing, a smaller frame is enlarged to it.
SEARCH_SIDE_PX = 1024
# The second search, for small tiles or no detection, uses at most this longer side.
MAX_SEARCH_SIDE_PX = 2048
# A second search follows if the median detection of the first one is narrower than this.
MIN_SINGLE_SEARCH_TILE_PX = 17.0
# A detection on a higher-scored one over this many times as wide is its figure or logo and is dropped.
MIN_FIGURE_WIDTH_RATIO = 3.0
# A detection at or above this is never a figure. Measured: figures score at most 0.73 on the photos.
MAX_FIGURE_SCORE = 0.8
# The second search enlarges the frame until tiles are this wide, up to its largest allowed side.
SECOND_SEARCH_TILE_PX = 24.0
# A peak of the network with a lower score is no detection.
MIN_DETECTION_SCORE = 0.3
# Weaker peaks are dropped; those between this and a detection may be face-down tiles (0.04 to 0.3) or missed.
MIN_WEAK_DETECTION_SCORE = 0.035
# The search at full size is trusted for detections of this width.
FULL_SCALE_WIDTH_RANGE_PX = (0.0, 110.0)
# The search at half size is trusted for detections of this width, in its own pixels.
HALF_SCALE_WIDTH_RANGE_PX = (30.0, 400.0)
# The search at quarter size is trusted for these widths, in its own pixels; a weave is as wide close up.
QUARTER_SCALE_WIDTH_RANGE_PX = (40.0, 200.0)
# If most detections are no wider than this, the searches for large tiles are left out.
MAX_SMALL_TILE_WIDTH_PX = 42.0
# The searches for large tiles are left out only with at least this many detections.
MIN_SMALL_TILE_COUNT = 6
# Large-tile searches are left out only from this median score on; a weave has many weak detections.
MIN_SMALL_TILE_MEDIAN_SCORE = 0.7
# Non-maximum suppression: a quad that overlaps a better one by this share of the smaller area is dropped.
NMS_OVERLAP_SHARE = 0.35
# Detections further apart, in roots of the smaller area, are neighbours, whatever their overlap.
MIN_NEIGHBOUR_DISTANCE_RATIO = 0.5
# Two detections are neighbours only if the areas differ by less than this factor.
MAX_NEIGHBOUR_AREA_RATIO = 1.8
# A detection's size is compared with those of this many nearest detections, itself included.
SIZE_NEIGHBOUR_COUNT = 8
# Sizes are compared only if there are at least this many tiles.
MIN_SIZE_COMPARISON_TILES = 4
# A neighbour counts in the size comparison if it has at least this share of the detection's score.
MIN_SIZE_NEIGHBOUR_SCORE_SHARE = 0.7
# Size neighbours are at most this many sides of the larger one away; other narrow things must not count.
MAX_SIZE_NEIGHBOUR_SIDES = 5.0
# Detections closer than this, in sides of the smaller one, are one tile, detected by several searches.
SAME_TILE_DISTANCE_SIDES = 0.4
# A detection smaller than this times its neighbours is resized to them; corners collapse if up is unclear.
MIN_NEIGHBOUR_SIZE_RATIO = 0.8
# A detection larger than this times its neighbours is resized to them.
MAX_NEIGHBOUR_SIZE_RATIO = 1.15
# A part of the frame is searched with this margin around it, at the size of the search.
PART_MARGIN_PX = 24
# If the parts to search cover more than this share of a 16 : 9 frame, all of the frame is searched.
MAX_PARTS_FRAME_SHARE = 0.5
# The expected size is this quantile of the neighbours' sizes; the collapsed ones are the smaller ones.
SIZE_NEIGHBOUR_QUANTILE = 0.75
# Non-maximum suppression: detections closer than this, in roots of the smaller area, are always one tile.
NMS_DISTANCE_RATIO = 0.25
# Large-tile searches are left out if this share of the detections is narrow.
MIN_SMALL_TILES_SHARE = 0.9


STRIDE_PX = 4
CORNER_UNIT_PX = 16.0
"""Scale of the network's corner offsets, as in its training."""
CELL_PX = 32
"""The grid that a part which is looked at by itself is cut on."""

Box = list[int]
"""Left, top, right and bottom of a part of the resized picture, in its pixels."""
Look = tuple[tuple[int, int], Floats, Floats]
"""Width and height of what was looked at, the quads `(N, 4, 2)` in its pixels, and their scores `(N,)`."""


def decode(maps: Floats, min_score: float) -> tuple[Floats, Floats]:
    """Peaks of the maps `(9, h, w)`: quads `(N, 4, 2) float32` in the input's pixels and scores `(N,)`, best first."""
    heat = np.ascontiguousarray(maps[0])
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    likely = np.flatnonzero(heat > np.log(min_score / (1 - min_score)))
    peaks = likely[heat.ravel()[likely] >= highest.ravel()[likely]]
    scores = 1 / (1 + np.exp(-heat.ravel()[peaks]))
    order = np.argsort(-scores)[:600]
    (ys, xs), scores = np.divmod(peaks[order], heat.shape[1]), scores[order]
    middles = np.stack([(xs + 0.5) * STRIDE_PX, (ys + 0.5) * STRIDE_PX], axis=1)
    offsets = maps[1:, ys, xs].T.reshape(-1, 4, 2) * CORNER_UNIT_PX
    return (middles[:, None] + offsets).astype(np.float32), scores


def _are_figures(quads_px: Floats, scores: Floats) -> Bools:
    """Which lie on a surer quad so many times as wide (`figure_ratio`), `(N,)` bool.

    These are figures and logos of tiles that are too large for a look: left in, they would be taken for how large the
    tiles of the table are.
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
    """`(N,)` bool: convex, clockwise, and no longer than a tile seen at a steep angle may be."""
    edges = quads_px[:, [1, 2, 3, 0]] - quads_px
    after = edges[:, [1, 2, 3, 0]]
    turns = edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0]
    sides = lengths(edges)
    shortest, longest = sides.min(axis=1), sides.max(axis=1)
    shaped: Bools = np.asarray((turns > 0).all(axis=1)) & (shortest > 4) & (longest < 5 * shortest)
    return shaped


def sized_alike(quads_px: Floats, scores: Floats, count: int | None = None) -> Floats:
    """Quads `(N, 4, 2)` with those that collapsed, or are too large, brought to the size of their neighbours.

    `scores (N,)` say which neighbours count; only the first `count` are returned where that is given.

    Where the network can't tell which end of a tile is up, it puts each corner between the two places where it could
    be: the middle stays right, the size is anything down to nothing. Tiles of one table that lie side by side are of
    one size, and the larger of them show it. One that is larger still would hide those beside it.
    """
    asked = np.s_[:count]
    if len(quads_px) < MIN_SIZE_COMPARISON_TILES:
        return quads_px[asked]
    middles, sizes = quads_px.mean(axis=1), np.sqrt(np.maximum(areas_px(quads_px), 1e-3))
    apart = distances_px(middles, middles)
    same = apart < SAME_TILE_DISTANCE_SIDES * np.minimum(sizes[:, None], sizes[None])
    if np.count_nonzero(~(same & (scores[None] > scores[:, None])).any(axis=1)) < MIN_SIZE_COMPARISON_TILES:
        return quads_px[asked]  # a few tiles, seen in several looks
    apart, own, middles = apart[asked], sizes[asked, None], middles[asked, None]
    far = apart > MAX_SIZE_NEIGHBOUR_SIDES * np.maximum(own, sizes[None])
    apart[far | (scores[None] < MIN_SIZE_NEIGHBOUR_SCORE_SHARE * scores[asked, None])] = np.inf
    nearest = np.argsort(apart, axis=1)[:, :SIZE_NEIGHBOUR_COUNT]
    counted = np.isfinite(values_at(apart, nearest))
    usual = quantile(np.where(counted, sizes[nearest], own), SIZE_NEIGHBOUR_QUANTILE)[:, None]
    odd = (own < MIN_NEIGHBOUR_SIZE_RATIO * usual) | (own > MAX_NEIGHBOUR_SIZE_RATIO * usual)
    factor = np.where(odd, usual / own, 1.0).astype(np.float32)
    sized: Floats = middles + (quads_px[asked] - middles) * factor[..., None]
    return sized


def keep_one_each(quads_px: Floats, scores: Floats) -> list[int]:
    """Indices of the quads left when each that overlaps a better one (`overlap` of the smaller) is dropped."""
    shaped = np.flatnonzero(_are_tile_shaped(quads_px))
    order = shaped[np.argsort(-scores[shaped], kind="stable")]
    quads = np.ascontiguousarray(quads_px[order], np.float32)
    middles = quads.mean(axis=1)
    apart = distances_px(middles, middles)
    reach = lengths(quads - middles[:, None]).max(axis=1)
    areas = areas_px(quads)
    # neighbours in a row touch without sharing: only what lies nearer than that is measured
    near = np.triu(apart < np.maximum(reach[:, None], reach[None]) * 1.2, 1)
    ones, others = np.nonzero(near)
    pairs = np.stack([areas[ones], areas[others]])
    smaller = np.maximum(pairs.min(axis=0), 1.0)
    near_px = apart[ones, others] / np.sqrt(smaller)
    # tiles side by side are a width apart, which is 0.85 of this unit, whichever way their quads are turned
    beside = (near_px > MIN_NEIGHBOUR_DISTANCE_RATIO) & (pairs.max(axis=0) < MAX_NEIGHBOUR_AREA_RATIO * smaller)
    one_place = (
        near_px < NMS_DISTANCE_RATIO
    )  # two of the same size whose middles lie that close share more than the limit
    dropped = np.zeros(len(order), bool)
    for at in np.flatnonzero(one_place | ~beside):
        one, other = ones[at], others[at]
        if dropped[one] or dropped[other]:
            continue
        shared = (
            one_place[at] or cv2.intersectConvexConvex(quads[one], quads[other])[0] >= NMS_OVERLAP_SHARE * smaller[at]
        )
        dropped[other] = shared
    return [int(at) for at in order[~dropped]]


class TileDetector:
    """Calls the detector's ONNX session (any object with `run`) on whole pictures of any size."""

    def __init__(self, session: Network, min_score: float | None = None) -> None:
        self._session, self._other_min_score = session, min_score

    @property
    def _min_score(self) -> float:
        """As the config says at the moment, where nobody wants another: the ablation changes it."""
        return MIN_DETECTION_SCORE if self._other_min_score is None else self._other_min_score

    def detect(self, image_bgr: Image) -> Detections:
        """Find the tiles of `image_bgr (H, W, 3) uint8`, and what is too faint for a tile, down to `faint_score`.

        Unless all tiles are small it looks at half and a quarter of the size as well, for large ones; where the tiles
        are small, or none is found, larger, too. A tile whose middle lies beyond the picture's edge
        shows too little of itself and is left out.
        """
        least = min(MIN_WEAK_DETECTION_SCORE, self._min_score)
        longer = max(image_bgr.shape[:2])
        side = min(SEARCH_SIDE_PX, longer)
        quads, scores = self._looks(image_bgr, side, least)
        clear = scores >= self._min_score
        narrow = float(median(sizes_wh_px(quads[clear])[:, 0])) * side / longer if clear.any() else 0.0
        if narrow and narrow < MIN_SINGLE_SEARCH_TILE_PX:
            # what was narrow may have been the weave of a cloth, and what was wide one large tile on it
            wide = clear & (sizes_wh_px(quads)[:, 0] * side / longer > MIN_FIGURE_WIDTH_RATIO * narrow)
            large, large_scores = quads[wide], scores[wide]
            quads, scores = self._looks(
                image_bgr, min(MAX_SEARCH_SIDE_PX, round(side * SECOND_SEARCH_TILE_PX / narrow)), least
            )
            quads, scores = np.concatenate([large, quads]), np.concatenate([large_scores, scores])
        elif not narrow and longer != SEARCH_SIDE_PX:
            # a small picture may show a single small tile
            larger = min(MAX_SEARCH_SIDE_PX, max(longer, SEARCH_SIDE_PX))
            quads, scores = self._looks(image_bgr, larger, least)
        return self._settled(quads, scores, no_quads())

    def detect_in(self, image_bgr: Image, boxes_px: Floats, known_px: Floats) -> Detections:
        """Find the tiles in parts of a picture of which the rest is known, best first, just as in all of it.

        `boxes_px (M, 4)` are x and y of two corners; `known_px (N, 4, 2)`, N at least 1, are tiles that lie elsewhere
        in the picture: the parts are looked at in the size in which tiles as wide as those are looked at. Where that
        would save little, all of the picture is looked at; tiles whose middles lie outside the boxes are left out.
        """
        longer = max(image_bgr.shape[:2])
        side = min(SEARCH_SIDE_PX, longer)
        narrow = float(median(sizes_wh_px(known_px)[:, 0])) * side / longer
        if narrow < MIN_SINGLE_SEARCH_TILE_PX:
            side = min(MAX_SEARCH_SIDE_PX, round(side * SECOND_SEARCH_TILE_PX / narrow))
        parts = _parts(boxes_px, image_bgr.shape[:2], side)
        searched = sum((right - left) * (low - top) for left, top, right, low in parts)
        if narrow > MAX_SMALL_TILE_WIDTH_PX or searched > MAX_PARTS_FRAME_SHARE * side * side * 9 / 16:
            return self.detect(image_bgr).select_inside(boxes_px)
        wide, high = _size_wh(image_bgr, side)
        grow = np.array((image_bgr.shape[1] / wide, image_bgr.shape[0] / high), np.float32)
        least = min(MIN_WEAK_DETECTION_SCORE, self._min_score)
        quads: list[Floats] = [no_quads()]
        scores: list[Floats] = [np.zeros(0)]
        for (left, top, *_), seen_bgr in zip(parts, _resized_parts(image_bgr, side, parts), strict=True):
            _, found, found_scores = _believed(self._look(seen_bgr, least), FULL_SCALE_WIDTH_RANGE_PX)
            quads.append((found + np.array((left, top), np.float32) + 0.5) * grow - np.float32(0.5))
            scores.append(found_scores)
        known = known_px.astype(np.float32)
        return self._settled(np.concatenate(quads), np.concatenate(scores), known).select_inside(boxes_px)

    def _settled(self, quads_px: Floats, scores: Floats, known_px: Floats) -> Detections:
        """Return finds that are told apart into tiles, each once and of the size of those around it, and faint places.

        `known_px (K, 4, 2)` are tiles that lie elsewhere in the picture.
        """
        clear = scores >= self._min_score
        faint = np.flatnonzero(~clear)[np.argsort(-scores[~clear], kind="stable")]
        faint_px, quads_px, scores = quads_px[faint], quads_px[clear], scores[clear]
        every, of_every = np.concatenate([quads_px, known_px]), np.append(scores, np.ones(len(known_px)))
        quads_px = sized_alike(every, of_every, len(quads_px))
        kept = keep_one_each(quads_px, scores) if len(scores) else []
        return Detections(quads_px[kept], scores[kept].astype(np.float64), faint_px)

    def _looks(self, image_bgr: Image, side_px: int, least: float) -> tuple[Floats, Floats]:
        """All looks, with what each is believed for: quads in pixels of the picture, and scores.

        The picture is resized so that its longer side is `side_px`, and for two more looks, which are left out where
        all tiles are small, to half and to a quarter of that.
        """
        fine = _resized(image_bgr, side_px)
        parts = [self._look(fine, least)]
        # tiles too wide to be believed count as well: narrow finds on them are figures and logos
        clear = parts[0][2] >= self._min_score
        widths = sizes_wh_px(parts[0][1][clear])[:, 0]
        if (
            len(widths) < MIN_SMALL_TILE_COUNT
            or quantile(widths, MIN_SMALL_TILES_SHARE) > MAX_SMALL_TILE_WIDTH_PX
            or median(parts[0][2][clear]) < MIN_SMALL_TILE_MEDIAN_SCORE
        ):
            half = _resized(fine, side_px // 2)
            parts += [self._look(half, least), self._look(_resized(half, side_px // 4), least)]
        height, width = image_bgr.shape[:2]
        quads, scores = [], []
        for look, limits_px in zip(
            parts, (FULL_SCALE_WIDTH_RANGE_PX, HALF_SCALE_WIDTH_RANGE_PX, QUARTER_SCALE_WIDTH_RANGE_PX), strict=False
        ):
            seen_wh, found, found_scores = _believed(look, limits_px)
            # pixel centres lie at whole numbers, as in OpenCV, so that half a pixel goes along when the picture grows
            own = (found + 0.5) * np.array((width / seen_wh[0], height / seen_wh[1]), np.float32) - np.float32(0.5)
            middles = own.mean(axis=1)
            inside = ((middles > -0.5) & (middles < (width - 0.5, height - 0.5))).all(axis=1)
            quads.append(own[inside])
            scores.append(found_scores[inside])
        every, every_score = np.concatenate(quads), np.concatenate(scores)
        left = every_score < self._min_score
        left[~left] = ~_are_figures(every[~left], every_score[~left])
        return every[left], every_score[left]

    def _look(self, seen_bgr: Image, least: float) -> Look:
        """Look at a picture once, in the size that it has."""
        height, width = seen_bgr.shape[:2]
        if height % 32 or width % 32:
            seen_bgr = extend(seen_bgr, -width % 32, -height % 32)
        return (width, height), *decode(
            self._session.run(None, {"picture": space_to_depth(seen_bgr[None])})[0][0], least
        )


def _believed(look: Look, limits_px: tuple[float, float]) -> Look:
    """A look with the quads alone that are as wide as it is believed for."""
    seen_wh, quads, scores = look
    widths = sizes_wh_px(quads)[:, 0]
    believed = (widths >= limits_px[0]) & (widths <= limits_px[1])
    return seen_wh, quads[believed], scores[believed]


def _parts(boxes_px: Floats, shape: tuple[int, int], side_px: int) -> list[Box]:
    """The boxes with what lies around them, on the grid of the network's coarsest cells; those that meet are one."""
    scale = side_px / max(shape)
    limit = np.round(np.array([shape[1], shape[0]]) * scale).astype(int)
    low = np.floor((boxes_px[:, :2] * scale - PART_MARGIN_PX) / CELL_PX).astype(int) * CELL_PX
    high = np.ceil((boxes_px[:, 2:] * scale + PART_MARGIN_PX) / CELL_PX).astype(int) * CELL_PX
    rest: list[Box] = np.column_stack([np.maximum(low, 0), np.minimum(high, limit)]).tolist()
    done: list[Box] = []
    while rest:
        one = rest.pop()
        meets = [box for box in rest if _meet(one, box)]
        if meets:
            rest = [box for box in rest if not _meet(one, box)]
            every = [one, *meets]
            rest.append([min(b[k] for b in every) if k < 2 else max(b[k] for b in every) for k in range(4)])
        elif one[0] < one[2] and one[1] < one[3]:
            done.append(one)
    return done


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _resized_parts(image_bgr: Image, side_px: int, parts: list[Box]) -> list[Image]:
    """The parts of the picture with that longer side, pixel for pixel those of the whole resized picture.

    Where each cell of the grid on which they begin and end covers whole pixels, also of the picture halved as often as
    it is before it is resized, as in all pictures from 16 : 9 cameras, only the parts are resized; else all that lies
    above and to the left of them is.
    """
    height, width = image_bgr.shape[:2]
    wide, high = _size_wh(image_bgr, side_px)
    cell = CELL_PX * width // wide
    halves = 1 << max(0, (width // wide).bit_length() - 1)
    if wide > width or cell % halves or cell * wide != CELL_PX * width or cell * high != CELL_PX * height:
        if 2 * wide > width and _how(side_px / max(height, width)) == cv2.INTER_LINEAR:
            right, low = (max((part[at] for part in parts), default=1) for at in (2, 3))
            fine = resize_corner(image_bgr, (wide, high), (right, low))
        else:
            fine = _resized(image_bgr, side_px)
        return [fine[top:low, left:right] for left, top, right, low in parts]
    seen = []
    for part in parts:
        left, top = (at // CELL_PX * cell for at in part[:2])
        right, low = (-(-at * cell // CELL_PX) for at in part[2:])
        one = image_bgr[top:low, left:right]
        size = part[2] - part[0], part[3] - part[1]
        seen.append(shrink(one, size, _how(wide / width)))
    return seen


def _size_wh(image_bgr: Image, side_px: int) -> tuple[int, int]:
    height, width = image_bgr.shape[:2]
    scale = side_px / max(height, width)
    return max(8, round(width * scale)), max(8, round(height * scale))  # a panorama's short side must not vanish


def _how(scale: float) -> int:
    # down to a half, four neighbours are nearly all there is to average, at a sixth of the time of an area's mean
    return cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR


def _resized(image_bgr: Image, side_px: int) -> Image:
    """The picture with that longer side."""
    return shrink(image_bgr, _size_wh(image_bgr, side_px), _how(side_px / max(image_bgr.shape[:2])))

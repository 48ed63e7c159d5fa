"""Finds what covers a part of the table: a hand, a sleeve or a dark thing that came in over the picture's edge.

Tiles lie on the table; what hides them reaches in from outside. Whatever is large, new and joined to the edge of what
the camera may see counts, be it the arm of a person in a white shirt. A shadow does not: what lies in it still shows.
Nor does a row that was laid at the edge (`edge_tiles.py`), nor the table where one was taken from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.imaging import morphology
from tilekeeper.vision.quality.diagnostics import WORDS
from tilekeeper.vision.types import IN_THE_WAY, Trouble

# A change on a smaller share of the frame, about four tiles of a full table, is no occluder.
MIN_OCCLUDER_AREA_SHARE = 0.004
# A change on a larger share of the frame is another table and no occluder.
MAX_OCCLUDER_AREA_SHARE = 0.5
# An occluder crosses this much of the downscaled frame's edge; a wrist is as wide as two tiles.
MIN_OCCLUDER_EDGE_PX = 9
# A change whose fine pattern correlates with the earlier one by more than this is only a shadow.
MIN_SHADOW_CORRELATION = 0.6
# With a smaller standard deviation the pattern is too weak to recognise a shadow; half is enough in the shadow.
MIN_SHADOW_PATTERN_LEVELS = 2.0
# Something was taken away if the gradient along the change's rim is below this times the earlier one.
MAX_REMOVED_RIM_GRADIENT_RATIO = 0.5
# Skin or a dark sleeve that stays motionless for this long becomes part of the table.
HAND_TO_BACKGROUND_S = 30.0
# An occluder that is neither skin nor dark becomes part of the table when it is motionless for this long.
OBJECT_TO_BACKGROUND_S = 4.5
# An occluder may be at most this far from the frame's edge, in pixels of the downscaled frame, to count as joined.
OCCLUDER_JOIN_MARGIN_PX = 12
# A pixel is a dark sleeve if every channel is below this level.
MAX_SLEEVE_LEVELS = 60


RIM_PX = 2
"""The rim of a part is so wide outside it, and twice as wide within."""


@dataclass(frozen=True, slots=True, eq=False)
class Covers:
    """What covers the table, in pixels of the small picture: `mask (h, w) uint8` 0 or 1, `outlines` `(K, 2) float32`.

    `hand` says whether it is of the colour of skin or dark.
    """

    mask: np.ndarray
    outlines: tuple[np.ndarray, ...]
    hand: bool

    @classmethod
    def none(cls) -> Covers:
        """Nothing covers the table."""
        return cls(np.zeros((0, 0), np.uint8), (), False)

    def stayed(self, calm_s: float) -> bool:
        """Return whether, motionless for so long, it has become part of the table; also where there is nothing."""
        return not self.outlines or calm_s >= (HAND_TO_BACKGROUND_S if self.hand else OBJECT_TO_BACKGROUND_S)

    def less(self, none: Sequence[bool]) -> Covers:
        """Return what covers the table without those of the outlines that are `none (K,)` bool."""
        outlines = tuple(outline for outline, is_none in zip(self.outlines, none, strict=True) if not is_none)
        if len(outlines) == len(self.outlines):
            return self
        mask = np.zeros_like(self.mask)
        cv2.drawContours(mask, [outline.astype(np.int32)[:, None] for outline in outlines], -1, 1, cv2.FILLED)
        return Covers(mask, outlines, self.hand)


def covers_of(changed: np.ndarray, before: np.ndarray, after: np.ndarray) -> Covers:
    """Return what covers the table in a small picture; `changed (h, w) uint8` is where it differs from one before."""
    if np.count_nonzero(changed) < MIN_OCCLUDER_AREA_SHARE / 4 * changed.size:  # too little, however it is joined
        return Covers.none()
    least_px = MIN_OCCLUDER_AREA_SHARE * changed.size
    window, edges = _window(changed)
    outside, mask = _outside(before[window], edges), np.zeros_like(changed)
    if not outside.any():  # tiles that came or went in the middle of the table
        return Covers(mask, (), False)
    beside = np.asarray(
        cv2.dilate(outside, np.ones((7, 7), np.uint8)), np.uint8
    )  # an edge that is masked is blurred by shrinking
    closed = cv2.morphologyEx(
        changed[window], cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8), borderType=cv2.BORDER_REPLICATE
    )
    joined = np.asarray(closed, np.uint8) & (1 - outside[1:-1, 1:-1])
    beside = beside[1:-1, 1:-1]
    least_at_edge = 3 * MIN_OCCLUDER_EDGE_PX
    if np.count_nonzero(joined & beside) < least_at_edge:
        return Covers(mask, (), False)
    part_mask, one, two = mask[window], before[window], after[window]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for at in range(1, count):
        if stats[at, cv2.CC_STAT_AREA] < least_px:
            continue
        left, top, width, height = (int(value) for value in stats[at, : cv2.CC_STAT_AREA])
        # the rest of the picture says nothing of this part but for its rim
        box = np.s_[max(top - RIM_PX, 0) : top + height + RIM_PX, max(left - RIM_PX, 0) : left + width + RIM_PX]
        part = labels[box] == at
        at_edge = np.count_nonzero(part & (beside[box] > 0)) >= least_at_edge
        if at_edge and not (_is_shadow(part, one[box], two[box]) or _went_away(part, one[box], two[box])):
            # where a sleeve looks like the table it hides it too
            cv2.drawContours(part_mask[box], _outlines(part), -1, 1, cv2.FILLED)
    if np.count_nonzero(mask) > MAX_OCCLUDER_AREA_SHARE * mask.size:
        return Covers.none()
    hand = bool(part_mask.any()) and float(np.mean(_skin_or_dark(two[part_mask > 0]))) > 0.5
    corner = np.array((window[1].start, window[0].start))
    return Covers(mask, tuple((outline[:, 0] + corner).astype(np.float32) for outline in _outlines(part_mask)), hand)


def _window(changed: np.ndarray) -> tuple[tuple[slice, slice], tuple[int, int, int, int]]:
    """Return the part of a picture that holds all that changed and some room.

    And for its top, bottom, left and right whether, 1 or 0, that is the picture's own edge.
    """
    left, top, width, height = cv2.boundingRect(changed)
    rows, columns = changed.shape
    low, high = max(top - OCCLUDER_JOIN_MARGIN_PX, 0), min(top + height + OCCLUDER_JOIN_MARGIN_PX, rows)
    first, last = max(left - OCCLUDER_JOIN_MARGIN_PX, 0), min(left + width + OCCLUDER_JOIN_MARGIN_PX, columns)
    return np.s_[low:high, first:last], (int(low == 0), int(high == rows), int(first == 0), int(last == columns))


def _outside(picture: np.ndarray, edges: tuple[int, int, int, int]) -> np.ndarray:
    """Return, `(h + 2, w + 2) uint8`, what no camera sees: the frame at those `edges`, and what is blacked out."""
    black = np.asarray(cv2.inRange(picture, (0, 0, 0), (0, 0, 0)), np.uint8) & np.uint8(1)
    if black.any():
        black = morphology(black, cv2.MORPH_OPEN, 5)
    top, bottom, left, right = edges
    framed = np.zeros((len(black) + 2, black.shape[1] + 2), np.uint8)
    framed[1:-1, 1:-1] = black
    framed[0] |= top
    framed[-1] |= bottom
    framed[:, 0] |= left
    framed[:, -1] |= right
    return framed


def _outlines(part: np.ndarray) -> list[np.ndarray]:
    """Return the outer outlines of a part `(h, w) bool`, `(K, 1, 2) int32` each."""
    return list(cv2.findContours(part.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0])


def _is_shadow(part: np.ndarray, before: np.ndarray, after: np.ndarray) -> bool:
    one, two = (_pattern(picture)[part] for picture in (before, after))
    if one.std() < MIN_SHADOW_PATTERN_LEVELS or two.std() < MIN_SHADOW_PATTERN_LEVELS / 2:
        return False
    return float(np.corrcoef(one, two)[0, 1]) > MIN_SHADOW_CORRELATION


def _went_away(part: np.ndarray, before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether something lay there before and the table does now: light steps less at its rim than it did."""
    mask = part.astype(np.uint8)
    inner = cv2.erode(mask, np.ones((4 * RIM_PX + 1,) * 2, np.uint8), borderType=cv2.BORDER_REPLICATE)
    rim = (cv2.dilate(mask, np.ones((2 * RIM_PX + 1,) * 2, np.uint8)) - inner) > 0
    return bool(rim.any() and _step(after, rim) < MAX_REMOVED_RIM_GRADIENT_RATIO * _step(before, rim))


def _step(picture: np.ndarray, where: np.ndarray) -> np.floating:
    """Return how much the light steps from pixel to pixel in the mean of some `(h, w)` bool."""
    # a grey coat may be as light as wood
    ways = ((1, 0), (0, 1))
    right, down = (cv2.Sobel(np.ascontiguousarray(picture), cv2.CV_32F, *way)[where] for way in ways)
    step: np.floating = np.hypot(right, down).max(axis=1).mean()
    return step


def _pattern(picture: np.ndarray) -> np.ndarray:
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
    return np.asarray(grey - cv2.blur(grey, (9, 9)), np.float32)


def _skin_or_dark(bgr: np.ndarray) -> np.ndarray:
    """Return which pixels `(N, 3) uint8` are dark or of the hue that skin of every shade has, `(N,)` bool."""
    luma = cv2.cvtColor(bgr[:, None], cv2.COLOR_BGR2YCrCb)[:, 0]
    skin = (luma[:, 1] > 135) & (luma[:, 1] < 180) & (luma[:, 2] > 80) & (luma[:, 2] < 132)
    return np.asarray(skin | (bgr.max(axis=1) < MAX_SLEEVE_LEVELS), bool)


def in_the_way(hidden_px: Sequence[np.ndarray], quads_px: np.ndarray) -> tuple[Trouble, ...]:
    """Return a trouble for each outline `(K, 2)` of what covers the table, and for what else lies over tiles.

    `quads_px (N, 4, 2)` are the tiles that something covers.
    """
    outlines = [outline.astype(np.float32) for outline in hidden_px if len(outline) >= 3]
    alone = [quad_px for quad_px in quads_px if not any(_reaches(quad_px, outline) for outline in outlines)]
    regions = [*(cv2.boxPoints(cv2.minAreaRect(outline)) for outline in outlines), *alone]
    return tuple(Trouble(IN_THE_WAY, WORDS[IN_THE_WAY], region.astype(np.float32).reshape(4, 2)) for region in regions)


def _reaches(quad_px: np.ndarray, outline_px: np.ndarray) -> bool:
    x, y = (float(value) for value in quad_px.mean(axis=0))
    return cv2.pointPolygonTest(outline_px, (x, y), True) >= -float(np.linalg.norm(quad_px[1] - quad_px[0]))

"""Detects occluders: a hand, a sleeve or a dark object that reaches in over the edge of the image.

A large change that touches the edge of the image or of the play area is an occluder, even a white sleeve. Exceptions
are shadows, in which the table is still visible, rows of tiles at the edge, and the bare table where something was
taken away. The images are those of motion detection, `(h, w, 3) uint8`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.imaging import morphology

MIN_OCCLUDER_AREA_SHARE = 0.004  # a smaller share of the frame, about four tiles of a full table, is no occluder
MAX_OCCLUDER_AREA_SHARE = 0.5  # a change on a larger share of the frame is another table, not an occluder
MIN_OCCLUDER_EDGE_PX = 9  # an occluder touches this much of the downscaled frame's edge; a wrist is two tiles wide
MIN_SHADOW_CORRELATION = 0.6  # a change whose fine pattern correlates better with the earlier one is only a shadow
MIN_SHADOW_PATTERN_LEVELS = 2.0  # shadows are recognised only on stronger patterns, in the shadow half as strong
MAX_REMOVED_RIM_GRADIENT_RATIO = 0.5  # an object was removed if the gradient along its rim fell below this share
HAND_TO_BACKGROUND_S = 30.0  # skin or a dark sleeve that stays motionless for this long becomes part of the table
OBJECT_TO_BACKGROUND_S = 4.5  # the same for an occluder that is neither skin nor dark
OCCLUDER_JOIN_MARGIN_PX = 12  # an occluder this close to the downscaled frame's edge counts as joined to it
MAX_SLEEVE_LEVELS = 60  # a pixel is a dark sleeve if every channel is below this level
RIM_PX = 2  # the rim of a change extends this far outside the change, and twice as far inside


@dataclass(frozen=True, slots=True, eq=False)
class Covers:
    """The occluders over a table, none by default."""

    mask: Image = field(default_factory=lambda: np.zeros((0, 0), np.uint8))  # 1 where an occluder is, (h, w) uint8
    outlines: tuple[Floats, ...] = ()  # one for each connected part, (K, 2) float32
    hand: bool = False  # whether most of it is dark or has the colour of skin

    def is_background(self, calm_s: float) -> bool:
        """Return whether there is no occluder, or it counts as part of the table after `calm_s` without motion."""
        return not self.outlines or calm_s >= (HAND_TO_BACKGROUND_S if self.hand else OBJECT_TO_BACKGROUND_S)

    def without(self, is_other: Sequence[bool]) -> Covers:
        """Return the occluders without the outlines that `is_other` marks, one value for each outline."""
        outlines = tuple(outline for outline, other in zip(self.outlines, is_other, strict=True) if not other)
        if len(outlines) == len(self.outlines):
            return self
        mask = np.zeros_like(self.mask)
        cv2.drawContours(mask, [outline.astype(np.int32)[:, None] for outline in outlines], -1, 1, cv2.FILLED)
        return Covers(mask, outlines, self.hand)


def find_covers(changed: Image, before: Image, after: Image) -> Covers:
    """Return the occluders in the image `after`; `changed (h, w) uint8` is 1 where it differs from `before`."""
    if np.count_nonzero(changed) < MIN_OCCLUDER_AREA_SHARE / 4 * changed.size:  # too little, even if it were closed
        return Covers()
    min_area_px = MIN_OCCLUDER_AREA_SHARE * changed.size
    left, top, width, height = cv2.boundingRect(changed)
    rows = slice(max(top - OCCLUDER_JOIN_MARGIN_PX, 0), min(top + height + OCCLUDER_JOIN_MARGIN_PX, len(changed)))
    right = min(left + width + OCCLUDER_JOIN_MARGIN_PX, changed.shape[1])
    columns = slice(max(left - OCCLUDER_JOIN_MARGIN_PX, 0), right)
    window, outside, mask = (rows, columns), _outside(before, rows, columns), np.zeros_like(changed)
    if not outside.any():  # tiles that came or went in the middle of the table
        return Covers(mask)
    # Shrinking blurs the edge of a masked play area, so a change near the edge is joined to it.
    near_outside = morphology(outside, cv2.MORPH_DILATE, 7)[1:-1, 1:-1]
    square, border = np.ones((9, 9), np.uint8), cv2.BORDER_REPLICATE
    closed = cv2.morphologyEx(changed[window], cv2.MORPH_CLOSE, square, borderType=border)
    joined = np.asarray(closed, np.uint8) & (1 - outside[1:-1, 1:-1])
    min_at_edge_px = 3 * MIN_OCCLUDER_EDGE_PX
    if np.count_nonzero(joined & near_outside) < min_at_edge_px:
        return Covers(mask)
    mask_window, before_window, after_window = mask[window], before[window], after[window]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for label in range(1, count):
        left, top, width, height, area_px = stats[label].tolist()
        if area_px < min_area_px:
            continue
        # Only the part and its rim are compared.
        box = np.s_[max(top - RIM_PX, 0) : top + height + RIM_PX, max(left - RIM_PX, 0) : left + width + RIM_PX]
        part, images = labels[box] == label, (before_window[box], after_window[box])
        is_at_edge = np.count_nonzero(part & (near_outside[box] > 0)) >= min_at_edge_px
        if is_at_edge and not (_is_shadow(part, *images) or _was_removed(part, *images)):
            # Filled, because a sleeve also covers the table where it looks like the table.
            cv2.drawContours(mask_window[box], _outlines(part), -1, 1, cv2.FILLED)
    if np.count_nonzero(mask) > MAX_OCCLUDER_AREA_SHARE * mask.size:
        return Covers()
    is_hand = bool(mask_window.any()) and float(np.mean(_are_skin_or_dark(after_window[mask_window > 0]))) > 0.5
    corner = np.array((columns.start, rows.start))
    outlines = tuple((outline[:, 0] + corner).astype(np.float32) for outline in _outlines(mask_window))
    return Covers(mask, outlines, is_hand)


def _outside(image: Image, rows: slice, columns: slice) -> Image:
    """Return a mask `uint8` of a part and 1 px around it: 1 beyond the image's edge, and where it is blacked out."""
    black = np.asarray(cv2.inRange(image[rows, columns], (0, 0, 0), (0, 0, 0)), np.uint8) & np.uint8(1)
    if black.any():
        black = morphology(black, cv2.MORPH_OPEN, 5)
    framed = np.pad(np.zeros(image.shape[:2], np.uint8), 1, constant_values=1)
    framed = framed[rows.start : rows.stop + 2, columns.start : columns.stop + 2]
    framed[1:-1, 1:-1] = black
    return framed


def _outlines(part: np.ndarray) -> list[np.ndarray]:
    """Return the outer outlines of a mask `(h, w)`, `(K, 1, 2) int32` each."""
    return list(cv2.findContours(part.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0])


def _is_shadow(part: Bools, before: Image, after: Image) -> bool:
    """Return whether the part, a mask `(h, w)`, shows the same fine pattern in both images, so that it is a shadow."""

    def pattern(image: Image) -> Floats:
        """Return by how many levels each pixel of the part is brighter than the pixels around."""
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
        return np.asarray((grey - cv2.blur(grey, (9, 9)))[part], np.float32)

    pattern_before, pattern_after = pattern(before), pattern(after)
    if pattern_before.std() < MIN_SHADOW_PATTERN_LEVELS or pattern_after.std() < MIN_SHADOW_PATTERN_LEVELS / 2:
        return False
    return float(np.corrcoef(pattern_before, pattern_after)[0, 1]) > MIN_SHADOW_CORRELATION


def _was_removed(part: Bools, before: Image, after: Image) -> bool:
    """Return whether an object was removed, so that the gradient at the rim of its place is weaker now."""
    mask = part.astype(np.uint8)
    inner = cv2.erode(mask, np.ones((4 * RIM_PX + 1,) * 2, np.uint8), borderType=cv2.BORDER_REPLICATE)
    rim = (morphology(mask, cv2.MORPH_DILATE, 2 * RIM_PX + 1) - inner) > 0

    def gradient(image: Image) -> np.floating:
        """Return the mean over the rim of each pixel's steepest colour channel: grey may be as bright as wood."""
        right, down = (cv2.Sobel(np.ascontiguousarray(image), cv2.CV_32F, *way)[rim] for way in ((1, 0), (0, 1)))
        return np.float32(np.hypot(right, down).max(axis=1).mean())

    return bool(rim.any() and gradient(after) < MAX_REMOVED_RIM_GRADIENT_RATIO * gradient(before))


def _are_skin_or_dark(bgr: Image) -> Bools:
    """Return a mask `(N,)` of the pixels `(N, 3)` that are dark or have the hue of skin, light or dark."""
    luma = cv2.cvtColor(bgr[:, None], cv2.COLOR_BGR2YCrCb)[:, 0]
    is_skin = (luma[:, 1] > 135) & (luma[:, 1] < 180) & (luma[:, 2] > 80) & (luma[:, 2] < 132)
    return np.asarray(is_skin | (bgr.max(axis=1) < MAX_SLEEVE_LEVELS), bool)

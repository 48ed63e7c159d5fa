"""Motion detection: whether the table in a frame is still, moves, is covered by a hand, or the whole frame moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.imaging import brightest_channel, morphology, resize
from tilekeeper.vision.scene import Rest, State
from tilekeeper.vision.tracking.illumination import (
    CELLS_WH,
    PATTERN_WINDOW_PX,
    LitImage,
    compare_patterns,
    pattern_of,
    shrink_to_compare,
)
from tilekeeper.vision.tracking.occluders import OCCLUDER_JOIN_MARGIN_PX, Covers, find_covers
from tilekeeper.vision.tracking.registration import in_pixels_of, is_out_of_focus, moves, shift_between

MIN_LIGHT_STEP_LOG = 0.15  # after a larger light step patterns detect occluders; levels alone miss 115 of 600 arms
MAX_DEFOCUS_WAIT_S = 4.0  # a motionless frame that stays out of focus for this long in total is read as it is
SETTLED_CHECK_INTERVAL_S = 0.5  # between checks of a settled table's pattern, and of a blurred frame
MAX_BLACK_LEVELS = 20  # a frame with 99 % of its pixels at most this bright is black, and known tiles are kept
MAX_CHANGED_PATTERN_SHARE = 0.33  # after a black frame the whole table is read again if more of its pattern changed
MIN_SHIFTED_CELLS_SHARE = 0.55  # if more of the visible cells changed at once, the camera or the table moved
MIN_VISIBLE_CELLS = 6  # with fewer cells that have edges, a move of the whole frame is not judged
MIN_CELL_EDGE_LEVELS = 12.0  # a cell counts as visible if its mean absolute Laplacian is above this
CHANGE_MARGIN_PX = 5  # margin around a change in the downscaled frame; changes whose margins touch become one box
MIN_CHANGED_CELL_SHARE = 0.02  # a cell has changed if more than this share of its pixels has changed

# Function that returns for each outline `(K, 2) float32` in an image `(H, W, 3) uint8` whether tiles fill it.
AreTiles = Callable[[Image, Sequence[Floats]], Sequence[bool]]


class MotionDetector:
    """Detects motion, and what changed between two settled frames.

    Each frame is compared with the anchor, the first one since the last motion, so that slow sliding is noticed.
    """

    def __init__(self, still_after_s: float, are_tiles: AreTiles | None = None) -> None:
        """Start without a frame; a table without motion for `still_after_s` seconds is settled.

        `are_tiles` decides whether a change at the image's edge is a row of tiles. If None, all are occluders.
        """
        self._still_after_s, self._are_tiles = still_after_s, are_tiles
        self.forget()

    def forget(self) -> None:
        """Forget all earlier frames; the next frame starts again."""
        self._anchor: LitImage | None = None
        self._image_wh = 0, 0
        self._settled: LitImage | None = None
        self._covers = Covers.none()
        self._calm_since_s = self._compared_s = self._next_settle_s = self._out_of_focus_s = 0.0
        self._was_dark = False
        self._pattern: Floats | None = None
        self._last = Rest(State.MOVING)

    def push(self, image_bgr: Image, time_s: float) -> Rest:
        """Add a frame `(H, W, 3) uint8` with its time in seconds; return the report on it."""
        now = LitImage.of(shrink_to_compare(image_bgr))
        if _is_black(now.image):
            self._was_dark = True
            return self._begin_moving(now, time_s, State.LOST)
        wh = image_bgr.shape[1], image_bgr.shape[0]
        # Images of different sizes may be shrunk to the same size, so the full size is compared.
        if self._anchor is None or wh != self._image_wh:
            self._image_wh = wh
            self._anchor, self._settled, self._calm_since_s = now, None, time_s
            self._last = Rest(State.MOVING)
        else:
            mask = self._anchor.find_changes(now, follow_drift=True)
            if mask.any():
                state = State.LOST if _is_shifted(self._anchor.image, mask) else State.MOVING
                self._begin_moving(now, time_s, state)
        calm_s = time_s - self._calm_since_s
        if calm_s < self._still_after_s:
            return self._last
        is_waiting = self._last.state in (State.MOVING, State.LOST) or self._has_other_pattern(now, time_s)
        if is_waiting or (self._last.state is State.HIDDEN and self._covers.is_background(calm_s)):
            if time_s < self._next_settle_s:
                return self._last
            # A copy, because the drift of the anchor is updated, and that of the settled frame must not be.
            rest = self._settle(replace(now), image_bgr, calm_s)
            self._out_of_focus_s = 0.0 if rest.settled else self._out_of_focus_s + SETTLED_CHECK_INTERVAL_S
            if not rest.settled:
                self._next_settle_s = time_s + SETTLED_CHECK_INTERVAL_S
            self._last = Rest(rest.state, hidden_px=rest.hidden_px)
            return rest
        return self._last

    def _begin_moving(self, now: LitImage, time_s: float, state: State) -> Rest:
        self._anchor, self._calm_since_s, self._next_settle_s = now, time_s, 0.0
        self._last = Rest(state, hidden_px=self._last.hidden_px)
        return self._last

    def _has_other_pattern(self, now: LitImage, time_s: float) -> bool:
        """Return whether a still table has another pattern than when it was read; false between two checks.

        If the whole image changes at once, the noise threshold is high, and levels alone may not show the change.
        """
        if self._pattern is None or time_s - self._compared_s < SETTLED_CHECK_INTERVAL_S:
            return False
        self._compared_s = time_s
        mask = compare_patterns(self._pattern, pattern_of(now.image))[1]
        if self._covers.outlines:
            mask &= 1 - _grow(self._covers.mask, PATTERN_WINDOW_PX)
        if mask.any():
            self._anchor = now
        return bool(mask.any())

    def _settle(self, now: LitImage, image_bgr: Image, calm_s: float) -> Rest:
        """Compare a motionless frame with the last settled frame; report it as settled if it is not out of focus."""
        small = now.image
        image_wh, small_wh = (image_bgr.shape[1], image_bgr.shape[0]), (small.shape[1], small.shape[0])
        scale = (np.array(image_wh * 2) / (small_wh * 2)).astype(np.float32)
        before, pattern = self._settled, pattern_of(small)
        if before is None or self._pattern is None or self._pattern.shape != pattern.shape:
            return self._begin_again(now, pattern)
        has_pattern, is_other = compare_patterns(self._pattern, pattern)
        # During black frames the table may have been replaced by another.
        if self._was_dark and is_other.sum() > MAX_CHANGED_PATTERN_SHARE * max(1, has_pattern.sum()):
            return self._begin_again(now, pattern)
        changed = before.find_changes(now)
        # Patterns are compared as well, because the noise threshold is high if the whole image changed.
        mask = changed | is_other
        if mask.any() and self._out_of_focus_s < MAX_DEFOCUS_WAIT_S and is_out_of_focus(before.image, small):
            return Rest(State.MOVING, hidden_px=self._last.hidden_px)
        self._covers, self._was_dark = Covers.none(), False
        expected, shift_px = before.image, None
        is_shifted = _is_shifted(expected, mask)
        covers = covers_of_mask = find_covers(mask, expected, small)
        if covers_of_mask.outlines and before.light_step(now) < MIN_LIGHT_STEP_LOG:
            # Patterns also differ around a change, which would connect a row of tiles near the edge with the edge.
            covers = find_covers(changed, expected, small)
        if is_shifted or covers_of_mask.outlines:  # a bump of a nearly bare table may be visible only at the rim
            shift = shift_between(expected, small)
            if shift is None and is_shifted:
                return self._begin_again(now, pattern)
            if shift is not None and moves(shift, small_wh):
                shift_px = in_pixels_of(shift, small_wh, image_wh)
                expected, changed = _after_shift(expected, now, shift)
                covers = find_covers(changed, expected, small)
        if self._are_tiles is not None and shift_px is None and not covers.is_background(calm_s):
            covers = covers.without(self._are_tiles(image_bgr, [outline * scale[:2] for outline in covers.outlines]))
        self._settled = now
        if not covers.is_background(calm_s):
            self._covers = covers
            # Under an occluder the earlier image is kept. With an arm in the kept image, the arm's place would count as
            # a change, and as covered, once the arm leaves.
            clear = small.copy()
            cv2.copyTo(expected, covers.mask, clear)
            self._settled = LitImage.of(clear)
            mask = (changed & (1 - covers.mask)) | (mask & (1 - _grow(covers.mask, PATTERN_WINDOW_PX)))
        boxes = _boxes(mask) if shift_px is None else np.array([[0, 0, *small_wh]], np.float32)
        pattern_before = self._pattern if shift_px is None else pattern_of(expected)
        self._pattern = _update_pattern(pattern_before, pattern, boxes, self._covers)
        state = State.HIDDEN if self._covers.outlines else State.STILL
        hidden_px = tuple(outline * scale[:2] for outline in self._covers.outlines)
        return Rest(state, True, hidden_px, boxes * scale if shift_px is None else None, shift_px)

    def _begin_again(self, now: LitImage, pattern: Floats) -> Rest:
        """Start again with a settled frame, so that the whole table is read."""
        self._settled, self._pattern, self._covers, self._was_dark = now, pattern, Covers.none(), False
        return Rest(State.STILL, True)


def _after_shift(before: Image, now: LitImage, shift: Floats) -> tuple[Image, Image]:
    """Warp the earlier small image by a shift; return it, and a mask `(h, w)` of where the current image differs.

    Parts that came into view are copied from the current image; they count as changed only near other changes.
    """
    wh = before.shape[1], before.shape[0]
    is_shown = cv2.warpPerspective(np.full(before.shape[:2], 255, np.uint8), shift, wh)
    is_new = morphology(np.asarray(is_shown, np.uint8), cv2.MORPH_ERODE, 3) < 255
    warped = np.where(is_new[..., None], now.image, cv2.warpPerspective(before, shift, wh)).astype(np.uint8)
    mask = LitImage.of(warped).find_changes(now)
    mask[is_new] = 0  # there the warped image has the light of now already
    return warped, np.where(is_new, _grow(mask, OCCLUDER_JOIN_MARGIN_PX), mask)


def _update_pattern(before: Floats, now: Floats, boxes: Floats, covers: Covers) -> Floats:
    """Return the earlier pattern, updated in the boxes `(N, 4)` except under occluders."""
    updated = before.copy()
    for left, top, right, bottom in boxes.astype(int).tolist():
        part = np.s_[max(top, 0) : bottom, max(left, 0) : right]
        updated[part] = now[part]
    if covers.outlines:
        # Within half a window of an occluder the pattern is partly that of the occluder.
        np.copyto(updated, before, where=_grow(covers.mask, PATTERN_WINDOW_PX // 2 + 1) > 0)
    return updated


def _is_black(image: Image) -> bool:
    """Return whether nearly all pixels of a small image are black."""
    sparse = brightest_channel(np.ascontiguousarray(image[::4, ::4]))
    return bool(np.count_nonzero(sparse > MAX_BLACK_LEVELS) < 0.01 * sparse.size)


def _grow(mask: Image, reach_px: int) -> Image:
    """Return a mask `(h, w) uint8` dilated by `reach_px`."""
    return morphology(mask, cv2.MORPH_DILATE, 2 * reach_px + 1)


def _is_shifted(before: Image, mask: Image) -> bool:
    """Return whether so many cells with edges changed that the camera or the table must have moved, not a hand."""
    changed = resize(mask.astype(np.float32), CELLS_WH, cv2.INTER_AREA) > MIN_CHANGED_CELL_SHARE
    # Usually too few cells changed, which is faster to check than the edges.
    if np.count_nonzero(changed) <= MIN_SHIFTED_CELLS_SHARE * MIN_VISIBLE_CELLS:
        return False
    edges = cv2.convertScaleAbs(cv2.Laplacian(cv2.cvtColor(before, cv2.COLOR_BGR2GRAY), cv2.CV_16S))
    is_visible = cv2.resize(edges, CELLS_WH, interpolation=cv2.INTER_AREA) > MIN_CELL_EDGE_LEVELS
    is_judged = np.count_nonzero(is_visible) >= MIN_VISIBLE_CELLS
    return bool(is_judged and np.mean(changed[is_visible]) > MIN_SHIFTED_CELLS_SHARE)


def _boxes(mask: Image) -> Floats:
    """Return disjoint boxes `(N, 4) float32` around changes, with a margin, in pixels of the small image."""
    if not mask.any():
        return np.zeros((0, 4), np.float32)
    left, top, width, height = cv2.boundingRect(mask)
    right, bottom = left + width + CHANGE_MARGIN_PX, top + height + CHANGE_MARGIN_PX
    left, top = max(left - CHANGE_MARGIN_PX, 0), max(top - CHANGE_MARGIN_PX, 0)
    grown = _grow(mask[top:bottom, left:right], CHANGE_MARGIN_PX)
    while True:
        count, _, stats, _ = cv2.connectedComponentsWithStats(grown)
        boxes = stats[1:, :4].astype(np.int64)
        filled = np.zeros_like(grown)
        for x, y, wide, high in boxes:
            filled[y : y + high, x : x + wide] = 1
        if cv2.connectedComponents(filled)[0] == count:
            boxes[:, :2] += (left, top)
            return np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]).astype(np.float32)
        grown = filled

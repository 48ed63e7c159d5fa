"""Detects of each frame whether the table is still, moves, is covered by a hand, or was lost when the camera moved."""

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

MIN_LIGHT_STEP_LOG = 0.15  # from here on patterns reveal occluders; without them 115 of 600 rendered arms are missed
MAX_DEFOCUS_WAIT_S = 4.0  # a motionless frame that stays out of focus for this long in total is read as it is
SETTLED_CHECK_INTERVAL_S = 0.5  # between looks at a settled table's pattern, and at a blurred frame
MAX_BLACK_LEVELS = 20  # a frame with 99 % of its pixels at most this bright is black, and known tiles are kept
MAX_CHANGED_PATTERN_SHARE = 0.33  # after a black frame the whole table is read again if more of its pattern changed
MIN_SHIFTED_CELLS_SHARE = 0.55  # if more of the visible cells changed at once, the camera or the table moved
MIN_VISIBLE_CELLS = 6  # with fewer cells that have edges, a move of the whole frame is not judged
MIN_CELL_EDGE_LEVELS = 12.0  # a cell counts as visible if its mean absolute Laplacian is above this
CHANGE_MARGIN_PX = 5  # around a change in the downscaled frame; changes whose margins touch become one box
MIN_CHANGED_CELL_SHARE = 0.02  # a cell has changed if more than this share of its pixels has changed

# Returns which outlines `(K, 2) float32` in an image `(H, W, 3) uint8` are those of tiles.
AreTiles = Callable[[Image, Sequence[Floats]], Sequence[bool]]


class MotionDetector:
    """Compares each frame with an anchor, the frame since which nothing has moved, and each rest with the rest before.

    Compared with the last frame instead of the anchor, a tile that is slid slowly would never move.
    """

    def __init__(self, still_after_s: float, are_tiles: AreTiles | None = None) -> None:
        """Start without a frame; a table without motion for `still_after_s` is settled.

        `are_tiles` decides about what seems to reach in over the edge; without it, all of that covers the table.
        """
        self._still_after_s, self._are_tiles = still_after_s, are_tiles
        self.forget()

    def forget(self) -> None:
        """Start again with the next frame."""
        self._anchor: LitImage | None = None
        self._image_wh = 0, 0
        self._settled: LitImage | None = None
        self._covers = Covers.none()
        self._calm_since_s = self._compared_s = self._next_settle_s = self._out_of_focus_s = 0.0
        self._was_dark = False
        self._pattern: Floats | None = None
        self._last = Rest(State.MOVING)

    def push(self, image_bgr: Image, time_s: float) -> Rest:
        """Add a frame `(H, W, 3) uint8` with its time; return the state of the table, and whether to read the frame."""
        now = LitImage.of(shrink_to_compare(image_bgr))
        if _is_black(now.image):
            self._was_dark = True
            return self._begin_moving(now, time_s, State.LOST)
        wh = image_bgr.shape[1], image_bgr.shape[0]
        # Images of another size may have the same size when they are shrunk.
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
        """Return whether a still table shows another pattern than when it was read; compared at an interval.

        Where the whole image changes between frames, the noise threshold is high, and such a change passes for light.
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
        """Compare a settled frame with the one before and keep it for the next; not settled if out of focus."""
        small = now.image
        image_wh, small_wh = (image_bgr.shape[1], image_bgr.shape[0]), (small.shape[1], small.shape[0])
        scale = (np.array(image_wh * 2) / (small_wh * 2)).astype(np.float32)
        before, pattern = self._settled, pattern_of(small)
        if before is None or self._pattern is None or self._pattern.shape != pattern.shape:
            return self._begin_again(now, pattern)
        has_pattern, is_other = compare_patterns(self._pattern, pattern)
        # In the dark the table may have been exchanged for another.
        if self._was_dark and is_other.sum() > MAX_CHANGED_PATTERN_SHARE * max(1, has_pattern.sum()):
            return self._begin_again(now, pattern)
        changed = before.find_changes(now)
        # Patterns as well: where the whole image changed, the noise threshold is high, and much passes for light.
        mask = changed | is_other
        if mask.any() and self._out_of_focus_s < MAX_DEFOCUS_WAIT_S and is_out_of_focus(before.image, small):
            return Rest(State.MOVING, hidden_px=self._last.hidden_px)
        self._covers, self._was_dark = Covers.none(), False
        expected, shift_px = before.image, None
        is_shifted = _is_shifted(expected, mask)
        covers = covers_of_mask = find_covers(mask, expected, small)
        if covers_of_mask.outlines and before.light_step(now) < MIN_LIGHT_STEP_LOG:
            # Patterns differ some way around a change, which would join a row of tiles near the edge to the edge.
            covers = find_covers(changed, expected, small)
        if is_shifted or covers_of_mask.outlines:  # a bump of a nearly bare table may only show at the rim
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
            # Under what covers the table the image is kept as it was: with an arm in it, the arm's leaving would go
            # unnoticed, and its place would count as covered.
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
        """Start again with a settled frame, without earlier knowledge of the table."""
        self._settled, self._pattern, self._covers, self._was_dark = now, pattern, Covers.none(), False
        return Rest(State.STILL, True)


def _after_shift(before: Image, now: LitImage, shift: Floats) -> tuple[Image, Image]:
    """Return a small image warped by a shift, and a mask `(h, w)` of where the image now differs from it.

    Parts that come into view are as now, and have changed only where a change reaches in from beside them.
    """
    wh = before.shape[1], before.shape[0]
    is_shown = cv2.warpPerspective(np.full(before.shape[:2], 255, np.uint8), shift, wh)
    is_new = morphology(np.asarray(is_shown, np.uint8), cv2.MORPH_ERODE, 3) < 255
    warped = np.where(is_new[..., None], now.image, cv2.warpPerspective(before, shift, wh)).astype(np.uint8)
    mask = LitImage.of(warped).find_changes(now)
    mask[is_new] = 0  # there the warped image has the light of now already
    return warped, np.where(is_new, _grow(mask, OCCLUDER_JOIN_MARGIN_PX), mask)


def _update_pattern(before: Floats, now: Floats, boxes: Floats, covers: Covers) -> Floats:
    """Return the pattern that was read with that of now in the boxes `(N, 4)`, but not where something covers it."""
    updated = before.copy()
    for left, top, right, bottom in boxes.astype(int).tolist():
        part = np.s_[max(top, 0) : bottom, max(left, 0) : right]
        updated[part] = now[part]
    if covers.outlines:
        # A pattern within half a window of what covers the table shows a part of that.
        np.copyto(updated, before, where=_grow(covers.mask, PATTERN_WINDOW_PX // 2 + 1) > 0)
    return updated


def _is_black(image: Image) -> bool:
    """Return whether hardly anything in a small image is lit."""
    sparse = brightest_channel(np.ascontiguousarray(image[::4, ::4]))
    return bool(np.count_nonzero(sparse > MAX_BLACK_LEVELS) < 0.01 * sparse.size)


def _grow(mask: Image, reach_px: int) -> Image:
    """Return a mask `(h, w) uint8` dilated by `reach_px`."""
    return morphology(mask, cv2.MORPH_DILATE, 2 * reach_px + 1)


def _is_shifted(before: Image, mask: Image) -> bool:
    """Return whether so many of the cells with edges changed that the camera or the table moved, and not a hand."""
    changed = resize(mask.astype(np.float32), CELLS_WH, cv2.INTER_AREA) > MIN_CHANGED_CELL_SHARE
    # Mostly the number of changed cells is enough, and it is quicker to compute than the edges.
    if np.count_nonzero(changed) <= MIN_SHIFTED_CELLS_SHARE * MIN_VISIBLE_CELLS:
        return False
    edges = cv2.convertScaleAbs(cv2.Laplacian(cv2.cvtColor(before, cv2.COLOR_BGR2GRAY), cv2.CV_16S))
    is_visible = cv2.resize(edges, CELLS_WH, interpolation=cv2.INTER_AREA) > MIN_CELL_EDGE_LEVELS
    is_judged = np.count_nonzero(is_visible) >= MIN_VISIBLE_CELLS
    return bool(is_judged and np.mean(changed[is_visible]) > MIN_SHIFTED_CELLS_SHARE)


def _boxes(mask: Image) -> Floats:
    """Return boxes `(N, 4) float32` around changes, with a margin, in pixels of the small image; none of them touch."""
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

"""Motion detection: whether the table in a frame is still, moves, is covered by a hand, or the whole frame moves.

Small images are compared after removing light and exposure. A step of the light multiplies each channel of the whole
image by about one factor; a drift differs a little from place to place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, median, median_level
from tilekeeper.vision.geometry.face_color import SATURATED_LEVELS
from tilekeeper.vision.imaging import brightest_channel, morphology, resize
from tilekeeper.vision.scene import Rest, Scene, State
from tilekeeper.vision.tracking.occluders import OCCLUDER_JOIN_MARGIN_PX, Covers, find_covers
from tilekeeper.vision.tracking.registration import (
    CELLS_WH,
    PATTERN_LOG_OFFSET_LEVELS,
    in_pixels_of,
    is_out_of_focus,
    moves,
    shift_between,
)

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
COMPARISON_WIDTH_PX = 480  # frames are compared at this width, at which a tile of a full table covers 10 × 14 pixels
MIN_CHANGE_LEVELS = 11.0  # a 3 × 3 mean that differs by more than this, plus twice the median (noise), has changed
CHANGE_LEVELS_PER_EXPOSURE_LOG = 60.0  # times the light step, added to that threshold: tone curves are no exact power
DRIFT_UPDATE_SHARE = 0.25  # exponential smoothing: the share of a cell's new drift that each frame adds
MAX_DRIFT_STEP_LOG = 0.08  # a cell whose log brightness is further off the known drift has changed
MIN_DARKENING_LOG = 0.01  # if the light fell by more than this, saturated pixels may be brighter than predicted
PATTERN_WINDOW_PX = 9  # side of the window for local contrast, in pixels of the downscaled frame: about a tile's width
MIN_PATTERN_STD_LOG = 0.08  # an area whose log brightness has a smaller standard deviation than this has no pattern
MIN_PATTERN_CORRELATION = 0.3  # a place whose local pattern correlates less shows something else
MIN_GAIN_CHANGE_SHARE = 0.004  # with all light gains this close to 1 the difference is below one grey level

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
        self._covers = Covers()
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
        self._covers, self._was_dark = Covers(), False
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
        self._settled, self._pattern, self._covers, self._was_dark = now, pattern, Covers(), False
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


def shrink_to_compare(image_bgr: Image) -> Image:
    """Shrink a frame `(H, W, 3) uint8` to the size at which frames are compared, `(h, 480, 3) uint8`."""
    height, width = image_bgr.shape[:2]
    size_wh = COMPARISON_WIDTH_PX, max(CELLS_WH[1], round(height * COMPARISON_WIDTH_PX / width))
    return Scene(image_bgr).shrink(size_wh, cv2.INTER_LINEAR).image_bgr


@dataclass(slots=True)
class LitImage:
    """A small image with which later images are compared, its light, and the drift of the light since this image."""

    image: Image  # (h, w, 3) uint8
    cells: Floats  # the light of each cell and channel, (9, 16, 3) float32 natural logarithms
    drift: Floats  # the change of `cells` since this image, less the change of the whole image

    @classmethod
    def of(cls, image: Image) -> LitImage:
        """Return a `LitImage` of a small image, with no change of the light so far."""
        cells = np.log(cv2.resize(image, CELLS_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 2)
        return cls(image, cells, np.zeros((CELLS_WH[1], CELLS_WH[0], 3), np.float32))

    def light_step(self, now: LitImage) -> float:
        """Return how much the light of a later image of the same size differs overall, a natural log, 0 or more."""
        return float(np.abs(self._common_change(now)).max())

    def find_changes(self, now: LitImage, follow_drift: bool = False) -> Image:
        """Return a mask `(h, w) uint8`, 1 where the later image `now`, of the same size, shows something else.

        With `follow_drift` the drift of the light is updated where nothing else changed.
        """
        image, common, expected = now.image, self._common_change(now), self.image
        # The earlier image as it would look in the current light.
        gains = np.exp(self.drift + common.astype(np.float32))
        if np.abs(gains - 1).max() >= MIN_GAIN_CHANGE_SHARE:
            smooth = resize(gains, (image.shape[1], image.shape[0]), cv2.INTER_LINEAR)
            expected = np.asarray(cv2.multiply(self.image, smooth, dtype=cv2.CV_8U), np.uint8)
        differences = np.asarray(cv2.absdiff(image, expected), np.uint8)
        if common.min() < -MIN_DARKENING_LOG:
            differences[(self.image >= SATURATED_LEVELS) & (image > expected)] = 0
        largest = np.asarray(cv2.blur(brightest_channel(differences), (3, 3)), np.uint8)
        noise = median_level(largest[::3, ::3])
        threshold = MIN_CHANGE_LEVELS + 2 * noise + CHANGE_LEVELS_PER_EXPOSURE_LOG * float(np.abs(common).max())
        mask = (largest > math.floor(threshold)).view(np.uint8)
        if follow_drift:
            is_unchanged = resize(mask, CELLS_WH, cv2.INTER_AREA) == 0
            step = now.cells - self.cells - common - self.drift
            is_drift = is_unchanged[..., None] & (np.abs(step) < MAX_DRIFT_STEP_LOG)
            self.drift = self.drift + DRIFT_UPDATE_SHARE * np.where(is_drift, step, 0).astype(np.float32)
        return mask

    def _common_change(self, now: LitImage) -> Floats:
        return median((now.cells - self.cells).reshape(-1, 3).T)


def pattern_of(image: Image) -> Floats:
    """Return the local contrast `(h, w) float32` of a small image, in logarithms, which hardly depends on the light."""
    return local_contrast(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32))


def local_contrast(levels: np.ndarray) -> Floats:
    """Return the logarithms of levels `(h, w) float32` less their mean in the window around each, `(h, w)`."""
    logs = cv2.log(levels + np.float32(PATTERN_LOG_OFFSET_LEVELS))
    return np.asarray(logs - cv2.blur(logs, (PATTERN_WINDOW_PX,) * 2), np.float32)


def compare_patterns(before: Floats, now: Floats) -> tuple[Bools, Image]:
    """Compare two patterns `(h, w)` by local correlation; return two masks `(h, w)`.

    The first is true where either pattern is strong enough to compare; the second, `uint8`, is 1 where they differ.
    """
    floor = MIN_PATTERN_STD_LOG**2
    powers = np.maximum(_mean_around(before * before), floor), np.maximum(_mean_around(now * now), floor)
    has_pattern: Bools = np.maximum(*powers) > floor
    correlation = _mean_around(before * now) / np.sqrt(powers[0] * powers[1])
    return has_pattern, np.asarray(has_pattern & (correlation < MIN_PATTERN_CORRELATION), np.uint8)


def _mean_around(values: Floats) -> Floats:
    return np.asarray(cv2.blur(values, (PATTERN_WINDOW_PX,) * 2), np.float32)

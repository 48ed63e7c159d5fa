"""Tells of each frame whether the table lies still, moves, is hidden by a hand, or was lost when the camera moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np

from tilekeeper.vision.geometry.rectification import Rectification
from tilekeeper.vision.imaging import brightest_channel
from tilekeeper.vision.tracking.focus import is_out_of_focus
from tilekeeper.vision.tracking.illumination import (
    CELLS_WH,
    PATTERN_WINDOW_PX,
    Lit,
    pattern_of,
    patterned_otherwise,
    share_patterned_otherwise,
    shrunk,
)
from tilekeeper.vision.tracking.occluders import OCCLUDER_JOIN_MARGIN_PX, Covers, covers_of
from tilekeeper.vision.tracking.registration import in_pixels_of, moves, shift_between

# From this light step on, patterns reveal occluders too. Measured: without them 115 of 600 rendered arms are missed.
MIN_LIGHT_STEP_LOG = 0.15
# A motionless frame that stays out of focus for this long in total is read as it is.
MAX_DEFOCUS_WAIT_S = 4.0
# At this interval a settled table's pattern is compared with the one read, and a blurred frame is checked again.
SETTLED_CHECK_INTERVAL_S = 0.5
# A frame with more than 99 % of its pixels at or below this level is black, and the known tiles are kept.
MAX_BLACK_LEVELS = 20
# After a black frame the whole table is read again if more than this share of its pattern changed.
MAX_CHANGED_PATTERN_SHARE = 0.33
# If more than this share of the visible cells changed at once, the camera or the whole table moved.
MIN_SHIFTED_CELLS_SHARE = 0.55
# With fewer cells that have edges, a move of the whole frame is not judged.
MIN_VISIBLE_CELLS = 6
# A cell counts as visible if its mean absolute Laplacian is above this.
MIN_CELL_EDGE_LEVELS = 12.0
# Margin around a change, in pixels of the downscaled frame; changes whose margins touch become one box.
CHANGE_MARGIN_PX = 5
# A cell has changed if more than this share of its pixels has changed.
MIN_CHANGED_CELL_SHARE = 0.02


AreTiles = Callable[[np.ndarray, Sequence[np.ndarray]], Sequence[bool]]
"""Says of a picture `(H, W, 3) uint8` which of some outlines in it, `(K, 2) float32` each, are those of tiles."""


class State(Enum):
    """What a frame shows."""

    STILL = "still"
    MOVING = "moving"
    """Something on it moves, or the camera is focused on something else."""
    HIDDEN = "hidden"
    """It lies still, and something that reached in over the edge of the picture covers a part of it."""
    LOST = "lost"
    """All of the picture moves: it is the camera, or the table as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """What motion detection says of a frame.

    `settled` is said once for each rest, of the frame that should be read. Then `changed_px` are boxes
    `(N, 4) float32`, x and y of two corners in pixels of the frame, in which the table differs from what it was when it
    last settled, None for all of it; and `shift (3, 3)` is the homography that leads from the frame that settled last
    to this one, None where none is known to be needed. `hidden_px` are the outlines, `(K, 2) float32` each, of what
    covers it.
    """

    state: State
    settled: bool = False
    hidden_px: tuple[np.ndarray, ...] = ()
    changed_px: np.ndarray | None = None
    shift: np.ndarray | None = None

    @property
    def parts_px(self) -> np.ndarray:
        """The boxes `(N, 4)` in which the table differs, none where it may do so everywhere."""
        return np.zeros((0, 4), np.float32) if self.changed_px is None else self.changed_px

    def in_view(self, view: Rectification) -> Rest:
        """Return the same in pixels of a view from above."""
        hidden_px = tuple(outline for outline in map(view.outline_in_view, self.hidden_px) if len(outline))
        changed_px = self.changed_px
        if changed_px is not None:
            outlines = [view.outline_in_view(box[[0, 1, 2, 1, 2, 3, 0, 3]].reshape(4, 2)) for box in changed_px]
            boxes = [np.concatenate([outline.min(axis=0), outline.max(axis=0)]) for outline in outlines if len(outline)]
            changed_px = np.array(boxes, np.float32).reshape(-1, 4)
        return replace(self, hidden_px=hidden_px, changed_px=changed_px)


class MotionDetector:
    """Compares each frame with the one since which nothing has moved, and what settled with what settled before.

    With the one since which nothing moved, and not with the last, or a tile that is slid slowly would never move at
    all.
    """

    def __init__(self, still_after_s: float, are_tiles: AreTiles | None = None) -> None:
        """Start with no frame; `still_after_s` is how long the picture must be calm.

        `are_tiles` is asked about what seems to reach in over the edge; without it, all of that covers the table.
        """
        self._still_after_s, self._are_tiles = still_after_s, are_tiles
        self.forget()

    def forget(self) -> None:
        """Begin anew with the next frame."""
        self._anchor: Lit | None = None
        self._image_wh = 0, 0
        self._clear: Lit | None = None
        self._covers = Covers.none()
        self._calm_since_s = self._held_s = self._no_look_until_s = self._soft_s = 0.0
        self._was_dark = False
        self._read: np.ndarray | None = None
        self._last = Rest(State.MOVING)

    def push(self, image_bgr: np.ndarray, time_s: float) -> Rest:
        """Take in a frame `(H, W, 3) uint8` with its time, and say what it shows and whether it should be read."""
        seen = Lit.of(shrunk(image_bgr))
        if _is_black(seen.picture):
            self._was_dark = True
            return self._begin_moving(seen, time_s, State.LOST)
        wh = image_bgr.shape[1], image_bgr.shape[0]
        if self._anchor is None or wh != self._image_wh:  # pictures of another size may be as large when they are small
            self._image_wh = wh
            self._anchor, self._clear, self._calm_since_s = seen, None, time_s
            self._last = Rest(State.MOVING)
        else:
            mask = self._anchor.changed(seen, follow=True)
            if mask.any():
                shifted = _is_shifted(self._anchor.picture, mask)
                self._begin_moving(seen, time_s, State.LOST if shifted else State.MOVING)
        calm_s = time_s - self._calm_since_s
        if calm_s < self._still_after_s:
            return self._last
        waiting = self._last.state in (State.MOVING, State.LOST) or self._is_contradicted(seen, time_s)
        if waiting or (self._last.state is State.HIDDEN and self._covers.stayed(calm_s)):
            if time_s < self._no_look_until_s:
                return self._last
            # followed by the anchor, the light drifts, but not that of what settled
            settled = self._settle(replace(seen), image_bgr, calm_s)
            if settled.settled:
                self._soft_s = 0.0
            else:
                self._soft_s += SETTLED_CHECK_INTERVAL_S
                self._no_look_until_s = time_s + SETTLED_CHECK_INTERVAL_S
            self._last = Rest(settled.state, hidden_px=settled.hidden_px)
            return settled
        return self._last

    def _begin_moving(self, seen: Lit, time_s: float, state: State) -> Rest:
        self._anchor, self._calm_since_s, self._no_look_until_s = seen, time_s, 0.0
        self._last = Rest(state, hidden_px=self._last.hidden_px)
        return self._last

    def _is_contradicted(self, seen: Lit, time_s: float) -> bool:
        """Return whether a table at rest shows another pattern than when it was read, held against it at times.

        From frame to frame such a change can pass for one of light: where all of a picture is another, the usual
        difference is large. Nothing moves meanwhile, so that what covers the table has lain there all the while.
        """
        if self._read is None or time_s - self._held_s < SETTLED_CHECK_INTERVAL_S:
            return False
        self._held_s = time_s
        mask = patterned_otherwise(self._read, pattern_of(seen.picture))
        if self._covers.outlines:
            mask &= 1 - _near(self._covers.mask, PATTERN_WINDOW_PX)
        if not mask.any():
            return False
        self._anchor = seen
        return True

    def _settle(self, seen: Lit, image_bgr: np.ndarray, calm_s: float) -> Rest:
        """Compare what settled with what settled before, and remember it for the next; unsettled if out of focus."""
        small = seen.picture
        image_wh, small_wh = (image_bgr.shape[1], image_bgr.shape[0]), (small.shape[1], small.shape[0])
        factor = (np.array(image_wh * 2) / (small_wh * 2)).astype(np.float32)
        before, pattern = self._clear, pattern_of(small)
        # in the dark a table may have been exchanged for another
        unlike = self._was_dark and self._read is not None and _is_unlike(self._read, pattern)
        if before is None or self._read is None or unlike:
            return self._begin_anew(seen, pattern)
        changed = before.changed(seen)
        # where all of a picture is another, the usual difference is large, and much passes for light
        mask = changed | patterned_otherwise(self._read, pattern)
        if mask.any() and self._soft_s < MAX_DEFOCUS_WAIT_S and is_out_of_focus(before.picture, small):
            return Rest(State.MOVING, hidden_px=self._last.hidden_px)
        self._covers, self._was_dark = Covers.none(), False
        lay, moved = before.picture, None
        reaching, shifted = covers_of(mask, lay, small), _is_shifted(lay, mask)
        covers = reaching
        if reaching.outlines and before.light_step(seen) < MIN_LIGHT_STEP_LOG:
            # a pattern is another some way around what is new, up to the edge where a row was laid close to it
            covers = covers_of(changed, lay, small)
        if shifted or reaching.outlines:  # of a table with little on it the rim alone may tell of a bump
            shift = shift_between(lay, small)
            if shift is None and shifted:
                return self._begin_anew(seen, pattern)
            if shift is not None and moves(shift, small_wh):
                moved = in_pixels_of(shift, small_wh, image_wh)
                lay, changed = _since_a_bump(lay, seen, shift)
                covers = covers_of(changed, lay, small)
        if self._are_tiles is not None and moved is None and not covers.stayed(calm_s):
            covers = covers.less(self._are_tiles(image_bgr, [outline * factor[:2] for outline in covers.outlines]))
        self._clear = seen
        if not covers.stayed(calm_s):
            self._covers = covers
            # what lies beneath is remembered as it was, so that it is unchanged when it comes to light again; taken for
            # a part of the table, an arm would be missed when it leaves, and its place be told as covered
            clear = small.copy()
            cv2.copyTo(lay, covers.mask, clear)
            self._clear = Lit.of(clear)
            mask = (changed & (1 - covers.mask)) | (mask & (1 - _near(covers.mask, PATTERN_WINDOW_PX)))
        boxes = _boxes(mask) if moved is None else np.array([[0, 0, *small_wh]], np.float32)
        before_read = self._read if moved is None else pattern_of(lay)
        self._read = _with_parts(before_read, pattern, boxes, self._covers)
        state = State.HIDDEN if self._covers.outlines else State.STILL
        hidden = tuple(outline * factor[:2] for outline in self._covers.outlines)
        return Rest(state, True, hidden, boxes * factor if moved is None else None, moved)

    def _begin_anew(self, seen: Lit, pattern: np.ndarray) -> Rest:
        """Remember what settled as a table of which nothing was known."""
        self._clear, self._read, self._covers, self._was_dark = seen, pattern, Covers.none(), False
        return Rest(State.STILL, True)


def _since_a_bump(before: np.ndarray, seen: Lit, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a small picture as it would be seen after a move, and where what is seen now differs from it, `(h, w)`.

    What was not in it is as now, and has changed where something that changed reaches in from there.
    """
    now, wh = seen.picture, (before.shape[1], before.shape[0])
    there = cv2.warpPerspective(np.full(before.shape[:2], 255, np.uint8), shift, wh)
    new = cv2.erode(there, np.ones((3, 3), np.uint8)) < 255
    aligned = np.where(new[..., None], now, cv2.warpPerspective(before, shift, wh)).astype(np.uint8)
    mask = Lit.of(aligned).changed(seen)
    mask[new] = 0  # it is under the light of now already
    reach = np.ones((2 * OCCLUDER_JOIN_MARGIN_PX + 1,) * 2, np.uint8)
    return aligned, np.where(new, cv2.dilate(mask, reach), mask)


def _with_parts(read: np.ndarray, pattern: np.ndarray, boxes: np.ndarray, covers: Covers) -> np.ndarray:
    """Return the pattern that was read with that of now in the boxes `(N, 4)`, but for what something covers."""
    held = read.copy()
    for left, top, right, bottom in boxes.astype(int).tolist():
        part = np.s_[max(top, 0) : bottom, max(left, 0) : right]
        held[part] = pattern[part]
    if covers.outlines:
        # so far a pattern is of what covers the table, too, and twice as far what it is compared with
        np.copyto(held, read, where=_near(covers.mask, PATTERN_WINDOW_PX // 2 + 1) > 0)
    return held


def _is_unlike(before: np.ndarray, now: np.ndarray) -> bool:
    """Return whether so much of two patterns `(h, w)` is not the same that it is another table."""
    return before.shape != now.shape or share_patterned_otherwise(before, now) > MAX_CHANGED_PATTERN_SHARE


def _is_black(picture: np.ndarray) -> bool:
    """Return whether hardly anything of a small picture is lit."""
    sparse = brightest_channel(np.ascontiguousarray(picture[::4, ::4]))
    return bool(np.count_nonzero(sparse > MAX_BLACK_LEVELS) < 0.01 * sparse.size)


def _near(mask: np.ndarray, reach_px: int) -> np.ndarray:
    """Return a mask `(h, w) uint8` and what lies so near it."""
    return np.asarray(cv2.dilate(mask, np.ones((2 * reach_px + 1,) * 2, np.uint8)), np.uint8)


def _is_shifted(before: np.ndarray, mask: np.ndarray) -> bool:
    """Return whether so much changed of what there was to see that it was no hand."""
    # the cells that changed tell alone, mostly, and are the quicker to tell
    changed = cv2.resize(mask.astype(np.float32), CELLS_WH, interpolation=cv2.INTER_AREA) > MIN_CHANGED_CELL_SHARE
    if np.count_nonzero(changed) <= MIN_SHIFTED_CELLS_SHARE * MIN_VISIBLE_CELLS:
        return False
    grey = cv2.cvtColor(before, cv2.COLOR_BGR2GRAY)
    steps = cv2.convertScaleAbs(cv2.Laplacian(grey, cv2.CV_16S))
    seen = cv2.resize(steps, CELLS_WH, interpolation=cv2.INTER_AREA) > MIN_CELL_EDGE_LEVELS
    if np.count_nonzero(seen) < MIN_VISIBLE_CELLS:
        return False
    return bool(np.mean(changed[seen]) > MIN_SHIFTED_CELLS_SHARE)


def _boxes(mask: np.ndarray) -> np.ndarray:
    """Return boxes `(N, 4) float32` around what changed, in pixels of the small picture; those that touch are one."""
    if not mask.any():
        return np.zeros((0, 4), np.float32)
    x, y, wide, high = cv2.boundingRect(mask)
    x, y, right, low = (
        max(x - CHANGE_MARGIN_PX, 0),
        max(y - CHANGE_MARGIN_PX, 0),
        x + wide + CHANGE_MARGIN_PX,
        y + high + CHANGE_MARGIN_PX,
    )
    grown = cv2.dilate(mask[y:low, x:right], np.ones((2 * CHANGE_MARGIN_PX + 1,) * 2, np.uint8))
    while True:
        count, _, stats, _ = cv2.connectedComponentsWithStats(grown)
        boxes = stats[1:, :4].astype(np.int64)
        filled = np.zeros_like(grown)
        for left, top, width, height in boxes:
            filled[top : top + height, left : left + width] = 1
        if cv2.connectedComponents(filled)[0] == count:
            boxes[:, :2] += (x, y)
            return np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]).astype(np.float32)
        grown = filled

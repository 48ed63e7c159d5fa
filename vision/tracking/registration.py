"""Tells how a whole picture moved when the camera or the table was bumped, from points that are found again."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.geometry.quantiles import median_level

# Optical flow tracks at most this many corners to measure how the frame moved.
MAX_TRACKED_POINTS = 240
# A homography needs at least this many RANSAC inliers.
MIN_INLIER_POINTS = 20
# At least this share of tracked corners must be inliers; the frame is still if more than this share stays put.
MIN_INLIER_SHARE = 0.5
# A RANSAC inlier is at most this far off the homography, in pixels of the downscaled frame.
MAX_REPROJECTION_ERROR_PX = 1.5
# If the inliers' median error exceeds this times their median motion, the frame counts as unmoved.
MAX_RESIDUAL_MOTION_RATIO = 0.5
# Optical flow runs at most this many rounds, each from the last homography; a rotation needs a rough start.
REGISTRATION_ROUNDS = 3
# The frame moved if any of its corners moved by more than this, in pixels of the downscaled frame.
MIN_SHIFT_PX = 0.3
# Corners below this times the best corner's quality are not tracked.
MIN_CORNER_QUALITY_RATIO = 0.01
# A corner closer than this to a better one, in pixels of the downscaled frame, is not tracked.
MIN_CORNER_SPACING_PX = 6.0


def shift_between(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """Return the homography `(3, 3) float64` from one small picture `(h, w, 3) uint8` to the next of the same size.

    None where no one move explains most of what is seen, that of no move where most corners lie where they lay, or a
    move explains hardly more. Follows corners by Lucas and Kanade's method in a pyramid, which reaches moves of about
    a tenth of the picture.
    """
    one, two = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (before, after))
    points = cv2.goodFeaturesToTrack(one, MAX_TRACKED_POINTS, MIN_CORNER_QUALITY_RATIO, MIN_CORNER_SPACING_PX)
    if points is None or len(points) < MIN_INLIER_POINTS:
        return None
    points = np.asarray(points, np.float32)
    if _most_stay(_lit_alike(one, two, np.full(one.shape, True)), two, points):
        return np.eye(3)
    move = np.eye(3)
    for _ in range(REGISTRATION_ROUNDS):
        found = _move_between(one, two, points, move)
        if found is None or np.array_equal(found, move):  # the next pass would begin where this one did
            return found
        move = found
    return move


def _move_between(one: np.ndarray, two: np.ndarray, points: np.ndarray, guess: np.ndarray) -> np.ndarray | None:
    """Return the homography that explains most of what points `(N, 1, 2) float32` did, None where none does.

    Where that is hardly better than that nothing moved, it is the one of no move. They are followed from where a
    `guess` leads, in the picture that it makes of the first one: what was turned or brought nearer is found to a
    fraction of a pixel only where it looks as it does now. What was beyond the edge is as in the second picture, so
    that no edge draws the points along.
    """
    wh = one.shape[1], one.shape[0]
    shown = cv2.warpPerspective(np.full_like(one, 255), guess, wh) == 255
    aligned = np.where(shown, _lit_alike(cv2.warpPerspective(one, guess, wh), two, shown), two)
    led = np.asarray(cv2.perspectiveTransform(points, guess), np.float32)
    seen, followed = _followed(aligned, two, led)
    back, returned = _followed(two, aligned, seen)
    good = followed & returned & (np.linalg.norm(back - led, axis=2).ravel() < 1)
    if good.sum() < MIN_INLIER_POINTS:
        return None
    found, agree = cv2.findHomography(points[good], seen[good], cv2.RANSAC, MAX_REPROJECTION_ERROR_PX)
    if found is None or np.count_nonzero(agree) < max(MIN_INLIER_POINTS, MIN_INLIER_SHARE * good.sum()):
        return None
    lay, now = points[good][agree.ravel() > 0], seen[good][agree.ravel() > 0]
    off, moved = (
        np.median(np.linalg.norm(now - there, axis=2)) for there in (cv2.perspectiveTransform(lay, found), lay)
    )
    # on another cloth the tiles tell that nothing moved, and of what else is found again some follows from anything
    return np.asarray(found, np.float64) if off <= MAX_RESIDUAL_MOTION_RATIO * moved else np.eye(3)


def _lit_alike(one: np.ndarray, two: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Return a grey picture `(h, w) uint8` under the light of another, as it is in the middle `where (h, w)` bool."""
    if not where.any():
        return one
    return cv2.convertScaleAbs(one, alpha=median_level(two[where]) / max(median_level(one[where]), 1.0))


def _most_stay(one: np.ndarray, two: np.ndarray, points: np.ndarray) -> bool:
    """Return whether most points `(N, 1, 2) float32` of a grey picture lie within a trifle of where they lay.

    A few of them tell, in an eighth of the time that all take: an arm reaches in far oftener than a camera is bumped.
    """
    some = points[:: max(1, len(points) // MIN_INLIER_POINTS)].copy()
    there, found = _followed(one, two, some)
    stay = found & (np.linalg.norm(there - some, axis=2).ravel() < MIN_SHIFT_PX / 2)
    return bool(np.count_nonzero(stay) > MIN_INLIER_SHARE * len(some))


def _followed(one: np.ndarray, two: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where points `(N, 1, 2) float32` of one grey picture are in the other, and which were found, `(N,)`."""
    # the stubs do not know that OpenCV makes the points itself
    there, found, _ = cv2.calcOpticalFlowPyrLK(one, two, points, None, winSize=(21, 21), maxLevel=4)  # type: ignore[call-overload]
    return np.asarray(there, np.float32), np.asarray(found).ravel() > 0


def moves(shift: np.ndarray, picture_wh: tuple[int, int], by_px: float | None = None) -> bool:
    """Return whether a homography moves any corner of a picture of that size by more than that, or than a trifle."""
    width, height = picture_wh
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    off_px = float(np.abs(cv2.perspectiveTransform(corners, shift) - corners).max())
    return off_px > (MIN_SHIFT_PX if by_px is None else by_px)


def in_pixels_of(shift: np.ndarray, small_wh: tuple[int, int], image_wh: tuple[int, int]) -> np.ndarray:
    """Return a homography of the small picture as one of the frame, whose pixel centres lie at whole numbers."""
    fx, fy = image_wh[0] / small_wh[0], image_wh[1] / small_wh[1]
    grow = np.array([[fx, 0, fx / 2 - 0.5], [0, fy, fy / 2 - 0.5], [0, 0, 1]])
    large: np.ndarray = grow @ shift @ np.linalg.inv(grow)
    return large

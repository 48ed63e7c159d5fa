"""Estimates how a whole image moved when the camera or the table was bumped, by optical flow and RANSAC."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
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


def shift_between(before: Image, after: Image) -> Floats | None:
    """Return the homography `(3, 3) float64` from one small image `(h, w, 3) uint8` to the next of the same size.

    None if no single motion explains most of what is visible; the identity if most corners are in their places, or a
    motion explains hardly more than that. Follows corners by pyramidal Lucas-Kanade optical flow, which reaches motions
    of about a tenth of the image.
    """
    grey_before, grey_after = (np.asarray(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY), np.uint8) for one in (before, after))
    corners = cv2.goodFeaturesToTrack(grey_before, MAX_TRACKED_POINTS, MIN_CORNER_QUALITY_RATIO, MIN_CORNER_SPACING_PX)
    if corners is None or len(corners) < MIN_INLIER_POINTS:
        return None
    points = np.asarray(corners, np.float32)
    if _most_stay(_match_light(grey_before, grey_after, np.full(grey_before.shape, True)), grey_after, points):
        return np.eye(3)
    shift: Floats = np.eye(3)
    for _ in range(REGISTRATION_ROUNDS):
        found = _estimate_shift(grey_before, grey_after, points, shift)
        if found is None or np.array_equal(found, shift):  # a further round would begin where this one did
            return found
        shift = found
    return shift


def _estimate_shift(before: Image, after: Image, points: Floats, guess: Floats) -> Floats | None:
    """Return the homography that explains most motions of points `(N, 1, 2) float32`, None if none does.

    It is the identity if it explains hardly more than no motion. The points are followed in the first image warped by
    the `guess`, because a turned or larger print is matched to a fraction of a pixel only if it looks as in the second.
    What is beyond the edge is taken from the second image, so that no edge draws the points along.
    """
    wh = before.shape[1], before.shape[0]
    is_shown = cv2.warpPerspective(np.full_like(before, 255), guess, wh) == 255
    warped = np.asarray(cv2.warpPerspective(before, guess, wh), np.uint8)
    aligned = np.where(is_shown, _match_light(warped, after, is_shown), after)
    starts = np.asarray(cv2.perspectiveTransform(points, guess), np.float32)
    ends, is_followed = _follow(aligned, after, starts)
    back, is_returned = _follow(after, aligned, ends)
    is_good = is_followed & is_returned & (np.linalg.norm(back - starts, axis=2).ravel() < 1)
    if is_good.sum() < MIN_INLIER_POINTS:
        return None
    homography, inliers = cv2.findHomography(points[is_good], ends[is_good], cv2.RANSAC, MAX_REPROJECTION_ERROR_PX)
    if homography is None or np.count_nonzero(inliers) < max(MIN_INLIER_POINTS, MIN_INLIER_SHARE * is_good.sum()):
        return None
    of_before, of_after = points[is_good][inliers.ravel() > 0], ends[is_good][inliers.ravel() > 0]
    error_px, motion_px = (
        np.median(np.linalg.norm(of_after - expected, axis=2))
        for expected in (cv2.perspectiveTransform(of_before, homography), of_before)
    )
    # On another cloth the tiles show that nothing moved, and a few wrong matches of the weave make a motion.
    is_motion = error_px <= MAX_RESIDUAL_MOTION_RATIO * motion_px
    return np.asarray(homography, np.float64) if is_motion else np.eye(3)


def _match_light(image: Image, other: Image, where: Bools) -> Image:
    """Return a grey image `(h, w) uint8` scaled to the median brightness of another in a mask `(h, w)`."""
    if not where.any():
        return image
    gain = median_level(other[where]) / max(median_level(image[where]), 1.0)
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)


def _most_stay(before: Image, after: Image, points: Floats) -> bool:
    """Return whether most points `(N, 1, 2) float32` of a grey image stay in place.

    A few of them are enough, in an eighth of the time: an arm reaches in far more often than a camera is bumped.
    """
    sample = points[:: max(1, len(points) // MIN_INLIER_POINTS)].copy()
    ends, is_found = _follow(before, after, sample)
    stays = is_found & (np.linalg.norm(ends - sample, axis=2).ravel() < MIN_SHIFT_PX / 2)
    return bool(np.count_nonzero(stays) > MIN_INLIER_SHARE * len(sample))


def _follow(before: Image, after: Image, points: Floats) -> tuple[Floats, Bools]:
    """Return where points `(N, 1, 2) float32` of one grey image are in the other, and which were found, `(N,)`."""
    # The stubs do not know that OpenCV makes the points itself.
    ends, is_found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=(21, 21), maxLevel=4)  # type: ignore[call-overload]
    return np.asarray(ends, np.float32), np.asarray(is_found).ravel() > 0


def moves(shift: Floats, image_wh: tuple[int, int], by_px: float = MIN_SHIFT_PX) -> bool:
    """Return whether a homography `(3, 3)` moves any corner of an image of that size by more than `by_px`."""
    width, height = image_wh
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    largest_px = float(np.abs(cv2.perspectiveTransform(corners, shift) - corners).max())
    return largest_px > by_px


def in_pixels_of(shift: Floats, small_wh: tuple[int, int], image_wh: tuple[int, int]) -> Floats:
    """Return a homography between small images as one between frames; pixel centres are at whole numbers."""
    fx, fy = image_wh[0] / small_wh[0], image_wh[1] / small_wh[1]
    grow = np.array([[fx, 0, fx / 2 - 0.5], [0, fy, fy / 2 - 0.5], [0, 0, 1]])
    large: Floats = grow @ shift @ np.linalg.inv(grow)
    return large

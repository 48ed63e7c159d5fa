"""Registration of motion detection's small images: how a bumped camera moved (optical flow, RANSAC), and its focus."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, median_level
from tilekeeper.vision.imaging import convert

CELLS_WH = (16, 9)  # light is measured in this many cells of the image, across and down
PATTERN_LOG_OFFSET_LEVELS = 12.0  # added to brightness before its logarithm: darker areas show only noise
MAX_TRACKED_POINTS = 240  # optical flow tracks at most this many corners to measure how the frame moved
MIN_INLIER_POINTS = 20  # a homography needs at least this many RANSAC inliers
MIN_INLIER_SHARE = 0.5  # RANSAC inliers needed, of the tracked corners; a frame is unmoved if more of them stay
MAX_REPROJECTION_ERROR_PX = 1.5  # maximum error of a RANSAC inlier, in pixels of the downscaled frame
MAX_RESIDUAL_MOTION_RATIO = 0.5  # with a larger median error of the inliers, over their median motion, nothing moved
REGISTRATION_ROUNDS = 3  # optical flow is repeated from the last homography up to this often, for turned tables
MIN_SHIFT_PX = 0.3  # the frame moved if any of its corners moved by more than this, in pixels of the downscaled frame
MIN_CORNER_QUALITY_RATIO = 0.01  # corners below this times the best corner's quality are not tracked
MIN_CORNER_SPACING_PX = 6.0  # a corner closer to a better one, in the downscaled frame, is not tracked


def shift_between(before: Image, after: Image) -> Floats | None:
    """Return the homography `(3, 3) float64` from the small image `before (h, w, 3) uint8` to `after` of the same size.

    Follows corners by pyramidal Lucas-Kanade optical flow, which can follow motions up to about a tenth of the image.
    Returns the identity if most corners stay, or if a motion explains hardly more; None if none explains most corners.
    """
    grey_before, grey_after = (convert(one, cv2.COLOR_BGR2GRAY) for one in (before, after))
    corners = cv2.goodFeaturesToTrack(grey_before, MAX_TRACKED_POINTS, MIN_CORNER_QUALITY_RATIO, MIN_CORNER_SPACING_PX)
    if corners is None or len(corners) < MIN_INLIER_POINTS:
        return None
    points = np.asarray(corners, np.float32)
    # Arms are more frequent than bumps, and a sample of corners shows in an eighth of the time that most stay.
    sample = points[:: max(1, len(points) // MIN_INLIER_POINTS)].copy()
    relit = _match_light(grey_before, grey_after, np.full(grey_before.shape, True))
    ends, is_found = _follow(relit, grey_after, sample)
    stays = is_found & (np.linalg.norm(ends - sample, axis=2).ravel() < MIN_SHIFT_PX / 2)
    if np.count_nonzero(stays) > MIN_INLIER_SHARE * len(sample):
        return np.eye(3)
    shift: Floats = np.eye(3)
    for _ in range(REGISTRATION_ROUNDS):
        found = _estimate_shift(grey_before, grey_after, points, shift)
        if found is None or np.array_equal(found, shift):  # a further round would begin where this one did
            return found
        shift = found
    return shift


def _estimate_shift(before: Image, after: Image, points: Floats, guess: Floats) -> Floats | None:
    """Return the homography that explains the motions of most points `(N, 1, 2) float32`, None if there is none.

    It is the identity if it explains hardly more than no motion. The points are followed in the first image warped by
    the `guess`, because prints that are turned or larger in the second image cannot be matched precisely.
    """
    # Pixels beyond the edge are taken from the second image, because an artificial edge would mislead the flow.
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
    mapped = cv2.perspectiveTransform(of_before, homography)
    error_px, motion_px = (np.median(np.linalg.norm(of_after - px, axis=2)) for px in (mapped, of_before))
    # On another cloth a few wrong matches of the weave give a motion, although the tiles have not moved.
    is_motion = error_px <= MAX_RESIDUAL_MOTION_RATIO * motion_px
    return np.asarray(homography, np.float64) if is_motion else np.eye(3)


def _match_light(image: Image, other: Image, where: Bools) -> Image:
    """Scale a grey image `(h, w) uint8` so that its median in the mask `where (h, w)` equals the other image's."""
    if not where.any():
        return image
    gain = median_level(other[where]) / max(median_level(image[where]), 1.0)
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)


def _follow(before: Image, after: Image, points: Floats) -> tuple[Floats, Bools]:
    """Optical flow: return points `(N, 1, 2) float32` in the second grey image, and a mask `(N,)` of those found."""
    # The stubs do not allow None for the points, which OpenCV then allocates itself.
    ends, is_found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=(21, 21), maxLevel=4)  # type: ignore[call-overload]
    return np.asarray(ends, np.float32), np.asarray(is_found).ravel() > 0


def moves(shift: Floats, image_wh: tuple[int, int], by_px: float = MIN_SHIFT_PX) -> bool:
    """Return whether a homography `(3, 3)` moves any corner of an image of the size `image_wh` by more than `by_px`."""
    width, height = image_wh
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    return float(np.abs(cv2.perspectiveTransform(corners, shift) - corners).max()) > by_px


def in_pixels_of(shift: Floats, small_wh: tuple[int, int], image_wh: tuple[int, int]) -> Floats:
    """Convert a homography between small images to one between frames; pixel centres have whole coordinates."""
    fx, fy = image_wh[0] / small_wh[0], image_wh[1] / small_wh[1]
    grow = np.array([[fx, 0, fx / 2 - 0.5], [0, fy, fy / 2 - 0.5], [0, 0, 1]])
    return np.asarray(grow @ shift @ np.linalg.inv(grow))


MIN_CELL_GRADIENT_SHARE = 0.012  # a cell shows focus if its mean pixel step exceeds this share of its brightness
MIN_TEXTURED_CELLS = 2  # with fewer textured cells focus is not judged; a row of eight tiles on a plain cloth has a few
MAX_DEFOCUS_GRADIENT_RATIO = 0.88  # a frame may be out of focus up to this median gradient over the earlier one
MAX_DEFOCUS_RESIDUAL_SHARE = 0.55  # out of focus if a blur of the earlier frame leaves less of the difference
MAX_FOCUS_BREATHING_SHARE = 0.01  # refocusing moves a frame's corners by at most this share of its width
BLURS_PX = 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0  # standard deviations to try, at last the best of these × 1.2 and / 1.2


def is_out_of_focus(before: Image, now: Image) -> bool:
    """Return whether a frame shows the same table as the frame before, but out of focus.

    If so, most textured cells have weaker gradients, and a blur of the earlier frame explains most of the difference. A
    hand may cover some cells, and a lens focused elsewhere may scale the image a little. Tiles that were taken away
    weaken gradients as well, but no blur explains that.
    """
    # The light is matched by the median over cells, which a hand in some cells does not change.
    light, light_now = (_mean_of_cells(one).mean(axis=2) for one in (before, now))
    gain = float(np.median(light_now / np.maximum(light, 1.0)))
    relit = np.asarray(cv2.convertScaleAbs(before, alpha=gain), np.uint8)
    gradients_before, gradients_now = _gradients(relit), _gradients(now)
    is_textured = gradients_before > MIN_CELL_GRADIENT_SHARE
    if np.count_nonzero(is_textured) < MIN_TEXTURED_CELLS:
        return False
    if np.median(gradients_now[is_textured] / gradients_before[is_textured]) > MAX_DEFOCUS_GRADIENT_RATIO:
        return False
    differences = _differences(relit, now)[is_textured]
    blurred = _blur_to_match(relit, now)
    if _is_explained(_differences(blurred, now)[is_textured], differences):
        return True
    wh = blurred.shape[1], blurred.shape[0]
    shift = shift_between(blurred, now)
    if shift is None or not moves(shift, wh) or moves(shift, wh, MAX_FOCUS_BREATHING_SHARE * wh[0]):
        return False
    shifted = np.asarray(cv2.warpPerspective(relit, shift, wh, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    return _is_explained(_differences(_blur_to_match(shifted, now), now)[is_textured], differences)


def _is_explained(remaining: Floats, differences: Floats) -> bool:
    """Return whether most cells have little of their `differences (K,)` left in `remaining (K,)`."""
    return bool(np.median(remaining / np.maximum(differences, 1e-6)) < MAX_DEFOCUS_RESIDUAL_SHARE)


def _blur_to_match(before: Image, now: Image) -> Image:
    """Return the image `before` with the Gaussian blur that makes it most like `now`; both have the same light."""

    def difference(blur_px: float) -> float:
        return float(cv2.norm(cv2.GaussianBlur(before, (0, 0), blur_px), now, cv2.NORM_L1))

    best_px = min(BLURS_PX, key=difference)
    blur_px = min((best_px / 1.2, best_px, best_px * 1.2), key=difference)
    return np.asarray(cv2.GaussianBlur(before, (0, 0), blur_px), np.uint8)


def _differences(image: Image, other: Image) -> Floats:
    """Return by how many levels two images differ in each cell, `(9, 16)`, after a 3 × 3 mean against noise."""
    apart = cv2.absdiff(*(cv2.blur(one, (3, 3)) for one in (image, other)))
    return np.asarray(_mean_of_cells(apart.astype(np.float32)).sum(axis=2))


def _gradients(image: Image) -> Floats:
    """Return the mean horizontal gradient of each cell as a share of the cell's brightness, `(9, 16)`."""
    # Every third row is enough. The 3 × 3 mean removes noise, which changes from pixel to pixel.
    green = cv2.blur(cv2.extractChannel(image, 1), (3, 3))[::3].astype(np.float32)
    steps = _mean_of_cells(np.abs(np.diff(green, axis=1)))
    return np.asarray(steps / (_mean_of_cells(green) + PATTERN_LOG_OFFSET_LEVELS))


def _mean_of_cells(levels: np.ndarray) -> Floats:
    """Return the mean of each cell, `(9, 16)` or `(9, 16, 3)`, for levels `(h, w)` or `(h, w, 3)`."""
    return np.asarray(cv2.resize(levels, CELLS_WH, interpolation=cv2.INTER_AREA))

"""Says whether a reading can be trusted, and where it can't, why and what to do, in one line.

A picture is only called dark or blurred where reading it went badly: what could be read is good enough as it is.
"""

import cv2
import numpy as np

from tilekeeper.engine.language import gettext_noop
from tilekeeper.vision.arrays import Bools, Floats, Image, channels_apart
from tilekeeper.vision.config import quality_limits as limits
from tilekeeper.vision.geometry.quads import rectify, sizes_wh_px
from tilekeeper.vision.geometry.quantiles import median, quantile
from tilekeeper.vision.imaging import convert, darkest_channel, kept_of
from tilekeeper.vision.types import OK

NO_TILES = gettext_noop("no tiles in the picture")
TOO_DARK = gettext_noop("too dark: bring more light to the table")
TOO_BLURRED = gettext_noop("too blurred: hold the camera still and let it focus")
TOO_SMALL = gettext_noop("tiles too small: move the camera nearer")
NO_COLOURS = gettext_noop("the picture has no colours: use a colour picture")
TOO_DOUBTFUL = gettext_noop("too many tiles are hard to read: check them, or take a new picture")


def status_of(image_bgr: Image, quads_px: Floats, doubtful: Bools, colourless: bool = False) -> str:
    """Return `ok`, or why the reading of a picture `(H, W, 3) uint8` can't be trusted.

    `quads_px (N, 4, 2)` are the tiles read on it, `doubtful (N,)` says of each whether its name is in doubt;
    `colourless` is what `is_colourless` says of the picture.
    """
    if not len(quads_px):
        return TOO_DARK if bright_level(image_bgr) < limits.dark_level else NO_TILES
    if colourless:
        return NO_COLOURS
    if median(sizes_wh_px(quads_px).min(axis=1)) < limits.narrow_px:
        return TOO_SMALL
    if np.mean(doubtful) <= limits.doubtful_share:
        return OK
    if bright_level(image_bgr) < limits.dark_level:
        return TOO_DARK
    # one doubtful tile of two says little of the picture: it is marked itself
    if len(quads_px) < 3:
        return OK
    if median(sharpness_of(image_bgr, quads_px)[1]) < limits.sharp_step:
        return TOO_BLURRED
    return TOO_DOUBTFUL


def is_colourless(image_bgr: Image) -> bool:
    """Return whether a picture is nothing but greys, so that black ink can't be told from blue or red."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 120), :: max(1, image_bgr.shape[1] // 120)]
    levels = channels_apart(sparse).astype(np.int16)
    apart = quantile((levels.max(axis=1) - levels.min(axis=1)).ravel(), limits.grey_share)
    if apart > limits.grey_spread * 255:  # however bright it is
        return False
    bright = float(quantile(levels.ravel(), limits.bright_share))
    return bool(apart <= limits.grey_spread * max(bright, limits.dark_floor))


def bright_level(image_bgr: Image) -> float:
    """Return the grey level that only 1 % of the picture exceeds."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 200), :: max(1, image_bgr.shape[1] // 200)]
    return float(np.percentile(convert(np.ascontiguousarray(sparse), cv2.COLOR_BGR2GRAY), 99))


def sharpness_of(image_bgr: Image, quads_px: Floats) -> tuple[Floats, Floats]:
    """Return some of the tiles `(N, 4, 2)`, from all over the table, and the steepest step of each one's print `(M,)`.

    That is the steepest change from pixel to pixel where the print is, over the contrast of the print. It is measured
    once while pictures are `keeping` what is known of them.
    """
    some_px = quads_px[:: -(-len(quads_px) // limits.sharpness_tiles)]
    known, places = kept_of(image_bgr).setdefault("steps", {}), some_px.tobytes()
    if places not in known:
        known[places] = np.array([_steepest_step(rectify(image_bgr, quad_px)) for quad_px in some_px])
    return some_px, known[places]


def _steepest_step(crop_bgr: Image) -> float:
    upper = darkest_channel(crop_bgr[8 : len(crop_bgr) // 2, 6:-6]).astype(np.float32)
    low, high = (quantile(upper.ravel(), share) for share in (0.02, 0.9))
    steps = np.concatenate([np.abs(np.diff(upper, axis=0)).ravel(), np.abs(np.diff(upper, axis=1)).ravel()])
    return float(quantile(steps, 0.98) / max(float(high - low), limits.dark_floor))

"""Says whether a reading can be trusted, and where it can't, why and what to do, in one line.

A picture is only called dark or blurred where reading it went badly: what could be read is good enough as it is.
"""

import cv2
import numpy as np

from tilekeeper.engine.language import gettext_noop
from tilekeeper.vision.arrays import Bools, Floats, Image, split_channels
from tilekeeper.vision.geometry.quads import rectify, sizes_wh_px
from tilekeeper.vision.geometry.quantiles import median, quantile
from tilekeeper.vision.imaging import convert, darkest_channel
from tilekeeper.vision.quality.face_down import CONTRAST_FLOOR_LEVELS
from tilekeeper.vision.types import OK

# Blur is measured on at most this many tiles, spread over the whole table.
MAX_SHARPNESS_SAMPLE_TILES = 24
# A frame is too dark if 99 % of its pixels are below this; ivory tiles then resemble wood.
MIN_FRAME_BRIGHTNESS_LEVELS = 45
# A frame has colours if its channels differ by more than this share of its bright level.
MAX_GREY_CHANNEL_SPREAD_SHARE = 0.04
# Below this width of a tile even people cannot distinguish a 6 from an 8.
MIN_READABLE_TILE_WIDTH_PX = 14.0
# A reading cannot be trusted if more than this share of its tiles is doubtful.
MAX_DOUBTFUL_TILES_SHARE = 0.3333333333333333
# Blurred if the steepest step is a smaller share of the contrast. Measured: photos 0.40-0.87, shaken 0.21-0.30.
MIN_SHARP_STEP_SHARE = 0.30
# A frame without colours has at least this share of grey pixels.
MIN_GREY_PIXELS_SHARE = 0.999
# The bright level of a frame is this quantile of its channel levels.
BRIGHT_LEVEL_QUANTILE = 0.99


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
        return TOO_DARK if bright_level(image_bgr) < MIN_FRAME_BRIGHTNESS_LEVELS else NO_TILES
    if colourless:
        return NO_COLOURS
    if median(sizes_wh_px(quads_px).min(axis=1)) < MIN_READABLE_TILE_WIDTH_PX:
        return TOO_SMALL
    if np.mean(doubtful) <= MAX_DOUBTFUL_TILES_SHARE:
        return OK
    if bright_level(image_bgr) < MIN_FRAME_BRIGHTNESS_LEVELS:
        return TOO_DARK
    # one doubtful tile of two says little of the picture: it is marked itself
    if len(quads_px) < 3:
        return OK
    if median(sharpness_of(image_bgr, quads_px)[1]) < MIN_SHARP_STEP_SHARE:
        return TOO_BLURRED
    return TOO_DOUBTFUL


def is_colourless(image_bgr: Image) -> bool:
    """Return whether a picture is nothing but greys, so that black ink can't be told from blue or red."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 120), :: max(1, image_bgr.shape[1] // 120)]
    levels = split_channels(sparse).astype(np.int16)
    apart = quantile((levels.max(axis=1) - levels.min(axis=1)).ravel(), MIN_GREY_PIXELS_SHARE)
    if apart > MAX_GREY_CHANNEL_SPREAD_SHARE * 255:  # however bright it is
        return False
    bright = float(quantile(levels.ravel(), BRIGHT_LEVEL_QUANTILE))
    return bool(apart <= MAX_GREY_CHANNEL_SPREAD_SHARE * max(bright, CONTRAST_FLOOR_LEVELS))


def bright_level(image_bgr: Image) -> float:
    """Return the grey level that only 1 % of the picture exceeds."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 200), :: max(1, image_bgr.shape[1] // 200)]
    return float(np.percentile(convert(np.ascontiguousarray(sparse), cv2.COLOR_BGR2GRAY), 99))


def sharpness_of(image_bgr: Image, quads_px: Floats) -> tuple[Floats, Floats]:
    """Return a sample of the tiles `(M, 4, 2)` from all over the table, and the steepest step of each print, `(M,)`.

    A step is the change from pixel to pixel where the print is, as a share of the contrast of the print.
    """
    sample_px = quads_px[:: -(-len(quads_px) // MAX_SHARPNESS_SAMPLE_TILES)]
    return sample_px, np.array([_steepest_step(rectify(image_bgr, quad_px)) for quad_px in sample_px])


def _steepest_step(crop_bgr: Image) -> float:
    upper = darkest_channel(crop_bgr[8 : len(crop_bgr) // 2, 6:-6]).astype(np.float32)
    low, high = (quantile(upper.ravel(), share) for share in (0.02, 0.9))
    steps = np.concatenate([np.abs(np.diff(upper, axis=0)).ravel(), np.abs(np.diff(upper, axis=1)).ravel()])
    return float(quantile(steps, 0.98) / max(float(high - low), CONTRAST_FLOOR_LEVELS))

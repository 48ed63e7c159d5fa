"""Diagnostics: whether a reading can be trusted, and the troubles of an image: what is wrong, where, and what to do.

An image is called dark or blurred only if it was read badly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.engine.language import gettext_noop
from tilekeeper.vision import types as kinds
from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, median, quantile, split_channels
from tilekeeper.vision.geometry.quads import as_quads, rectify, sizes_wh_px
from tilekeeper.vision.imaging import convert, darkest_channel
from tilekeeper.vision.quality.face_down import CONTRAST_FLOOR_LEVELS, find_face_down_tiles
from tilekeeper.vision.quality.occlusion import are_partly_covered, find_covered_row_ends, find_glare
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import INKS, OK, ReadTile, Rows, TableReading, Trouble

MAX_SHARPNESS_SAMPLE_TILES = 24  # blur is measured on at most this many tiles, spread over the whole table
MIN_FRAME_BRIGHTNESS_LEVELS = 45  # too dark if 99 % of a frame's pixels are darker: ivory then resembles wood
MAX_GREY_CHANNEL_SPREAD_SHARE = 0.04  # a pixel is grey if its channels differ by at most this share of the bright level
MIN_READABLE_TILE_WIDTH_PX = 14.0  # below this width of a tile even people cannot distinguish a 6 from an 8
MAX_DOUBTFUL_TILES_SHARE = 1 / 3  # with more doubtful tiles, of all or of the far ones, a reading cannot be trusted
FAR_TILES_SHARE = 0.2  # this share of the tiles, the smallest ones, are a low camera's far tiles
MIN_FAR_TILES = 5  # at least this many tiles count as far tiles, so that one doubtful tile never speaks for them
MAX_FAR_SIZE_RATIO = 0.75  # the camera is low if far tiles are smaller than the median tile by this factor
MIN_SHARP_STEP_SHARE = 0.30  # steepest step over contrast; measured: photos 0.40-0.87, shaken 0.21-0.30
MIN_GREY_PIXELS_SHARE = 0.999  # a frame without colours has at least this share of grey pixels
BRIGHT_LEVEL_QUANTILE = 0.99  # the bright level of a frame is this quantile of its channel levels

NO_TILES = gettext_noop("no tiles in the picture")
TOO_DARK = gettext_noop("too dark: bring more light to the table")
TOO_BLURRED = gettext_noop("too blurred: hold the camera still and let it focus")
TOO_SMALL = gettext_noop("tiles too small: move the camera nearer")
NO_COLOURS = gettext_noop("the picture has no colours: use a colour picture")
TOO_DOUBTFUL = gettext_noop("too many tiles are hard to read: check them, or take a new picture")


def status_of(scene: Scene, quads_px: Floats, doubtful: Bools, colourless: bool = False) -> str:
    """Return `ok`, or a line on why the reading of a scene can't be trusted and what to do.

    `quads_px (N, 4, 2)`: its tiles; `doubtful (N,)`: mask of doubtful tiles; `colourless`: whether it has only greys.
    """
    if not len(quads_px):
        return TOO_DARK if bright_level(scene.image_bgr) < MIN_FRAME_BRIGHTNESS_LEVELS else NO_TILES
    if colourless:
        return NO_COLOURS
    if median(sizes_wh_px(quads_px).min(axis=1)) < MIN_READABLE_TILE_WIDTH_PX:
        return TOO_SMALL
    sides_px = sizes_wh_px(quads_px if scene.view is None else scene.view.to_image(quads_px)).min(axis=1)
    unreadable = unreadable_tiles(sides_px, np.asarray(doubtful))
    if not len(unreadable):
        return OK
    if bright_level(scene.image_bgr) < MIN_FRAME_BRIGHTNESS_LEVELS:
        return TOO_DARK
    if len(quads_px) < 3:  # one doubtful tile of two shows little about the image, and is flagged anyway
        return OK
    if median(sides_px[unreadable]) < MIN_READABLE_TILE_WIDTH_PX:
        return TOO_SMALL
    is_blurred = median(sharpness_of(scene.image_bgr, quads_px[unreadable])[1]) < MIN_SHARP_STEP_SHARE
    return TOO_BLURRED if is_blurred else TOO_DOUBTFUL


def unreadable_tiles(sides_px: Floats, doubtful: Bools) -> Ints:
    """Return the indices of the tiles, all or a low camera's far ones, of which too many are doubtful; mostly none.

    `sides_px (N,)`: shorter sides in the camera's image. Where many far tiles are doubtful, others are missed.
    """
    far = np.argsort(sides_px, kind="stable")[: max(MIN_FAR_TILES, round(FAR_TILES_SHARE * len(sides_px)))]
    is_low = median(sides_px[far]) < MAX_FAR_SIZE_RATIO * median(sides_px)
    groups = [np.arange(len(sides_px)), *([far] if is_low else [])]
    return next((group for group in groups if np.mean(doubtful[group]) > MAX_DOUBTFUL_TILES_SHARE), far[:0])


def is_colourless(image_bgr: Image) -> bool:
    """Return whether an image has only greys, so that black ink can't be told from blue or red."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 120), :: max(1, image_bgr.shape[1] // 120)]
    levels = split_channels(sparse).astype(np.int16)
    apart = quantile((levels.max(axis=1) - levels.min(axis=1)).ravel(), MIN_GREY_PIXELS_SHARE)
    if apart > MAX_GREY_CHANNEL_SPREAD_SHARE * 255:  # coloured, even if the bright level were 255
        return False
    bright = max(float(quantile(levels.ravel(), BRIGHT_LEVEL_QUANTILE)), CONTRAST_FLOOR_LEVELS)
    return bool(apart <= MAX_GREY_CHANNEL_SPREAD_SHARE * bright)


def bright_level(image_bgr: Image) -> float:
    """Return the grey level that only 1 % of the image's pixels exceed."""
    sparse = image_bgr[:: max(1, len(image_bgr) // 200), :: max(1, image_bgr.shape[1] // 200)]
    return float(np.percentile(convert(np.ascontiguousarray(sparse), cv2.COLOR_BGR2GRAY), 99))


def sharpness_of(image_bgr: Image, quads_px: Floats) -> tuple[Floats, Floats]:
    """Return a sample of the tiles `(M, 4, 2)`, M up to `MAX_SHARPNESS_SAMPLE_TILES`, and their sharpness `(M,)`.

    Sharpness is the steepest change from pixel to pixel in the upper half of a tile, as a share of the contrast there.
    """
    sample_px = quads_px[:: -(-len(quads_px) // MAX_SHARPNESS_SAMPLE_TILES)]
    return sample_px, np.array([_steepest_step(rectify(image_bgr, quad_px)) for quad_px in sample_px])


def _steepest_step(crop_bgr: Image) -> float:
    upper = darkest_channel(crop_bgr[8 : len(crop_bgr) // 2, 6:-6]).astype(np.float32)
    low, high = (quantile(upper.ravel(), share) for share in (0.02, 0.9))
    steps = np.concatenate([np.abs(np.diff(upper, axis=0)).ravel(), np.abs(np.diff(upper, axis=1)).ravel()])
    return float(quantile(steps, 0.98) / max(float(high - low), CONTRAST_FLOOR_LEVELS))


MIN_DIAGNOSED_DOUBTFUL_SHARE = 0.12  # darkness and blur are reported only if this share of the tiles is doubtful
MAX_BEYOND_FRAME_WIDTHS = 0.03  # a tile is reported as cut off if a corner is further outside the frame than this
MIN_AMBIGUOUS_INK_PROB = 0.15  # a tile's ink is ambiguous if both red and the warm ink are at least this probable
MIN_AMBIGUOUS_INK_TILES = 2  # the light is blamed for ambiguous inks only from this many ambiguous tiles on
MIN_AMBIGUOUS_INK_SHARE = 0.1  # the light is blamed only if this share of the red and warm-ink tiles is ambiguous

WORDS = {
    kinds.TOO_DARK: TOO_DARK,
    kinds.TOO_BLURRED: TOO_BLURRED,
    kinds.GLARE: gettext_noop("glare here: turn the lamp, or look from another side"),
    kinds.TOO_SMALL: TOO_SMALL,
    kinds.CUT_OFF: gettext_noop("table cut off: let the camera see all tiles"),
    kinds.IN_THE_WAY: gettext_noop("something is in the way: take it away from these tiles"),
    kinds.RED_AND_ORANGE: gettext_noop(
        "red and the other warm colour are hard to tell apart in this light: use a whiter lamp"
    ),
}


def add_diagnostics(scene: Scene, reading: TableReading, weak_px: Floats) -> TableReading:
    """Add face-down tiles and troubles to the reading of a camera's image.

    `weak_px (K, 4, 2)`: weak detections, among which face-down tiles are searched. Covered tiles are ignored.
    """
    visible = sorted(at for row in reading.rows for at in row if not reading.tiles[at].sighting.hidden)
    index_of = {at: index for index, at in enumerate(visible)}
    rows = tuple(filter(None, (tuple(index_of[at] for at in row if at in index_of) for row in reading.rows)))
    tiles = tuple(reading.tiles[at] for at in visible)
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    face_down = find_face_down_tiles(scene, weak_px, quads_px, np.array([not tile.doubtful for tile in tiles], bool))
    return replace(reading, face_down=face_down, troubles=troubles_of(scene, tiles, rows, face_down))


def troubles_of(scene: Scene, tiles: tuple[ReadTile, ...], rows: Rows, face_down_px: Floats) -> tuple[Trouble, ...]:
    """Return an image's troubles, ordered as `TROUBLE_KINDS`.

    `tiles`: the visible tiles; `rows`: indices into `tiles`; `face_down_px`: face-down tiles `(M, 4, 2)`.
    """
    image_bgr, image_wh, found = scene.image_bgr, scene.wh, list[tuple[str, Floats]]()
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    doubtful = np.array([tile.doubtful for tile in tiles], bool)
    suffers = not len(tiles) or float(doubtful.mean()) >= MIN_DIAGNOSED_DOUBTFUL_SHARE
    if suffers and bright_level(image_bgr) < MIN_FRAME_BRIGHTNESS_LEVELS:
        found.append((kinds.TOO_DARK, whole_px(image_wh)))
    if not len(tiles):
        return tuple(Trouble(kind, WORDS[kind], region) for kind, region in found)
    sides_px = sizes_wh_px(quads_px).min(axis=1)
    width = float(median(sides_px))
    if suffers and len(tiles) >= 3:
        some_px, steps = sharpness_of(image_bgr, quads_px)
        if median(steps) < MIN_SHARP_STEP_SHARE:
            found.append((kinds.TOO_BLURRED, box_px(some_px[steps < MIN_SHARP_STEP_SHARE], image_wh, width)))
    glare = find_glare(scene, quads_px, doubtful).reshape(-1, 2, 2)
    found += [(kinds.GLARE, box_px(box, image_wh, width / 4)) for box in glare]
    small = np.arange(len(tiles)) if width < MIN_READABLE_TILE_WIDTH_PX else unreadable_tiles(sides_px, doubtful)
    if len(small) and median(sides_px[small]) < MIN_READABLE_TILE_WIDTH_PX:
        found.append((kinds.TOO_SMALL, box_px(quads_px[small], image_wh)))
    # By how many pixels each tile extends beyond the left, top, right and bottom edge; below 0 if it is inside.
    beyond = np.hstack([-0.5 - quads_px.min(axis=1), quads_px.max(axis=1) - (np.array(image_wh) - 0.5)])
    cut, edges = beyond.max(axis=1) > MAX_BEYOND_FRAME_WIDTHS * sides_px, beyond.argmax(axis=1)
    cut_px = [quads_px[cut & (edges == edge)] for edge in np.unique(edges[cut])]
    found += [(kinds.CUT_OFF, box_px(tiles_px, image_wh, width / 4)) for tiles_px in cut_px]
    hidden = find_covered_row_ends(image_bgr, quads_px, rows, face_down_px)
    covered = np.flatnonzero(doubtful)[are_partly_covered(image_bgr, quads_px[doubtful])]
    covered = covered[~cut[covered]]
    found += [(kinds.IN_THE_WAY, place) for place in (*hidden, *quads_px[covered].astype(np.float32))]
    either = _either_ink(tiles)
    if either.any():
        found.append((kinds.RED_AND_ORANGE, box_px(quads_px[either], image_wh, width / 4)))
    return tuple(Trouble(kind, WORDS[kind], region) for kind, region in found)


def troubles_in_the_way(hidden_px: Sequence[Floats], quads_px: Floats) -> tuple[Trouble, ...]:
    """Return a trouble for each occluder's outline `(K, 2)`, and for each covered tile far from all outlines."""
    outlines = [outline.astype(np.float32) for outline in hidden_px if len(outline) >= 3]

    def is_alone(quad_px: Floats) -> bool:
        """Return whether a tile's centre is outside all outlines by more than the tile's width."""
        middle, width_px = quad_px.mean(axis=0).tolist(), float(np.linalg.norm(quad_px[1] - quad_px[0]))
        return all(cv2.pointPolygonTest(outline, middle, True) < -width_px for outline in outlines)

    regions = [*(cv2.boxPoints(cv2.minAreaRect(outline)) for outline in outlines), *filter(is_alone, quads_px)]
    kind = kinds.IN_THE_WAY
    return tuple(Trouble(kind, WORDS[kind], region.astype(np.float32).reshape(4, 2)) for region in regions)


def box_px(points_px: Floats, image_wh: tuple[int, int], room_px: float = 0.0) -> Floats:
    """Return the corners `(4, 2) float32` of the box around points `(..., 2)`, `room_px` wider, inside the image."""
    points, last = np.asarray(points_px, np.float64).reshape(-1, 2), np.array(image_wh) - 1
    low, high = np.clip(points.min(axis=0) - room_px, 0, last), np.clip(points.max(axis=0) + room_px, 0, last)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float32)


def whole_px(image_wh: tuple[int, int]) -> Floats:
    """Return the corners `(4, 2) float32` of the whole image."""
    return box_px(np.array([(0, 0), image_wh]), image_wh)


def _either_ink(tiles: tuple[ReadTile, ...]) -> Bools:
    """Return a mask `(N,)` of the tiles that may be red or the warm ink; all false if such tiles are too few."""
    inks = np.exp([tile.sighting.names.ink_log_probs for tile in tiles])[:, [INKS.index("orange"), INKS.index("red")]]
    numbered = np.array([tile.label != "joker" for tile in tiles])
    either, warm = numbered & (inks.min(axis=1) >= MIN_AMBIGUOUS_INK_PROB), numbered & (inks.sum(axis=1) > 0.5)
    least = max(MIN_AMBIGUOUS_INK_TILES, MIN_AMBIGUOUS_INK_SHARE * warm.sum())
    return either if either.sum() >= least else np.zeros(len(tiles), bool)

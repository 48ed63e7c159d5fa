"""Make photos harder to read in one of several ways, and transform their ground truth accordingly.

Changes of light are made in linear light and converted back to sRGB. All randomness comes from the generator argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.scene.tables import LEAST_PX
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.models.training.augmentation import add_sensor_noise, motion_blur
from tilekeeper.models.training.lamps import black_body, lamp_matrix, measured_lamp, relight

SEED = 2024
"""Seed of the published measurements."""
BEYOND = 3.0
"""Depth of the ignored area beyond each edge of the photo, in halves of the photo's side."""
SMALL_PX = 16.0
"""Median tile width after shrinking."""
LAMP_XY = (0.4599, 0.4106)
"""The chromaticity (CIE 1931) of a black body of 2700 K."""
LIGHT = 1 / 3
"""Share of the light that remains in a dark image."""
FULL_WELL, READ_NOISE = 2000.0, 8.0
"""Electrons at white before the light is reduced, and the read noise (standard deviation, in electrons): a phone's
pixel indoors, after the averaging of several pixels."""
SHAKE_OF_TILE = 0.1
"""Length of the motion blur in tile widths."""
TILT = np.pi / 4
"""Added tilt of the camera in radians."""
SHADE, SOFT_OF_TILE = 0.2, 0.1
"""Remaining light in the shadow of a window frame in the sun, and the width of the shadow's edge in tile widths."""
STOP = 2.0
"""Gain of one stop of overexposure."""
LOW_DEG = 35, 30, 25, 20
"""Viewing angles of low cameras above the table in degrees, such as a phone that leans against a mug."""
NEAR_OF_FAR = 4.0
"""Ratio of the scale at the near side of a photo to that at its far side, for a low camera."""
FOCAL_OF_SIDE = 1.2
"""Focal length of a phone's main camera, in longer sides of the image."""
ROLLED_LEAN, ROLLED_EXPOSED = 0.15, 0.1
"""Rolling shutter: the largest shear, and the exposure of a row as a share of the read-out time of all rows."""
HELD_WH, HELD_PX = (640, 480), (14, 32)
HELD_TILT, HELD_KELVIN, HELD_LIGHT, HELD_SHAKE_PX = np.radians(50), (3000, 6500), (0.5, 1.1), 1.5
HELD_SHARPER, HELD_JPEG = 1.0, (60, 90)
"""A phone held anywhere in dim light: the size of its image, the range of tile widths, the largest tilt, the colour
temperature that its white balance leaves, the exposure, the largest motion blur, the strongest sharpening and the JPEG
quality."""

Change = Callable[[np.random.Generator, np.ndarray, float], tuple[np.ndarray, np.ndarray | None]]
"""Function from an image `(H, W, 3) uint8` BGR and its tile width (px) to the harder image, and the homography `(3, 3)`
from the first to the second, None if no pixel moves."""


def small(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Shrink the image until its tiles are `SMALL_PX` wide; smaller images stay the same."""
    height, width = image_bgr.shape[:2]
    factor = min(1.0, SMALL_PX / tile_px)
    wh = max(1, round(width * factor)), max(1, round(height * factor))
    x, y = wh[0] / width, wh[1] / height
    # pixel centres are at whole numbers
    to_small = np.array([[x, 0, (x - 1) / 2], [0, y, (y - 1) / 2], [0, 0, 1]])
    return cv2.resize(image_bgr, wh, interpolation=cv2.INTER_AREA), to_small


def lamp(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Relight the image with a lamp of 2700 K without white balance; white keeps its brightest channel."""
    to_lamp = lamp_matrix(LAMP_XY)
    white = to_lamp @ np.ones(3)
    linear = to_linear(image_bgr) @ (to_lamp / white.max()).T[::-1, ::-1].astype(np.float32)
    return to_srgb(linear), None


def dark(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Reduce the light to a third and add shot noise and read noise."""
    return to_srgb(_with_noise(rng, to_linear(image_bgr) * np.float32(LIGHT))), None


def _with_noise(rng: np.random.Generator, linear: np.ndarray) -> np.ndarray:
    return add_sensor_noise(linear, FULL_WELL, READ_NOISE, rng.standard_normal(linear.shape, dtype=np.float32))


def shaken(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Add motion blur of a tenth of a tile's width, in any direction."""
    return to_srgb(motion_blur(to_linear(image_bgr), rng.uniform(0, np.pi), SHAKE_OF_TILE * tile_px)), None


def aslant(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Tilt the plane of the image by 45° around a random axis through its middle.

    Nothing is cut off; the area beyond the photo has the median colour of its edge.
    """
    return _warp_whole(image_bgr, _tilted(image_bgr, TILT, rng.uniform(0, 2 * np.pi)))


def _tilted(image_bgr: np.ndarray, off: float, heading: float) -> np.ndarray:
    """Return the homography that tilts the image plane by `off` radians; the middle of the image maps to (0, 0)."""
    height, width = image_bgr.shape[:2]
    focal, turn = FOCAL_OF_SIDE * max(height, width), _rotation(heading)
    tilt = np.array([[1, 0, 0], [0, np.cos(off), 0], [0, np.sin(off), 1]])
    # a point (x, y) of the plane has the depth focal + y sin(tilt), so the middle keeps its size
    projected = np.diag([focal, focal, 1]) @ turn.T @ tilt @ turn @ np.diag([1, 1, focal])
    tilted: np.ndarray = projected @ np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
    return tilted


def _rotation(angle: float) -> np.ndarray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])


def _warp_whole(image_bgr: np.ndarray, view: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Warp the whole image by a homography, shifted so that nothing is cut; return it and the shifted homography."""
    height, width = image_bgr.shape[:2]
    corners = np.array([[[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]], np.float64)
    outline = cv2.perspectiveTransform(corners, view)[0]
    low = outline.min(axis=0)
    wh = tuple(int(side) for side in np.ceil(outline.max(axis=0) - low) + 1)
    homography = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ view
    flags, border, around = cv2.INTER_LINEAR, cv2.BORDER_CONSTANT, edge_colour(image_bgr)
    return cv2.warpPerspective(
        image_bgr, homography, wh, flags=flags, borderMode=border, borderValue=around
    ), homography


def edge_colour(image_bgr: np.ndarray) -> list[float]:
    """Return the median colour of an image's edge, for the area beyond it."""
    edge = np.concatenate([image_bgr[0], image_bgr[-1], image_bgr[:, 0], image_bgr[:, -1]])
    colour: list[float] = np.median(edge, axis=0).tolist()
    return colour


def lowered(elevation: float) -> Change:
    """Return the change that simulates a low camera, `elevation` degrees above the table, near side at the bottom.

    The middle keeps its width. Nothing is cut off; the area beyond the photo has the median colour of its edge.
    """

    def low(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
        height, width = image_bgr.shape[:2]
        heading, off = rng.uniform(0, 2 * np.pi), np.pi / 2 - np.radians(elevation)
        cos, sin = np.cos(heading), np.sin(heading)
        turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        reach = (abs(sin) * width + abs(cos) * height) / 2
        # The depths at both ends, away ± reach * sin(off), have the ratio 1 to NEAR_OF_FAR.
        away = reach * np.sin(off) * (NEAR_OF_FAR + 1) / (NEAR_OF_FAR - 1)
        tilt = np.array([[away, 0, 0], [0, away * np.cos(off), 0], [0, -np.sin(off), away]])
        to_middle = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
        return _warp_whole(image_bgr, tilt @ turn @ to_middle)

    return low


def shaded(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Darken the image on one side of a random line through its middle half; the shadow has a soft edge."""
    height, width = image_bgr.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    x, y = rng.uniform(0.25, 0.75, 2) * (width, height)
    across = np.cos(angle) * (np.arange(width) - x)[None] + np.sin(angle) * (np.arange(height) - y)[:, None]
    lit = np.clip(across / (SOFT_OF_TILE * tile_px) + 0.5, 0, 1).astype(np.float32)
    return to_srgb(to_linear(image_bgr) * (SHADE + (1 - SHADE) * lit)[..., None]), None


def blown(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Overexpose the image by one stop: bright values are clipped."""
    return to_srgb(np.minimum(to_linear(image_bgr) * np.float32(STOP), 1)), None


def spectral(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Relight the image with an LED or a fluorescent lamp, with full, half or no white balance.

    White keeps its brightest channel.
    """
    to_lamp = measured_lamp(rng)[::-1, ::-1]
    return to_srgb(to_linear(image_bgr) @ to_lamp.T.astype(np.float32)), None


def rolled(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a rolling shutter of a moving camera: shear the image and add motion blur.

    The blur is the movement during the exposure of a row, at most a tenth of a tile.
    """
    lean = rng.uniform(-ROLLED_LEAN, ROLLED_LEAN)
    sheared, homography = _warp_whole(image_bgr, np.array([[1, lean, 0], [0, 1, 0], [0, 0, 1.0]]))
    blur_px = min(ROLLED_EXPOSED * abs(lean) * len(image_bgr), SHAKE_OF_TILE * tile_px)
    return to_srgb(motion_blur(to_linear(sheared), 0.0, blur_px)), homography


def filmed_by_hand(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a phone in dim light, held anywhere over the table: a sharpened JPEG of 640 × 480.

    The area beyond the photo has the median colour of its edge.
    """
    heading, upright = rng.uniform(0, 2 * np.pi, 2)
    image, view = _warp_whole(image_bgr, _rotation(upright) @ _tilted(image_bgr, rng.uniform(0, HELD_TILT), heading))
    frame_wh = HELD_WH if image.shape[1] > image.shape[0] else HELD_WH[::-1]
    fits = min(long / side for long, side in zip(frame_wh, image.shape[1::-1], strict=True))
    image, shrunk = small(rng, image, SMALL_PX / min(fits, float(np.exp(rng.uniform(*np.log(HELD_PX)))) / tile_px))
    left, top = ((long - side) // 2 for long, side in zip(frame_wh, image.shape[1::-1], strict=True))
    framed = np.full((*frame_wh[::-1], 3), edge_colour(image_bgr), np.float32)
    framed[top : top + image.shape[0], left : left + image.shape[1]] = image
    linear = to_linear(np.clip(relight(framed, black_body(rng.uniform(*HELD_KELVIN))), 0, 255).astype(np.uint8))
    linear *= np.float32(rng.uniform(*HELD_LIGHT))
    linear = motion_blur(linear, rng.uniform(0, np.pi), rng.uniform(0, HELD_SHAKE_PX))
    sent = to_srgb(_with_noise(rng, linear)).astype(np.float32)
    sent += rng.uniform(0, HELD_SHARPER) * (sent - cv2.GaussianBlur(sent, (0, 0), 1.0))
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*HELD_JPEG))]
    data = cv2.imencode(".jpg", np.clip(np.round(sent), 0, 255).astype(np.uint8), quality)[1]
    placed: np.ndarray = np.array([[1, 0, left], [0, 1, top], [0, 0, 1.0]]) @ shrunk @ view
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), placed


LOW_WAYS = tuple(f"low{degrees}" for degrees in LOW_DEG)
"""The keys of low cameras in `WAYS`."""
FAR_WAYS = (*LOW_WAYS, "held")
"""The keys of the ways that may make far tiles too small to read."""
WAYS: dict[str, tuple[str, Change]] = {
    "small": ("tiles 16 px across", small),
    "lamp": ("a 2700 K lamp", lamp),
    "dark": ("a third of the light with noise", dark),
    "shaken": ("shaken by a tenth of a tile", shaken),
    "aslant": ("the camera 45° off the vertical", aslant),
    "shaded": ("a shadow's edge across", shaded),
    "blown": ("one stop too bright", blown),
    **{
        way: (f"a camera {degrees}° above the table", lowered(degrees))
        for way, degrees in zip(LOW_WAYS, LOW_DEG, strict=True)
    },
    "held": ("a phone held anywhere in the evening, 640 × 480", filmed_by_hand),
    "spectral": ("LEDs and fluorescent lamps of measured spectra", spectral),
    "rolled": ("rows read one by one while the camera moves", rolled),
}
"""The ways to make a photo harder: a title for reports, and the function."""


@dataclass(frozen=True, slots=True)
class Harder:
    """Make images harder in one way, reproducibly.

    `way`: a key of `WAYS`; `usual_px`: the tile width assumed for images without tiles; `seed`: seed of all randomness.
    """

    way: str
    usual_px: float
    seed: int = SEED

    def apply(self, index: int, pictured: Pictured) -> tuple[np.ndarray, Truth]:
        """Return the harder image and its ground truth; `index` selects the random numbers of this image."""
        rng = np.random.default_rng([self.seed, list(WAYS).index(self.way), index])
        tile_px = median_width_px(pictured.truth) or self.usual_px
        photo = np.asarray(pictured.load())
        image, homography = WAYS[self.way][1](rng, photo, tile_px)
        if homography is None:
            return image, pictured.truth
        truth = transform_truth(pictured.truth, homography)
        truth = ignore_illegible(truth) if self.way in FAR_WAYS else truth
        return image, ignore_beyond(truth, photo.shape[1::-1], homography)


def median_width_px(truth: Truth) -> float | None:
    """Return the median short side of all tiles that are not cut, in pixels; None if there are none."""
    whole = [np.asarray(o, np.float32) for o, cut in zip(truth.outlines_px, truth.cut, strict=True) if not cut]
    return float(np.median([min(cv2.minAreaRect(outline)[1]) for outline in whole])) if whole else None


def transform_truth(truth: Truth, homography: np.ndarray) -> Truth:
    """Warp the ground truth by a homography `(3, 3)` of the image; ignored boxes become the boxes around the result."""

    def move(points: np.ndarray) -> np.ndarray:
        result: np.ndarray = cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(1, -1, 2), homography)[0]
        return result

    outlines = tuple(move(outline) for outline in truth.outlines_px)
    boxes = [move(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])) for x0, y0, x1, y1 in truth.ignored_px]
    ignored = np.array([[*box.min(axis=0), *box.max(axis=0)] for box in boxes]).reshape(-1, 4)
    quads = None if truth.quads_px is None else np.array([move(quad) for quad in truth.quads_px]).reshape(-1, 4, 2)
    return replace(truth, outlines_px=outlines, ignored_px=ignored, quads_px=quads)


def ignore_beyond(truth: Truth, photo_wh: tuple[int, int], homography: np.ndarray) -> Truth:
    """Return the ground truth with one ignored tile beyond each edge of the photo.

    A tile that the photo's edge cuts may be read as a whole one, with its centre in the filled area beyond the edge.
    That must not count as a false detection, so each edge gets the outline of a cut tile beyond it.
    """
    wide, high = photo_wh
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float64) - 0.5
    inner = cv2.perspectiveTransform(corners[None], homography)[0]
    outer = inner + BEYOND * (inner - inner.mean(axis=0))
    edges = [np.array([inner[k], inner[k - 1], outer[k - 1], outer[k]]) for k in range(4)]
    return replace(
        truth,
        labels=(*truth.labels, *[""] * 4),
        outlines_px=(*truth.outlines_px, *edges),
        cut=(*truth.cut, *[True] * 4),
        quads_px=None if truth.quads_px is None else np.concatenate([truth.quads_px, edges]),
    )


def ignore_illegible(truth: Truth) -> Truth:
    """Return the ground truth in which tiles that are too small for a person to read are ignored."""
    outlines = [np.asarray(outline, np.float32) for outline in truth.outlines_px]
    tiny = [min(cv2.minAreaRect(outline)[1]) < LEAST_PX for outline in outlines]
    boxes = [[*outlines[at].min(axis=0), *outlines[at].max(axis=0)] for at, is_tiny in enumerate(tiny) if is_tiny]
    return replace(
        truth,  # no tile is removed, because rows refer to tiles by index
        cut=tuple(cut or is_tiny for cut, is_tiny in zip(truth.cut, tiny, strict=True)),
        ignored_px=np.concatenate([truth.ignored_px.reshape(-1, 4), np.reshape(boxes, (-1, 4))]),
    )


def to_linear(image_bgr: np.ndarray) -> np.ndarray:
    """Convert sRGB `(H, W, 3) uint8` to linear light, float32 0 to 1."""
    levels = np.arange(256) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.take(linear, image_bgr)


def to_srgb(linear: np.ndarray) -> np.ndarray:
    """Convert linear light to sRGB `uint8`; values out of range are clipped."""
    linear = np.clip(linear, 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1 / 2.4) - 0.055)
    return np.round(255 * srgb).astype(np.uint8)

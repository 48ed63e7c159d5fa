"""Makes photos harder to read, each way on its own, with the truth that goes with it.

Light is changed in linear light, where lamps and shutters work, and sRGB made of it again. Everything that chance has a
part in takes it from the generator that it is handed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.scene.tables import LEAST_PX
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.models.evaluation.score import Truth
from tilekeeper.models.training.augmentation import counted, smeared
from tilekeeper.models.training.lamps import black_body, lamp_matrix, measured_lamp, under_lamp

SEED = 2024
"""The first draw; those after it follow."""
BEYOND = 3.0
"""What lies beyond the photo in a picture is no further from its edge than so many times half of the photo."""
SMALL_PX = 16.0
"""How wide the middle one of a photo's tiles is made."""
LAMP_XY = (0.4599, 0.4106)
"""The chromaticity (CIE 1931) of a black body of 2700 K."""
LIGHT = 1 / 3
FULL_WELL, READ_NOISE = 2000.0, 8.0
"""Electrons at white before the light was cut, and the noise of reading them out (standard deviation): a phone's pixel
indoors, several of them averaged as phones do."""
SHAKE_OF_TILE = 0.1
TILT = np.pi / 4
SHADE, SOFT_OF_TILE = 0.2, 0.1
"""What is left of the light in the shade of a window's frame in the sun, and how wide the shadow's edge is."""
STOP = 2.0
"""How many times as much light as is right falls into a picture taken one stop too bright."""
LOW_DEG = 35, 30, 25, 20
"""How high above the table low cameras stand, a phone that leans against a mug: the angle of what they look along."""
NEAR_OF_FAR = 4.0
"""How many times as large the nearest of a photo is seen from there as its farthest."""
FOCAL_OF_SIDE = 1.2
"""The focal length of a phone's main camera, in longer sides of the picture."""
ROLLED_LEAN, ROLLED_EXPOSED = 0.15, 0.1
"""How far a picture leans at most that a moving camera reads row by row: to the right by the way down; and for how much
of the time in which all are read a row is exposed."""
HELD_WH, HELD_PX = (640, 480), (14, 32)
HELD_TILT, HELD_KELVIN, HELD_LIGHT, HELD_SHAKE_PX = np.radians(50), (3000, 6500), (0.5, 1.1), 1.5
HELD_SHARPER, HELD_JPEG = 1.0, (60, 90)
"""A phone held anywhere in the evening: the longest and shortest sides of what it shows, how wide tiles are in it,
how far off the vertical it looks at most, what its white balance leaves of the lamp's colour, the light that falls in,
how far it moves at most while it does, how much it sharpens at most, and the quality of its JPEG."""

Change = Callable[[np.random.Generator, np.ndarray, float], tuple[np.ndarray, np.ndarray | None]]
"""From a picture `(H, W, 3) uint8` BGR and its tiles' width (px) to the harder one and the homography `(3, 3)` that
leads from the first to the second, None where every pixel stays in its place."""


def small(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Shrink the picture until its tiles are `SMALL_PX` wide; what is as small already stays as it is."""
    height, width = image_bgr.shape[:2]
    factor = min(1.0, SMALL_PX / tile_px)
    wh = max(1, round(width * factor)), max(1, round(height * factor))
    x, y = wh[0] / width, wh[1] / height
    # pixel centres lie at whole numbers
    to_small = np.array([[x, 0, (x - 1) / 2], [0, y, (y - 1) / 2], [0, 0, 1]])
    return cv2.resize(image_bgr, wh, interpolation=cv2.INTER_AREA), to_small


def lamp(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Light the picture with a lamp of 2700 K that the camera takes for daylight; the brightest channel stays."""
    to_lamp = lamp_matrix(LAMP_XY)
    white = to_lamp @ np.ones(3)
    linear = to_linear(image_bgr) @ (to_lamp / white.max()).T[::-1, ::-1].astype(np.float32)
    return to_srgb(linear), None


def dark(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Let a third of the light fall in, with the shot noise of so few photons and the noise of reading them out."""
    return to_srgb(_counted(rng, to_linear(image_bgr) * np.float32(LIGHT))), None


def _counted(rng: np.random.Generator, linear: np.ndarray) -> np.ndarray:
    return counted(linear, FULL_WELL, READ_NOISE, rng.standard_normal(linear.shape, dtype=np.float32))


def shaken(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Move the camera by a tenth of a tile's width while the shutter is open, in any direction."""
    return to_srgb(smeared(to_linear(image_bgr), rng.uniform(0, np.pi), SHAKE_OF_TILE * tile_px)), None


def aslant(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Tilt the plane of the picture by 45° about an axis of any direction through its middle.

    Nothing is cut off; what the photo does not show has the colour of its edge in the middle.
    """
    return _seen_through(image_bgr, _tilted(image_bgr, TILT, rng.uniform(0, 2 * np.pi)))


def _tilted(image_bgr: np.ndarray, off: float, heading: float) -> np.ndarray:
    """The homography that tilts the plane of a picture by so much about an axis through its middle, which goes to 0."""
    height, width = image_bgr.shape[:2]
    focal, turn = FOCAL_OF_SIDE * max(height, width), _turned(heading)
    tilt = np.array([[1, 0, 0], [0, np.cos(off), 0], [0, np.sin(off), 1]])
    # a point (x, y) of the plane stands at depth focal + y sin(tilt): the middle keeps its size
    seen = np.diag([focal, focal, 1]) @ turn.T @ tilt @ turn @ np.diag([1, 1, focal])
    tilted: np.ndarray = seen @ np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
    return tilted


def _turned(angle: float) -> np.ndarray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])


def _seen_through(image_bgr: np.ndarray, view: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All of the picture through a homography, moved to begin at the corner; and the homography so moved."""
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
    """The colour of a picture's edge in the middle, for what it does not show."""
    edge = np.concatenate([image_bgr[0], image_bgr[-1], image_bgr[:, 0], image_bgr[:, -1]])
    colour: list[float] = np.median(edge, axis=0).tolist()
    return colour


def lowered(elevation: float) -> Change:
    """Return what looks along the photo's plane from a side, so many degrees above it; the near side lies below.

    The middle keeps its size across. Nothing is cut off; what the photo does not show has the colour of its edge in the
    middle.
    """

    def low(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
        height, width = image_bgr.shape[:2]
        heading, off = rng.uniform(0, 2 * np.pi), np.pi / 2 - np.radians(elevation)
        cos, sin = np.cos(heading), np.sin(heading)
        turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        reach = (abs(sin) * width + abs(cos) * height) / 2
        # depths at both ends, away - reach sin(off) and away + reach sin(off), are as 1 to NEAR_OF_FAR
        away = reach * np.sin(off) * (NEAR_OF_FAR + 1) / (NEAR_OF_FAR - 1)
        tilt = np.array([[away, 0, 0], [0, away * np.cos(off), 0], [0, -np.sin(off), away]])
        to_middle = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]])
        return _seen_through(image_bgr, tilt @ turn @ to_middle)

    return low


def shaded(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Let the edge of a shadow run across the middle half of the picture, at any angle."""
    height, width = image_bgr.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    x, y = rng.uniform(0.25, 0.75, 2) * (width, height)
    across = np.cos(angle) * (np.arange(width) - x)[None] + np.sin(angle) * (np.arange(height) - y)[:, None]
    lit = np.clip(across / (SOFT_OF_TILE * tile_px) + 0.5, 0, 1).astype(np.float32)
    return to_srgb(to_linear(image_bgr) * (SHADE + (1 - SHADE) * lit)[..., None]), None


def blown(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Take the picture one stop too bright: what is near white is cut off."""
    return to_srgb(np.minimum(to_linear(image_bgr) * np.float32(STOP), 1)), None


def spectral(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, None]:
    """Light the picture with an LED or a fluorescent lamp, whose white the camera mends wholly, by half or not.

    The brightest channel of white stays.
    """
    to_lamp = measured_lamp(rng)[::-1, ::-1]
    return to_srgb(to_linear(image_bgr) @ to_lamp.T.astype(np.float32)), None


def rolled(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Lean the picture to one side, as one whose rows are read one by one while the camera moves, and smear it.

    A row is smeared as far as the camera moves while it is exposed, by a tenth of a tile at most.
    """
    lean = rng.uniform(-ROLLED_LEAN, ROLLED_LEAN)
    seen, homography = _seen_through(image_bgr, np.array([[1, lean, 0], [0, 1, 0], [0, 0, 1.0]]))
    smear_px = min(ROLLED_EXPOSED * abs(lean) * len(image_bgr), SHAKE_OF_TILE * tile_px)
    return to_srgb(smeared(to_linear(seen), 0.0, smear_px)), homography


def held(rng: np.random.Generator, image_bgr: np.ndarray, tile_px: float) -> tuple[np.ndarray, np.ndarray]:
    """Hold a phone anywhere over the table in the evening, any way up, for a sharpened JPEG of 640 × 480.

    What the photo does not show has the colour of its edge in the middle.
    """
    heading, upright = rng.uniform(0, 2 * np.pi, 2)
    seen, view = _seen_through(image_bgr, _turned(upright) @ _tilted(image_bgr, rng.uniform(0, HELD_TILT), heading))
    frame_wh = HELD_WH if seen.shape[1] > seen.shape[0] else HELD_WH[::-1]
    fits = min(long / side for long, side in zip(frame_wh, seen.shape[1::-1], strict=True))
    seen, shrunk = small(rng, seen, SMALL_PX / min(fits, float(np.exp(rng.uniform(*np.log(HELD_PX)))) / tile_px))
    left, top = ((long - side) // 2 for long, side in zip(frame_wh, seen.shape[1::-1], strict=True))
    framed = np.full((*frame_wh[::-1], 3), edge_colour(image_bgr), np.float32)
    framed[top : top + seen.shape[0], left : left + seen.shape[1]] = seen
    linear = to_linear(np.clip(under_lamp(framed, black_body(rng.uniform(*HELD_KELVIN))), 0, 255).astype(np.uint8))
    linear *= np.float32(rng.uniform(*HELD_LIGHT))
    linear = smeared(linear, rng.uniform(0, np.pi), rng.uniform(0, HELD_SHAKE_PX))
    sent = to_srgb(_counted(rng, linear)).astype(np.float32)
    sent += rng.uniform(0, HELD_SHARPER) * (sent - cv2.GaussianBlur(sent, (0, 0), 1.0))
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*HELD_JPEG))]
    data = cv2.imencode(".jpg", np.clip(np.round(sent), 0, 255).astype(np.uint8), quality)[1]
    placed: np.ndarray = np.array([[1, 0, left], [0, 1, top], [0, 0, 1.0]]) @ shrunk @ view
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), placed


LOW_WAYS = tuple(f"low{degrees}" for degrees in LOW_DEG)
"""The keys in `WAYS` of what low cameras see."""
FAR_WAYS = (*LOW_WAYS, "held")
"""The keys of ways in which far tiles may be too small to be read."""
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
    "held": ("a phone held anywhere in the evening, 640 × 480", held),
    "spectral": ("LEDs and fluorescent lamps of measured spectra", spectral),
    "rolled": ("rows read one by one while the camera moves", rolled),
}
"""The ways to make a photo harder: what each is called for people, and what does it."""


@dataclass(frozen=True, slots=True)
class Harder:
    """Makes pictures harder in one way; the same picture comes out the same each time.

    `usual_px` is the tiles' width in pictures that show none; another `seed` is another draw.
    """

    way: str
    usual_px: float
    seed: int = SEED

    def apply(self, index: int, pictured: Pictured) -> tuple[np.ndarray, Truth]:
        """The harder picture and what is true of it; `index` tells one picture's chance from another's."""
        rng = np.random.default_rng([self.seed, list(WAYS).index(self.way), index])
        tile_px = median_width_px(pictured.truth) or self.usual_px
        photo = np.asarray(pictured.load())
        image, homography = WAYS[self.way][1](rng, photo, tile_px)
        if homography is None:
            return image, pictured.truth
        there = moved(pictured.truth, homography)
        there = legible(there) if self.way in FAR_WAYS else there
        return image, with_beyond(there, photo.shape[1::-1], homography)


def median_width_px(truth: Truth) -> float | None:
    """How wide the middle one of the tiles is across its short side, cut ones left out; None where there is none."""
    whole = [np.asarray(o, np.float32) for o, cut in zip(truth.outlines_px, truth.cut, strict=True) if not cut]
    return float(np.median([min(cv2.minAreaRect(outline)[1]) for outline in whole])) if whole else None


def moved(truth: Truth, homography: np.ndarray) -> Truth:
    """The same truth where a homography `(3, 3)` has moved everything."""

    def move(points: np.ndarray) -> np.ndarray:
        moved: np.ndarray = cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(1, -1, 2), homography)[0]
        return moved

    outlines = tuple(move(outline) for outline in truth.outlines_px)
    boxes = [move(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])) for x0, y0, x1, y1 in truth.ignored_px]
    ignored = np.array([[*box.min(axis=0), *box.max(axis=0)] for box in boxes]).reshape(-1, 4)
    quads = None if truth.quads_px is None else np.array([move(quad) for quad in truth.quads_px]).reshape(-1, 4, 2)
    return replace(truth, outlines_px=outlines, ignored_px=ignored, quads_px=quads)


def with_beyond(truth: Truth, photo_wh: tuple[int, int], homography: np.ndarray) -> Truth:
    """The same truth, in which one thing that is read beyond each edge of the photo counts neither way.

    What the photo does not show is filled. A tile that its edge cuts is read whole, its middle in what is filled: it is
    no invention. So each edge gets a cut tile's outline beyond it.
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


def legible(truth: Truth) -> Truth:
    """The same truth, in which tiles that are lower or narrower than a person could read count neither way."""
    outlines = [np.asarray(outline, np.float32) for outline in truth.outlines_px]
    tiny = [min(cv2.minAreaRect(outline)[1]) < LEAST_PX for outline in outlines]
    boxes = [[*outlines[at].min(axis=0), *outlines[at].max(axis=0)] for at, is_tiny in enumerate(tiny) if is_tiny]
    return replace(
        truth,  # none is left out: rows count in it
        cut=tuple(cut or is_tiny for cut, is_tiny in zip(truth.cut, tiny, strict=True)),
        ignored_px=np.concatenate([truth.ignored_px.reshape(-1, 4), np.reshape(boxes, (-1, 4))]),
    )


def to_linear(image_bgr: np.ndarray) -> np.ndarray:
    """sRGB `(H, W, 3) uint8` to linear light, float32 0 to 1."""
    levels = np.arange(256) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.take(linear, image_bgr)


def to_srgb(linear: np.ndarray) -> np.ndarray:
    """Linear light to sRGB `uint8`; what is out of range is cut off."""
    linear = np.clip(linear, 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1 / 2.4) - 0.055)
    return np.round(255 * srgb).astype(np.uint8)

"""Training samples of the classifier: rectified, augmented crops of tiles and of non-tiles. No PyTorch here."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from tilekeeper.models.training.augmentation import LAMPS, degrade, photograph_in_dim_light, process, recolour
from tilekeeper.models.training.sources import Source, widths_px
from tilekeeper.vision.recognition.classifier import CROP_WH, INNER, MARGIN, TILE_PX, doubt_margin, log_softmax, whiten
from tilekeeper.vision.runtime.network import space_to_depth
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import JOKER, NOT_A_TILE, WHITE

STORE_WH = (88, 128)
"""Size of the stored crops: a tile with a margin for jitter."""
ROOM = 0.3
"""Margin around the tile in a stored crop, on each side, as a share of the tile's sides."""
INKS = ("black", "blue", "orange", "red")
FITTED = 0.6
"""Share of aslant crops that lie exactly on their side, squeezed into the crop. A quad that was detected a quarter turn
off gives such a crop once its corners are refined, and its figure is easily misread as a joker."""
FLAT, LEAST_FLAT, LEAST_PX = 0.25, 0.3, 9
"""Share of tiles seen at a flat angle, the smallest ratio of their sides, and their smallest side in pixels."""
EVENING, EVENING_PX = 0.2, (12.0, 26.0)
"""Share of tiles photographed in dim light by a phone, and their width in pixels before flattening."""
USUAL_PX = 13.0, 70.0
"""Width of all other tiles in pixels."""
SKEWED = 0.2
"""Share of tiles with skewed crops, because the detector's quads are skewed if the camera is far to the side."""


def store_quad() -> np.ndarray:
    """Return the tile's corners in a stored crop, `(4, 2) float32`."""
    width, height = STORE_WH
    dx, dy = width * ROOM / (1 + 2 * ROOM), height * ROOM / (1 + 2 * ROOM)
    return np.array([[dx, dy], [width - dx, dy], [width - dx, height - dy], [dx, height - dy]], np.float32)


def cut_out(image: np.ndarray, quad_px: np.ndarray) -> np.ndarray:
    """Rectify the tile at `quad_px (4, 2)` with its surroundings to `(128, 88, 3) uint8`, without aliasing."""
    width = float(widths_px(quad_px[None])[0])
    low = np.maximum(np.floor(quad_px.min(axis=0) - 0.55 * width).astype(int), 0)
    high = np.minimum(np.ceil(quad_px.max(axis=0) + 0.55 * width).astype(int) + 1, image.shape[1::-1])
    part, quad = image[low[1] : high[1], low[0] : high[0]], quad_px - low
    if not part.size:
        return np.zeros((STORE_WH[1], STORE_WH[0], 3), np.uint8)
    inner = STORE_WH[0] / (1 + 2 * ROOM)
    scale = inner / width
    if scale < 1 / 1.5 and min(part.shape[:2]) * scale >= 1:  # a tile at the edge may be a sliver
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        quad = (quad + 0.5) * scale - 0.5  # pixel centres are at whole numbers
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), store_quad())
    return cv2.warpPerspective(part, view, STORE_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


Detect = Callable[[np.ndarray], Sequence[np.ndarray]]
"""Function that returns the quads `(4, 2)` that a detector detects in an image."""


def collect_crops(
    sources: list[Source], rng: np.random.Generator, negatives: float = 0.12, detect: Detect | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return crops, numbers (0 to 14) and inks (-1 for none) of all certain tiles of the images, and of non-tiles.

    Non-tiles are random places, `negatives` for each tile, and the false detections of `detect`.
    """
    crops, numbers, inks = [], [], []
    for source in sources:
        image = source.image()
        height, width = image.shape[:2]
        for quad, label, sure in zip(source.quads_px, source.labels, source.sure, strict=True):
            if not sure or widths_px(quad[None])[0] < (LEAST_PX if source.low else 14):
                continue
            crops.append(cut_out(image, quad))
            joker = label == "joker"
            numbers.append(JOKER if joker else int(label.split("-")[1]) - 1)
            inks.append(-1 if joker else INKS.index(label.split("-")[0]))
        centres = source.quads_px.mean(axis=1) if len(source.quads_px) else np.full((1, 2), -1e6)
        size = float(np.median(widths_px(source.quads_px))) if len(source.quads_px) else float(rng.uniform(25, 110))
        places = [
            random_quad(rng, source, size, (width, height)) for _ in range(max(2, round(negatives * len(centres))))
        ]
        for quad in [*places, *(detect(image) if detect else ())]:
            centre = quad.mean(axis=0)
            width_px = max(size, float(widths_px(quad[None])[0])) if detect else size
            if np.linalg.norm(centres - centre, axis=1).min() < 0.42 * width_px or (
                source.hidden_px.size and _boxed(centre, source.hidden_px)
            ):
                continue
            crops.append(cut_out(image, quad.astype(np.float32)))
            numbers.append(NOT_A_TILE)
            inks.append(-1)
    return np.stack(crops), np.array(numbers), np.array(inks)


def random_quad(rng: np.random.Generator, source: Source, size: float, wh: tuple[int, int]) -> np.ndarray:
    """Return a random quad, often near a tile, where it shows half a tile, two halves or a gap."""
    side = size * float(np.exp(rng.normal(0, 0.35)))
    centre = rng.uniform(0, 1, 2) * wh
    if len(source.quads_px) and rng.random() < 0.6:
        near = source.quads_px[int(rng.integers(len(source.quads_px)))]
        centre = near.mean(axis=0) + (near[int(rng.integers(4))] - near.mean(axis=0)) * rng.uniform(0.75, 1.6)
    return turned_quad(centre, side, rng.uniform(-np.pi, np.pi))


def turned_quad(centre: np.ndarray, side: float, turn: float) -> np.ndarray:
    """Return the quad `(4, 2)` of a tile `side` px wide around `centre (2,)`, turned by `turn` radians."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2 * [1, 1.38]
    quad: np.ndarray = half @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + centre
    return quad


def detector_of(detector_file: pathlib.Path) -> Detect:
    """Return the detector of an ONNX file, on one thread, with a lower score threshold than the reader's."""
    from tilekeeper.vision.detection.detector import TileDetector  # most trainings need no network
    from tilekeeper.vision.runtime.network import open_network

    detector = TileDetector(open_network(detector_file.read_bytes(), threads=1), min_score=0.12)
    return lambda image: list(detector.detect(Scene(image)).quads_px)


Uncertainty = Callable[[np.ndarray], np.ndarray]
"""Function that returns the uncertainty `(N,)` of a classifier about crops `(N, 72, 48, 3) float32`."""


def uncertainty_of(classifier: pathlib.Path) -> Uncertainty:
    """Return the uncertainty function of the classifier in an ONNX file, on one thread."""
    from tilekeeper.vision.runtime.network import open_network  # only the verifier's training needs it

    session = open_network(classifier.read_bytes(), threads=1)

    def uncertainty(crops: np.ndarray) -> np.ndarray:
        white_crops = np.rint(crops[..., ::-1] * np.float32(WHITE)).clip(0, 255).astype(np.uint8)
        logits = session.run(["logits"], {"crops": space_to_depth(white_crops)})[0]
        return doubt_margin(log_softmax(logits[:, :15]), log_softmax(logits[:, 15:19]), logits[:, 19])

    return uncertainty


def _boxed(point: np.ndarray, boxes: np.ndarray) -> bool:
    return bool(
        (
            (boxes[:, 0] <= point[0])
            & (point[0] <= boxes[:, 2])
            & (boxes[:, 1] <= point[1])
            & (point[1] <= boxes[:, 3])
        ).any()
    )


def _flattened(rng: np.random.Generator, tile_px: float) -> tuple[float, float]:
    """Draw the resolution of a tile across and along, as widths in pixels.

    Both are `tile_px`, except for tiles seen at a flat angle, which have many pixels in one direction and few in the
    other.
    """
    if rng.random() >= FLAT:
        return tile_px, tile_px
    share = rng.uniform(LEAST_FLAT, 0.85)
    long_px, short_px = min(tile_px / share**0.5, 70.0), max(tile_px * share**0.5, float(LEAST_PX))
    return (long_px, short_px) if rng.random() < 0.7 else (short_px, long_px)


def draw_crop(
    rng: np.random.Generator,
    stored: np.ndarray,
    upside_down: bool,
    aslant: bool = False,
    harm: float = 0.65,
    any_direction: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Augment a stored crop; return the classifier's input, `(72, 48, 3) float32` RGB, 1 = white, and corners `(8,)`.

    The corners are the offsets of the tile's corners from those of the crop, in tile widths, float32. `upside_down`
    turns the tile by 180°. `aslant` turns it by 50 to 130°, or by 90° and squeezes it to the shape of the crop (a share
    `FITTED`). `any_direction` turns it by a random angle. `harm`: factor on how often the image is degraded. Half the
    crops are as inexact as detected quads, half as quads that were refined once. One in ten has quite another size;
    some are skewed.
    """
    true = store_quad()
    size = true[2] - true[0]
    far = 1.0 if rng.random() < 0.5 else 0.3
    fitted = aslant and rng.random() < FITTED
    outline = np.roll(true, 1 if rng.random() < 0.5 else -1, axis=0) if fitted else true
    if any_direction:
        outline = np.roll(true, int(rng.integers(4)), axis=0)
    quad = outline + rng.normal(0, 0.035 * far, (4, 2)) * size + rng.normal(0, 0.045 * far, 2) * size
    scale = np.exp(rng.normal(0, 0.07 * far)) if rng.random() < 0.9 else np.exp(rng.normal(-0.15, 0.25))
    middle, twist, skew = quad.mean(axis=0), rng.normal(0, 0.11 * far), np.eye(2)
    if any_direction:
        twist = rng.uniform(-np.pi / 4, np.pi / 4)
    elif aslant and not fitted:
        twist = np.radians(rng.uniform(50, 130)) * (1 if rng.random() < 0.5 else -1)
    elif rng.random() < SKEWED:
        # stretched, sheared and turned
        twist, longer, leaning = rng.normal(0, 0.17), np.exp(rng.normal(0, 0.12)), rng.normal(0, 0.14, 2)
        skew = np.array([[longer, leaning[0]], [leaning[1], 1 / longer]])
    cos, sin = np.cos(twist), np.sin(twist)
    quad = middle + (quad - middle) @ skew @ np.array([[cos, sin], [-sin, cos]]) * scale
    if upside_down:
        quad, true = np.roll(quad, 2, axis=0), np.roll(true, 2, axis=0)
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), INNER)
    corners = (cv2.perspectiveTransform(true[None].astype(np.float32), view)[0] - INNER) / TILE_PX
    stretched = cv2.warpPerspective(stored, view, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    is_dim = rng.random() < EVENING
    strength, lamps = (0.5, 0.0) if is_dim else (1.0, LAMPS)  # dim light brings its own lamp
    crop = recolour(rng, stretched.astype(np.float32), strength, lamps)
    tile_px = float(np.exp(rng.uniform(*np.log(EVENING_PX if is_dim else USUAL_PX))))
    across, along = _flattened(rng, tile_px)
    if min(across, along) < TILE_PX:
        small = max(10, round(across / (1 - 2 * MARGIN))), max(14, round(along * 1.5 / (1 - 2 * MARGIN)))
        small = min(small[0], 2 * CROP_WH[0]), min(small[1], 2 * CROP_WH[1])
        shrunk = cv2.resize(crop, small, interpolation=cv2.INTER_AREA)
        visible_px = min(across, along, TILE_PX)
        if is_dim:
            degraded = photograph_in_dim_light(rng, shrunk)
        else:
            degraded = process(rng, degrade(rng, shrunk, visible_px, harm), visible_px, harm)
        crop = cv2.resize(degraded.astype(np.float32), CROP_WH, interpolation=cv2.INTER_LINEAR).astype(np.float32)
    else:
        crop = process(rng, degrade(rng, crop, TILE_PX, harm), TILE_PX, harm).astype(np.float32)
    return whiten(crop[None])[0][..., ::-1], corners.ravel()

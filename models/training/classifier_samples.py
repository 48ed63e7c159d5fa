"""Training samples of the classifier: rectified tiles, harmed in every way, and what only looks like tiles. No
torch."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from tilekeeper.models.training.augmentation import LAMPS, degrade, in_the_evening, processed, recolour
from tilekeeper.models.training.sources import Source, widths_px
from tilekeeper.vision.recognition.classifier import CROP_WH, INNER, MARGIN, TILE_PX, doubt_of, log_softmax, whiten
from tilekeeper.vision.runtime.space_to_depth import squares_of
from tilekeeper.vision.types import JOKER, NOT_A_TILE, WHITE

STORE_WH = (88, 128)
"""Size of the stored crops: a tile with room around it for jitter."""
ROOM = 0.3
"""The room around the tile in a stored crop, as a share of the tile's sides, on each side."""
INKS = ("black", "blue", "orange", "red")
FITTED = 0.6
"""Of what is cut out aslant, the share that lies on its side with the crop's corners on the tile's: so it looks once a
quad that was found a quarter turned has been mended, and a figure so squeezed is easily taken for a joker's face."""
FLAT, LEAST_FLAT, LEAST_PX = 0.25, 0.3, 9
"""Share of the tiles that are seen along the table: as low as so much of their height, or as narrow, and no fewer
pixels."""
EVENING, EVENING_PX = 0.2, (12.0, 26.0)
"""Share of the tiles that a phone sees in the evening, and how wide they are then (px), before some are flattened."""
USUAL_PX = 13.0, 70.0
"""How wide the others are (px)."""
SKEWED = 0.2
"""Share of tiles that are cut out as skewed as the detector's quads are of a table seen from far aside."""


def store_quad() -> np.ndarray:
    """Where the tile's corners lie in a stored crop, `(4, 2) float32`."""
    width, height = STORE_WH
    dx, dy = width * ROOM / (1 + 2 * ROOM), height * ROOM / (1 + 2 * ROOM)
    return np.array([[dx, dy], [width - dx, dy], [width - dx, height - dy], [dx, height - dy]], np.float32)


def cut_out(image: np.ndarray, quad_px: np.ndarray) -> np.ndarray:
    """The tile with its surroundings, `(128, 88, 3) uint8`; free of aliasing."""
    width = float(widths_px(quad_px[None])[0])
    low = np.maximum(np.floor(quad_px.min(axis=0) - 0.55 * width).astype(int), 0)
    high = np.minimum(np.ceil(quad_px.max(axis=0) + 0.55 * width).astype(int) + 1, image.shape[1::-1])
    part, quad = image[low[1] : high[1], low[0] : high[0]], quad_px - low
    if not part.size:
        return np.zeros((STORE_WH[1], STORE_WH[0], 3), np.uint8)
    inner = STORE_WH[0] / (1 + 2 * ROOM)
    scale = inner / width
    if scale < 1 / 1.5 and min(part.shape[:2]) * scale >= 1:  # of a tile at the edge only a sliver may be left
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        quad = (quad + 0.5) * scale - 0.5  # pixel centres lie at whole numbers
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), store_quad())
    return cv2.warpPerspective(part, view, STORE_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


Look = Callable[[np.ndarray], Sequence[np.ndarray]]
"""What a detector takes for tiles in a picture: quads `(4, 2)`."""


def collect(
    sources: list[Source], rng: np.random.Generator, negatives: float = 0.12, look: Look | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All sure tiles of the pictures, and places that are none: crops, numbers (0 to 14) and inks (-1 for none).

    The places are drawn at random, and where there is a `look`, they are also those that it takes for tiles and aren't.
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
        places = [beside(rng, source, size, (width, height)) for _ in range(max(2, round(negatives * len(centres))))]
        for quad in [*places, *(look(image) if look else ())]:
            centre = quad.mean(axis=0)
            wide = max(size, float(widths_px(quad[None])[0])) if look else size
            if np.linalg.norm(centres - centre, axis=1).min() < 0.42 * wide or (
                source.hidden_px.size and _boxed(centre, source.hidden_px)
            ):
                continue
            crops.append(cut_out(image, quad.astype(np.float32)))
            numbers.append(NOT_A_TILE)
            inks.append(-1)
    return np.stack(crops), np.array(numbers), np.array(inks)


def beside(rng: np.random.Generator, source: Source, size: float, wh: tuple[int, int]) -> np.ndarray:
    """A quad anywhere in the picture, or near a tile, where it shows half of it, two halves or the gap between."""
    side = size * float(np.exp(rng.normal(0, 0.35)))
    centre = rng.uniform(0, 1, 2) * wh
    if len(source.quads_px) and rng.random() < 0.6:
        near = source.quads_px[int(rng.integers(len(source.quads_px)))]
        centre = near.mean(axis=0) + (near[int(rng.integers(4))] - near.mean(axis=0)) * rng.uniform(0.75, 1.6)
    return turned_quad(centre, side, rng.uniform(-np.pi, np.pi))


def turned_quad(centre: np.ndarray, side: float, turn: float) -> np.ndarray:
    """The quad `(4, 2)` of a tile `side` px wide about `centre (2,)`, turned by `turn` radians."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2 * [1, 1.38]
    quad: np.ndarray = half @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + centre
    return quad


def look_with(detector_file: pathlib.Path) -> Look:
    """Look with a detector's ONNX file, on one thread, at what scores a little less than a find must, too."""
    from tilekeeper.vision.detection.detector import TileDetector  # only this way of collecting needs networks
    from tilekeeper.vision.runtime.network import open_network

    detector = TileDetector(open_network(detector_file.read_bytes(), threads=1), min_score=0.12)
    return lambda image: list(detector.detect(image).quads_px)


Doubt = Callable[[np.ndarray], np.ndarray]
"""How much a classifier doubts crops `(N, 72, 48, 3) float32`, `(N,)`, see `vision.recognition.classifier.doubt_of`."""


def doubts_of(classifier: pathlib.Path) -> Doubt:
    """Return the doubt of a classifier's ONNX file, on one thread."""
    from tilekeeper.vision.runtime.network import open_network  # only a verifier's lessons need it

    session = open_network(classifier.read_bytes(), threads=1)

    def doubt(crops: np.ndarray) -> np.ndarray:
        white_crops = np.rint(crops[..., ::-1] * np.float32(WHITE)).clip(0, 255).astype(np.uint8)
        logits = session.run(["logits"], {"crops": squares_of(white_crops)})[0]
        return doubt_of(log_softmax(logits[:, :15]), log_softmax(logits[:, 15:19]), logits[:, 19])

    return doubt


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
    """Width of a tile in pixels, and its height by that of one as wide: the same, but for what is seen along the table.

    Such a tile has many pixels one way and few the other.
    """
    if rng.random() >= FLAT:
        return tile_px, tile_px
    share = rng.uniform(LEAST_FLAT, 0.85)
    wide, low = min(tile_px / share**0.5, 70.0), max(tile_px * share**0.5, float(LEAST_PX))
    return (wide, low) if rng.random() < 0.7 else (low, wide)


def draw_crop(
    rng: np.random.Generator,
    stored: np.ndarray,
    upside_down: bool,
    aslant: bool = False,
    harm: float = 0.65,
    anyhow: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Jitter and harm a stored crop: the classifier's input, `(72, 48, 3) float32` RGB, 1 = white, and its corners.

    `aslant` cuts it out turned by 50 to 130 degrees, or squeezed onto its side (`FITTED`); `anyhow` from any side, and
    turned by up to 45 degrees. Corners are `(8,) float32`, how far the tile's lie from where the crop has them, in tile
    widths. Half the crops are as far off as the detector's quads are, half as little as those mended once; one in ten
    is of quite another size, and some are skewed.
    """
    true = store_quad()
    size = true[2] - true[0]
    far = 1.0 if rng.random() < 0.5 else 0.3
    fitted = aslant and rng.random() < FITTED
    outline = np.roll(true, 1 if rng.random() < 0.5 else -1, axis=0) if fitted else true
    if anyhow:
        outline = np.roll(true, int(rng.integers(4)), axis=0)
    quad = outline + rng.normal(0, 0.035 * far, (4, 2)) * size + rng.normal(0, 0.045 * far, 2) * size
    scale = np.exp(rng.normal(0, 0.07 * far)) if rng.random() < 0.9 else np.exp(rng.normal(-0.15, 0.25))
    middle, twist, skew = quad.mean(axis=0), rng.normal(0, 0.11 * far), np.eye(2)
    if anyhow:
        twist = rng.uniform(-np.pi / 4, np.pi / 4)
    elif aslant and not fitted:
        twist = np.radians(rng.uniform(50, 130)) * (1 if rng.random() < 0.5 else -1)
    elif rng.random() < SKEWED:
        # longer one way than the other, leaning, and turned as well
        twist, longer, leaning = rng.normal(0, 0.17), np.exp(rng.normal(0, 0.12)), rng.normal(0, 0.14, 2)
        skew = np.array([[longer, leaning[0]], [leaning[1], 1 / longer]])
    cos, sin = np.cos(twist), np.sin(twist)
    quad = middle + (quad - middle) @ skew @ np.array([[cos, sin], [-sin, cos]]) * scale
    if upside_down:
        quad, true = np.roll(quad, 2, axis=0), np.roll(true, 2, axis=0)
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), INNER)
    corners = (cv2.perspectiveTransform(true[None].astype(np.float32), view)[0] - INNER) / TILE_PX
    stretched = cv2.warpPerspective(stored, view, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    evening = rng.random() < EVENING
    strength, lamps = (0.5, 0.0) if evening else (1.0, LAMPS)  # the evening has its own lamp
    crop = recolour(rng, stretched.astype(np.float32), strength, lamps)
    tile_px = float(np.exp(rng.uniform(*np.log(EVENING_PX if evening else USUAL_PX))))
    across, along = _flattened(rng, tile_px)
    if min(across, along) < TILE_PX:
        small = max(10, round(across / (1 - 2 * MARGIN))), max(14, round(along * 1.5 / (1 - 2 * MARGIN)))
        small = min(small[0], 2 * CROP_WH[0]), min(small[1], 2 * CROP_WH[1])
        shrunk = cv2.resize(crop, small, interpolation=cv2.INTER_AREA)
        seen_px = min(across, along, TILE_PX)
        if evening:
            harmed = in_the_evening(rng, shrunk)
        else:
            harmed = processed(rng, degrade(rng, shrunk, seen_px, harm), seen_px, harm)
        crop = cv2.resize(harmed.astype(np.float32), CROP_WH, interpolation=cv2.INTER_LINEAR).astype(np.float32)
    else:
        crop = processed(rng, degrade(rng, crop, TILE_PX, harm), TILE_PX, harm).astype(np.float32)
    return whiten(crop[None])[0][..., ::-1], corners.ravel()

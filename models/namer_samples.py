"""Training samples of the namer: rectified tiles, harmed in every way, and what only looks like tiles. No torch."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from tilekeeper.models.augment import degrade, recolour
from tilekeeper.models.sources import Source, photo_sources, rendered_sources, widths_px
from tilekeeper.vision.namer import CROP_WH, JOKER, MARGIN, NOT_A_TILE, whiten

STORE_WH = (80, 116)
"""Size of the stored crops: a tile with room around it for jitter."""
ROOM = 0.22
"""The room around the tile in a stored crop, as a share of the tile's sides, on each side."""
INKS = ("black", "blue", "orange", "red")


def _store_quad() -> np.ndarray:
    """Where the tile's corners lie in a stored crop, `(4, 2) float32`."""
    width, height = STORE_WH
    dx, dy = width * ROOM / (1 + 2 * ROOM), height * ROOM / (1 + 2 * ROOM)
    return np.array([[dx, dy], [width - dx, dy], [width - dx, height - dy], [dx, height - dy]], np.float32)


def cut_out(image: np.ndarray, quad_px: np.ndarray) -> np.ndarray:
    """The tile with its surroundings, `(116, 80, 3) uint8`; free of aliasing."""
    width = float(widths_px(quad_px[None])[0])
    low = np.maximum(np.floor(quad_px.min(axis=0) - 0.4 * width).astype(int), 0)
    high = np.minimum(np.ceil(quad_px.max(axis=0) + 0.4 * width).astype(int) + 1, image.shape[1::-1])
    part, quad = image[low[1] : high[1], low[0] : high[0]], quad_px - low
    if not part.size:
        return np.zeros((STORE_WH[1], STORE_WH[0], 3), np.uint8)
    inner = STORE_WH[0] / (1 + 2 * ROOM)
    if width > 1.5 * inner:
        scale = inner / width
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        quad = quad * scale
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), _store_quad())
    return cv2.warpPerspective(part, view, STORE_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def collect(
    sources: list[Source], rng: np.random.Generator, negatives: float = 0.12
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All sure tiles of the pictures, and places that are none: crops, numbers (0 to 14) and inks (-1 for none)."""
    crops, numbers, inks = [], [], []
    for source in sources:
        image = source.image()
        height, width = image.shape[:2]
        for quad, label, sure in zip(source.quads_px, source.labels, source.sure, strict=True):
            if not sure or widths_px(quad[None])[0] < 14:
                continue
            crops.append(cut_out(image, quad))
            joker = label == "joker"
            numbers.append(JOKER if joker else int(label.split("-")[1]) - 1)
            inks.append(-1 if joker else INKS.index(label.split("-")[0]))
        centres = source.quads_px.mean(axis=1) if len(source.quads_px) else np.full((1, 2), -1e6)
        size = float(np.median(widths_px(source.quads_px))) if len(source.quads_px) else float(rng.uniform(25, 110))
        for _ in range(max(2, round(negatives * len(source.quads_px)))):
            side = size * float(np.exp(rng.normal(0, 0.35)))
            centre = rng.uniform(0, 1, 2) * (width, height)
            if len(source.quads_px) and rng.random() < 0.6:  # half a tile, two halves, the gap between
                near = source.quads_px[int(rng.integers(len(source.quads_px)))]
                centre = near.mean(axis=0) + (near[int(rng.integers(4))] - near.mean(axis=0)) * rng.uniform(0.75, 1.6)
            if np.linalg.norm(centres - centre, axis=1).min() < 0.42 * size or (
                source.hidden_px.size and _boxed(centre, source.hidden_px)
            ):
                continue
            turn = rng.uniform(-np.pi, np.pi)
            half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2 * [1, 1.38]
            quad = half @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + centre
            crops.append(cut_out(image, quad.astype(np.float32)))
            numbers.append(NOT_A_TILE)
            inks.append(-1)
    return np.stack(crops), np.array(numbers), np.array(inks)


def _boxed(point: np.ndarray, boxes: np.ndarray) -> bool:
    return bool(
        (
            (boxes[:, 0] <= point[0])
            & (point[0] <= boxes[:, 2])
            & (boxes[:, 1] <= point[1])
            & (point[1] <= boxes[:, 3])
        ).any()
    )


def draw_crop(rng: np.random.Generator, stored: np.ndarray, upside_down: bool, harm: float = 1.0) -> np.ndarray:
    """Jitter and harm a stored crop to the namer's input, `(72, 48, 3) float32` RGB, 1 = white."""
    width, height = CROP_WH
    quad = _store_quad()
    size = quad[2] - quad[0]
    quad = quad + rng.normal(0, 0.03, (4, 2)) * size + rng.normal(0, 0.03, 2) * size
    middle, twist = quad.mean(axis=0), rng.normal(0, 0.06)
    cos, sin = np.cos(twist), np.sin(twist)
    quad = middle + (quad - middle) @ np.array([[cos, sin], [-sin, cos]]) * (1 + rng.normal(0, 0.05))
    if upside_down:
        quad = np.roll(quad, 2, axis=0)
    inner = np.array([[MARGIN, MARGIN], [1 - MARGIN, MARGIN], [1 - MARGIN, 1 - MARGIN], [MARGIN, 1 - MARGIN]]) * (
        width,
        height,
    )
    view = cv2.getPerspectiveTransform(quad.astype(np.float32), inner.astype(np.float32))
    crop = cv2.warpPerspective(stored, view, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(
        np.float32
    )
    crop = recolour(rng, crop)
    tile_px = float(np.exp(rng.uniform(np.log(11), np.log(70))))
    if tile_px < 42:
        small = max(10, round(tile_px / (1 - 2 * MARGIN))), max(14, round(tile_px * 1.5 / (1 - 2 * MARGIN)))
        crop = cv2.resize(crop, small, interpolation=cv2.INTER_AREA)
        crop = degrade(rng, crop, min(tile_px, 42.0), harm).astype(np.float32)
        crop = cv2.resize(crop, CROP_WH, interpolation=cv2.INTER_LINEAR)
    else:
        crop = degrade(rng, crop, 42.0, harm).astype(np.float32)
    return whiten(crop[None])[0][..., ::-1]


def batches(
    rendered: Sequence[pathlib.Path],
    photos: pathlib.Path | None,
    leave_out: frozenset[str],
    photo_share: float,
    most: int,
    batch: int,
    seed: int,
) -> Iterator[tuple[np.ndarray, ...]]:
    """Batches without end: crops float16, numbers, inks, and which stand on their heads.

    Crops come from at most `most` rendered tables and from the photos, the latter a share `photo_share` where both are.
    """
    rng = np.random.default_rng(seed)
    cv2.setRNGSeed(seed)
    stores = []
    if rendered:
        tables = [source for folder in rendered for source in rendered_sources(folder)]
        order = rng.permutation(len(tables))[:most]
        stores.append((1 - photo_share if photos else 1.0, collect([tables[i] for i in order], rng)))
    if photos:
        real = collect(photo_sources(photos, leave_out), rng, negatives=0.5)
        stores.append((photo_share if rendered else 1.0, real))
    shares = np.array([share for share, _ in stores])
    while True:
        crops, numbers, inks, turned = [], [], [], []
        for _ in range(batch):
            kept_crops, kept_numbers, kept_inks = stores[int(rng.choice(len(stores), p=shares / shares.sum()))][1]
            i = int(rng.integers(len(kept_crops)))
            upside_down = bool(kept_numbers[i] != NOT_A_TILE and rng.random() < 0.2)
            crops.append(draw_crop(rng, kept_crops[i], upside_down))
            numbers.append(kept_numbers[i])
            inks.append(kept_inks[i])
            turned.append(upside_down)
        yield np.stack(crops).astype(np.float16), np.array(numbers), np.array(inks), np.array(turned)

"""Training samples of the detector: crops at any scale, rotation and tilt, with target maps. No PyTorch here."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from tilekeeper.models.training.augmentation import (
    ROLLED,
    degrade,
    process,
    recolour,
    row_shifts_px,
    shift_rows,
)
from tilekeeper.models.training.sources import RENDERED, Source, widths_px
from tilekeeper.vision.detection.detector import CORNER_UNIT_PX, STRIDE_PX

CROP_PX = 320
MIN_WIDTH_PX, MAX_WIDTH_PX = 12.0, 130.0
MAX_TILT = 1.1
"""Largest added tilt in radians: photos from above become training samples for cameras at the side."""
LOW_TILT = 0.12
"""Standard deviation of the added tilt, in radians, for images of a low camera: more would show the table edge-on."""
MIN_SIDE_PX = 6.0
"""Tiles with a shorter side in the crop are ignored."""


def _view(rng: np.random.Generator, source: Source, shape: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Return a random homography from the image to the crop, and its scale at the centre of the crop."""
    height, width = shape
    if len(source.quads_px):
        width_px = float(np.median(widths_px(source.quads_px)))
        wanted_px = float(np.exp(rng.uniform(np.log(MIN_WIDTH_PX), np.log(MAX_WIDTH_PX))))
        scale = float(np.clip(wanted_px / width_px, 0.1, 2.5))
    else:
        scale = float(np.exp(rng.uniform(np.log(0.2), np.log(1.5))))
    if len(source.quads_px) and rng.random() < 0.85:
        middle = (
            source.quads_px[int(rng.integers(len(source.quads_px)))].mean(axis=0)
            + rng.uniform(-0.4, 0.4, 2) * CROP_PX / scale
        )
    else:
        middle = rng.uniform(0, 1, 2) * (width, height)
    turn = rng.uniform(-np.pi, np.pi)
    tilt = abs(rng.normal(0, 0.25)) if rng.random() < 0.4 else rng.uniform(0.1, MAX_TILT)
    tilt = min(tilt, abs(rng.normal(0, LOW_TILT))) if source.low else tilt
    heading = rng.uniform(0, 2 * np.pi)
    focal = CROP_PX * rng.uniform(1.0, 2.5)
    cos, sin = np.cos(turn), np.sin(turn)
    plane = (
        np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        * np.array([[scale], [scale], [1]])
        @ np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1]])
    )
    ca, sa, ch, sh = np.cos(tilt), np.sin(tilt), np.cos(heading), np.sin(heading)
    rotate = (
        np.array([[ch, -sh, 0], [sh, ch, 0], [0, 0, 1]])
        @ np.array([[ca, 0, sa], [0, 1, 0], [-sa, 0, ca]])
        @ np.array([[ch, sh, 0], [-sh, ch, 0], [0, 0, 1]])
    )
    camera = np.array([[focal, 0, CROP_PX / 2], [0, focal, CROP_PX / 2], [0, 0, 1]])
    lift = np.column_stack([rotate[:, 0] / focal, rotate[:, 1] / focal, [0, 0, 1]])
    return camera @ lift @ plane, scale


def draw_targets(
    quads_px: np.ndarray, sure: np.ndarray, hidden: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the target maps of a crop with tiles `quads_px (N, 4, 2)`: heatmap, loss mask and corners.

    The heatmap `(h, w)` is 0 to 1, the loss mask `(h, w)` 0 in ignored cells; the corners `(9, h, w)` are eight offsets
    and a weight. `sure (N,)`: mask of the tiles that are not ignored; `hidden (CROP_PX, CROP_PX)`: ignored pixels.
    """
    cells = CROP_PX // STRIDE_PX
    heat = np.zeros((cells, cells), np.float32)
    count = np.ones((cells, cells), np.float32)
    corners = np.zeros((9, cells, cells), np.float32)
    count[hidden[::STRIDE_PX, ::STRIDE_PX]] = 0.0
    best = np.zeros_like(heat)
    for quad, is_sure in zip(quads_px, sure, strict=True):
        centre = quad.mean(axis=0)
        margin = -2
        inside = ((centre > margin) & (centre < CROP_PX - margin)).all()
        share_in = ((quad > 0) & (quad < CROP_PX)).all(axis=1).mean()
        edges = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        width = min(edges[0] + edges[2], edges[1] + edges[3]) / 2
        if not is_sure or (inside and share_in < 0.5) or _height_px(quad, edges) < MIN_SIDE_PX:
            cv2.fillConvexPoly(count, np.round(quad / STRIDE_PX).astype(np.int32), 0.0)
            continue
        if not inside:
            continue
        sigma = max(0.8, 0.11 * width / STRIDE_PX)
        reach = int(np.ceil(3 * sigma))
        cell = centre / STRIDE_PX - 0.5
        cx, cy = np.round(cell).astype(int)
        x0, x1, y0, y1 = max(cx - reach, 0), min(cx + reach + 1, cells), max(cy - reach, 0), min(cy + reach + 1, cells)
        if x0 >= x1 or y0 >= y1:
            continue
        xs, ys = np.arange(x0, x1), np.arange(y0, y1)
        bell = np.exp(-((xs - cell[0])[None] ** 2 + (ys - cell[1])[:, None] ** 2) / (2 * sigma**2)).astype(np.float32)
        if 0 <= cx < cells and 0 <= cy < cells:
            bell[cy - y0, cx - x0] = 1.0
        heat[y0:y1, x0:x1] = np.maximum(heat[y0:y1, x0:x1], bell)
        take = (bell > best[y0:y1, x0:x1]) & (bell > 0.2)
        best[y0:y1, x0:x1][take] = bell[take]
        middle = np.stack(np.meshgrid((xs + 0.5) * STRIDE_PX, (ys + 0.5) * STRIDE_PX), axis=-1)
        offsets = (quad[None, None] - middle[:, :, None]) / CORNER_UNIT_PX
        for k in range(8):
            corners[k, y0:y1, x0:x1][take] = offsets[..., k // 2, k % 2][take]
        corners[8, y0:y1, x0:x1][take] = bell[take] * CORNER_UNIT_PX / max(width, 8.0)
    count[heat > 0.99] = 1.0
    return heat, count, corners


def _height_px(quad: np.ndarray, edges: np.ndarray) -> float:
    """Return the height of a quad over its longest side, that is, its area divided by that side."""
    return float(cv2.contourArea(quad.astype(np.float32)) / max(edges.max(), 1e-6))


def _warp(image: np.ndarray, view: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Warp the image by `view` without aliasing; return the crop, and a mask of where it shows the image."""
    shrink = 1
    while scale * shrink < 0.5:
        shrink *= 2
    picture = image
    if shrink > 1:
        picture = cv2.resize(image, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        view = view @ np.array([[shrink, 0, (shrink - 1) / 2], [0, shrink, (shrink - 1) / 2], [0, 0, 1]], np.float64)
    size = CROP_PX, CROP_PX
    crop = cv2.warpPerspective(picture, view, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    whole = np.full(picture.shape[:2], 255, np.uint8)
    return crop, cv2.warpPerspective(whole, view, size, flags=cv2.INTER_NEAREST) > 0


def _visible_tiles(source: Source, view: np.ndarray, filled: np.ndarray) -> Iterator[tuple[np.ndarray, bool]]:
    """Yield the quads `(4, 2)` of an image's tiles, warped by `view (3, 3)` into a crop, and whether each one counts.

    Where earlier images fill the crop, mask `filled (CROP_PX, CROP_PX)`, tiles are covered: mostly covered tiles do not
    count, and fully covered tiles are dropped.
    """
    if not len(source.quads_px):
        return
    coarse = filled[::STRIDE_PX, ::STRIDE_PX]
    quads = cv2.perspectiveTransform(source.quads_px.reshape(1, -1, 2).astype(np.float64), view).reshape(-1, 4, 2)
    for quad, is_sure in zip(quads, source.sure, strict=True):
        if (quad.max(axis=0) < 0).any() or (quad.min(axis=0) > CROP_PX).any():
            continue
        covered = 0.0
        if coarse.any():
            mask = np.zeros(coarse.shape, np.uint8)
            cv2.fillConvexPoly(mask, np.round(quad / STRIDE_PX).astype(np.int32), 1)
            covered = float(coarse[mask > 0].mean()) if mask.any() else 0.0
        if covered <= 0.95:
            yield quad, bool(is_sure) and covered < 0.15


def draw_sample(
    rng: np.random.Generator, layers: list[tuple[Source, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return one crop, RGB `(3, CROP_PX, CROP_PX) uint8`, and the maps of `draw_targets`.

    `layers`: images with their ground truth, the first on top; each fills the part of the crop that is still empty.
    """
    crop = np.empty((CROP_PX, CROP_PX, 3), np.uint8)
    crop[:] = rng.uniform(0, 255, 3)
    filled = np.zeros((CROP_PX, CROP_PX), bool)
    hidden = np.zeros((CROP_PX, CROP_PX), bool)
    quads, sure = [], []
    for source, image in layers:
        for _ in range(8):
            view, scale = _view(rng, source, image.shape[:2])
            height, width = image.shape[:2]
            if (view[2] @ np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]]).T > 0.05).all():
                break
        picture, shown = _warp(image, view, scale)
        for quad, is_sure in _visible_tiles(source, view, filled):
            quads.append(quad)
            sure.append(is_sure)
        for x0, y0, x1, y1 in source.hidden_px:
            outline = np.array([[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]], np.float64)
            mask = np.zeros(filled.shape, np.uint8)
            cv2.fillConvexPoly(mask, np.round(cv2.perspectiveTransform(outline, view)[0]).astype(np.int32), 1)
            hidden |= (mask > 0) & shown & ~filled
        cv2.copyTo(picture, (shown & ~filled).view(np.uint8), crop)
        filled |= shown
        if filled.mean() > 0.97:
            break
    all_quads = np.array(quads).reshape(-1, 4, 2)
    tile_px = float(np.median(widths_px(all_quads))) if quads else 40.0
    if rng.random() < ROLLED:
        rows = np.arange(-CROP_PX, 2 * CROP_PX)  # corners may be outside the crop
        shifts_px = row_shifts_px(rng, rows, tile_px)
        shown_px = shifts_px[CROP_PX : 2 * CROP_PX]
        crop = shift_rows(crop, shown_px)
        hidden = shift_rows(hidden.view(np.uint8), shown_px) > 0
        all_quads[..., 0] += np.interp(all_quads[..., 1], rows, shifts_px)
    rendered = layers[0][0].session == RENDERED
    harm, tile_px = 0.6 if rendered else 1.0, min(tile_px, 120.0)
    degraded = process(rng, degrade(rng, recolour(rng, crop.astype(np.float32)), tile_px, harm), tile_px)
    heat, count, corners = draw_targets(all_quads, np.array(sure, bool), hidden)
    return np.ascontiguousarray(degraded[..., ::-1].transpose(2, 0, 1)), heat, count, corners


def batches(sources: list[Source], weights: np.ndarray, batch: int, seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield batches without end: crops uint8, and maps of `draw_targets` as float16.

    `weights (N,)`: probability of each source, with the sum 1; `batch`: number of crops in a batch.
    """
    rng = np.random.default_rng(seed)
    cv2.setRNGSeed(seed)
    photos: dict[int, np.ndarray] = {}
    recent: list[tuple[Source, np.ndarray]] = []  # these fill the empty part of a crop
    while True:
        samples: list[tuple[np.ndarray, ...]] = []
        while len(samples) < batch:
            i = int(rng.choice(len(sources), p=weights))
            image = photos.get(i)
            if image is None:
                image = sources[i].image()
                if sources[i].session != RENDERED:
                    photos[i] = image
            recent = [*recent[-24:], (sources[i], image)]
            for _ in range(2 if sources[i].session == RENDERED else 1):
                below = [recent[int(k)] for k in rng.integers(0, len(recent), 3)]
                samples.append(draw_sample(rng, [(sources[i], image), *below]))
        pictures, *maps = (np.stack(parts) for parts in zip(*samples[:batch], strict=True))
        yield pictures, *(part.astype(np.float16) for part in maps)

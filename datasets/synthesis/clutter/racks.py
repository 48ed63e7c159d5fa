"""Tile racks, from the front and from above, with the lines on which tiles stand."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.canvas import CLEAR_PX, Canvas, rounded
from tilekeeper.datasets.synthesis.noise import Colour, any_colour, fractal, hsv, paint, relight, scaled
from tilekeeper.datasets.synthesis.surfaces.wood import board

TILE_WH_MM = (26.0, 37.0)


@dataclass(frozen=True, slots=True)
class RackSprite:
    """An empty rack, and the lines on which tiles stand.

    `image`: BGRA `(h, w, 4) uint8` with straight alpha; `rows_px`: for each row, the back row first, the line of the
    lower edges of the tiles' faces, `(N, 2) float32` from left to right; `face_wh_px`: size of a face, foreshortened if
    seen from above; `view`: `front` or `above`. Back rows must be painted first.
    """

    image: np.ndarray
    rows_px: tuple[np.ndarray, ...]
    face_wh_px: tuple[float, float]
    view: str


def _material(rng: np.random.Generator, wh_px: tuple[int, int], px_per_mm: float) -> tuple[np.ndarray, Colour]:
    """Return a texture of wood or plastic, BGR uint8 of the size `wh_px`, and its main colour."""
    kind = rng.random()
    if kind < 0.4:
        tone, value = rng.uniform(10, 36), rng.uniform(0.3, 0.95)
        stops = [hsv(tone, 0.6, value * 0.65), hsv(tone + 3, 0.5, value)]
        return board(rng, wh_px, px_per_mm, stops, rng.uniform(0.5, 1.1)), stops[1]
    if kind < 0.65:
        colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.15), rng.uniform(0.04, 0.2))
    elif kind < 0.8:
        colour = hsv(rng.uniform(20, 60), rng.uniform(0, 0.15), rng.uniform(0.8, 1.0))
    else:
        colour = any_colour(rng, (0.4, 1.0), (0.2, 0.9))
    fine = fractal(rng, wh_px, (max(2.0, 3 * px_per_mm), max(1.5, 0.4 * px_per_mm)), 2)
    return paint(fine, [scaled(colour, rng.uniform(0.75, 0.97)), colour, scaled(colour, 1.1)], -3, 3), colour


def _paste(
    canvas: Canvas, sheet: np.ndarray, box: tuple[float, float, float, float], gain: tuple[float, float]
) -> None:
    """Copy a part of the texture `sheet` into a box (x, y, w, h) in mm; `gain`: brightness at its top and bottom."""
    h, w = canvas.alpha.shape
    x0, y0 = max(0, round(box[0] * canvas.scale)), max(0, round(box[1] * canvas.scale))
    x1, y1 = min(w, round((box[0] + box[2]) * canvas.scale)), min(h, round((box[1] + box[3]) * canvas.scale))
    if x1 <= x0 or y1 <= y0:
        return
    ramp = np.repeat(np.linspace(gain[0], gain[1], y1 - y0, dtype=np.float32)[:, None], x1 - x0, axis=1)
    canvas.image[y0:y1, x0:x1] = relight(np.ascontiguousarray(sheet[y0:y1, x0:x1]), ramp)
    cv2.rectangle(canvas.alpha, (x0, y0), (x1 - 1, y1 - 1), 255.0, -1)


def rack(rng: np.random.Generator, px_per_mm: float, tiles_wide: float, view: str | None = None) -> RackSprite:
    """Return an empty rack for `tiles_wide` tiles a row, one to three rows, seen from the "front" or from "above".

    If `view` is None, it is random. Raises `ValueError` for another view, or a width that is not positive.
    """
    if view not in (None, "front", "above"):
        raise ValueError(f'a rack is seen from the "front" or from "above", not from {view!r}')
    if tiles_wide <= 0:
        raise ValueError(f"a rack holds at least a tile a row, not {tiles_wide}")
    chance = rng.random() < 0.6
    front = chance if view is None else view == "front"
    rows = int(rng.choice([1, 2, 3], p=[0.35, 0.55, 0.1]))
    margin, lip = rng.uniform(2, 9), rng.uniform(1.5, 5)
    w = tiles_wide * (TILE_WH_MM[0] + 0.4) + 2 * margin
    face_h = TILE_WH_MM[1] * (rng.uniform(0.9, 1.0) if front else rng.uniform(0.3, 0.75))
    # From the front there is a panel behind every row; from above the steps are flat treads, each with a riser.
    panel = face_h * (rng.uniform(0.95, 1.2) if front else rng.uniform(0.6, 1.1))
    top, foot = rng.uniform(0.5, 6), rng.uniform(2, 10) if front else rng.uniform(0.5, 4)
    h = top + rows * (panel + lip) + foot + 2
    canvas = Canvas(rng, (w + 2, h), px_per_mm, (60, 60, 60))
    sheet, colour = _material(rng, (canvas.alpha.shape[1], canvas.alpha.shape[0]), px_per_mm)
    canvas.image[:] = np.rint(scaled(colour, 0.5))
    step_in = rng.uniform(0, 4) * (rng.random() < 0.5)
    lines = []
    y = top
    _paste(canvas, sheet, (1 + step_in * (rows - 1), 0.5, w - 2 * step_in * (rows - 1), top), (1.25, 1.1))
    for row in range(rows):
        inset = 1 + step_in * (rows - 1 - row)
        wide = w + 2 - 2 * inset
        shade = rng.uniform(0.7, 1.0)
        _paste(canvas, sheet, (inset, y, wide, panel), (shade, shade * rng.uniform(0.6, 1.05)))
        y += panel
        # The line is slightly inside the lip, so that there is no seam below a tile painted on it.
        lines.append(np.array([(inset + margin, y + 0.2), (inset + wide - margin, y + 0.2)], dtype=np.float32))
        _paste(canvas, sheet, (inset, y, wide, lip), (rng.uniform(1.05, 1.4), rng.uniform(0.7, 1.0)))
        canvas.line([(inset, y), (inset + wide, y)], scaled(colour, rng.choice([0.4, 1.5])), 0.6)
        y += lip
    if front:
        if rng.random() < 0.6:
            for share in (0.17, 0.83):
                canvas.fill(rounded(1 + w * share - 4, y - 1, 8, foot, 1), scaled(colour, 0.55), body=True)
        else:
            _paste(canvas, sheet, (1, y, w, foot), (0.6, 0.4))
    else:
        _paste(canvas, sheet, (1, y, w, foot), (0.9, 0.6))
    if rng.random() < 0.4:
        for side in (1.0, w + 1 - margin * 0.8):
            end = rounded(side, rng.uniform(0.5, 4), margin * 0.8, y - 2, 1)
            canvas.fill(end, scaled(colour, rng.uniform(0.7, 1.25)), body=True)
    scale = np.float32(px_per_mm)
    image = canvas.sprite(0.6, uneven=0.08)
    face = (TILE_WH_MM[0] * px_per_mm, face_h * px_per_mm)
    return RackSprite(
        image, tuple(line * scale + np.float32(CLEAR_PX) for line in lines), face, "front" if front else "above"
    )


def empty_rack(rng: np.random.Generator, px_per_mm: float) -> np.ndarray:
    """Return a rack without tiles as clutter, BGRA `(h, w, 4) uint8`."""
    return rack(rng, px_per_mm, float(rng.uniform(6, 16))).image

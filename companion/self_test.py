"""The self-test before a game: says in plain words what is wrong with the picture of the table, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from tilekeeper.vision.geometry import sizes_wh_px
from tilekeeper.vision.sighting import TableReading
from tilekeeper.vision.trust import DARK_LEVEL, TOO_BLURRED, TOO_DARK

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the picture's width and height."""

GLARE_LEVEL: Final = 252
LEAST_GLARE_SHARE: Final = 0.002
"""Of the picture; a smaller burnt-out spot hides no more than a corner of a tile."""
SMALL_TILE_PX: Final = 22.0
EDGE_SHARE: Final = 0.004
LEAST_INK_GAP: Final = 2.0
"""How much likelier the ink of a red or orange tile should be than the other of the two, as a natural logarithm."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is wrong."""

    code: str
    text: str
    boxes: tuple[Box, ...] = ()


def self_test(image_bgr: np.ndarray, reading: TableReading | None) -> tuple[Found, ...]:
    """Return what is wrong with a picture (H, W, 3) uint8 of the table and what was read on it; nothing is good."""
    found: list[Found] = []
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    lit = grey[grey > 0]  # what lies outside the play area is black and says nothing of the light
    status = "" if reading is None else reading.status
    if status == TOO_DARK or not lit.size or np.percentile(lit, 99) < 2 * DARK_LEVEL:
        found.append(Found("dark", "It is too dark: bring more light to the table."))
    found += _glare(grey)
    if status == TOO_BLURRED:
        found.append(Found("blurred", "The picture is blurred: hold the camera still and let it focus."))
    if reading is None or not reading.tiles:
        text = "No tiles are seen: lay a few on the table, spread over all of the play area, and test again."
        return (*found, Found("no-tiles", text))
    return (*found, *_tiles_too_small(reading), *_cut_off(reading), *_warm_inks(reading))


def _glare(grey: np.ndarray) -> list[Found]:
    burnt = cv2.morphologyEx((grey >= GLARE_LEVEL).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(burnt)
    height_px, width_px = grey.shape
    boxes = tuple(
        (left / width_px, top / height_px, (left + width) / width_px, (top + height) / height_px)
        for left, top, width, height, area in stats[1:count]
        if area >= LEAST_GLARE_SHARE * grey.size
    )
    text = "A lamp or a window shines back here: move the lamp, or tilt the camera a little."
    return [Found("glare", text, boxes)] if boxes else []


def _tiles_too_small(reading: TableReading) -> list[Found]:
    quads_px = np.array([tile.sighting.quad_px for tile in reading.tiles])
    width_px = float(np.median(sizes_wh_px(quads_px).min(axis=1)))
    if width_px >= SMALL_TILE_PX:
        return []
    text = f"The tiles are small in the picture, {width_px:.0f} pixels across: move the camera nearer."
    return [Found("small", text)]


def _cut_off(reading: TableReading) -> list[Found]:
    width_px, height_px = reading.image_wh
    boxes = []
    for tile in reading.tiles:
        xs, ys = tile.sighting.quad_px[:, 0] / width_px, tile.sighting.quad_px[:, 1] / height_px
        if min(xs.min(), ys.min()) < EDGE_SHARE or max(xs.max(), ys.max()) > 1 - EDGE_SHARE:
            boxes.append((float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())))
    text = "Tiles lie at the very edge of the picture: turn the camera so that all of the table is in it."
    return [Found("cut-off", text, tuple(boxes))] if boxes else []


def _warm_inks(reading: TableReading) -> list[Found]:
    """The third ink is the warm one, orange or yellow, and the fourth is red."""
    boxes = []
    width_px, height_px = reading.image_wh
    for tile in reading.tiles:
        warm, red = (float(value) for value in tile.sighting.names.ink_log_probs[2:])
        if max(warm, red) > np.log(0.5) and abs(warm - red) < LEAST_INK_GAP:
            xs, ys = tile.sighting.quad_px[:, 0] / width_px, tile.sighting.quad_px[:, 1] / height_px
            boxes.append((float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())))
    text = "Red and orange are hard to tell apart in this light: a whiter lamp helps."
    return [Found("colours", text, tuple(boxes))] if boxes else []

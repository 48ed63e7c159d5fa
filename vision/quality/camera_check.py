"""Checks before a game: problems of the camera's view of the table, and how to move the camera.

To the troubles of a reading come missing tiles, and lamps that reflect from the bare table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cv2
import numpy as np

from tilekeeper.engine.language import as_sentence, gettext
from tilekeeper.vision.arrays import Floats, Image, median
from tilekeeper.vision.geometry.quads import enlarge, sizes_wh_px
from tilekeeper.vision.imaging import convert, morphology
from tilekeeper.vision.quality.diagnostics import WORDS, troubles_of, whole_px
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.types import GLARE, TOO_DARK, TableReading, Trouble

MIN_REFLECTION_LEVELS = 252  # a pixel of the empty table at least this bright is a lamp's reflection
MIN_REFLECTION_FRAME_SHARE = 0.002  # a smaller reflection hides no more than a corner of a tile
TILE_MASK_RATIO = 1.2  # of a tile's quad, which masks its sides and its reflection on the table too

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the picture's width and height."""

NO_TILES: Final = "no-tiles"


@dataclass(frozen=True, slots=True)
class CameraProblem:
    """One thing that is wrong: `code` is a kind of trouble or `NO_TILES`; no boxes for all of the picture."""

    code: str
    text: str
    boxes: tuple[Box, ...] = ()


def check_camera(image_bgr: Image, reading: TableReading | None) -> tuple[CameraProblem, ...]:
    """Return the problems of a picture `(H, W, 3) uint8` of the table and of its reading; none if all is well."""
    reading = reading or TableReading((), (), (image_bgr.shape[1], image_bgr.shape[0]))
    troubles = troubles_of(Scene(image_bgr), reading.tiles, reading.rows, reading.face_down)
    found = _gathered(troubles, image_bgr)
    kinds = {problem.code for problem in found}
    # In the dark nothing shines back, and tiles that can't be seen need not be asked for.
    if TOO_DARK in kinds:
        return found
    if GLARE not in kinds:
        found += _glare(image_bgr, reading.quads_px)
    if not reading.tiles:
        text = gettext("There are no tiles to see. Spread a few over the whole play area, and test again.")
        found += (CameraProblem(NO_TILES, text),)
    return found


def _gathered(troubles: tuple[Trouble, ...], image_bgr: Image) -> tuple[CameraProblem, ...]:
    """One of each kind, with all the places where it is."""
    height_px, width_px = image_bgr.shape[:2]
    whole, found = whole_px((width_px, height_px)), dict[str, CameraProblem]()
    for trouble in troubles:
        (left, top), (right, bottom) = trouble.region_px.min(axis=0), trouble.region_px.max(axis=0)
        box = (left / width_px, top / height_px, right / width_px, bottom / height_px)
        boxes = () if np.array_equal(trouble.region_px, whole) else (tuple(map(float, box)),)
        before = found.get(trouble.kind, CameraProblem(trouble.kind, as_sentence(gettext(trouble.words))))
        found[trouble.kind] = CameraProblem(before.code, before.text, (*before.boxes, *boxes))
    return tuple(found.values())


def _glare(image_bgr: Image, quads_px: Floats) -> tuple[CameraProblem, ...]:
    """Return what shines back from the table so brightly that tiles there can't be read.

    Tiles at `quads_px (N, 4, 2)` are as white as that in good light, and do not count.
    """
    grey = convert(image_bgr, cv2.COLOR_BGR2GRAY)
    burnt = (grey >= MIN_REFLECTION_LEVELS).astype(np.uint8)
    for quad in enlarge(quads_px, TILE_MASK_RATIO):
        cv2.fillConvexPoly(burnt, quad.round().astype(np.int32), 0)
    count, _, stats, _ = cv2.connectedComponentsWithStats(morphology(burnt, cv2.MORPH_CLOSE, 9))
    height_px, width_px = grey.shape
    boxes = tuple(
        (left / width_px, top / height_px, (left + width) / width_px, (top + height) / height_px)
        for left, top, width, height, area in stats[1:count]
        if area >= MIN_REFLECTION_FRAME_SHARE * grey.size
    )
    return (CameraProblem(GLARE, as_sentence(gettext(WORDS[GLARE])), boxes),) if boxes else ()


TILE_WIDTH_MM = 27.0  # a tile of the standard box is this wide
FOCAL_LENGTH_SHARE = 0.8  # of the longer side, of most webcams and phones (60 to 70 degrees)
HAND_WIDTH_MM = 100.0  # a hand, the measure in which people move a camera, is this wide
TARGET_TILE_WIDTH_PX = 20.0  # the camera should come nearer until tiles are this wide
MAX_EDGE_DISTANCE_SHARE = 0.02  # a cut-off place at most this share of the frame away from an edge is cut by that edge


class Edge(StrEnum):
    """An edge of the picture."""

    LEFT = "left"
    TOP = "up"
    RIGHT = "right"
    BOTTOM = "down"


def hands_nearer(reading: TableReading) -> int:
    """Return by how many hands a camera is to come nearer, 0 where tiles look wide enough or none are seen."""
    if not reading.tiles:
        return 0
    width_px = float(median(sizes_wh_px(reading.quads_px).min(axis=1)))
    if width_px >= TARGET_TILE_WIDTH_PX:
        return 0
    away_mm = FOCAL_LENGTH_SHARE * max(reading.image_wh) * TILE_WIDTH_MM / width_px
    return max(1, math.ceil(away_mm * (1 - width_px / TARGET_TILE_WIDTH_PX) / HAND_WIDTH_MM))


def cut_edges(boxes: Sequence[Box]) -> set[Edge]:
    """Return the edges of the picture at which the places lie where tiles are cut off."""
    far = np.array(boxes, float).reshape(-1, 4) * (1, 1, -1, -1) + (0, 0, 1, 1)  # how far each side is from its edge
    return {edge for at, edge in enumerate(Edge) if bool((far[:, at] <= MAX_EDGE_DISTANCE_SHARE).any())}


def is_too_near(edges: set[Edge]) -> bool:
    """Return whether a camera sees too little of the table, so that moving it aside does not help."""
    return {Edge.LEFT, Edge.RIGHT} <= edges or {Edge.TOP, Edge.BOTTOM} <= edges

"""Camera check before a game: what is wrong with the image of the table, and how to move the camera.

Besides the troubles of a reading it reports missing tiles, and lamps that reflect from the bare table.
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
TILE_MASK_RATIO = 1.2  # a quad enlarged by this also masks the tile's sides and its reflection on the table

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the image's width and height."""

NO_TILES: Final = "no-tiles"


@dataclass(frozen=True, slots=True)
class CameraProblem:
    """A problem of a camera's image; `code`: a kind of trouble, or `NO_TILES`; `boxes`: empty for the whole image."""

    code: str
    text: str
    boxes: tuple[Box, ...] = ()


def check_camera(image_bgr: Image, reading: TableReading | None) -> tuple[CameraProblem, ...]:
    """Return the problems of an image `(H, W, 3) uint8` and of its reading; `reading` is None if nothing was read."""
    reading = reading or TableReading((), (), (image_bgr.shape[1], image_bgr.shape[0]))
    troubles = troubles_of(Scene(image_bgr), reading.tiles, reading.rows, reading.face_down)
    found = _group_by_kind(troubles, image_bgr)
    kinds = {problem.code for problem in found}
    # In the dark nothing is reflected, and tiles cannot be seen, so these checks would only mislead.
    if TOO_DARK in kinds:
        return found
    if GLARE not in kinds:
        found += _find_glare(image_bgr, reading.quads_px)
    if not reading.tiles:
        text = gettext("There are no tiles to see. Spread a few over the whole play area, and test again.")
        found += (CameraProblem(NO_TILES, text),)
    return found


def _group_by_kind(troubles: tuple[Trouble, ...], image_bgr: Image) -> tuple[CameraProblem, ...]:
    """Group troubles by kind: return one problem for each kind, with the boxes of all its troubles."""
    height_px, width_px = image_bgr.shape[:2]
    whole, found = whole_px((width_px, height_px)), dict[str, CameraProblem]()
    for trouble in troubles:
        (left, top), (right, bottom) = trouble.region_px.min(axis=0), trouble.region_px.max(axis=0)
        box = (left / width_px, top / height_px, right / width_px, bottom / height_px)
        boxes = () if np.array_equal(trouble.region_px, whole) else (tuple(map(float, box)),)
        before = found.get(trouble.kind, CameraProblem(trouble.kind, as_sentence(gettext(trouble.words))))
        found[trouble.kind] = CameraProblem(before.code, before.text, (*before.boxes, *boxes))
    return tuple(found.values())


def _find_glare(image_bgr: Image, quads_px: Floats) -> tuple[CameraProblem, ...]:
    """Return the glare on the bare table as one problem, or nothing.

    The tiles `quads_px (N, 4, 2)` are masked, because in good light they are as bright as glare.
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
FOCAL_LENGTH_SHARE = 0.8  # focal length over the image's longer side, for most webcams and phones (60 to 70 degrees)
HAND_WIDTH_MM = 100.0  # a hand is this wide; the page states distances in hands
TARGET_TILE_WIDTH_PX = 20.0  # the camera should be moved nearer until tiles are this wide
MAX_EDGE_DISTANCE_SHARE = 0.02  # an edge cuts a cut-off tile that is at most this share of the frame away from it


class Edge(StrEnum):
    """An edge of the image; the values are the directions in which it lies."""

    LEFT = "left"
    TOP = "up"
    RIGHT = "right"
    BOTTOM = "down"


def hands_nearer(reading: TableReading) -> int:
    """Return by how many hand widths to move the camera nearer; 0 if tiles are wide enough or none is read."""
    if not reading.tiles:
        return 0
    width_px = float(median(sizes_wh_px(reading.quads_px).min(axis=1)))
    if width_px >= TARGET_TILE_WIDTH_PX:
        return 0
    away_mm = FOCAL_LENGTH_SHARE * max(reading.image_wh) * TILE_WIDTH_MM / width_px
    return max(1, math.ceil(away_mm * (1 - width_px / TARGET_TILE_WIDTH_PX) / HAND_WIDTH_MM))


def cut_edges(boxes: Sequence[Box]) -> set[Edge]:
    """Return the edges of the image that the boxes of cut-off tiles touch."""
    far = np.array(boxes, float).reshape(-1, 4) * (1, 1, -1, -1) + (0, 0, 1, 1)  # distance of each side from its edge
    return {edge for at, edge in enumerate(Edge) if bool((far[:, at] <= MAX_EDGE_DISTANCE_SHARE).any())}


def is_too_near(edges: set[Edge]) -> bool:
    """Return whether tiles are cut off at two opposite edges, so that moving the camera aside does not help."""
    return {Edge.LEFT, Edge.RIGHT} <= edges or {Edge.TOP, Edge.BOTTOM} <= edges

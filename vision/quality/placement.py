"""How a camera is to be moved so that it sees the table well: nearer by so many hands, or where tiles are cut off.

How far it is away follows from how wide tiles look, by the lens that most cameras have: good enough for hands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.geometry.quantiles import median
from tilekeeper.vision.quality.camera_check import Box
from tilekeeper.vision.types import TableReading

# A tile of the standard box is this wide.
TILE_WIDTH_MM = 27.0
# Most webcams and phones, with a 60 to 70 degree view, have this focal length, as a share of the longer side.
FOCAL_LENGTH_SHARE = 0.8
# A hand, the measure in which people move a camera, is this wide.
HAND_WIDTH_MM = 100.0
# The camera should come nearer until tiles are this wide.
TARGET_TILE_WIDTH_PX = 20.0
# A cut-off place at most this share of the frame away from an edge is cut by that edge.
MAX_EDGE_DISTANCE_SHARE = 0.02


class Edge(StrEnum):
    """An edge of the picture."""

    LEFT = "left"
    TOP = "up"
    RIGHT = "right"
    BOTTOM = "down"


OPPOSITE = ({Edge.LEFT, Edge.RIGHT}, {Edge.TOP, Edge.BOTTOM})


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
    """Whether a camera sees too little of the table, so that moving it aside helps nothing."""
    return any(pair <= edges for pair in OPPOSITE)

"""Joker orientation: turn jokers along their rows, because a joker's face looks alike from every side."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    homographies,
    sizes_wh_px,
)
from tilekeeper.vision.imaging import project

# A joker belongs to the row of a tile at most this far away, centre to centre.
MAX_JOKER_ROW_DISTANCE_WIDTHS = 1.6
# A joker is beside a tile if the sideways distance between their centres is in this range.
JOKER_NEIGHBOUR_RANGE_WIDTHS = (0.7, 1.35)
# A joker is in a tile's row if its centre is less than this above or below the tile's centre.
MAX_JOKER_ROW_OFFSET_WIDTHS = 0.45
# Usual distance between the centres of neighbouring tiles in a row.
ROW_PITCH_WIDTHS = 1.03
# A joker less than this off the row pitch is moved onto it, because turned quads are shifted as well.
MAX_JOKER_SNAP_WIDTHS = 0.3


def align_jokers(quads_px: Floats, jokers: Bools, others_px: Floats) -> Floats:
    """Return the quads `(N, 4, 2)` in which `jokers (N,)` bool that lie across their rows are turned along them.

    `others_px (M, 4, 2)` are tiles of known direction. A joker belongs to the row of the nearest tile that it is level
    with. If it is turned by a quarter against that tile, it gets that tile's shape, unless another tile is there.
    """
    joker_indices, neighbours = np.flatnonzero(jokers), as_quads(others_px)
    if not len(joker_indices) or not len(neighbours):
        return quads_px
    aligned = np.array(quads_px, np.float32)
    middles, widths = centres_px(neighbours), sizes_wh_px(neighbours)[:, 0]
    for joker in joker_indices:
        middle = centres_px(aligned[joker][None])[0]
        distances = np.linalg.norm(middles - middle, axis=1) / np.maximum(widths, 1e-6)
        for near in np.argsort(distances)[:2]:
            if distances[near] > MAX_JOKER_ROW_DISTANCE_WIDTHS:
                break
            frame = homographies(neighbours[near][None])[0]
            offset = _offset_in_row(frame, middle)
            if offset is None:
                continue  # above, below or at a corner of that tile
            if _is_across(frame, aligned[joker]):
                quad = _quad_at(frame, offset)
                rest = np.delete(middles, near, axis=0)
                if are_free(quad.mean(axis=0)[None], rest, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[near])[0]:
                    aligned[joker] = quad
            break  # the joker belongs to this row
    return aligned


def _offset_in_row(frame: Floats, middle_px: Floats) -> Floats | None:
    """Return a joker's centre in the frame of a tile of its row; None if it is not in that row."""
    x, y = project(middle_px[None], frame)[0] - (0.5, TILE_ASPECT / 2)
    if not (
        JOKER_NEIGHBOUR_RANGE_WIDTHS[0] < abs(x) < JOKER_NEIGHBOUR_RANGE_WIDTHS[1]
        and abs(y) < MAX_JOKER_ROW_OFFSET_WIDTHS
    ):
        return None
    return np.array([np.sign(x) * ROW_PITCH_WIDTHS if abs(abs(x) - ROW_PITCH_WIDTHS) < MAX_JOKER_SNAP_WIDTHS else x, y])


def _is_across(frame: Floats, quad_px: Floats) -> bool:
    """Return whether a quad `(4, 2)` is turned by about a quarter against the tile with this frame."""
    corners = project(quad_px, frame)
    across, _ = axes_px(corners)
    return bool(abs(across[0]) < abs(across[1]))


def _quad_at(frame: Floats, offset: Floats) -> Floats:
    """Return the quad `(4, 2) float32` of a tile at an offset in the frame of another."""
    corners = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]], np.float32) + offset.astype(np.float32)
    return project(corners, np.linalg.inv(frame))

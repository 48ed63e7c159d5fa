"""Finds out whether a tile that is not found any more still lies where it lay, by what its place looks like.

A place that looks like the tiles near it still has its tile; one that looks like the table around it has none.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.vision.config import tracking_limits as limits
from tilekeeper.vision.geometry.proximity import same_place
from tilekeeper.vision.geometry.quads import as_quads, axes_px, centres_px, points_within
from tilekeeper.vision.tracking.regions import points_in_outlines
from tilekeeper.vision.types import (
    IN_THE_WAY,
    INKS,
    JOINT_JOKER,
    NO_TILE_LABEL,
    NOT_A_TILE,
    NUMBERS,
    Doubt,
    DoubtReason,
    Inks,
    ReadTile,
    Sighting,
    TableReading,
    TileNames,
    labels_of,
    number_and_ink,
)

NOT_FOUND = 0.0
"""The confidence of a tile that is in a reading though nothing was found there; a tile that was found has more."""
ACROSS, DOWN = np.linspace(0.15, 0.85, 12), np.linspace(0.12, 0.88, 16)
"""Where a place is sampled, as shares of its width and height."""


def occupied_places(image_bgr: np.ndarray, places_px: np.ndarray, reading: TableReading) -> np.ndarray:
    """Return, `(K,)` bool, which places look as if a tile lay there rather than like the table around them.

    A place that something covers is not one of them: what lies beneath can't be seen. Where the table is as light as
    the tiles, or nothing of it shows beside a place, the answer is yes.

    Args:
        image_bgr: the frame that was read, `(H, W, 3) uint8`.
        places_px: corners `(K, 4, 2)` of places in which no tile was found, in pixels of the reading.
        reading: the tiles that were found on it.
    """
    scale = image_bgr.shape[1] / max(1, reading.image_wh[0])
    places = as_quads(places_px).astype(np.float32)
    found = reading.quads_px[np.array([not tile.sighting.hidden for tile in reading.tiles], bool)]
    if not len(found):
        return np.zeros(len(places), bool)
    regions = [trouble.region_px.astype(np.float32) for trouble in reading.troubles if trouble.kind == IN_THE_WAY]
    free = ~points_in_outlines(places.mean(axis=1), regions)
    free[free] = [_looks_like_a_tile(image_bgr, place * scale, found * scale) for place in places[free]]
    return free


def with_missing_tile(reading: TableReading, track: int, quad_px: np.ndarray, label: str, inks: Inks) -> TableReading:
    """Return the reading with one tile more, last and in doubt, in the row or between the rows that lie beside it.

    `quad_px (4, 2)` are its corners as they were, `label` what it was read as in the names of `inks`.
    """
    tile = _missing_tile(track, np.asarray(quad_px, np.float32), label, inks)
    index, quad = len(reading.tiles), tile.sighting.quad_px
    across, _ = axes_px(quad)
    middles = centres_px(np.concatenate([reading.quads_px, quad[None]]))
    beside_px = np.stack([middles[index] + across, middles[index] - across])
    is_beside = np.any(same_place(middles, beside_px, limits.missing_beside * float(np.linalg.norm(across))), axis=1)
    rows = [row for row in reading.rows if is_beside[list(row)].any()]
    longest = max(rows, key=len, default=())
    along = middles[longest[-1]] - middles[longest[0]] if len(longest) > 1 else across
    merged = tuple(sorted((index, *(at for row in rows for at in row)), key=lambda at: float(middles[at] @ along)))
    first = min((reading.rows.index(row) for row in rows), default=len(reading.rows))
    others = [row for row in reading.rows if row not in rows]
    other_rows = tuple(one for one in reading.other_rows if not any(set(row) & set(merged) for row in one.rows))
    return replace(
        reading,
        tiles=(*reading.tiles, tile),
        rows=(*others[:first], merged, *others[first:]),
        other_rows=other_rows,
    )


def _missing_tile(track: int, quad_px: np.ndarray, label: str, inks: Inks) -> ReadTile:
    names = labels_of(inks)[: JOINT_JOKER + 1]
    number, ink = number_and_ink(names.index(label) if label in names else JOINT_JOKER)
    numbers, colours = np.full(NUMBERS + 2, 1e-6), np.full(len(INKS), 1e-6)
    numbers[number], numbers[NOT_A_TILE] = limits.missing_likely, 1 - limits.missing_likely
    colours[ink] = 1.0
    likely = TileNames(np.log(numbers / numbers.sum()), np.log(colours / colours.sum()))
    doubts = (Doubt(DoubtReason.NOT_FOUND, NO_TILE_LABEL),)
    return ReadTile(Sighting(track, quad_px, likely), label, NOT_FOUND, NO_TILE_LABEL, doubts)


def _looks_like_a_tile(image_bgr: np.ndarray, place_px: np.ndarray, tiles_px: np.ndarray) -> bool:
    """Whether a place `(4, 2)` looks like the tiles `(N, 4, 2)` nearest to it rather than like the table around it."""
    nearest = np.argsort(np.linalg.norm(tiles_px.mean(axis=1) - place_px.mean(axis=0), axis=1))[: limits.missing_tiles]
    face = np.median([np.median(_colours(image_bgr, _within(tiles_px[at])), axis=0) for at in nearest], axis=0)
    around = _ring(place_px)
    bare = around[~points_in_outlines(around, list(tiles_px))]
    place, table = _colours(image_bgr, _within(place_px)), _colours(image_bgr, bare)
    if len(table) < limits.missing_fewest or not len(place):
        return bool(len(place))
    ground = np.median(table, axis=0)
    if np.linalg.norm(face - ground) < limits.missing_alike:
        return True
    like_tile = np.linalg.norm(place - face, axis=1) < np.linalg.norm(place - ground, axis=1)
    return float(like_tile.mean()) > 0.5


def _colours(image_bgr: np.ndarray, points_px: np.ndarray) -> np.ndarray:
    """Return the colours `(N, 3)` of an image at points, in CIE L*a*b*, without those outside the image."""
    at = points_px.round().astype(int)
    at = at[((at >= 0) & (at < image_bgr.shape[1::-1])).all(axis=1)]
    if not len(at):
        return np.zeros((0, 3), np.float32)
    pixels = image_bgr[at[:, 1], at[:, 0]].astype(np.float32)[None] / 255
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)).reshape(-1, 3)


def _within(quad_px: np.ndarray) -> np.ndarray:
    """Return points `(P, 2)` all over the inner part of a quad."""
    return points_within(quad_px[None], ACROSS, DOWN).reshape(-1, 2)


def _ring(quad_px: np.ndarray) -> np.ndarray:
    """Return points `(P, 2)` around a quad."""
    middle, along = quad_px.mean(axis=0), np.linspace(0, 1, 12, endpoint=False)[:, None]
    rings = [middle + (quad_px - middle) * larger for larger in limits.missing_around]
    return np.concatenate([ring[at] + along * (ring[(at + 1) % 4] - ring[at]) for ring in rings for at in range(4)])

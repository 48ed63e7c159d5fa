"""Looks for tiles where nothing was found and the table is as pale as a tile's face, in pieces of a tile's size.

A tile that the finder misses leaves no trace in a reading: nobody asks about what nobody saw. But its face is as white
as those of the tiles around it, and what is so white and as large as a tile is one, unless the namer sees none there.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.config import geometry_limits
from tilekeeper.vision.config import refinement_limits as limits
from tilekeeper.vision.geometry.face_color import face_whites, light_and_tint
from tilekeeper.vision.geometry.proximity import one_each
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    areas_px,
    centres_px,
    distances_px,
    shares_inside,
)
from tilekeeper.vision.geometry.quantiles import median
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, shaped_as_nearest, turned_about
from tilekeeper.vision.imaging import morphology, resize, shrink
from tilekeeper.vision.recognition.appearance import Appearances, Namer
from tilekeeper.vision.recognition.refinement.neighbours import least_certainty, mended, new_tiles
from tilekeeper.vision.recognition.refinement.outlines import outlines_px

LONG = TILE_ASPECT**0.5
"""The side of a square as large as a tile, in tile widths."""


def add_pale_places(namer: Namer, image_bgr: Image, found: Appearances) -> Appearances:
    """Return the looks at tiles found, and after them those at tiles in pale pieces of the table that none explains.

    What was found and named no tile explains its place as well as a tile does.
    """
    certainty = found.certainty()
    sure_px = found.quads_px[certainty >= limits.certain].astype(np.float64)
    if not len(sure_px):
        return found
    middles = pale_places(image_bgr, sure_px, found.quads_px)
    if not len(middles):
        return found
    quads, owners = _shapes(image_bgr, middles, sure_px)
    kept = shares_inside(quads, image_bgr.shape[1::-1]) >= limits.beside_inside
    quads, owners = quads[kept].astype(np.float32), owners[kept]
    if not len(quads):
        return found
    seen = mended(namer, image_bgr, quads)
    sureness, units = seen.certainty(), np.sqrt(areas_px(quads))
    least = np.where(seen.is_joker, limits.joker_least, least_certainty(seen, limits.certain))
    there = sureness >= least
    there &= np.linalg.norm(centres_px(seen.quads_px) - middles[owners], axis=1) < limits.pale_moved * units
    there &= np.abs(np.log(np.sqrt(areas_px(seen.quads_px)) / units)) < limits.beside_ill_sized * 2
    known, next_px = found.quads_px[certainty > 0], geometry_limits.next_tile * units / LONG
    return Appearances.joined([found, new_tiles(seen, there, known, known, next_px)])


def pale_places(image_bgr: Image, sure_px: Floats, explained_px: Floats) -> Floats:
    """Return the middles `(M, 2)`, of pieces as pale as the sure tiles `(N, 4, 2)` near them and as large as one.

    N is at least 1; `explained_px (K, 4, 2)` is what is known to lie there. The best come first.
    """
    unit_px = float(median(np.sqrt(areas_px(sure_px)))) / LONG
    scale = min(1.0, limits.pale_unit_px / unit_px)
    height, width = (max(8, round(side * scale)) for side in image_bgr.shape[:2])
    small = shrink(image_bgr, (width, height), cv2.INTER_AREA)
    at_small = np.array((width / image_bgr.shape[1], height / image_bgr.shape[0]))
    some_px = sure_px[:: -(-len(sure_px) // limits.pale_tiles)]
    light, tint = _off(small, face_whites(image_bgr, some_px), (centres_px(some_px) + 0.5) * at_small - 0.5)
    middles = centres_px(explained_px)[:, None]
    grown = middles + limits.pale_grown * (explained_px - middles)
    unknown: Image = np.ones((height, width), np.uint8)
    for quad in np.round(((grown + 0.5) * at_small - 0.5) * 16).astype(np.int32):
        cv2.fillConvexPoly(unknown, quad, 0, shift=4)
    unit, apart = unit_px * scale, np.abs(light)
    places: list[Floats] = [np.zeros((0, 2))]
    worths: list[Floats] = [np.zeros(0, np.float32)]
    sides = [max(3, round(share * unit) | 1) for share in limits.pale_squares]
    for most_light, most_tint in limits.pale_levels:
        pale = ((apart < most_light) & (tint < most_tint)).view(np.uint8)
        rest = morphology(pale, cv2.MORPH_CLOSE, 3) & unknown
        near = _shares(rest, sides[0])
        at = np.flatnonzero(near >= limits.pale_filled)  # in two dimensions NumPy takes ten times as long
        if not len(at):
            continue
        around = _shares(rest, sides[1])
        at = at[(around[at] <= limits.pale_around) & (near[at] > around[at])]
        worth = np.zeros(rest.shape, np.float32)
        worth.flat[at] = near[at] - around[at]
        at = at[worth.flat[at] >= cv2.dilate(worth, np.ones((5, 5), np.uint8)).ravel()[at]]
        places.append(_shifted(rest, np.column_stack([at % width, at // width]), limits.pale_reach * unit))
        worths.append(worth.flat[at])
    middles = (np.concatenate(places) + 0.5) / at_small - 0.5
    within_px = np.full(len(middles), limits.pale_apart * unit_px)
    best = one_each(np.arange(len(middles)), middles, within_px, np.concatenate(worths))
    chosen: Floats = middles[best[: limits.pale_most]]
    return chosen


def _shares(mask: Image, side: int) -> Floats:
    """Return how much of a square about each pixel of a mask `(H, W)` is set, `(H * W,) float32`."""
    shares = cv2.boxFilter(mask, cv2.CV_32F, (side, side), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(shares, np.float32).ravel()


def _shifted(rest: Image, places: Floats, reach: float) -> Floats:
    """Move places `(N, 2)` to the middle of what is left pale in a mask within a square about each."""
    moved = places.astype(np.float64)
    for at, (x, y) in enumerate(moved.tolist()):
        before: tuple[slice, slice] | None = None
        for _ in range(limits.pale_shifts):
            left, top = max(0, round(x - reach)), max(0, round(y - reach))
            square = np.s_[top : round(y + reach) + 1, left : round(x + reach) + 1]
            if square == before:  # whose middle it is
                break
            before = square
            sums = cv2.moments(rest[square])
            if sums["m00"]:
                x, y = sums["m10"] / sums["m00"] + left, sums["m01"] / sums["m00"] + top
        moved[at] = x, y
    return moved


def _off(small_bgr: Image, whites: Floats, middles_px: Floats) -> tuple[Floats, Floats]:
    """By how much pixels are lighter than sure tiles near them, with `whites (N, 3)` at middles `(N, 2)`, and the tint.

    Both are `(H, W)`; see `light_and_tint`.
    """
    height, width = small_bgr.shape[:2]
    cells_wh = max(1, width // 16), max(1, height // 16)
    x, y = (np.arange(cells) * 16 + 8.0 for cells in cells_wh)
    cells = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    weights = 1 / (distances_px(cells, middles_px) ** 2 + limits.pale_unit_px**2)
    usual = (weights @ whites) / weights.sum(axis=1, keepdims=True)
    usual = resize(usual.reshape(cells_wh[1], cells_wh[0], 3).astype(np.float32), (width, height), cv2.INTER_LINEAR)
    levels = np.log(np.arange(256, dtype=np.float32) + np.float32(geometry_limits.dim_levels))
    off = np.asarray(cv2.LUT(small_bgr, levels)) - usual
    planes = np.stack(cv2.split(off))  # NumPy takes half as long again for channels side by side
    return light_and_tint(np.moveaxis(planes, 0, -1), np.zeros(3, np.float32))


def _shapes(image_bgr: Image, middles_px: Floats, sure_px: Floats) -> tuple[Floats, np.ndarray]:
    """Return quads `(Q, 4, 2)` in which a tile may lie at the middles, and which of these each is at, `(Q,)`.

    As the nearest sure tile lies, and turned on the table; and where a face can be made out, its outline, both ways.
    """
    turns, plane = limits.pale_turns, fit_plane(sure_px)
    like, aspect = shaped_as_nearest(middles_px, sure_px), TILE_ASPECT if plane is None else plane.aspect
    turned = turned_about(middles_px, axes_of(like, aspect), aspect, turns)
    outlines = outlines_px(image_bgr, like.astype(np.float32))
    owners = np.repeat(np.arange(len(middles_px)), [len(some) for some in outlines])
    faces = np.concatenate(outlines).astype(np.float64)
    quads = np.concatenate([turned.reshape(-1, 4, 2), faces, np.roll(faces, 1, axis=1)])
    return quads, np.concatenate([np.repeat(np.arange(len(middles_px)), turns), owners, owners])

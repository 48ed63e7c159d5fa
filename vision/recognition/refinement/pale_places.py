"""Looks for tiles where nothing was found and the table is as pale as their faces: pieces of a tile's size, and print.

A tile that the finder misses leaves no trace in a reading: nobody asks about what nobody saw. But its face is as white
as those of the tiles around it, and what is so white and as large as a tile is one, unless the namer sees none there.
On a table that is as white itself, its figure is left: a piece of print with little of it around.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.config import geometry_limits
from tilekeeper.vision.config import refinement_limits as limits
from tilekeeper.vision.geometry.proximity import one_each
from tilekeeper.vision.geometry.quads import TILE_ASPECT, areas_px, centres_px, shares_inside
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, shaped_as_nearest, turned_about
from tilekeeper.vision.imaging import morphology
from tilekeeper.vision.recognition.appearance import Appearances, Namer
from tilekeeper.vision.recognition.refinement.neighbours import least_certainty, mended, new_tiles
from tilekeeper.vision.recognition.refinement.outlines import outlines_px
from tilekeeper.vision.recognition.refinement.pale_ground import LONG, Ground, shares_px
from tilekeeper.vision.recognition.refinement.printed_places import about_figures, printed_places


def add_pale_places(namer: Namer, image_bgr: Image, found: Appearances) -> Appearances:
    """Return the looks at tiles found, and after them those at tiles on the pale table that none explains.

    What was found and named no tile explains its place as well as a tile does.
    """
    certainty = found.certainty()
    sure_px = found.quads_px[certainty >= limits.certain].astype(np.float64)
    if not len(sure_px):
        return found
    ground = Ground.of(image_bgr, sure_px, found.quads_px)
    quads, middles_px = _shapes(image_bgr, pale_places(ground), sure_px)
    of_figures = about_figures(printed_places(image_bgr, ground, sure_px), sure_px)
    quads = np.concatenate([quads, of_figures]).astype(np.float32)
    middles_px = np.concatenate([middles_px, centres_px(of_figures)])
    kept = shares_inside(quads, image_bgr.shape[1::-1]) >= limits.beside_inside
    quads, middles_px = quads[kept], middles_px[kept]
    if not len(quads):
        return found
    seen, units = mended(namer, image_bgr, quads), np.sqrt(areas_px(quads))
    least = np.where(seen.is_joker, limits.joker_least, least_certainty(seen, limits.pale_certain))
    there = seen.certainty() >= least
    there &= np.linalg.norm(centres_px(seen.quads_px) - middles_px, axis=1) < limits.pale_moved * units
    there &= np.abs(np.log(np.sqrt(areas_px(seen.quads_px)) / units)) < limits.beside_ill_sized * 2
    known, next_px = found.quads_px[certainty > 0], geometry_limits.next_tile * units / LONG
    return Appearances.joined([found, new_tiles(seen, there, known, known, next_px)])


def pale_places(ground: Ground) -> Floats:
    """Return the middles `(M, 2)`, in the picture, of pieces as pale as sure tiles near them and as large as one.

    The best come first: those that stand out most and in whose middle something is printed. A pattern has many places
    that stand out, but hardly one with print in it.
    """
    printed = np.minimum(shares_px(ground.ink, ground.square(limits.pale_print)) / limits.pale_printed, 1.0)
    unit, width = ground.unit_px, ground.unknown.shape[1]
    places: list[Floats] = [np.zeros((0, 2))]
    worths: list[Floats] = [np.zeros(0, np.float32)]
    for light, tint in limits.pale_levels:
        rest = morphology(ground.as_pale(light, tint).view(np.uint8), cv2.MORPH_CLOSE, 3) & ground.unknown
        near = shares_px(rest, ground.square(limits.pale_squares[0]))
        at = np.flatnonzero(near >= limits.pale_filled)  # in two dimensions NumPy takes ten times as long
        if not len(at):
            continue
        around = shares_px(rest, ground.square(limits.pale_squares[1]))
        at = at[(around[at] <= limits.pale_around) & (near[at] > around[at])]
        at = at[ground.peaks(at, near[at] - around[at])]
        places.append(_shifted(rest, np.column_stack([at % width, at // width]), limits.pale_reach * unit))
        worths.append(near[at] - around[at])
    middles = np.concatenate(places)
    x, y = np.clip(np.round(middles).astype(int), 0, np.array(ground.unknown.shape[::-1]) - 1).T
    worth = np.concatenate(worths) + printed[y * width + x]
    within_px = np.full(len(middles), limits.pale_apart * unit)
    best = one_each(np.arange(len(middles)), middles, within_px, worth, limits.pale_most)
    return ground.in_picture(middles[best])


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


def _shapes(image_bgr: Image, middles_px: Floats, sure_px: Floats) -> tuple[Floats, Floats]:
    """Return quads `(Q, 4, 2)` in which a tile may lie at middles `(M, 2)`, and which of these each is at, `(Q, 2)`.

    As the nearest sure tile lies, and turned on the table; and where a face can be made out, its outline, both ways.
    """
    turns, plane = limits.pale_turns, fit_plane(sure_px)
    like, aspect = shaped_as_nearest(middles_px, sure_px), TILE_ASPECT if plane is None else plane.aspect
    turned = turned_about(middles_px, axes_of(like, aspect), aspect, turns)
    outlines = outlines_px(image_bgr, like.astype(np.float32))
    owners = np.repeat(np.arange(len(middles_px)), [len(some) for some in outlines])
    faces = np.concatenate([np.zeros((0, 4, 2)), *outlines])
    quads = np.concatenate([turned.reshape(-1, 4, 2), faces, np.roll(faces, 1, axis=1)])
    return quads, middles_px[np.concatenate([np.repeat(np.arange(len(middles_px)), turns), owners, owners])]

"""Looks again at tiles whose quads lie askew: on their sides, off the table's plane, or anyhow.

The finder can't always tell which way a tile lies: of a 1 above a sign as dark as itself it sees the middle, and little
more. Such a find is cut out in the shape of the sure tiles near it, in eight directions, and where it lies by itself
along the outline of its face; the namer says which is right.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.proximity import same_place
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    axes_px,
    centres_px,
    distances_px,
    moved_by,
    sizes_wh_px,
)
from tilekeeper.vision.geometry.table_plane import TablePlane, axes_of, fit_plane
from tilekeeper.vision.recognition.appearance import Looked, Namer, name_upright, sureness_of_looks
from tilekeeper.vision.recognition.refinement.outlines import outlines_px
from tilekeeper.vision.types import JOKER


def look_upright(namer: Namer, image_bgr: Image, looked: Looked, found_px: Floats, known_px: Floats) -> None:
    """Look again, a quarter turned, at quads that lie on their sides, at jokers, and at what was found and is no tile.

    The finder took the long side for the short one, and the corners were mended all the same: a figure so squeezed
    looks like no tile, or like a joker's face. A joker's corners may have been mended to anything, so that it is also
    looked at where it was found, in the shape that a tile has there.
    """
    limits = config().refinement
    sureness = looked.sureness()
    plane = _plane(looked, sureness, known_px)
    lying = np.flatnonzero(_on_their_sides(looked.quads_px, plane))
    lying = lying[np.argsort(sureness[lying], kind="stable")][: limits.most_tiles]
    # seen from far aside a tile's long side may look the shorter one, and the plane not reach so far as to tell
    none = np.setdiff1d(np.flatnonzero(sureness == 0)[: limits.most_tiles], lying)
    whose = np.concatenate([lying, none])
    places = np.roll(np.concatenate([looked.quads_px[lying], found_px[none]]), 1, axis=1)
    if plane is not None:
        jokers = np.flatnonzero(_jokers(looked) & (sureness < limits.joker_certain))[: limits.most_tiles]
        astray = jokers[moved_by(found_px[jokers], looked.quads_px[jokers]) > limits.moved_away]
        middles = np.concatenate([centres_px(looked.quads_px[jokers]), centres_px(found_px[astray])])
        turned = np.roll(looked.quads_px[np.concatenate([jokers, astray])], 1, axis=1)
        whose = np.concatenate([whose, jokers, astray])
        flat = plane.shapes(middles, axes_of(turned, plane.aspect)).astype(np.float32)
        places = np.concatenate([places, flat])
    if not len(whose):
        return
    seen = name_upright(namer, image_bgr, places)
    # that it lies on its side speaks for the other look, as long as there is a plane that tells
    shaped = (np.arange(len(whose)) < len(lying)) & (plane is not None)
    least = np.where(shaped, np.minimum(sureness[whose], limits.upright_certain), sureness[whose])
    least += np.where(shaped | _jokers(looked)[whose] | _same(looked, whose, seen), 0.0, limits.gain)
    least = np.where(sureness[whose] > 0, least, to_be_believed(sureness[whose], _jokers(seen), limits.gain))
    # a number that can be read is none from the side, and a joker that still is one lies better as it lay
    least[_jokers(seen) & (sureness[whose] > 0)] = np.inf
    _take_surer(looked, whose, seen, least)


def _plane(looked: Looked, sureness: Floats, known_px: Floats) -> TablePlane | None:
    """The plane in which those named surely and the tiles that are known lie."""
    return fit_plane(_sure_px(looked, sureness, known_px))


def _sure_px(looked: Looked, sureness: Floats, known_px: Floats) -> Floats:
    limits = config().refinement
    return np.concatenate([looked.quads_px[sureness >= limits.certain], known_px])


def _jokers(looked: Looked) -> Bools:
    jokers: Bools = looked.number_log_probs.argmax(axis=1) == JOKER
    return jokers


def _same(looked: Looked, whose: Ints, seen: Looked) -> Bools:
    """Which looks see the number that their tile, of `whose (P,)`, has already, `(P,)` bool."""
    same: Bools = looked.number_log_probs.argmax(axis=1)[whose] == seen.number_log_probs.argmax(axis=1)
    return same


def to_be_believed(sureness: Floats | float, joker: Bools | bool, worth: Floats | float) -> Floats:
    """How sure another look must be at what was named with `sureness`, 0 for no tile; `joker` where it sees one."""
    limits = config().refinement
    least = np.where(np.asarray(sureness) > 0, sureness + np.asarray(worth), limits.from_none)
    return np.where(joker, np.maximum(least, limits.joker_least), least)


def _take_surer(looked: Looked, whose: Ints, seen: Looked, least: Floats) -> None:
    """Put the surest of the looks `seen (P,)` at each of the tiles `whose (P,)` in its place, if surer than `least`."""
    worth = np.where(seen.upside_down_log_odds > 0, 0.0, seen.sureness())
    worth[worth <= least] = 0.0
    for at in np.unique(whose[worth > 0]):
        mine = np.flatnonzero(whose == at)
        looked.take(np.array([at]), seen, mine[[worth[mine].argmax()]])


def _on_their_sides(quads_px: Floats, plane: TablePlane | None) -> Bools:
    """Which quads are wider than tiles are at their places, and a quarter turned would not be, `(N,)` bool."""
    limits = config().refinement
    if plane is None:
        sizes_wh = sizes_wh_px(quads_px)
        return sizes_wh[:, 0] > limits.lying_shape * sizes_wh[:, 1]
    upright, turned = plane.misfits(np.concatenate([quads_px, quads_px[:, [3, 0, 1, 2]]])).reshape(2, -1)
    return upright - turned > limits.quarter_turn_gain


def look_flat(namer: Namer, image_bgr: Image, looked: Looked, known_px: Floats) -> None:
    """Look again at what lies askew on the plane of the sure tiles, as it would lie there.

    Seen from far aside, most quads are a little too upright; each look shows the plane better.
    """
    limits = config().refinement
    for _ in range(limits.flat_rounds):
        sureness = looked.sureness()
        plane = _plane(looked, sureness, known_px)
        if plane is None:
            return
        at = np.flatnonzero(plane.misfits(looked.quads_px) > limits.off_plane)
        at = at[np.abs(plane.sizes(looked.quads_px[at])) < config().geometry.other_size]
        if not len(at):
            return
        quads_px = looked.quads_px[at]
        flat = plane.shapes(centres_px(quads_px), axes_of(quads_px, plane.aspect)).astype(np.float32)
        seen = namer(image_bgr, flat)
        better = np.flatnonzero(
            (sureness_of_looks(seen) > sureness[at] - limits.flat_loss) & (seen.upside_down_log_odds < 0)
        )
        looked.take(at[better], seen, better)


def look_round(namer: Namer, image_bgr: Image, looked: Looked, found_px: Floats, known_px: Floats) -> None:
    """Look at what can't be named, in the shape of the sure tiles near it, from all sides.

    What turned out to be no tile is looked at where it was found, too: its corners may have been mended to those of
    something else.
    """
    limits = config().refinement
    sureness = looked.sureness()
    askew = np.flatnonzero(sureness < limits.unnamed_below)[: limits.most_tiles]
    if not len(askew):
        return
    sure_px = _sure_px(looked, sureness, known_px)
    if len(sure_px) < limits.certain_fewest:
        return
    astray = askew[(sureness[askew] == 0) & (moved_by(found_px[askew], looked.quads_px[askew]) > limits.moved_away)]
    middles = np.concatenate([centres_px(looked.quads_px[askew]), centres_px(found_px[astray])])
    plane = fit_plane(sure_px)
    if plane is None:
        apart = distances_px(middles, centres_px(sure_px))
        places = _turned(sure_px[apart.argmin(axis=1)], middles)
    else:
        places = plane.turned(middles, limits.directions).astype(np.float32)
    whose = np.repeat(np.concatenate([askew, astray]), limits.directions)
    seen = name_upright(namer, image_bgr, places.reshape(-1, 4, 2))
    _take_surer(looked, whose, seen, to_be_believed(sureness[whose], _jokers(seen), limits.gain))


def look_between(namer: Namer, image_bgr: Image, looked: Looked, known_px: Floats) -> None:
    """Look half a tile to the left and to the right of what is no tile, and across that and what is hardly one.

    Of two tiles side by side, one of them on its head, the finder may see one that lies between them; or both together
    as one that lies on its side.
    """
    limits = config().refinement
    sureness = looked.sureness()
    at = np.flatnonzero(sureness < limits.between_below)
    at = at[np.argsort(sureness[at], kind="stable")][: limits.most_tiles]
    if not len(at):
        return
    plane = _plane(looked, sureness, known_px)
    quads = looked.quads_px[at]
    quads = np.concatenate([quads, np.roll(quads, 1, axis=1)])
    whose, across = np.tile(at, 2), np.repeat([False, True], len(at))
    kept = (sureness[whose] == 0) | across
    quads, whose, across = quads[kept], whose[kept], across[kept]
    if plane is not None:
        quads = plane.shapes(centres_px(quads), axes_of(quads, plane.aspect)).astype(np.float32)
    half = axes_px(quads)[0][:, None] / 2
    whose, places = np.tile(whose, 2), np.concatenate([quads - half, quads + half])
    seen = name_upright(namer, image_bgr, places)
    least = to_be_believed(sureness[whose], _jokers(seen), limits.gain)
    # with its corners mended it may turn out to be a tile that is known
    least[_are_known(seen, looked, whose, known_px, config().geometry.next_tile * sizes_wh_px(places)[:, 0])] = np.inf
    _take_surer(looked, whose, seen, least)


def _are_known(seen: Looked, looked: Looked, whose: Ints, known_px: Floats, within_px: Floats) -> Bools:
    """Which of the looks `seen (P,)` lie where a tile does that is not their own, of `whose (P,)`: `(P,)` bool."""
    tiles = np.flatnonzero(looked.sureness() > 0)
    known = np.concatenate([looked.quads_px[tiles], known_px])
    same = same_place(centres_px(seen.quads_px), centres_px(known), within_px[:, None])
    same[:, : len(tiles)] &= whose[:, None] != tiles[None]
    return np.asarray(same.any(axis=1))


def look_at_outlines(namer: Namer, image_bgr: Image, looked: Looked, found_px: Floats, known_px: Floats) -> None:
    """Look at what still can't be named along the outline of its face, where one can be made out.

    The tiles of a picture with few of them are looked at so wherever they are less than sure.
    """
    limits = config().refinement
    sureness = looked.sureness()
    plane = _plane(looked, sureness, known_px)
    asked = np.flatnonzero(sureness < (limits.outline_below if plane is None else limits.unnamed_below))[
        : limits.most_tiles
    ]
    if not len(asked):
        return
    astray = asked[moved_by(found_px[asked], looked.quads_px[asked]) > limits.moved_away]
    whose = np.concatenate([asked, astray])
    outlines = outlines_px(image_bgr, np.concatenate([looked.quads_px[asked], found_px[astray]]))
    whose = np.repeat(whose, [len(some) for some in outlines])
    faces = np.concatenate(outlines)
    # with its shorter side above, and with its longer one
    whose, places = np.tile(whose, 2), np.concatenate([faces, np.roll(faces, 1, axis=1)])
    if plane is not None:
        fits = plane.misfits(places) < limits.outline_off_plane
        whose, places = whose[fits], places[fits]
    if not len(whose):
        return
    seen = name_upright(namer, image_bgr, places)
    worth = np.where(_same(looked, whose, seen), 0.0, limits.gain)
    _take_surer(looked, whose, seen, to_be_believed(sureness[whose], _jokers(seen), worth))


def _turned(shapes_px: Floats, middles_px: Floats) -> Floats:
    """Quads of the shapes `(N, 4, 2)` about the middles `(N, 2)`, turned on the table: `(N, DIRECTIONS, 4, 2)`.

    A shape tells how the camera sees the table there: one step along a tile's width and one along its height.
    """
    limits = config().refinement
    across, down = axes_px(shapes_px)
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (1, TILE_ASPECT)
    turns = np.arange(limits.directions) * np.pi / limits.directions
    cos, sin = np.cos(turns), np.sin(turns)
    rotations = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
    on_table = corners @ rotations  # (DIRECTIONS, 4, 2)
    frames = np.stack([across, down / TILE_ASPECT], axis=1)
    quads: Floats = (middles_px[:, None, None] + on_table[None] @ frames[:, None]).astype(np.float32)
    return quads

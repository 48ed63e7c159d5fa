"""Generators of other quads for tiles that are named doubtfully, each for one way in which detection goes wrong.

The detector can't always tell which way a tile lies: of a 1 above a sign as dark as itself it finds the middle, and
little more. Or it takes the long side for the short one. Each generator takes what
is known of all tiles (`NamedTiles`) and returns proposals.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, are_among
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import MAX_SAME_SET_SIZE_LOG, axes_of, rotated_quads
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB
from tilekeeper.vision.recognition.refinement.outlines import outlines_px
from tilekeeper.vision.recognition.refinement.proposals import (
    MAX_REFINED_TILES,
    MIN_PROPOSAL_GAIN_PROB,
    NamedTiles,
    Proposals,
)

# A tile with a less likely label is classified again in other directions and along outlines.
MIN_READABLE_LABEL_PROB = 0.6
# Other directions are tried only if the frame has at least this many confident tiles.
MIN_CONFIDENT_TILES = 3
# A quad that differs more from the table plane's shape is classified again in that shape.
MAX_PLANE_MISFIT_LOG = 0.15
# The table plane's shape is accepted if it lowers the label probability by less than this.
MAX_PLANE_SHAPE_LOSS_PROB = 0.02
# A quad is sideways if a quarter turn reduces its misfit to the table plane by more than this.
MIN_QUARTER_TURN_GAIN_LOG = 0.2
# Without a table plane, a quad is sideways if its width is more than this times its height.
MIN_SIDEWAYS_ASPECT_RATIO = 1.15
# A less likely joker is also tried sideways. Measured: no number misread as a joker was above 0.93.
MIN_CONFIDENT_JOKER_PROB = 0.99
# This many directions within half a turn are tried for a tile that cannot be read.
PROPOSED_DIRECTION_COUNT = 8
# An outline is dropped if it differs from the table plane's shape by this or more.
MAX_OUTLINE_MISFIT_LOG = 0.3
# Without a table plane, tiles with a less likely label are classified again along outlines.
MAX_OUTLINED_LABEL_PROB = 0.95


def quarter_turned(tiles: NamedTiles) -> Proposals:
    """Propose a quarter turn for quads that lie on their sides, for jokers, and for what was found and is no tile.

    A figure squeezed into a quad on its side looks like no tile, or like a joker's face. The corners of a joker may
    have been moved to anything, so that it is also tried where it was detected.
    """
    lying = tiles.least_certain(np.flatnonzero(_on_their_sides(tiles)))
    if tiles.plane is None:
        gains = np.where(tiles.jokers[lying], 0.0, MIN_PROPOSAL_GAIN_PROB)
    else:  # the plane tells that it lies on its side, so that upright it need not be more certain
        gains = np.minimum(MIN_CONFIDENT_LABEL_PROB - tiles.certainty[lying], 0.0)
    # seen from far aside a tile's long side may look the shorter one, and the plane not reach so far as to tell
    none = np.flatnonzero(tiles.certainty == 0)[:MAX_REFINED_TILES]
    none = none[~are_among(none, lying)]
    found = [
        Proposals.of(lying, _turned(tiles.quads_px[lying]), gains, sideways=True),
        Proposals.of(none, _turned(tiles.found_px[none]), sideways=True),
    ]
    jokers = np.flatnonzero(tiles.jokers & (tiles.certainty < MIN_CONFIDENT_JOKER_PROB))[:MAX_REFINED_TILES]
    if tiles.plane is not None and len(jokers):
        astray = tiles.moved_away(jokers)
        owners = np.concatenate([jokers, astray])
        middles = np.concatenate([centres_px(tiles.quads_px[jokers]), centres_px(tiles.found_px[astray])])
        shapes = tiles.plane.shapes(middles, _turned(tiles.quads_px[owners]))
        found.append(Proposals.of(owners, shapes, 0.0, sideways=True))
    return Proposals.concatenate(found)


def on_the_plane(tiles: NamedTiles) -> Proposals:
    """Propose the shape of the plane for quads that differ from it: seen from far aside most are too upright."""
    if tiles.plane is None:
        return Proposals.none()
    at = np.flatnonzero(tiles.misfits > MAX_PLANE_MISFIT_LOG)
    if not len(at):
        return Proposals.none()
    at = at[np.abs(tiles.plane.size_deviations(tiles.quads_px[at])) < MAX_SAME_SET_SIZE_LOG]
    quads = tiles.quads_px[at]
    return Proposals.of(at, tiles.plane.shapes(centres_px(quads), quads), -MAX_PLANE_SHAPE_LOSS_PROB)


def in_all_directions(tiles: NamedTiles) -> Proposals:
    """Propose the shape that tiles have there, in all directions, for what can't be named.

    What turned out to be no tile is also tried where it was detected: its corners may have been moved to those of
    something else.
    """
    unnamed = np.flatnonzero(tiles.certainty < MIN_READABLE_LABEL_PROB)[:MAX_REFINED_TILES]
    if not len(unnamed) or len(tiles.certain_px) < MIN_CONFIDENT_TILES:
        return Proposals.none()
    astray = tiles.moved_away(unnamed[tiles.certainty[unnamed] == 0])
    middles = np.concatenate([centres_px(tiles.quads_px[unnamed]), centres_px(tiles.found_px[astray])])
    if tiles.plane is None:
        nearest = distances_px(middles, centres_px(tiles.certain_px)).argmin(axis=1)
        axes = axes_of(tiles.certain_px[nearest], TILE_ASPECT)
        quads = rotated_quads(middles, axes, TILE_ASPECT, PROPOSED_DIRECTION_COUNT)
    else:
        quads = tiles.plane.rotated_quads(middles, PROPOSED_DIRECTION_COUNT)
    owners = np.repeat(np.concatenate([unnamed, astray]), PROPOSED_DIRECTION_COUNT)
    return Proposals.of(owners, quads.reshape(-1, 4, 2))


def along_outlines(tiles: NamedTiles) -> Proposals:
    """Propose the outline of the face, where one can be made out, for what can't be named.

    In a picture of few tiles, which show no plane, it is proposed for all that are less than certain.
    """
    below = MAX_OUTLINED_LABEL_PROB if tiles.plane is None else MIN_READABLE_LABEL_PROB
    asked = np.flatnonzero(tiles.certainty < below)[:MAX_REFINED_TILES]
    if not len(asked):
        return Proposals.none()
    astray = tiles.moved_away(asked)
    outlines = outlines_px(tiles.image_bgr, np.concatenate([tiles.quads_px[asked], tiles.found_px[astray]]))
    owners = np.repeat(np.concatenate([asked, astray]), [len(some) for some in outlines])
    faces = np.concatenate(outlines)
    # with its shorter side above, and with its longer one
    owners, quads = np.tile(owners, 2), np.concatenate([faces, _turned(faces)])
    if tiles.plane is not None:
        fits = tiles.plane.misfits(quads) < MAX_OUTLINE_MISFIT_LOG
        owners, quads = owners[fits], quads[fits]
    return Proposals.of(owners, quads)


def _turned(quads_px: Floats) -> Floats:
    """Return quads `(N, 4, 2)` turned by a quarter."""
    return np.roll(quads_px, 1, axis=1)


def _on_their_sides(tiles: NamedTiles) -> Bools:
    """Return which quads are wider than tiles are at their places, and a quarter turned would not be, `(N,)` bool."""
    if tiles.plane is None:
        sizes_wh = sizes_wh_px(tiles.quads_px)
        return sizes_wh[:, 0] > MIN_SIDEWAYS_ASPECT_RATIO * sizes_wh[:, 1]
    turned: Bools = tiles.misfits - tiles.plane.misfits(_turned(tiles.quads_px)) > MIN_QUARTER_TURN_GAIN_LOG
    return turned

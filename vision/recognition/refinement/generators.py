"""Proposal generators: alternative quads for uncertain tiles, one function for each typical detection error.

The detector cannot always tell the direction of a tile: of a 1 above an equally dark sign it finds little more than the
centre. Or it confuses the long side with the short one.
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
    ClassifiedTiles,
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


def propose_quarter_turns(tiles: ClassifiedTiles) -> Proposals:
    """Propose a quarter turn for sideways quads, jokers and non-tiles.

    A number in a sideways quad resembles no tile, or a joker's face. The corners of a joker may have been moved to
    anything, so it is also proposed at its detected quad.
    """
    sideways = tiles.least_certain(np.flatnonzero(_are_sideways(tiles)))
    if tiles.plane is None:
        gains = np.where(tiles.jokers[sideways], 0.0, MIN_PROPOSAL_GAIN_PROB)
    else:  # the plane shows that it is sideways, so the upright label need not be more likely
        gains = np.minimum(MIN_CONFIDENT_LABEL_PROB - tiles.certainty[sideways], 0.0)
    # At a flat angle the long side may appear shorter, in places that the plane does not cover.
    non_tiles = np.flatnonzero(tiles.certainty == 0)[:MAX_REFINED_TILES]
    non_tiles = non_tiles[~are_among(non_tiles, sideways)]
    proposals = [
        Proposals.build(sideways, _quarter_turn(tiles.quads_px[sideways]), gains, sideways=True),
        Proposals.build(non_tiles, _quarter_turn(tiles.found_px[non_tiles]), sideways=True),
    ]
    jokers = np.flatnonzero(tiles.jokers & (tiles.certainty < MIN_CONFIDENT_JOKER_PROB))[:MAX_REFINED_TILES]
    if tiles.plane is not None and len(jokers):
        drifted = tiles.select_drifted(jokers)
        owners = np.concatenate([jokers, drifted])
        middles = np.concatenate([centres_px(tiles.quads_px[jokers]), centres_px(tiles.found_px[drifted])])
        shapes = tiles.plane.shapes(middles, _quarter_turn(tiles.quads_px[owners]))
        proposals.append(Proposals.build(owners, shapes, 0.0, sideways=True))
    return Proposals.concatenate(proposals)


def propose_plane_shapes(tiles: ClassifiedTiles) -> Proposals:
    """Propose the plane's shape for quads that differ from it; at a flat angle most detections are too upright."""
    if tiles.plane is None:
        return Proposals.empty()
    askew = np.flatnonzero(tiles.misfits > MAX_PLANE_MISFIT_LOG)
    if not len(askew):
        return Proposals.empty()
    askew = askew[np.abs(tiles.plane.size_deviations(tiles.quads_px[askew])) < MAX_SAME_SET_SIZE_LOG]
    quads = tiles.quads_px[askew]
    return Proposals.build(askew, tiles.plane.shapes(centres_px(quads), quads), -MAX_PLANE_SHAPE_LOSS_PROB)


def propose_all_directions(tiles: ClassifiedTiles) -> Proposals:
    """Propose the local tile shape in all directions for unreadable tiles.

    Non-tiles are also proposed at their detected place, because their corners may have been moved to something else.
    """
    unreadable = np.flatnonzero(tiles.certainty < MIN_READABLE_LABEL_PROB)[:MAX_REFINED_TILES]
    if not len(unreadable) or len(tiles.certain_px) < MIN_CONFIDENT_TILES:
        return Proposals.empty()
    drifted = tiles.select_drifted(unreadable[tiles.certainty[unreadable] == 0])
    middles = np.concatenate([centres_px(tiles.quads_px[unreadable]), centres_px(tiles.found_px[drifted])])
    if tiles.plane is None:
        nearest = distances_px(middles, centres_px(tiles.certain_px)).argmin(axis=1)
        axes = axes_of(tiles.certain_px[nearest], TILE_ASPECT)
        quads = rotated_quads(middles, axes, TILE_ASPECT, PROPOSED_DIRECTION_COUNT)
    else:
        quads = tiles.plane.rotated_quads(middles, PROPOSED_DIRECTION_COUNT)
    owners = np.repeat(np.concatenate([unreadable, drifted]), PROPOSED_DIRECTION_COUNT)
    return Proposals.build(owners, quads.reshape(-1, 4, 2))


def propose_outlines(tiles: ClassifiedTiles) -> Proposals:
    """Propose the outline of the face for unreadable tiles, if there is one.

    In an image with few tiles, which show no plane, it is proposed for all uncertain tiles.
    """
    max_certainty = MAX_OUTLINED_LABEL_PROB if tiles.plane is None else MIN_READABLE_LABEL_PROB
    uncertain = np.flatnonzero(tiles.certainty < max_certainty)[:MAX_REFINED_TILES]
    if not len(uncertain):
        return Proposals.empty()
    drifted = tiles.select_drifted(uncertain)
    outlines = outlines_px(tiles.image_bgr, np.concatenate([tiles.quads_px[uncertain], tiles.found_px[drifted]]))
    owners = np.repeat(np.concatenate([uncertain, drifted]), [len(quads_of_tile) for quads_of_tile in outlines])
    faces = np.concatenate(outlines)
    # Either side may be the top.
    owners, quads = np.tile(owners, 2), np.concatenate([faces, _quarter_turn(faces)])
    if tiles.plane is not None:
        fits = tiles.plane.misfits(quads) < MAX_OUTLINE_MISFIT_LOG
        owners, quads = owners[fits], quads[fits]
    return Proposals.build(owners, quads)


def _quarter_turn(quads_px: Floats) -> Floats:
    """Return quads `(N, 4, 2)` turned by a quarter."""
    return np.roll(quads_px, 1, axis=1)


def _are_sideways(tiles: ClassifiedTiles) -> Bools:
    """Return which quads are wider than tiles are there, and would fit better after a quarter turn, `(N,)` bool."""
    if tiles.plane is None:
        sizes_wh = sizes_wh_px(tiles.quads_px)
        return sizes_wh[:, 0] > MIN_SIDEWAYS_ASPECT_RATIO * sizes_wh[:, 1]
    result: Bools = tiles.misfits - tiles.plane.misfits(_quarter_turn(tiles.quads_px)) > MIN_QUARTER_TURN_GAIN_LOG
    return result

"""Finds what lies in a row like a tile and can't be named: the detector is sure of it, the classifier sees no tile.

Such a place is no reason to accuse anybody of a meld of two: it is read as a tile in doubt, which a person names or
calls none.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, are_among
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, free_places
from tilekeeper.vision.geometry.quads import as_quads, centres_px, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import shaped_as_nearest
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.scoring.candidates import NONE, Candidates, no_doubts
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_NOT_A_TILE, NOT_A_TILE, DoubtReason, in_inks, normalised

# A place with at least this detector score holds something, whatever the classifier says.
MIN_FIRM_DETECTION_SCORE = 0.8
# Weight of the log-probabilities of an unlabelled place in a row; a misplaced crop says little of its label.
UNLABELLED_LOG_PROB_WEIGHT = 0.25


HAIR = 1e-6
"""A difference of logarithms larger than rounding makes."""


def unnamed(candidates: Candidates, tiles: Tiles) -> Tiles:
    """Return a doubtful tile for each candidate that is none of `tiles` by name, and by its place in their rows is one.

    Its quad `(4, 2) float32` has the shape that a tile would have there, lying as the tile next to it does: its own
    corners were mended into nothing.
    """
    firm = (candidates.score >= MIN_FIRM_DETECTION_SCORE) & (candidates.person == NONE)
    firm &= ~candidates.hidden & ~are_among(candidates.track, tiles.track)
    sure_px = as_quads(tiles.quads_px[~tiles.doubtful] if firm.any() else ())
    if not len(sure_px):
        return tiles.at(slice(0))
    held = candidates.at(firm)
    middles = held.quads_px.astype(np.float64).mean(axis=1)
    quads_px = shaped_as_nearest(middles, sure_px)
    widths = sizes_wh_px(quads_px)[:, :1]
    free = free_places(middles, centres_px(tiles.quads_px), MIN_NEXT_TILE_DISTANCE_WIDTHS * widths)
    held, quads_px = held.at(free), quads_px[free]
    rows = group_rows(np.concatenate([quads_px, sure_px])) if len(held) else ()
    in_rows = np.array(sorted(at for row in rows if max(row) >= len(held) for at in row if at < len(held)), int)
    return _in_doubt(held.at(in_rows), quads_px[in_rows].astype(np.float32))


def _in_doubt(held: Candidates, quads_px: Floats) -> Tiles:
    numbers, inks = _flat(held.number_log_probs, NOT_A_TILE), _flat(held.ink_log_probs)
    log_probs = in_inks(numbers, inks)[:, :JOINT_NOT_A_TILE]
    likely, none = np.exp(log_probs.max(axis=1, initial=-np.inf)), np.full(len(held), JOINT_NOT_A_TILE)
    by_person, best = np.zeros(len(held), bool), log_probs.argmax(axis=1)
    aside = held.score, by_person, by_person, no_doubts(len(held))
    tiles = Tiles(held.track, quads_px, numbers, inks, numbers, inks, best, none, likely, *aside)
    tiles.doubt(~by_person, DoubtReason.HARDLY_A_TILE, JOINT_NOT_A_TILE)
    return tiles


def _flat(log_probs: Floats, even: int | None = None) -> Floats:
    """Return log-probabilities `(N, K)` nearly alike; that of `even` is a half, and a hair more."""
    flat: Floats = UNLABELLED_LOG_PROB_WEIGHT * log_probs
    if even is not None:
        # the hair keeps rounding from making a tile of what only its place speaks for
        flat[:, even] = np.logaddexp.reduce(np.delete(flat, even, axis=1), axis=1) + HAIR
    return normalised(flat)

"""Finds what lies in a row like a tile and can't be named: the detector is sure of it, the classifier sees no tile.

Such a place is no reason to accuse anybody of a meld of two: it is read as a tile in doubt, which a person names or
calls none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import as_quads, centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.types import (
    JOINT_NOT_A_TILE,
    NO_TILE_LABEL,
    NOT_A_TILE,
    Doubt,
    DoubtReason,
    Inks,
    ReadTile,
    Sighting,
    TileNames,
    label_of,
)


def unnamed(candidates: Sequence[Candidate], tiles: Sequence[ReadTile], inks: Inks) -> list[ReadTile]:
    """Return a doubtful tile for each candidate that is none of `tiles` by name, and by its place in their rows is one.

    Its quad `(4, 2) float32` has the shape that a tile would have there, lying as the tile next to it does: its own
    corners were mended into nothing.
    """
    limits = config().scoring
    named = {tile.sighting.track for tile in tiles}
    firm = [
        one
        for one in candidates
        if one.evidence.score >= limits.firm_score
        and one.standing is not Standing.FOREIGN
        and not one.hidden
        and one.person is None
        and one.track not in named
    ]
    sure_px = as_quads([tile.sighting.quad_px for tile in tiles if not tile.doubtful])
    if not firm or not len(sure_px):
        return []
    middles = as_quads([one.quad_px for one in firm]).mean(axis=1)
    quads_px = _shapes(middles, sure_px)
    taken = centres_px(as_quads([tile.sighting.quad_px for tile in tiles]))
    widths = sizes_wh_px(quads_px)[:, 0]
    free = distances_px(middles, taken).min(axis=1) >= limits.unnamed_apart * widths
    firm, quads_px = [one for one, is_free in zip(firm, free, strict=True) if is_free], quads_px[free]
    rows = group_rows(np.concatenate([quads_px, sure_px])) if firm else ()
    in_rows = {at for row in rows if max(row) >= len(firm) for at in row}
    return [_in_doubt(one, quads_px[at].astype(np.float32), inks) for at, one in enumerate(firm) if at in in_rows]


def _shapes(middles_px: np.ndarray, sure_px: np.ndarray) -> np.ndarray:
    """Return the quads `(N, 4, 2)` of tiles at the middles `(N, 2)` that lie as the nearest of the sure ones do."""
    known = centres_px(sure_px)
    nearest = distances_px(middles_px, known).argmin(axis=1)
    plane = fit_plane(sure_px)
    if plane is not None:
        return plane.shapes(middles_px, axes_of(sure_px[nearest], plane.aspect))
    moved: np.ndarray = sure_px[nearest] + (middles_px - known[nearest])[:, None]
    return moved


def _in_doubt(candidate: Candidate, quad_px: np.ndarray, inks: Inks) -> ReadTile:
    evidence = candidate.evidence
    names = TileNames(_flat(evidence.number_log_probs, NOT_A_TILE), _flat(evidence.ink_log_probs))
    best = int(names.log_probs[:JOINT_NOT_A_TILE].argmax())
    confidence = float(np.exp(names.log_probs[best]))
    sighting = Sighting(candidate.track, quad_px, names, score=evidence.score)
    doubts = (Doubt(DoubtReason.HARDLY_A_TILE, NO_TILE_LABEL),)
    return ReadTile(sighting, label_of(best, inks), confidence, NO_TILE_LABEL, doubts)


def _flat(log_probs: np.ndarray, even: int | None = None) -> np.ndarray:
    """Return log-probabilities nearly alike; the one of `even` is a half."""
    limits = config().scoring
    flat: np.ndarray = limits.unnamed_weight * log_probs
    if even is not None:
        flat[even] = np.logaddexp.reduce(np.delete(flat, even))
    flat -= np.logaddexp.reduce(flat)
    return flat

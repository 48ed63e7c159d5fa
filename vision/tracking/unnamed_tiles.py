"""Tells of things that lie in a row like tiles and can't be named: the finder is sure of them, the namer sees no tile.

Such a place is no reason to accuse anybody of a meld of two: it is told as a tile in doubt, which a person names or
calls none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilekeeper.vision.geometry.quads import as_quads, centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.layout.rows import group_rows
from tilekeeper.vision.tracking.reexamination import FIRM
from tilekeeper.vision.tracking.track import Track
from tilekeeper.vision.types import (
    JOINT_NOT_A_TILE,
    NO_TILE_LABEL,
    NOT_A_TILE,
    ReadTile,
    Sighting,
    TileNames,
    label_of,
)

APART = 0.6
"""In tile widths: where a tile is told nearer than this, the place is taken."""
FLAT = 0.25
"""Of what is seen there this share (of the logarithms) is believed: a misplaced cut says little of a name."""


def unnamed(tracks: Sequence[Track], tiles: Sequence[ReadTile], inks: tuple[str, str, str, str]) -> list[ReadTile]:
    """Return a doubtful tile for each of the tracks that is none of `tiles` by name, and by its place in their rows is.

    Its quad `(4, 2) float32` has the shape that a tile would have there, lying as the tile next to it does: its own
    corners were mended into nothing.
    """
    named = {tile.sighting.track for tile in tiles}
    firm = [
        track
        for track in tracks
        if track.evidence.score >= FIRM
        and not (track.foreign or track.hidden)
        and track.person is None
        and track.id not in named
    ]
    sure_px = as_quads([tile.sighting.quad_px for tile in tiles if not tile.doubtful])
    if not firm or not len(sure_px):
        return []
    middles = as_quads([track.quad_px for track in firm]).mean(axis=1)
    quads_px = _shapes(middles, sure_px)
    taken = centres_px(as_quads([tile.sighting.quad_px for tile in tiles]))
    widths = sizes_wh_px(quads_px)[:, 0]
    free = distances_px(middles, taken).min(axis=1) >= APART * widths
    firm, quads_px = [track for track, is_free in zip(firm, free, strict=True) if is_free], quads_px[free]
    rows = group_rows(np.concatenate([quads_px, sure_px])) if firm else ()
    in_rows = {at for row in rows if max(row) >= len(firm) for at in row}
    return [_in_doubt(track, quads_px[at].astype(np.float32), inks) for at, track in enumerate(firm) if at in in_rows]


def _shapes(middles_px: np.ndarray, sure_px: np.ndarray) -> np.ndarray:
    """Return the quads `(N, 4, 2)` of tiles at the middles `(N, 2)` that lie as the nearest of the sure ones do."""
    known = centres_px(sure_px)
    nearest = distances_px(middles_px, known).argmin(axis=1)
    plane = fit_plane(sure_px)
    if plane is None:
        return sure_px[nearest] + (middles_px - known[nearest])[:, None]
    return plane.shapes(middles_px, axes_of(sure_px[nearest], plane.aspect))


def _in_doubt(track: Track, quad_px: np.ndarray, inks: tuple[str, str, str, str]) -> ReadTile:
    names = TileNames(_flat(track.evidence.number_log_probs, NOT_A_TILE), _flat(track.evidence.ink_log_probs))
    best = int(names.log_probs[:JOINT_NOT_A_TILE].argmax())
    confidence = float(np.exp(names.log_probs[best]))
    sighting = Sighting(track.id, quad_px, names, score=track.evidence.score)
    return ReadTile(sighting, label_of(best, inks), confidence, NO_TILE_LABEL, True)


def _flat(log_probs: np.ndarray, even: int | None = None) -> np.ndarray:
    """Return log-probabilities nearly alike; the one of `even` is a half."""
    flat = FLAT * log_probs
    if even is None:
        return flat - np.logaddexp.reduce(flat)
    flat[even] = np.logaddexp.reduce(np.delete(flat, even))
    return flat - np.logaddexp.reduce(flat)

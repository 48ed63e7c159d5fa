"""Keeps a name that was sure once, so that the noise of one picture never turns a tile into another and back.

A name is locked once it was sure in several looks, and stays until it is clearly otherwise; a name that a person gave
stays as long as the tile does. In a table that is seen once no name is locked, and nothing changes.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Ints
from tilekeeper.vision.scoring.candidates import NONE, Candidates, certain, no_doubts
from tilekeeper.vision.scoring.tiles import Tiles

# A label can be locked after this many crops.
MIN_LOCK_CROPS = 2
# A label is locked at this many times the odds of the doubt limit; a locked one is doubtful at 1/this.
LOCK_ODDS_RATIO = 2.0
# A locked label with a lower probability is unlocked.
MIN_LOCKED_PROB = 0.4


def with_locked_names(tiles: Tiles, candidates: Candidates, doubtful_below: float) -> tuple[Tiles, Ints]:
    """Return the tiles with the names that are locked, and the names to lock from now on, `(N,)`, or `NONE`.

    `candidates` are those of the tiles, one each; a tile with less confidence than `doubtful_below` is in doubt.
    """
    locked, seen_as, every = candidates.locked, tiles.name, np.arange(len(tiles))
    likely = np.exp(tiles.log_probs[every, locked])
    stands = (locked != NONE) & ((locked == seen_as) | (likely >= MIN_LOCKED_PROB))
    held = tiles.copy()
    clear = stands & (tiles.confidence >= _at_odds(doubtful_below, 1 / LOCK_ODDS_RATIO))
    held.doubts[clear] = no_doubts(int(np.count_nonzero(clear)))
    other = stands & (locked != seen_as)
    held.rename(other, locked[other], likely[other])
    kept = (locked == held.name) & (held.confidence >= MIN_LOCKED_PROB)
    sure = ~held.doubtful & (held.confidence >= _at_odds(doubtful_below, LOCK_ODDS_RATIO))
    lock = np.where(kept, locked, np.where(sure & (candidates.looks >= MIN_LOCK_CROPS), seen_as, NONE))
    for at in np.flatnonzero(candidates.person != NONE):
        held.name[at], held.confidence[at], held.doubts[at], held.by_person[at] = candidates.person[at], 1.0, (), True
        held.number_log_probs[at], held.ink_log_probs[at] = certain(int(candidates.person[at]))
        held.own_number_log_probs[at], lock[at] = held.number_log_probs[at], NONE
    return held, lock


def _at_odds(chance: float, times: float) -> float:
    """Return the chance whose odds are so many times those of another."""
    return chance * times / (chance * times + 1 - chance)

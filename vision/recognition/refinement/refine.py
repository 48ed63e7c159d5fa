"""Names found tiles as they stand: turned where they are on their heads, looked at again where they lie askew."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import as_quads, moved_by, upside_down
from tilekeeper.vision.geometry.table_plane import straightened
from tilekeeper.vision.recognition.appearance import Looked, Namer, sureness_of_looks
from tilekeeper.vision.recognition.augmentation import cuts_of, mean_of_cuts
from tilekeeper.vision.recognition.refinement.askew import (
    look_at_outlines,
    look_between,
    look_flat,
    look_round,
    look_upright,
)
from tilekeeper.vision.recognition.refinement.joker_orientation import turned_as_rows
from tilekeeper.vision.types import JOKER, sureness_of


def look_at(
    namer: Namer,
    image_bgr: Image,
    found_px: Floats,
    known_px: Floats | None = None,
    once_px: Floats | None = None,
) -> Looked:
    """Name the tiles found at `found_px (N, 4, 2) float32`, N at least 1, and return the best look at each.

    `known_px (K, 4, 2)` are tiles that lie elsewhere in the picture: they tell, with those named surely, what shape a
    tile has where. What lies at `once_px (M, 4, 2)` is named as it is, with the first look at the others: it comes
    after them.
    """
    limits = config().refinement
    places = found_px if once_px is None else np.concatenate([found_px, once_px])
    first = Looked.of(namer(image_bgr, places))
    looked, once = first.parts(len(found_px))
    turned, moved, unsure = looked.upside_down_log_odds > 0, moved_by(found_px, looked.quads_px), _unsure(looked)
    again = np.flatnonzero(turned | (moved > limits.mend_always) | (unsure & (moved > limits.mend_moved)))
    for turn in range(limits.mend_rounds):
        if not len(again):
            break
        over, mended = looked.upside_down_log_odds[again] > 0, looked.quads_px[again]
        shown = np.where(over[:, None, None], upside_down(mended), mended)
        anew = namer(image_bgr, shown)
        # turned it must look less turned than before: else neither way is right, and it stays as it was found
        less = ~over | (anew.upside_down_log_odds < looked.upside_down_log_odds[again])
        # what was found far off may need more than one look to be mended; later ones may also lead astray
        better = np.flatnonzero(less & ((turn == 0) | (sureness_of_looks(anew) > looked.sureness()[again])))
        looked.take(again[better], anew, better)
        still = (moved_by(shown, anew.quads_px) > limits.mend_moved)[better] & _unsure(looked)[again[better]]
        again = again[better[still]]
    known = as_quads(() if known_px is None else known_px).astype(np.float32)
    look_upright(namer, image_bgr, looked, found_px, known)
    look_flat(namer, image_bgr, looked, known)
    look_round(namer, image_bgr, looked, found_px, known)
    look_between(namer, image_bgr, looked, known)
    look_at_outlines(namer, image_bgr, looked, found_px, known)
    looked.quads_px = straightened(looked.quads_px, looked.sureness() >= limits.certain)
    _turn_jokers(looked, known)
    _look_closer(namer, image_bgr, looked)
    return looked.with_more(once, np.arange(len(once.quads_px)))


def _unsure(looked: Looked) -> Bools:
    """Which are named less surely than `mend_below`, `(N,)` bool; what is surely no tile is sure."""
    limits = config().refinement
    unsure: Bools = np.exp(sureness_of(looked.number_log_probs, looked.ink_log_probs)) < limits.mend_below
    return unsure


def _turn_jokers(looked: Looked, known_px: Floats) -> None:
    """Turn jokers as the rows of sure tiles beside them lie, those of this picture and those that are known."""
    jokers = looked.number_log_probs.argmax(axis=1) == JOKER
    sure_px = looked.quads_px[(looked.sureness() >= config().refinement.certain) & ~jokers]
    looked.quads_px = turned_as_rows(looked.quads_px, jokers, np.concatenate([sure_px, known_px]))


def _look_closer(namer: Namer, image_bgr: Image, looked: Looked) -> None:
    """Look at other cuts of what is not quite sure, and name it by the mean of them; corners stay as they are."""
    limits = config().refinement
    sureness = looked.sureness()
    at = np.flatnonzero((sureness > 0) & (sureness < limits.cuts_below) & (looked.upside_down_log_odds <= 0))
    at = at[np.argsort(sureness[at], kind="stable")][: limits.cuts_most]
    if not len(at):
        return
    cuts = config().recognition.cuts
    seen = namer(image_bgr, cuts_of(looked.quads_px[at], np.zeros(len(at), int)).reshape(-1, 4, 2))
    for field in ("number_log_probs", "ink_log_probs", "figures"):
        of_cuts = mean_of_cuts(np.asarray(getattr(seen, field))) * cuts + getattr(looked, field)[at]
        of_cuts /= cuts + 1
        whole = 0 if field == "figures" else np.logaddexp.reduce(of_cuts, axis=1, keepdims=True)
        getattr(looked, field)[at] = of_cuts - whole

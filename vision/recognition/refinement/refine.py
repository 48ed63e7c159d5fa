"""Names found tiles as they stand: turned where they are on their heads, looked at again where they lie askew."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.geometry.table_plane import straightened
from tilekeeper.vision.recognition.appearance import Looked, Namer
from tilekeeper.vision.recognition.augmentation import cuts_of, mean_of_cuts
from tilekeeper.vision.recognition.refinement.generators import (
    along_outlines,
    in_all_directions,
    on_the_plane,
    quarter_turned,
)
from tilekeeper.vision.recognition.refinement.joker_orientation import turned_as_rows
from tilekeeper.vision.recognition.refinement.proposals import NamedTiles, Proposals, accept, mend, name_all
from tilekeeper.vision.types import JOKER

ROUNDS = ((quarter_turned, on_the_plane), (on_the_plane, in_all_directions, along_outlines))
"""What is proposed one after the other: the second round knows from the first what is still doubtful, and the plane."""


def name_tiles(
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
    places = found_px if once_px is None else np.concatenate([found_px, once_px])
    named, once = Looked.of(namer(image_bgr, places)).parts(len(found_px))
    named = mend(namer, image_bgr, named, found_px)
    known = as_quads(() if known_px is None else known_px).astype(np.float32)
    for generators in ROUNDS:
        before = NamedTiles.of(image_bgr, named, found_px, known)
        proposals = Proposals.joined(generator(before) for generator in generators)
        if len(proposals.owners):
            accept(named, before, proposals, name_all(namer, image_bgr, proposals))
    named.quads_px = straightened(named.quads_px, named.sureness() >= config().refinement.certain)
    _turn_jokers(named, known)
    _look_closer(namer, image_bgr, named)
    return named.with_more(once, np.arange(len(once.quads_px)))


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

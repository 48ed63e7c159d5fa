"""Names found tiles as they stand: turned where they are on their heads, looked at again where they lie askew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.geometry.table_plane import straighten
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB, Appearances, Classifier, classify_upright
from tilekeeper.vision.recognition.augmentation import AUGMENTED_CROP_COUNT, classify_augmented
from tilekeeper.vision.recognition.refinement.generators import (
    along_outlines,
    in_all_directions,
    on_the_plane,
    quarter_turned,
)
from tilekeeper.vision.recognition.refinement.joker_orientation import turned_as_rows
from tilekeeper.vision.recognition.refinement.proposals import NamedTiles, Proposals, accept, mend
from tilekeeper.vision.types import normalise_log_probs

# A tile with a less likely label is classified again with test-time augmentation.
MAX_AUGMENTED_LABEL_PROB = 0.97
# At most this many tiles get test-time augmentation, the least certain first.
MAX_AUGMENTED_TILES = 24


Generator = Callable[[NamedTiles], Proposals]
ROUNDS: tuple[tuple[Generator, ...], ...] = (
    (quarter_turned, on_the_plane),
    (on_the_plane, in_all_directions, along_outlines),
)
"""What is proposed one after the other: the second round knows from the first what is still doubtful, and the plane."""


def name_tiles(
    classifier: Classifier,
    image_bgr: Image,
    found_px: Floats,
    known_px: Floats | None = None,
    once_px: Floats | None = None,
) -> Appearances:
    """Name the tiles found at `found_px (N, 4, 2) float32`, N at least 1, and return the best look at each.

    `known_px (K, 4, 2)` are tiles that lie elsewhere in the picture: they tell, with those named surely, what shape a
    tile has where. What lies at `once_px (M, 4, 2)` is named as it is, with the first look at the others: it comes
    after them.
    """
    places = found_px if once_px is None else np.concatenate([found_px, once_px])
    every = classifier(image_bgr, places)
    named = mend(classifier, image_bgr, every.at(slice(len(found_px))), found_px)
    known = as_quads(() if known_px is None else known_px).astype(np.float32)
    before, refused = NamedTiles.of(image_bgr, named, found_px, known), set[Generator]()
    for generators in ROUNDS:
        # where nothing was accepted, the same would be proposed, and refused, once more
        proposals = Proposals.concatenate(
            [Proposals.none(), *(generator(before) for generator in generators if generator not in refused)]
        )
        refused |= set(generators)
        if len(proposals.owners) and accept(
            named, before, proposals, classify_upright(classifier, image_bgr, proposals.quads_px)
        ):
            before, refused = NamedTiles.of(image_bgr, named, found_px, known), set()
    certainty = named.certainty()
    named.quads_px = straighten(named.quads_px, certainty >= MIN_CONFIDENT_LABEL_PROB)
    _turn_jokers(named, certainty >= MIN_CONFIDENT_LABEL_PROB, known)
    _look_closer(classifier, image_bgr, named, certainty)
    return Appearances.concatenate([named, every.at(slice(len(found_px), None))])


def _turn_jokers(named: Appearances, sure: Bools, known_px: Floats) -> None:
    """Turn jokers as the rows of `sure (N,)` tiles beside them lie, those of this picture and those that are known."""
    jokers = named.is_joker
    if jokers.any():
        others_px = np.concatenate([named.quads_px[sure & ~jokers], known_px])
        named.quads_px = turned_as_rows(named.quads_px, jokers, others_px)


def _look_closer(classifier: Classifier, image_bgr: Image, named: Appearances, sureness: Floats) -> None:
    """Look at other cuts of what is not quite sure, and name it by the mean of them; corners stay as they are."""
    at = np.flatnonzero((sureness > 0) & (sureness < MAX_AUGMENTED_LABEL_PROB) & (named.upside_down_log_odds <= 0))
    at = at[np.argsort(sureness[at], kind="stable")][:MAX_AUGMENTED_TILES]
    if not len(at):
        return
    cuts = AUGMENTED_CROP_COUNT
    seen = classify_augmented(classifier, image_bgr, named.quads_px[at], np.zeros(len(at), int))
    for field in ("number_log_probs", "ink_log_probs", "figures"):
        of_cuts = (getattr(seen, field) * cuts + getattr(named, field)[at]) / (cuts + 1)
        getattr(named, field)[at] = of_cuts if field == "figures" else normalise_log_probs(of_cuts)

"""Classification with refinement: turn upside-down tiles, correct quads, average uncertain tiles over crops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.geometry.quads import as_quads
from tilekeeper.vision.geometry.table_plane import straighten
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB, Appearances, Classifier, classify_upright
from tilekeeper.vision.recognition.augmentation import AUGMENTED_CROP_COUNT, classify_augmented
from tilekeeper.vision.recognition.refinement.generators import (
    propose_all_directions,
    propose_outlines,
    propose_plane_shapes,
    propose_quarter_turns,
)
from tilekeeper.vision.recognition.refinement.joker_orientation import align_jokers
from tilekeeper.vision.recognition.refinement.proposals import ClassifiedTiles, Proposals, accept, refine_corners
from tilekeeper.vision.types import normalise_log_probs

# A tile with a less likely label is classified again with test-time augmentation.
MAX_AUGMENTED_LABEL_PROB = 0.97
# At most this many tiles get test-time augmentation, the least certain first.
MAX_AUGMENTED_TILES = 24

Generator = Callable[[ClassifiedTiles], Proposals]
ROUNDS: tuple[tuple[Generator, ...], ...] = (
    (propose_quarter_turns, propose_plane_shapes),
    (propose_plane_shapes, propose_all_directions, propose_outlines),
)
"""Generators of each round; the second round uses the plane and the certainty of the first."""


def classify_tiles(
    classifier: Classifier,
    image_bgr: Image,
    found_px: Floats,
    known_px: Floats | None = None,
    once_px: Floats | None = None,
) -> Appearances:
    """Classify the tiles at `found_px (N, 4, 2) float32`, N at least 1, and refine them.

    `classifier`: the classifier; `image_bgr`: the image; `found_px`: detected quads; `known_px`: certain tiles
    elsewhere in the image, `(K, 4, 2)`, which also show the plane; `once_px`: quads `(M, 4, 2)` that are classified
    once in the same batch and not refined (they follow in the result).
    """
    quads_px = found_px if once_px is None else np.concatenate([found_px, once_px])
    appearances = classifier(image_bgr, quads_px)
    tiles = refine_corners(classifier, image_bgr, appearances.at(slice(len(found_px))), found_px)
    known_quads = as_quads(() if known_px is None else known_px).astype(np.float32)
    before, exhausted = ClassifiedTiles.summarise(image_bgr, tiles, found_px, known_quads), set[Generator]()
    for generators in ROUNDS:
        # Without an accepted proposal, a generator would propose the same again.
        proposals = Proposals.concatenate(
            [Proposals.empty(), *(generator(before) for generator in generators if generator not in exhausted)]
        )
        exhausted |= set(generators)
        if len(proposals.owners) and accept(
            tiles, before, proposals, classify_upright(classifier, image_bgr, proposals.quads_px)
        ):
            before, exhausted = ClassifiedTiles.summarise(image_bgr, tiles, found_px, known_quads), set()
    certainty = tiles.certainty()
    tiles.quads_px = straighten(tiles.quads_px, certainty >= MIN_CONFIDENT_LABEL_PROB)
    _turn_jokers(tiles, certainty >= MIN_CONFIDENT_LABEL_PROB, known_quads)
    _average_over_crops(classifier, image_bgr, tiles, certainty)
    return Appearances.concatenate([tiles, appearances.at(slice(len(found_px), None))])


def _turn_jokers(tiles: Appearances, is_sure: Bools, known_px: Floats) -> None:
    """Align jokers with the rows of the certain tiles `is_sure (N,)` and of the known tiles."""
    jokers = tiles.is_joker
    if jokers.any():
        others_px = np.concatenate([tiles.quads_px[is_sure & ~jokers], known_px])
        tiles.quads_px = align_jokers(tiles.quads_px, jokers, others_px)


def _average_over_crops(classifier: Classifier, image_bgr: Image, tiles: Appearances, certainty: Floats) -> None:
    """Average the labels of uncertain tiles over jittered crops (test-time augmentation); corners stay."""
    at = np.flatnonzero((certainty > 0) & (certainty < MAX_AUGMENTED_LABEL_PROB) & (tiles.upside_down_log_odds <= 0))
    at = at[np.argsort(certainty[at], kind="stable")][:MAX_AUGMENTED_TILES]
    if not len(at):
        return
    crop_count = AUGMENTED_CROP_COUNT
    augmented = classify_augmented(classifier, image_bgr, tiles.quads_px[at], np.zeros(len(at), int))
    for column in ("number_log_probs", "ink_log_probs", "figures"):
        mean = (getattr(augmented, column) * crop_count + getattr(tiles, column)[at]) / (crop_count + 1)
        getattr(tiles, column)[at] = mean if column == "figures" else normalise_log_probs(mean)

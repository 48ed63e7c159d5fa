"""Classification with refinement: turn upside-down tiles, correct quads, average uncertain tiles over crops."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import TILE_ASPECT, as_quads, axes_px, centres_px, homographies, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import straighten
from tilekeeper.vision.imaging import project
from tilekeeper.vision.recognition.appearance import (
    AUGMENTED_CROP_COUNT,
    MIN_CONFIDENT_LABEL_PROB,
    Appearances,
    Classifier,
    classify_augmented,
    classify_upright,
)
from tilekeeper.vision.recognition.refinement.generators import ROUNDS, Generator
from tilekeeper.vision.recognition.refinement.proposals import ClassifiedTiles, Proposals, accept, refine_corners
from tilekeeper.vision.types import normalise_log_probs

MAX_JOKER_ROW_DISTANCE_WIDTHS = 1.6  # A joker belongs to the row of a tile at most this far away, centre to centre.
JOKER_NEIGHBOUR_RANGE_WIDTHS = (0.7, 1.35)  # A joker is beside a tile if their sideways centre distance is in range.
MAX_JOKER_ROW_OFFSET_WIDTHS = 0.45  # A joker in a tile's row has its centre less than this above or below.
ROW_PITCH_WIDTHS = 1.03
MAX_JOKER_SNAP_WIDTHS = 0.3  # A joker this near the row pitch is moved onto it, because turned quads are shifted too.


def align_jokers(quads_px: Floats, jokers: Bools, others_px: Floats) -> Floats:
    """Return the quads `(N, 4, 2)`, in which each joker that lies across its row is turned along the row.

    `jokers (N,)`: mask; `others_px (M, 4, 2)`: tiles of known direction. A joker belongs to the row of the nearest tile
    beside it. If it is turned by 90° against that tile, it gets that tile's shape, unless another tile is there.
    """
    neighbours = as_quads(others_px)
    if not jokers.any() or not len(neighbours):
        return quads_px
    aligned = np.array(quads_px, np.float32)
    middles, widths = centres_px(neighbours), sizes_wh_px(neighbours)[:, 0]
    for joker in np.flatnonzero(jokers):
        middle = centres_px(aligned[joker][None])[0]
        distances = np.linalg.norm(middles - middle, axis=1) / np.maximum(widths, 1e-6)
        for near in np.argsort(distances)[:2]:
            if distances[near] > MAX_JOKER_ROW_DISTANCE_WIDTHS:
                break
            frame = homographies(neighbours[near][None])[0]
            x, y = project(middle[None], frame)[0] - (0.5, TILE_ASPECT / 2)
            is_beside = JOKER_NEIGHBOUR_RANGE_WIDTHS[0] < abs(x) < JOKER_NEIGHBOUR_RANGE_WIDTHS[1]
            if not is_beside or abs(y) >= MAX_JOKER_ROW_OFFSET_WIDTHS:
                continue  # above, below or at a corner of that tile
            across, _ = axes_px(project(aligned[joker], frame))
            if abs(across[0]) < abs(across[1]):
                if abs(abs(x) - ROW_PITCH_WIDTHS) < MAX_JOKER_SNAP_WIDTHS:
                    x = np.sign(x) * ROW_PITCH_WIDTHS
                corners = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]], np.float32)
                quad = project(corners + np.array([x, y], np.float32), np.linalg.inv(frame))
                rest = np.delete(middles, near, axis=0)
                if are_free(quad.mean(axis=0)[None], rest, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[near])[0]:
                    aligned[joker] = quad
            break  # the joker belongs to this row
    return aligned


MAX_AUGMENTED_LABEL_PROB = 0.97  # A tile with a less likely label is classified again with test-time augmentation.
MAX_AUGMENTED_TILES = 24


def classify_tiles(
    classifier: Classifier,
    image_bgr: Image,
    found_px: Floats,
    known_px: Floats | None = None,
    once_px: Floats | None = None,
) -> Appearances:
    """Classify the tiles detected at `found_px (N, 4, 2) float32`, N at least 1, and refine them.

    `known_px`: certain tiles elsewhere in the image, `(K, 4, 2)`, which help to fit the plane; `once_px`: quads
    `(M, 4, 2)` that are classified in the same batch but not refined. Returns N tiles and, after them, these M.
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
        if not len(proposals):
            continue
        if accept(tiles, before, proposals, classify_upright(classifier, image_bgr, proposals.quads_px)):
            before, exhausted = ClassifiedTiles.summarise(image_bgr, tiles, found_px, known_quads), set()
    certainty, jokers = tiles.certainty(), tiles.is_joker
    is_sure = certainty >= MIN_CONFIDENT_LABEL_PROB
    straight_px = straighten(tiles.quads_px, is_sure)
    others_px = np.concatenate([straight_px[is_sure & ~jokers], known_quads])
    tiles.quads_px = align_jokers(straight_px, jokers, others_px)
    _average_over_crops(classifier, image_bgr, tiles, certainty)
    return Appearances.concatenate([tiles, appearances.at(slice(len(found_px), None))])


def _average_over_crops(classifier: Classifier, image_bgr: Image, tiles: Appearances, certainty: Floats) -> None:
    """Test-time augmentation: average the labels of uncertain tiles over jittered crops, in place; corners stay."""
    at = np.flatnonzero((certainty > 0) & (certainty < MAX_AUGMENTED_LABEL_PROB) & (tiles.upside_down_log_odds <= 0))
    at = at[np.argsort(certainty[at], kind="stable")][:MAX_AUGMENTED_TILES]
    if not len(at):
        return
    augmented = classify_augmented(classifier, image_bgr, tiles.quads_px[at], np.zeros(len(at), int))
    for column in ("number_log_probs", "ink_log_probs", "figures"):
        sums = getattr(augmented, column) * AUGMENTED_CROP_COUNT + getattr(tiles, column)[at]
        mean = sums / (AUGMENTED_CROP_COUNT + 1)
        getattr(tiles, column)[at] = mean if column == "figures" else normalise_log_probs(mean)

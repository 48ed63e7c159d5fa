"""Classification with refinement: turn upside-down tiles, correct quads, average uncertain tiles over crops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    homographies,
    sizes_wh_px,
)
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
from tilekeeper.vision.recognition.refinement.generators import (
    propose_all_directions,
    propose_outlines,
    propose_plane_shapes,
    propose_quarter_turns,
)
from tilekeeper.vision.recognition.refinement.proposals import ClassifiedTiles, Proposals, accept, refine_corners
from tilekeeper.vision.types import normalise_log_probs

# A joker belongs to the row of a tile at most this far away, centre to centre.
MAX_JOKER_ROW_DISTANCE_WIDTHS = 1.6
# A joker is beside a tile if the sideways distance between their centres is in this range.
JOKER_NEIGHBOUR_RANGE_WIDTHS = (0.7, 1.35)
# A joker is in a tile's row if its centre is less than this above or below the tile's centre.
MAX_JOKER_ROW_OFFSET_WIDTHS = 0.45
# Usual distance between the centres of neighbouring tiles in a row.
ROW_PITCH_WIDTHS = 1.03
# A joker less than this off the row pitch is moved onto it, because turned quads are shifted as well.
MAX_JOKER_SNAP_WIDTHS = 0.3


def align_jokers(quads_px: Floats, jokers: Bools, others_px: Floats) -> Floats:
    """Return the quads `(N, 4, 2)` in which `jokers (N,)` bool that lie across their rows are turned along them.

    `others_px (M, 4, 2)` are tiles of known direction. A joker belongs to the row of the nearest tile that it is level
    with. If it is turned by a quarter against that tile, it gets that tile's shape, unless another tile is there.
    """
    joker_indices, neighbours = np.flatnonzero(jokers), as_quads(others_px)
    if not len(joker_indices) or not len(neighbours):
        return quads_px
    aligned = np.array(quads_px, np.float32)
    middles, widths = centres_px(neighbours), sizes_wh_px(neighbours)[:, 0]
    for joker in joker_indices:
        middle = centres_px(aligned[joker][None])[0]
        distances = np.linalg.norm(middles - middle, axis=1) / np.maximum(widths, 1e-6)
        for near in np.argsort(distances)[:2]:
            if distances[near] > MAX_JOKER_ROW_DISTANCE_WIDTHS:
                break
            frame = homographies(neighbours[near][None])[0]
            offset = _offset_in_row(frame, middle)
            if offset is None:
                continue  # above, below or at a corner of that tile
            if _is_across(frame, aligned[joker]):
                quad = _quad_at(frame, offset)
                rest = np.delete(middles, near, axis=0)
                if are_free(quad.mean(axis=0)[None], rest, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[near])[0]:
                    aligned[joker] = quad
            break  # the joker belongs to this row
    return aligned


def _offset_in_row(frame: Floats, middle_px: Floats) -> Floats | None:
    """Return a joker's centre in the frame of a tile of its row; None if it is not in that row."""
    x, y = project(middle_px[None], frame)[0] - (0.5, TILE_ASPECT / 2)
    if not (
        JOKER_NEIGHBOUR_RANGE_WIDTHS[0] < abs(x) < JOKER_NEIGHBOUR_RANGE_WIDTHS[1]
        and abs(y) < MAX_JOKER_ROW_OFFSET_WIDTHS
    ):
        return None
    return np.array([np.sign(x) * ROW_PITCH_WIDTHS if abs(abs(x) - ROW_PITCH_WIDTHS) < MAX_JOKER_SNAP_WIDTHS else x, y])


def _is_across(frame: Floats, quad_px: Floats) -> bool:
    """Return whether a quad `(4, 2)` is turned by about a quarter against the tile with this frame."""
    corners = project(quad_px, frame)
    across, _ = axes_px(corners)
    return bool(abs(across[0]) < abs(across[1]))


def _quad_at(frame: Floats, offset: Floats) -> Floats:
    """Return the quad `(4, 2) float32` of a tile at an offset in the frame of another."""
    corners = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]], np.float32) + offset.astype(np.float32)
    return project(corners, np.linalg.inv(frame))


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

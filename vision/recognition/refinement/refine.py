"""Refinement: turn upside-down tiles, correct quads, and average uncertain tiles over crops.

A tile gets another quad in one way only: alternative quads are proposed, one function for each typical detection error,
classified in one batch, and accepted by one rule. The detector cannot always tell which way up a tile is: on a 1 above
a dark mark it finds little more than the centre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints, normalise_log_probs
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    corner_shifts,
    distances_px,
    homographies,
    sizes_wh_px,
    turn_upside_down,
)
from tilekeeper.vision.geometry.table_plane import (
    MAX_SAME_SET_SIZE_LOG,
    TablePlane,
    fit_plane,
    rotated_tile_shapes,
    straighten,
)
from tilekeeper.vision.imaging import project
from tilekeeper.vision.recognition.classifier import (
    AUGMENTED_CROP_COUNT,
    Classifier,
    classify_augmented,
    classify_upright,
)
from tilekeeper.vision.tile_table import (
    MIN_CONFIDENT_LABEL_PROB,
    MIN_FLAGGED_LABEL_PROB,
    Appearances,
    best_label_log_probs,
)

MIN_PROPOSED_JOKER_PROB = 0.97  # A joker at a proposed quad must be at least this likely; non-tiles resemble jokers.
MIN_CORNER_DRIFT_WIDTHS = 0.06  # A tile whose corners were moved by more on average is also tried as detected.
MAX_REFINED_TILES = 12  # Each proposal generator refines at most this many; more take longer than the rest of a reading
MIN_PROPOSAL_GAIN_PROB = 0.2  # A proposed quad replaces the tile's own if its label is likelier by more than this.
MIN_RECOVERED_TILE_PROB = 0.85  # A proposed quad replaces one that shows no tile if its label is likelier than this.
CORNER_REFINEMENT_ROUNDS = 3  # A tile is classified again at its moved corners for at most this many rounds.
MIN_CORNER_SHIFT_WIDTHS = 0.06  # Uncertain tiles are tried again if corners (a missed tile's centre) move by more.
MAX_REFINED_LABEL_PROB = 0.98  # A likelier label is classified again only beyond MIN_FORCED_REFINE_SHIFT_WIDTHS.
MIN_FORCED_REFINE_SHIFT_WIDTHS = 0.15  # A tile whose corners move by more is classified again, whatever its label.
MIN_READABLE_LABEL_PROB = 0.6  # A tile with a less likely label is tried again in other directions.
MIN_CONFIDENT_TILES = 3  # Other directions are tried only if the frame has at least this many confident tiles.
MAX_PLANE_MISFIT_LOG = 0.15  # A quad that differs more from the table plane's shape is classified again in that shape.
MAX_PLANE_SHAPE_LOSS_PROB = 0.02  # The table plane's shape is accepted if it lowers the label probability by less.
PROPOSED_DIRECTION_COUNT = 8  # This many directions within half a turn are tried for a tile that cannot be read.
MAX_AUGMENTED_LABEL_PROB = 0.97  # A tile with a less likely label is classified again with test-time augmentation.
MAX_AUGMENTED_TILES = 24
MAX_JOKER_ROW_DISTANCE_WIDTHS = 1.6  # A joker belongs to the row of a tile at most this far away, centre to centre.
JOKER_NEIGHBOUR_RANGE_WIDTHS = (0.7, 1.35)  # A joker is beside a tile if their sideways centre distance is in range.
MAX_JOKER_ROW_OFFSET_WIDTHS = 0.45  # A joker in a tile's row has its centre less than this above or below.
ROW_PITCH_WIDTHS = 1.03
MAX_JOKER_SNAP_WIDTHS = 0.3  # A joker this near the row pitch is moved onto it, because turned quads are shifted too.


@dataclass(frozen=True, slots=True, eq=False)
class ClassifiedTiles:
    """State of the N tiles of an image before a round of proposals.

    `image_bgr`: the image; `quads_px (N, 4, 2)`: corners as corrected by the network; `found_px (N, 4, 2)`: corners as
    detected; `known_px (K, 4, 2)`: certain tiles elsewhere in the image; `certainty (N,)`: probability of the label, 0
    for a non-tile; `certain_px`: quads of all certain tiles; `plane`: the plane of the certain tiles, None if they show
    none; `misfits (N,)`: deviation of each quad from the plane, a natural logarithm.
    """

    image_bgr: Image
    quads_px: Floats
    found_px: Floats
    known_px: Floats
    certainty: Floats
    certain_px: Floats
    plane: TablePlane | None
    misfits: Floats

    @classmethod
    def summarise(cls, image_bgr: Image, tiles: Appearances, found_px: Floats, known_px: Floats) -> ClassifiedTiles:
        """Return the state of the classified `tiles`, which were detected at `found_px (N, 4, 2)`."""
        certainty = tiles.certainty()
        certain_px = np.concatenate([tiles.quads_px[certainty >= MIN_CONFIDENT_LABEL_PROB], known_px])
        plane, quads_px = fit_plane(certain_px), tiles.quads_px.copy()
        misfits = np.zeros(len(quads_px)) if plane is None else plane.misfits(quads_px)
        return cls(image_bgr, quads_px, found_px, known_px, certainty, certain_px, plane, misfits)

    def with_detected(self, indices: Ints, drifting: Ints) -> tuple[Ints, Floats]:
        """Return indices and quads: the tiles `indices`, then, as detected, `drifting` tiles whose corners moved."""
        shifts = corner_shifts(self.found_px[drifting], self.quads_px[drifting])
        drifted = drifting[shifts > MIN_CORNER_DRIFT_WIDTHS]
        return np.concatenate([indices, drifted]), np.concatenate([self.quads_px[indices], self.found_px[drifted]])


@dataclass(frozen=True, slots=True, eq=False)
class Proposals(Columns):
    """P quads to classify.

    `owners (P,)`: index of each quad's tile; `quads_px (P, 4, 2)`; `gains (P,)`: by how much a quad must be more
    certain than its tile to be accepted, below 0 if it may be less certain.
    """

    owners: Ints
    quads_px: Floats
    gains: Floats

    @classmethod
    def empty(cls) -> Proposals:
        return cls.build(np.zeros(0, int), np.zeros((0, 4, 2)))

    @classmethod
    def build(cls, owners: Ints, quads_px: Floats, gain: float = MIN_PROPOSAL_GAIN_PROB) -> Proposals:
        """Return proposals that all need the same gain."""
        return cls(owners, quads_px.astype(np.float32), np.full(len(owners), gain))


def propose_plane_shapes(tiles: ClassifiedTiles) -> Proposals:
    """Propose the table plane's shape for quads that differ from it; at a flat angle most detections are too high."""
    askew = np.flatnonzero(tiles.misfits > MAX_PLANE_MISFIT_LOG)
    if tiles.plane is None or not len(askew):
        return Proposals.empty()
    askew = askew[np.abs(tiles.plane.size_deviations(tiles.quads_px[askew])) < MAX_SAME_SET_SIZE_LOG]
    quads = tiles.quads_px[askew]
    return Proposals.build(askew, tiles.plane.shapes(centres_px(quads), quads), -MAX_PLANE_SHAPE_LOSS_PROB)


def propose_all_directions(tiles: ClassifiedTiles) -> Proposals:
    """Propose the local tile shape in all directions for unreadable tiles.

    For non-tiles the detected place is proposed as well, because their corners may have been moved to another object.
    """
    unreadable = np.flatnonzero(tiles.certainty < MIN_READABLE_LABEL_PROB)[:MAX_REFINED_TILES]
    if not len(unreadable) or len(tiles.certain_px) < MIN_CONFIDENT_TILES:
        return Proposals.empty()
    owners, quads = tiles.with_detected(unreadable, unreadable[tiles.certainty[unreadable] == 0])
    quads = rotated_tile_shapes(centres_px(quads), tiles.certain_px, PROPOSED_DIRECTION_COUNT)
    return Proposals.build(np.repeat(owners, PROPOSED_DIRECTION_COUNT), quads.reshape(-1, 4, 2))


Generator = Callable[[ClassifiedTiles], Proposals]
ROUNDS: tuple[tuple[Generator, ...], ...] = (
    (propose_plane_shapes,),
    (propose_plane_shapes, propose_all_directions),
)
"""Generators of each round; the second round uses the plane and the certainty of the first."""


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
    certainty, jokers = before.certainty, tiles.is_joker
    is_sure = certainty >= MIN_CONFIDENT_LABEL_PROB
    straight_px = straighten(tiles.quads_px, is_sure)
    others_px = np.concatenate([straight_px[is_sure & ~jokers], known_quads])
    tiles.quads_px = align_jokers(straight_px, jokers, others_px)
    _average_over_crops(classifier, image_bgr, tiles, certainty)
    return Appearances.concatenate([tiles, appearances.at(slice(len(found_px), None))])


def accept(tiles: Appearances, before: ClassifiedTiles, proposals: Proposals, answers: Appearances) -> bool:
    """Replace each tile by its most certain answer `(P,)` if that is certain enough; return whether any was replaced.

    An answer must be more certain than the tile by the proposal's gain, or just as certain if the label stays;
    non-tiles and jokers have other thresholds. Upside-down answers, and those at another tile's place, are refused.
    """
    owners, current = proposals.owners, before.certainty[proposals.owners]
    is_same = tiles.number_log_probs.argmax(axis=1)[owners] == answers.number_log_probs.argmax(axis=1)
    needed = required_certainty(current, answers, np.where(is_same, np.minimum(proposals.gains, 0.0), proposals.gains))
    # Proposals of the plane's shape have a gain below 0; they are accepted even if the label changes.
    needed = np.where(proposals.gains <= 0, current + proposals.gains, needed)
    # An answer that is still upside down is not read correctly.
    is_refused = (answers.upside_down_log_odds > 0) | _are_at_other_tiles(before, proposals, answers)
    certainty = answers.certainty()
    scores = np.where(is_refused | (certainty <= needed), 0.0, certainty)
    accepted = np.unique(owners[scores > 0])
    tiles.put(accepted, answers.at(np.where(owners == accepted[:, None], scores, -1.0).argmax(axis=1)))
    return len(accepted) > 0


def required_certainty(certainty: Floats, answers: Appearances, gain: Floats | float) -> Floats:
    """Return the certainty `(N,)` that answers at other quads need to replace tiles with `certainty (N,)`.

    `gain`: by how much they must be more certain. Jokers need more, because non-tiles resemble jokers. A non-tile whose
    answer is surely a numbered tile needs little, because a question is better than a missed tile.
    """
    needed = np.where(certainty > 0, certainty + gain, MIN_RECOVERED_TILE_PROB)
    needed = np.where(answers.is_joker, np.maximum(needed, MIN_PROPOSED_JOKER_PROB), needed)
    return np.where((certainty == 0) & answers.is_surely_numbered, MIN_FLAGGED_LABEL_PROB, needed)


def _are_at_other_tiles(before: ClassifiedTiles, proposals: Proposals, answers: Appearances) -> Bools:
    """Return a mask `(P,)` of the answers at another tile's place, and nearer to that tile than their own tile was."""
    tiles = np.flatnonzero(before.certainty > 0)
    other_middles = centres_px(np.concatenate([before.quads_px[tiles], before.known_px]))
    distances = distances_px(centres_px(answers.quads_px), other_middles)
    distances[:, : len(tiles)][proposals.owners[:, None] == tiles[None]] = np.inf
    is_nearer = distances < distances_px(centres_px(before.quads_px[proposals.owners]), other_middles)
    within = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(proposals.quads_px)[:, :1]
    return np.asarray((is_nearer & (distances < within)).any(axis=1))


def refine_corners(classifier: Classifier, image_bgr: Image, tiles: Appearances, shown_px: Floats) -> Appearances:
    """Classify tiles again at their corrected corners, and turned by 180° if they are upside down.

    `tiles` were classified at `shown_px (N, 4, 2)`. Uncertain tiles are classified again while they become more
    certain, up to `CORNER_REFINEMENT_ROUNDS` times; a tile whose corners moved far is always classified once more.
    """
    shifts = corner_shifts(shown_px, tiles.quads_px)
    is_forced = (tiles.upside_down_log_odds > 0) | (shifts > MIN_FORCED_REFINE_SHIFT_WIDTHS)
    at = np.flatnonzero(is_forced | (_are_uncertain(tiles) & (shifts > MIN_CORNER_SHIFT_WIDTHS)))
    for rounds in range(CORNER_REFINEMENT_ROUNDS):
        if not len(at):
            break
        inverted, corrected = tiles.upside_down_log_odds[at] > 0, tiles.quads_px[at]
        next_px = np.where(inverted[:, None, None], turn_upside_down(corrected), corrected)
        refined = classifier(image_bgr, next_px)
        # After the turn it must be less upside down; otherwise neither direction is right and it stays as it was.
        improved = ~inverted | (refined.upside_down_log_odds < tiles.upside_down_log_odds[at])
        # The first round is always accepted, because a tile that is far off may need several; later ones may drift off.
        better = np.flatnonzero(improved & ((rounds == 0) | (refined.certainty() > tiles.certainty()[at])))
        tiles.put(at[better], refined.at(better))
        is_moving = corner_shifts(next_px, refined.quads_px) > MIN_CORNER_SHIFT_WIDTHS
        at = at[better[is_moving[better] & _are_uncertain(tiles)[at[better]]]]
    return tiles


def _are_uncertain(tiles: Appearances) -> Bools:
    """Return a mask `(N,)` of the tiles and non-tiles whose label is less likely than `MAX_REFINED_LABEL_PROB`."""
    label_probs = np.exp(best_label_log_probs(tiles.number_log_probs, tiles.ink_log_probs))
    return np.asarray(label_probs < MAX_REFINED_LABEL_PROB)


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

"""Proposals: alternative quads for uncertain tiles, classified in one batch and accepted by one rule.

This is the only way in which a tile gets another quad. The `generators` make the proposals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.geometry.quads import centres_px, corner_shifts, distances_px, sizes_wh_px, turn_upside_down
from tilekeeper.vision.geometry.table_plane import TablePlane, fit_plane
from tilekeeper.vision.recognition.appearance import (
    MIN_CONFIDENT_LABEL_PROB,
    MIN_FLAGGED_LABEL_PROB,
    Appearances,
    Classifier,
)
from tilekeeper.vision.types import best_label_log_probs

MIN_PROPOSED_JOKER_PROB = 0.97  # A joker at a proposed quad must be at least this likely; non-tiles resemble jokers.
MIN_CORNER_DRIFT_WIDTHS = 0.06  # A tile whose corners were moved by more on average is also tried as detected.
MAX_REFINED_TILES = 12  # Each proposal generator refines at most this many; more take longer than the rest of a reading
MIN_PROPOSAL_GAIN_PROB = 0.2  # A proposed quad replaces the tile's own if its label is likelier by more than this.
MIN_RECOVERED_TILE_PROB = 0.85  # A proposed quad replaces one that shows no tile if its label is likelier than this.
CORNER_REFINEMENT_ROUNDS = 3  # A tile is classified again at its moved corners for at most this many rounds.
MIN_CORNER_SHIFT_WIDTHS = 0.06  # Uncertain tiles are tried again if corners (a missed tile's centre) move by more.
MAX_REFINED_LABEL_PROB = 0.98  # A likelier label is classified again only beyond MIN_FORCED_REFINE_SHIFT_WIDTHS.
MIN_FORCED_REFINE_SHIFT_WIDTHS = 0.15  # A tile whose corners move by more is classified again, whatever its label.


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

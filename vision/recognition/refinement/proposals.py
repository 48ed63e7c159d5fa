"""The one way in which a tile gets another quad: it is proposed, named with all other proposals, and accepted or not.

Generators (`generators`) propose quads for tiles of which the first is doubtful. All proposals of a round are named in
one batch, and one rule says which of them take the place of what is known of their tiles.
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

# A joker from another quad needs this probability: non-tiles and sideways tiles most resemble jokers.
MIN_PROPOSED_JOKER_PROB = 0.97
# A tile whose corners the classifier moves by more than this on average is also tried as it was detected.
MIN_CORNER_DRIFT_WIDTHS = 0.06
# Each proposal generator refines at most this many tiles; more take longer than the rest of a reading.
MAX_REFINED_TILES = 12
# A proposed quad replaces the tile's own if its label is likelier by more than this.
MIN_PROPOSAL_GAIN_PROB = 0.2
# A proposed quad replaces one that shows no tile if its label is likelier than this.
MIN_RECOVERED_TILE_PROB = 0.85
# A tile is classified again at its moved corners for at most this many rounds.
CORNER_REFINEMENT_ROUNDS = 3
# An uncertain tile is classified again if the classifier moves its corners (or a missed tile's centre) by more.
MIN_CORNER_SHIFT_WIDTHS = 0.06
# A tile with a likelier label is classified again only if it moves by more than MIN_FORCED_REFINE_SHIFT_WIDTHS.
MAX_REFINED_LABEL_PROB = 0.98
# A tile whose corners move by more than this on average is classified again, however likely its label is.
MIN_FORCED_REFINE_SHIFT_WIDTHS = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class NamedTiles:
    """What is known of the N tiles of a picture before a round of proposals.

    `quads_px (N, 4, 2)` are their corners as the network moved them, `found_px (N, 4, 2)` as they were detected;
    `certainty (N,)` is how likely their names are, 0 for what is no tile; `jokers (N,)` bool. `known_px (K, 4, 2)` are
    tiles that lie elsewhere in the picture and are certain; `plane` is what those and the certain ones lie in, None
    where they show none, and `misfits (N,)` how far each differs from it, a natural logarithm.
    """

    image_bgr: Image
    quads_px: Floats
    found_px: Floats
    known_px: Floats
    certainty: Floats
    jokers: Bools
    certain_px: Floats
    plane: TablePlane | None
    misfits: Floats

    @classmethod
    def of(cls, image_bgr: Image, named: Appearances, found_px: Floats, known_px: Floats) -> NamedTiles:
        """Return what is known of tiles that were named so far, `found_px (N, 4, 2)` where they were detected."""
        certainty = named.certainty()
        certain_px = np.concatenate([named.quads_px[certainty >= MIN_CONFIDENT_LABEL_PROB], known_px])
        plane, quads_px = fit_plane(certain_px), named.quads_px.copy()
        misfits = np.zeros(len(quads_px)) if plane is None else plane.misfits(quads_px)
        return cls(image_bgr, quads_px, found_px, known_px, certainty, named.is_joker, certain_px, plane, misfits)

    def least_certain(self, which: Ints) -> Ints:
        """Return so many of the tiles `which` as there is time for, the least certain first."""
        return which[np.argsort(self.certainty[which], kind="stable")][:MAX_REFINED_TILES]

    def moved_away(self, which: Ints) -> Ints:
        """Return those of the tiles `which` that the network moved away from where they were detected."""
        return which[corner_shifts(self.found_px[which], self.quads_px[which]) > MIN_CORNER_DRIFT_WIDTHS]


@dataclass(frozen=True, slots=True, eq=False)
class Proposals(Columns):
    """P quads to name.

    `owners (P,)` are the indices of their tiles, `quads_px (P, 4, 2)`; `gains (P,)` is by how much more certain another
    name must be than the one that the tile has, below 0 where it may be less; `sideways (P,)` bool, where the quad is
    turned by a quarter against the tile's own.
    """

    owners: Ints
    quads_px: Floats
    gains: Floats
    sideways: Bools

    @classmethod
    def none(cls) -> Proposals:
        """Return no proposals."""
        return cls.of(np.zeros(0, int), np.zeros((0, 4, 2)))

    @classmethod
    def of(
        cls, owners: Ints, quads_px: Floats, gain: Floats | float | None = None, sideways: bool = False
    ) -> Proposals:
        """Return proposals that all need the same gain, `refinement.gain` where none is given, or one each `(P,)`."""
        gains = np.zeros(len(owners)) + (MIN_PROPOSAL_GAIN_PROB if gain is None else gain)
        return cls(owners, quads_px.astype(np.float32), gains, np.full(len(owners), sideways))


def accept(named: Appearances, before: NamedTiles, proposals: Proposals, answers: Appearances) -> bool:
    """Put the most certain of the answers `(P,)` to proposals in its tile's place, where it is certain enough.

    Return whether any was.

    It must be more certain than the tile's name by what the proposal asks for, or by nothing where it is the same name.
    What was no tile, and jokers, have a least of their own (`certain_enough`). A quad on its head is none, nor is one
    that has become the quad of another tile.
    """
    owners, own = proposals.owners, before.certainty[proposals.owners]
    jokers = answers.is_joker
    same = named.number_log_probs.argmax(axis=1)[owners] == answers.number_log_probs.argmax(axis=1)
    least = certain_enough(own, answers, np.where(same, np.minimum(proposals.gains, 0.0), proposals.gains))
    # the shape that the plane shows is right for whatever the tile is named
    least = np.where((proposals.gains <= 0) & (same | ~proposals.sideways), own + proposals.gains, least)
    # a number that can be read is none from the side, and a joker that still is one lies better as it lay
    refused = (answers.upside_down_log_odds > 0) | (proposals.sideways & jokers & (own > 0))
    refused |= _are_others(before, proposals, answers)
    worth = np.where(refused, 0.0, answers.certainty())
    worth[worth <= least] = 0.0
    accepted = np.unique(owners[worth > 0])
    for owner in accepted:
        mine = np.flatnonzero(owners == owner)
        named.put(np.array([owner]), answers.at(mine[[worth[mine].argmax()]]))
    return len(accepted) > 0


def certain_enough(certainty: Floats, seen: Appearances, gain: Floats | float) -> Floats:
    """Return how certain each of N looks at another quad must be of a tile named with `certainty (N,)`, 0 for none.

    What is no tile, or lies on its side, looks most like a joker. What was none and is surely a tile is asked about
    rather than passed over, whatever its name.
    """
    least = np.where(certainty > 0, certainty + gain, MIN_RECOVERED_TILE_PROB)
    least = np.where(seen.is_joker, np.maximum(least, MIN_PROPOSED_JOKER_PROB), least)
    enough: Floats = np.where((certainty == 0) & seen.is_surely_numbered, MIN_FLAGGED_LABEL_PROB, least)
    return enough


def _are_others(before: NamedTiles, proposals: Proposals, answers: Appearances) -> Bools:
    """Return which answers `(P,)` lie where another tile does, and nearer to it than their own tile lay."""
    tiles = np.flatnonzero(before.certainty > 0)
    others = centres_px(np.concatenate([before.quads_px[tiles], before.known_px]))
    apart = distances_px(centres_px(answers.quads_px), others)
    apart[:, : len(tiles)][proposals.owners[:, None] == tiles[None]] = np.inf
    nearer = apart < distances_px(centres_px(before.quads_px[proposals.owners]), others)
    within = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(proposals.quads_px)[:, :1]
    return np.asarray((nearer & (apart < within)).any(axis=1))


def mend(classifier: Classifier, image_bgr: Image, named: Appearances, shown_px: Floats) -> Appearances:
    """Name tiles again where the network moved their corners, and turned where they stand on their heads.

    `named` are the names at `shown_px (N, 4, 2)`. That is done for as long as it makes uncertain ones more certain, at
    most `mend_rounds` times; what was far off is named anew once in any case.
    """
    moved = corner_shifts(shown_px, named.quads_px)
    again = (named.upside_down_log_odds > 0) | (moved > MIN_FORCED_REFINE_SHIFT_WIDTHS)
    at = np.flatnonzero(again | (_uncertain(named) & (moved > MIN_CORNER_SHIFT_WIDTHS)))
    for turn in range(CORNER_REFINEMENT_ROUNDS):
        if not len(at):
            break
        over, mended = named.upside_down_log_odds[at] > 0, named.quads_px[at]
        shown = np.where(over[:, None, None], turn_upside_down(mended), mended)
        anew = classifier(image_bgr, shown)
        # turned it must stand on its head less than before: else neither way is right, and it stays as it was found
        less = ~over | (anew.upside_down_log_odds < named.upside_down_log_odds[at])
        # what was found far off may need more than one round to be mended; later ones may also lead astray
        better = np.flatnonzero(less & ((turn == 0) | (anew.certainty() > named.certainty()[at])))
        named.put(at[better], anew.at(better))
        still = (corner_shifts(shown, anew.quads_px) > MIN_CORNER_SHIFT_WIDTHS)[better] & _uncertain(named)[at[better]]
        at = at[better[still]]
    return named


def _uncertain(named: Appearances) -> Bools:
    """Return which are named with less than `mend_below`, `(N,)` bool; what is certainly no tile is certain."""
    uncertain: Bools = (
        np.exp(best_label_log_probs(named.number_log_probs, named.ink_log_probs)) < MAX_REFINED_LABEL_PROB
    )
    return uncertain

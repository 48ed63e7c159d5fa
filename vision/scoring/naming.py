"""Names the candidates of one table together, drops what lies twice, and weighs names with what a set has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS, one_each, same_place
from tilekeeper.vision.geometry.quads import areas_px, centres_px, share_covered, sizes_wh_px
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace, joint_numbers
from tilekeeper.vision.recognition.ink_mixture import COPIES, joint_inks
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.scoring.calibration import Confidence
from tilekeeper.vision.scoring.candidates import NONE, Candidates, no_doubts
from tilekeeper.vision.scoring.reader_limits import ReaderLimits
from tilekeeper.vision.scoring.set_decoding import decode, within_stock
from tilekeeper.vision.scoring.tileness import IsTile, TileOrNot
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import INKS, JOINT_JOKER, JOINT_NOT_A_TILE, DoubtReason, Rows, in_inks

# Tiles with at least this confidence are the references for the others.
MIN_PEER_CONFIDENCE_PROB = 0.8
# A doubtful tile covered by a certain one by a larger share is a part of that tile and is dropped.
MAX_COVERED_BY_TILE_SHARE = 0.6
# A doubtful tile with at most this share of a certain tile's area is not dropped as its part.
MIN_COVERED_AREA_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was fitted for the networks that find and name tiles.

    `confidence` returns how likely each name is right; without it the probabilities of the classifier are taken.
    `space` is where the figures of one printing lie beside those of others; without one tiles are named each by itself.
    `is_tile` returns how likely something is a tile at all; without it limits on size and white decide.
    """

    limits: ReaderLimits = field(default_factory=ReaderLimits)
    confidence: Callable[[Tiles, Bools], Floats] | None = None
    space: FigureSpace | None = None
    is_tile: IsTile | None = None

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any], space: FigureSpace | None) -> Calibration:
        """Return what the manifest of the networks has, with their figure space."""
        confidence, is_tile = Confidence.of_manifest(manifest), TileOrNot.of_manifest(manifest)
        return cls(ReaderLimits.of_manifest(manifest), confidence, space, is_tile)


def named(
    candidates: Candidates,
    calibration: Calibration,
    copies: int,
    colourless: bool,
    known_inks: InksSeen | None = None,
) -> Tiles:
    """Return the tiles among the candidates, each with its best name once the table's figures and inks are compared.

    What is likeliest no tile is left out; every number in a picture that is `colourless` is in doubt. Tiles come in the
    order of the candidates; a set has so many `copies` of each; `known_inks` are those that people named.
    """
    limits, seen = calibration.limits, candidates.together()
    by_person = candidates.person != NONE
    scores = np.where(by_person, 1.0, candidates.score)
    numbers = joint_numbers(seen.number_log_probs, seen.figures, calibration.space)
    inks = joint_inks(candidates.inks_seen, numbers, copies, known_inks)
    log_probs, every = in_inks(numbers, inks), np.arange(len(candidates))
    best = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    likely = np.exp(log_probs[every, best]) * np.minimum(1.0, scores / limits.sure_score)
    likely = np.clip(likely.astype(np.float64), 0.0, 1.0)
    rest = log_probs.copy()
    rest[every, best] = -np.inf
    second = rest.shape[1] - 1 - rest[:, ::-1].argmax(axis=1)  # of equals the last: "no tile" rather than some name
    tiles = Tiles(
        candidates.track,
        seen.quads_px,
        numbers,
        inks,
        seen.number_log_probs,
        seen.ink_log_probs,
        best,
        second,
        likely,
        scores,
        np.zeros(len(every), bool),
        candidates.hidden,
        no_doubts(len(every)),
    )
    if calibration.confidence is not None:
        tiles.confidence = calibration.confidence(tiles, by_person)
    tiles = tiles.at(tiles.is_tile)  # whatever the name: what can hardly be named is asked about
    unsure = np.flatnonzero(tiles.confidence < limits.doubtful_below)
    for at, reason in zip(unsure, _why_unsure(tiles.at(unsure)) if len(unsure) else (), strict=True):
        tiles.doubts[at] = ((reason, int(tiles.runner_up[at])),)
    tiles.doubt(colourless & (tiles.name != JOINT_JOKER), DoubtReason.NO_COLOURS)
    return tiles


def rejected_tiles(candidates: Candidates) -> Tiles:
    """Return what a person called no tile, with what each of the candidates looks like as its runner-up."""
    none = np.full(len(candidates), JOINT_NOT_A_TILE)
    looks_like = in_inks(candidates.number_log_probs, candidates.ink_log_probs)[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    seen, sure = candidates.together(), np.ones(len(candidates))
    names = seen.number_log_probs, seen.ink_log_probs, seen.number_log_probs, seen.ink_log_probs
    aside = sure > 0, candidates.hidden, no_doubts(len(candidates))
    return Tiles(candidates.track, seen.quads_px, *names, none, looks_like, sure, sure, *aside)


def _why_unsure(tiles: Tiles) -> list[DoubtReason]:
    """Return why each of the tiles is in doubt if its confidence is low."""
    numbers, others = tiles.name // len(INKS), tiles.runner_up // len(INKS)
    unlike = tiles.own_number_log_probs.argmax(axis=1) != numbers
    why = np.where(unlike, DoubtReason.UNLIKE_ITS_PRINTING, DoubtReason.UNSURE_NUMBER)
    why = np.where(numbers == others, DoubtReason.UNSURE_INK, why)
    return [DoubtReason(one) for one in np.where(tiles.runner_up == JOINT_NOT_A_TILE, DoubtReason.HARDLY_A_TILE, why)]


def without_doubles(tiles: Tiles) -> Tiles:
    """Return the tiles less those whose middle lies well inside a surer one: a place holds one tile.

    What is in doubt goes, too, where a sure one covers most of it (`covered`): it is the maker's name on that one.
    """
    if len(tiles) < 2:
        return tiles
    middles, widths = centres_px(tiles.quads_px), sizes_wh_px(tiles.quads_px).min(axis=1)
    kept, within_px = np.ones(len(tiles), bool), MAX_SAME_TILE_DISTANCE_WIDTHS * widths
    if np.count_nonzero(same_place(middles, middles, within_px)) > len(tiles):  # not each only with itself
        every = np.arange(len(tiles))
        kept = np.isin(every, one_each(every, middles, within_px, tiles.confidence))
    doubtful = tiles.doubtful
    sure = kept & ~doubtful & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB) & ~tiles.hidden
    sizes = areas_px(tiles.quads_px)
    for at in np.flatnonzero(kept & doubtful):
        over = sure & (sizes[at] > MIN_COVERED_AREA_SHARE * sizes)
        kept[at] = share_covered(tiles.quads_px[at], tiles.quads_px[over]) <= MAX_COVERED_BY_TILE_SHARE
    return tiles.at(kept)


def decoded(tiles: Tiles, rows: Rows, copies: int) -> Tiles:
    """Return the tiles with the names that they have together; those that are in question for it are in doubt.

    `rows` are indices into the tiles. Tiles in doubt are named anew with regard to their rows and to the `copies` of
    the set, two at least as most sets have; where it has fewer, all of which there are too many are in doubt. Names
    that a person gave stay.
    """
    if not len(tiles):
        return tiles
    tiles, log_probs = tiles.copy(), tiles.log_probs
    names, asked = decode(log_probs, tiles.doubtful, rows, max(copies, COPIES))
    asked &= ~tiles.by_person
    tiles.doubt(asked & ~tiles.doubtful, DoubtReason.TOO_MANY_ALIKE)
    other = np.flatnonzero(asked & (names != tiles.name))
    likely = np.exp(log_probs[other, names[other]])
    tiles.rename(other, names[other], np.minimum(tiles.confidence[other], likely))
    if copies < COPIES:
        crowded = within_stock(log_probs, copies)[1]
        tiles.doubt(crowded & ~tiles.by_person, DoubtReason.TOO_MANY_ALIKE)
    return tiles

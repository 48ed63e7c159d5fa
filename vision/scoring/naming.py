"""Names the candidates of one table together, drops what lies twice, and weighs names with what a set has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.proximity import one_each, same_place
from tilekeeper.vision.geometry.quads import areas_px, centres_px, share_covered, sizes_wh_px
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace, joint_numbers
from tilekeeper.vision.recognition.ink_mixture import COPIES, joint_inks
from tilekeeper.vision.scoring.calibration import Confidence, TableNames
from tilekeeper.vision.scoring.candidates import Candidate, appearance_of
from tilekeeper.vision.scoring.set_constraints import within_stock
from tilekeeper.vision.scoring.set_decoding import decode
from tilekeeper.vision.scoring.tileness import IsTile, TileOrNot
from tilekeeper.vision.types import (
    JOINT_JOKER,
    JOINT_NOT_A_TILE,
    NOT_A_TILE,
    Doubt,
    DoubtReason,
    ReadTile,
    Sighting,
    TileNames,
    TileSet,
    in_inks,
    label_of,
    labels_of,
    log_probs_of,
    number_and_ink,
)

TOO_MANY_ALIKE = Doubt(DoubtReason.TOO_MANY_ALIKE)


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What the reader is sure of; the manifest of the networks may bring its own.

    `doubtful_below`: a tile with less confidence is doubtful; with less than `no_tile_below` it is none. `sure_score`:
    from this score on, a find of the detector is taken as certain; that it is no tile is for the classifier to say.
    `working_px`: pictures with more pixels are read smaller.
    """

    doubtful_below: float = 0.8
    sure_score: float = 0.5
    no_tile_below: float = 0.2
    working_px: int = 12_000_000

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReaderLimits:
        """Return the limits that the manifest names under `reader`, the rest as they are here."""
        own = manifest.get("reader", {})
        return cls(**{name: own[name] for name in cls.__dataclass_fields__ if name in own})


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was fitted for the networks that find and name tiles.

    `confidence` returns how likely each name is right; without it the probabilities of the classifier are taken.
    `space` is where the figures of one printing lie beside those of others; without one tiles are named each by itself.
    `is_tile` returns how likely something is a tile at all; without it limits on size and white decide.
    """

    limits: ReaderLimits = field(default_factory=ReaderLimits)
    confidence: Callable[[TableNames], np.ndarray] | None = None
    space: FigureSpace | None = None
    is_tile: IsTile | None = None

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any], space: FigureSpace | None) -> Calibration:
        """Return what the manifest of the networks has, with their figure space."""
        confidence, is_tile = Confidence.of_manifest(manifest), TileOrNot.of_manifest(manifest)
        return cls(ReaderLimits.of_manifest(manifest), confidence, space, is_tile)


def named(
    candidates: Sequence[Candidate], calibration: Calibration, tile_set: TileSet, colourless: bool
) -> list[ReadTile]:
    """Return the tiles among the candidates, each with its best name once the table's figures and inks are compared.

    What is likeliest no tile is left out; every number in a picture that is `colourless` is in doubt. Tiles come in the
    order of the candidates.
    """
    if not candidates:
        return []
    limits, seen = calibration.limits, appearance_of(candidates)
    by_person = np.array([one.person is not None for one in candidates])
    scores = np.where(by_person, 1.0, [one.evidence.score for one in candidates])
    numbers = joint_numbers(seen.number_log_probs, seen.figures, calibration.space)
    inks = joint_inks(seen.ink_log_probs, seen.ink_colours, numbers)
    names = list(map(TileNames, numbers, inks, seen.number_log_probs))
    log_probs, every = in_inks(numbers, inks), np.arange(len(names))
    best = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    likely = np.exp(log_probs[every, best]) * np.minimum(1.0, scores / limits.sure_score)
    likely = np.clip(likely.astype(np.float64), 0.0, 1.0)
    rest = log_probs.copy()
    rest[every, best] = -np.inf
    second = rest.shape[1] - 1 - rest[:, ::-1].argmax(axis=1)  # of equals the last: "no tile" rather than some name
    is_read = (numbers.argmax(axis=1) != NOT_A_TILE) & (likely >= limits.no_tile_below)
    confidences = likely
    if calibration.confidence is not None:
        confidences = calibration.confidence(TableNames(names, seen.number_log_probs, seen.ink_log_probs, by_person))
    unsure = confidences < limits.doubtful_below
    labels = labels_of(tile_set.inks)
    return [
        ReadTile(
            Sighting(one.track, one.quad_px, names[at], hidden=one.hidden, score=float(scores[at])),
            labels[best[at]],
            float(confidences[at]),
            labels[second[at]],
            _doubts(names[at], int(best[at]), int(second[at]), bool(unsure[at]), colourless, labels),
        )
        for at, one in enumerate(candidates)
        if is_read[at]
    ]


def _doubts(
    names: TileNames, best: int, second: int, unsure: bool, colourless: bool, labels: Sequence[str]
) -> tuple[Doubt, ...]:
    """Return why a tile is in doubt that is named `best` and else `second`, indices into `TileNames.log_probs`."""
    reasons = []
    if unsure:
        reasons.append(Doubt(_why_unsure(names, best, second), labels[second]))
    if colourless and best != JOINT_JOKER:
        reasons.append(Doubt(DoubtReason.NO_COLOURS))
    return tuple(reasons)


def _why_unsure(names: TileNames, best: int, second: int) -> DoubtReason:
    if second == JOINT_NOT_A_TILE:
        return DoubtReason.HARDLY_A_TILE
    number, other = number_and_ink(best)[0], number_and_ink(second)[0]
    if number == other:
        return DoubtReason.UNSURE_INK
    own = names.own_number_log_probs
    unlike = own is not None and int(own.argmax()) != number
    return DoubtReason.UNLIKE_ITS_PRINTING if unlike else DoubtReason.UNSURE_NUMBER


def without_doubles(tiles: list[ReadTile]) -> list[ReadTile]:
    """Return the tiles less those whose middle lies well inside a surer one: a place holds one tile.

    What is in doubt goes, too, where a sure one covers most of it (`covered`): it is the maker's name on that one.
    """
    limits = config().scoring
    if len(tiles) < 2:
        return tiles
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px).min(axis=1)
    kept, within_px = np.ones(len(tiles), bool), limits.double * widths
    if np.count_nonzero(same_place(middles, middles, within_px)) > len(tiles):  # not each only with itself
        surest_first = np.argsort([-tile.confidence for tile in tiles], kind="stable")
        kept = np.isin(np.arange(len(tiles)), one_each(surest_first.tolist(), middles, within_px))
    doubtful = np.array([tile.doubtful for tile in tiles])
    seen = np.array([tile.confidence >= limits.peer_confidence and not tile.sighting.hidden for tile in tiles])
    sure, sizes = kept & ~doubtful & seen, areas_px(quads_px)
    for at in np.flatnonzero(kept & doubtful):
        over = sure & (sizes[at] > limits.covered_smallest * sizes)
        kept[at] = share_covered(quads_px[at], quads_px[over]) <= limits.covered
    return [tiles[at] for at in np.flatnonzero(kept)]


def decoded(tiles: Sequence[ReadTile], rows: tuple[tuple[int, ...], ...], tile_set: TileSet) -> list[ReadTile]:
    """Return the tiles with the names that they have together; those that are in question for it are in doubt.

    `rows` are indices into the tiles. Tiles in doubt are named anew with regard to their rows and to the two copies
    that most sets have; where a set has fewer, all of which there are too many are in doubt. Names that a person gave
    stay.
    """
    if not tiles:
        return []
    doubtful = np.array([tile.doubtful for tile in tiles])
    log_probs = log_probs_of([tile.sighting.names for tile in tiles])
    names, asked = decode(log_probs, doubtful, rows)
    after = [
        _renamed(tile, int(name), tile_set) if in_doubt and not tile.sighting.locked_by_person else tile
        for tile, name, in_doubt in zip(tiles, names, asked, strict=True)
    ]
    if tile_set.copies >= COPIES:
        return after
    crowded = within_stock(log_probs, tile_set.copies)[1]
    return [
        tile.doubted(TOO_MANY_ALIKE) if is_crowded and not tile.sighting.locked_by_person else tile
        for tile, is_crowded in zip(after, crowded, strict=True)
    ]


def _renamed(tile: ReadTile, name: int, tile_set: TileSet) -> ReadTile:
    """Return a tile in question with the name that it has together with the others."""
    if not tile.doubtful:
        tile = tile.doubted(TOO_MANY_ALIKE)
    label = label_of(name, tile_set.inks)
    if label == tile.label:
        return tile
    doubts = tuple(replace(doubt, alternative=tile.label) for doubt in tile.doubts)
    confidence = min(tile.confidence, float(np.exp(tile.sighting.log_probs[name])))
    return replace(tile, label=label, confidence=confidence, runner_up=tile.label, doubts=doubts)

"""The table of tiles: one row per candidate, one column per fact about it, kept from frame to frame.

Each column is written by one module:

| columns | written by |
|---|---|
| the classifier's (`Appearances`), `crop_weight`, `crop_worth`, `crop_count` | this module |
| `score` | the detector; handed to `TileTable.from_classification` |
| `track`, `covered`, `person_label` | `vision.tracking` |
| all others | `scoring.decision` |

Crops of a tile that does not move show the same light and the same scratch, so ten of them are worth far less than
ten independent crops. A crop at another place on the table is nearly independent.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Ints, Objects, normalise_log_probs
from tilekeeper.vision.types import (
    INKS,
    JOKER,
    NOT_A_TILE,
    NUMBERS,
    Doubt,
    Inks,
    LabelProbabilities,
    ReadTile,
    Sighting,
    joint_log_probs,
    labels_of,
    number_and_ink,
)

MIN_CONFIDENT_LABEL_PROB = 0.9  # From this on a tile is confident: it sets the shape and size expected of others.
MIN_SURE_TILE_PROB = 0.97  # Above this probability of being a tile, whatever its label, a candidate is surely a tile.
MIN_FLAGGED_LABEL_PROB = 0.3  # A sure tile is kept and flagged if its best label, and all numbers together, reach this.
SAME_PLACE_CROP_WEIGHT = 0.3  # a further crop at the same place has this weight in the mean; the first has 1
MOVED_CROP_WEIGHT = 0.6  # a further crop from another place has this weight in the mean; the first has 1
MOVED_EVIDENCE_CROPS = 0.3  # a further crop from another place counts as this many independent crops, else as none
MAX_EVIDENCE_CROPS = 1.6  # all crops of a tile together count as at most this many independent crops
MAX_PAST_CROP_WEIGHT = 8.0  # the weight of all earlier crops is capped at this, so that older crops fade
EXCLUDED_LOG_PROB = -30.0  # log-probability of every other label once a person has labelled a tile

NONE = -1  # the value of a label column where there is no label


@dataclass(slots=True, eq=False)
class Appearances(Columns):
    """Classifier output for N tiles; the arrays belong to the table and may be written to.

    `number_log_probs (N, 15)` and `ink_log_probs (N, 4)`: as in `LabelProbabilities`; `upside_down_log_odds (N,)`:
    above 0 if the tile is upside down; `quads_px (N, 4, 2)`: the classified quads with corrected corners;
    `ink_colours (N, 3)`: red, green and blue light that the ink absorbs, from `ink_absorption`; `figures (N, K)`: glyph
    embeddings in a `FigureSpace`, K is 0 without one.
    """

    number_log_probs: Floats
    ink_log_probs: Floats
    upside_down_log_odds: Floats
    quads_px: Floats
    ink_colours: Floats
    figures: Floats

    @classmethod
    def empty(cls, dimensions: int = 0) -> Appearances:
        """Return an empty table whose glyph embeddings have `dimensions` columns."""
        shapes = (NUMBERS + 2,), (len(INKS),), (), (4, 2), (3,), (dimensions,)
        return Appearances(*(np.zeros((0, *shape), np.float32) for shape in shapes))

    @property
    def is_tile(self) -> Bools:
        """Mask `(N,)` of the rows that are more likely a tile than not, whatever the label."""
        return are_likely_tiles(self.number_log_probs)

    @property
    def is_surely_a_tile(self) -> Bools:
        """Mask `(N,)` of rows whose probability of being a tile, whatever its label, exceeds `MIN_SURE_TILE_PROB`."""
        return np.asarray(self.number_log_probs[:, NOT_A_TILE] < np.log(1 - MIN_SURE_TILE_PROB))

    @property
    def is_surely_numbered(self) -> Bools:
        """Mask `(N,)` of the sure tiles that have a number (no joker) with at least `MIN_FLAGGED_LABEL_PROB`."""
        number_probs = np.exp(self.number_log_probs[:, :NUMBERS]).sum(axis=1)
        return np.asarray(self.is_surely_a_tile & (number_probs >= MIN_FLAGGED_LABEL_PROB))

    @property
    def is_joker(self) -> Bools:
        """Mask `(N,)` of the rows whose most likely number is the joker."""
        return np.asarray(self.number_log_probs.argmax(axis=1) == JOKER)

    def certainty(self) -> Floats:
        """Return the probability `(N,)` of the most likely label of each tile; 0 for a likely non-tile."""
        tile_log_probs = self.number_log_probs[:, :NOT_A_TILE]
        return np.where(self.is_tile, np.exp(best_label_log_probs(tile_log_probs, self.ink_log_probs)), 0.0)


AVERAGED_COLUMNS = tuple(field.name for field in fields(Appearances) if field.name != "quads_px")
"""The classifier's columns that are averaged over the crops of a tile."""


class SetMembership(IntEnum):
    """Whether a candidate was compared with the tiles around it, and with what result."""

    NEW = 0  # it was not compared yet and was in no reading
    RECONSIDERED = 1  # it was suspect or foreign, was classified again, and is to be compared once more
    MEMBER = 2  # it looks like the tiles around it
    SUSPECT = 3  # it may not be a tile of their set, and is flagged
    FOREIGN = 4  # it differs so much that it is not a tile of their set, and is left out


@dataclass(slots=True, eq=False, kw_only=True)
class TileTable(Appearances):
    """N candidates, the confirmed tiles among them; every column is `(N, ...)`.

    Labels are indices into the `(54,)` label probabilities, or `NONE`. Doubts are tuples of pairs: a `DoubtReason`, and
    the label that the tile may have instead, None if unknown.

    Attributes:
        score: the detector's score, 0 to 1; 0 if it detected nothing at this place.
        crop_weight, crop_worth, crop_count: weight of all crops so far, how many independent ones they are worth, and
            how many were classified at the tile's current place.
        track: the number of the tile, never given again. `covered`: whether something covers the tile now.
        person_label, locked_label: the label that a person gave the tile; the label that hysteresis keeps.
        membership, membership_doubts, tile_prob: a `SetMembership`, the doubts of a suspect, and its probability to be
            a tile of the set (0 to 1; 1 for all others).
        is_reported, label, runner_up, confidence, doubts: the decision; `confidence` is from 0 to 1.
        own_number_log_probs, own_ink_log_probs: `(N, 15)`, `(N, 4)`, from its crops alone, tempered by their worth.
        joint_number_log_probs, joint_ink_log_probs: the same after all tiles of the table were compared.
    """

    score: Floats
    crop_weight: Floats
    crop_worth: Floats
    crop_count: Ints
    track: Ints
    covered: Bools
    person_label: Ints
    locked_label: Ints
    membership: Ints
    membership_doubts: Objects
    tile_prob: Floats
    is_reported: Bools
    label: Ints
    runner_up: Ints
    confidence: Floats
    doubts: Objects
    own_number_log_probs: Floats
    own_ink_log_probs: Floats
    joint_number_log_probs: Floats
    joint_ink_log_probs: Floats

    @classmethod
    def from_classification(cls, classification: Appearances, scores: Floats, first_track: int = 0) -> TileTable:
        """Return a table of new candidates, each classified once; `scores (N,)` are the detector's, 0 to 1."""
        count = len(classification)
        averaged = {name: getattr(classification, name).astype(np.float64) for name in AVERAGED_COLUMNS}
        return cls(
            **averaged,
            quads_px=classification.quads_px,
            score=np.asarray(scores, np.float64),
            crop_weight=np.ones(count),
            crop_worth=np.ones(count),
            crop_count=np.ones(count, int),
            track=first_track + np.arange(count),
            covered=np.zeros(count, bool),
            person_label=np.full(count, NONE),
            locked_label=np.full(count, NONE),
            membership=np.full(count, SetMembership.NEW),
            membership_doubts=no_doubts(count),
            tile_prob=np.ones(count),
            is_reported=np.zeros(count, bool),
            label=np.full(count, NONE),
            runner_up=np.full(count, NONE),
            confidence=np.zeros(count),
            doubts=no_doubts(count),
            own_number_log_probs=averaged["number_log_probs"].copy(),
            own_ink_log_probs=averaged["ink_log_probs"].copy(),
            joint_number_log_probs=averaged["number_log_probs"].copy(),
            joint_ink_log_probs=averaged["ink_log_probs"].copy(),
        )

    @classmethod
    def none(cls) -> TileTable:
        """Return a table without rows."""
        return cls.from_classification(Appearances.empty(), np.zeros(0))

    @property
    def is_doubtful(self) -> Bools:
        """Mask `(N,)` of the rows that have a doubt."""
        return self.doubts.astype(bool)

    @property
    def is_joint_tile(self) -> Bools:
        """Mask `(N,)` of the rows that are more likely a tile than not, after all tiles were compared."""
        return are_likely_tiles(self.joint_number_log_probs)

    @property
    def joint_log_probs(self) -> Floats:
        """The log-probabilities `(N, 54)` of all labels, after all tiles of the table were compared."""
        return joint_log_probs(self.joint_number_log_probs, self.joint_ink_log_probs)

    @property
    def trusted_score(self) -> Floats:
        """The detector's score `(N,)`, but 1 for tiles that a person labelled."""
        return np.where(self.person_label != NONE, 1.0, self.score)

    def with_crops(self, classification: Appearances, has_moved: Bools, crops: float = 1.0) -> TileTable:
        """Return the table with new output averaged in as `crops` crops; `has_moved (N,)`: mask of tiles that moved."""
        if not len(self):
            return self
        old_weight = np.minimum(self.crop_weight, MAX_PAST_CROP_WEIGHT)
        new_weight = np.where(has_moved, MOVED_CROP_WEIGHT, SAME_PLACE_CROP_WEIGHT) * crops
        new_share = new_weight / (old_weight + new_weight)

        def mean(name: str) -> Floats:
            old, new = getattr(self, name), getattr(classification, name).astype(np.float64)
            share = new_share.reshape(-1, *(1,) * (old.ndim - 1))
            return np.asarray((1 - share) * old + share * new)

        averaged: dict[str, Any] = {name: mean(name) for name in AVERAGED_COLUMNS}
        return replace(
            self,
            **averaged,
            crop_weight=old_weight + new_weight,
            crop_worth=np.minimum(self.crop_worth + MOVED_EVIDENCE_CROPS * np.asarray(has_moved), MAX_EVIDENCE_CROPS),
            crop_count=np.where(has_moved, 1, self.crop_count + 1),
        )

    def tempered(self) -> Appearances:
        """Return the mean output of all crops, log-probabilities scaled by the crops' worth; or a person's label."""
        numbers, inks = (
            normalise_log_probs(log_probs * self.crop_worth[:, None])
            for log_probs in (self.number_log_probs, self.ink_log_probs)
        )
        for row in np.flatnonzero(self.person_label != NONE):
            numbers[row], inks[row] = certain_log_probs(int(self.person_label[row]))
        return Appearances(
            numbers, inks, self.upside_down_log_odds, self.quads_px.astype(np.float32), self.ink_colours, self.figures
        )

    def read_tiles(self, inks: Inks) -> tuple[ReadTile, ...]:
        """Convert the rows to tiles of a reading, with the edition's names of the `inks` in their labels."""
        labels = labels_of(inks)
        log_probs = self.joint_number_log_probs, self.joint_ink_log_probs, self.own_number_log_probs
        names = map(LabelProbabilities, *log_probs)
        flags = (self.person_label != NONE).tolist(), self.covered.tolist(), self.trusted_score.tolist()
        sightings = map(Sighting, self.track.tolist(), self.quads_px, names, *flags)
        best, second = ([labels[label] for label in column.tolist()] for column in (self.label, self.runner_up))
        doubts = (
            tuple(Doubt(reason, None if label is None else labels[label]) for reason, label in row) if row else ()
            for row in self.doubts
        )
        return tuple(map(ReadTile, sightings, best, self.confidence.tolist(), second, doubts))


def no_doubts(count: int) -> Objects:
    """Return a column `(count,)` of empty tuples."""
    doubts = np.empty(count, object)
    for row in range(count):
        doubts[row] = ()
    return doubts


def certain_log_probs(label: int) -> tuple[Floats, Floats]:
    """Return the log-probabilities of the numbers `(15,)` and inks `(4,)` of a tile that surely has this label."""
    number, ink = number_and_ink(label)
    numbers, inks = np.full(NUMBERS + 2, EXCLUDED_LOG_PROB), np.full(len(INKS), -np.log(len(INKS)))
    numbers[number] = 0.0
    if number < JOKER:
        inks[:] = EXCLUDED_LOG_PROB
        inks[ink] = 0.0
    return numbers, inks


def similarity(rows: Appearances, other_rows: Appearances) -> Floats:
    """Return the Bhattacharyya coefficient `(N,)`, 0 to 1, of the class probabilities of each pair of rows."""
    numbers, inks = (
        np.exp((normalise_log_probs(getattr(rows, name)) + normalise_log_probs(getattr(other_rows, name))) / 2)
        for name in ("number_log_probs", "ink_log_probs")
    )
    return np.asarray(numbers[:, :NUMBERS].sum(axis=1) * inks.sum(axis=1) + numbers[:, NUMBERS:].sum(axis=1))


def are_likely_tiles(number_log_probs: Floats) -> Bools:
    """Return a mask `(N,)` of the candidates that are more likely a tile than not, by `number_log_probs (N, 15)`.

    All numbers together are compared with "no tile", because an unreadable number may be any of several. The
    probabilities need not sum to 1, for example in a geometric mean.
    """
    probs = np.exp(number_log_probs)
    return np.asarray(probs[:, NOT_A_TILE] < probs[:, :NOT_A_TILE].sum(axis=1))


def best_label_log_probs(number_log_probs: Floats, ink_log_probs: Floats) -> Floats:
    """Return the log probability of the most likely label of each of N tiles, `(N,)`.

    `number_log_probs (N, 15)`, `ink_log_probs (N, 4)`; jokers and non-tiles have no ink.
    """
    has_ink = number_log_probs.argmax(axis=1) < JOKER
    return np.asarray(number_log_probs.max(axis=1) + np.where(has_ink, ink_log_probs.max(axis=1), 0))

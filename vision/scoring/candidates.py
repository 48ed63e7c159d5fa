"""What may be tiles: places on the table, what all looks at each say together, and what is known from earlier pictures.

Frames of a tile that lies still show the same light and the same scratch: ten of them are far from ten independent
looks. Other cuts of the same print mislead the classifier less often together. A look from another place on the table
is worth nearly a new one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, Objects, are_among
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.types import INKS, JOINT_JOKER, JOKER, NUMBERS, normalised, number_and_ink

# A further crop at the same place has this weight in the mean; the first has 1.
SAME_PLACE_CROP_WEIGHT = 0.3
# A further crop from another place has this weight in the mean; the first has 1.
MOVED_CROP_WEIGHT = 0.6
# A crop from another place adds this many independent crops; one at the same place adds none.
MOVED_EVIDENCE_CROPS = 0.3
# All crops of a tile together count as at most this many independent crops.
MAX_EVIDENCE_CROPS = 1.6
# The weight of all earlier crops is capped at this, so that older crops fade.
MAX_PAST_CROP_WEIGHT = 8.0


CERTAIN = -30.0
"""The logarithm of what is left for every other name once a person has named a tile."""
NONE = -1
"""In place of a name where there is none."""
MEANS = tuple(field.name for field in fields(Appearances) if field.name != "quads_px")
"""What is averaged over the looks at a tile."""


class Standing(IntEnum):
    """Whether a candidate was compared with the tiles around it, and with what result."""

    NEW = 0
    """It was not compared yet, and was no tile of a reading."""
    RECONSIDERED = 1
    """It was suspect or foreign, was examined again since, and is to be compared once more."""
    MEMBER = 2
    """It looks like the tiles around it."""
    SUSPECT = 3
    """It may be no tile of their set, and is in doubt for that."""
    FOREIGN = 4
    """It looks too little like them to be a tile of the set, and is left out."""


@dataclass(slots=True, eq=False)
class Candidates(Appearances):
    """N places where something like a tile lies; all fields are `(N, ...)`.

    Those of `Appearances` are the weighted mean of the looks at each, which weigh `weight` in it and are worth `worth`
    independent looks; `looks` is how many there were at the place where it lies now, `score` the detector's, 0 where it
    sees nothing there. `track` is its number, never given again; `person` the name that a person gave it and `locked`
    the one that earlier readings were sure of, indices into `TileNames.log_probs` or `NONE`. `standing` is a
    `Standing`, `doubts` those for which it is suspect (as `Tiles.doubts`), and `tile_chance`, 0 to 1, is how likely it
    is a tile of the set, 1 where nothing speaks against it. `hidden` says whether something covers it now.
    """

    score: Floats
    weight: Floats
    worth: Floats
    looks: Ints
    track: Ints
    person: Ints
    locked: Ints
    standing: Ints
    doubts: Objects
    tile_chance: Floats
    hidden: Bools

    @classmethod
    def seen(cls, looked: Appearances, scores: Floats, first_track: int = 0) -> Candidates:
        """Return what one look at each of N places says; `scores (N,)` are the detector's, 0 to 1."""
        count = len(looked)
        means = {name: getattr(looked, name).astype(np.float64) for name in MEANS}
        return cls(
            **means,
            quads_px=looked.quads_px,
            score=np.asarray(scores, np.float64),
            weight=np.ones(count),
            worth=np.ones(count),
            looks=np.ones(count, int),
            track=first_track + np.arange(count),
            person=np.full(count, NONE),
            locked=np.full(count, NONE),
            standing=np.full(count, Standing.NEW),
            doubts=no_doubts(count),
            tile_chance=np.ones(count),
            hidden=np.zeros(count, bool),
        )

    @classmethod
    def none(cls) -> Candidates:
        """Return no candidates."""
        return cls.seen(Appearances.empty(), np.zeros(0))

    @property
    def was_passed_over(self) -> Bools:
        """Which were looked at before and yet were no tiles of a reading."""
        return are_among(self.standing, (Standing.NEW, Standing.FOREIGN)) & (self.looks > 1)

    @property
    def is_to_be_compared(self) -> Bools:
        """Which the next reading compares with the tiles around them."""
        return are_among(self.standing, (Standing.NEW, Standing.RECONSIDERED))

    def plus(self, looked: Appearances, moved: Bools, looks: float = 1.0) -> Candidates:
        """Return the candidates with another look at each, which counts as so many, at its place or where it moved."""
        if not len(self):
            return self
        own = np.minimum(self.weight, MAX_PAST_CROP_WEIGHT)
        more = np.where(moved, MOVED_CROP_WEIGHT, SAME_PLACE_CROP_WEIGHT) * looks
        share = more / (own + more)

        def mean(name: str) -> Floats:
            one, other = getattr(self, name), getattr(looked, name).astype(np.float64)
            of_other = share.reshape(-1, *(1,) * (one.ndim - 1))
            both: Floats = (1 - of_other) * one + of_other * other
            return both

        means: dict[str, Any] = {name: mean(name) for name in MEANS}
        return replace(
            self,
            **means,
            weight=own + more,
            worth=np.minimum(self.worth + MOVED_EVIDENCE_CROPS * np.asarray(moved), MAX_EVIDENCE_CROPS),
            looks=np.where(moved, 1, self.looks + 1),
        )

    @property
    def inks_seen(self) -> InksSeen:
        """What all looks and people say of the inks."""
        said = np.where((self.person >= 0) & (self.person < JOINT_JOKER), self.person % len(INKS), NONE)
        return InksSeen(normalised(self.ink_log_probs * self.worth[:, None]), self.ink_colours, said)

    def together(self) -> Appearances:
        """Return what all looks at each say, tempered by their worth; what a person named is certain."""
        numbers, inks = (
            normalised(log_probs * self.worth[:, None]) for log_probs in (self.number_log_probs, self.ink_log_probs)
        )
        for at in np.flatnonzero(self.person != NONE):
            numbers[at], inks[at] = certain(int(self.person[at]))
        return Appearances(
            numbers, inks, self.upside_down_log_odds, self.quads_px.astype(np.float32), self.ink_colours, self.figures
        )


def no_doubts(count: int) -> Objects:
    """Return so many tuples of no doubts, `(N,)`."""
    none = np.empty(count, object)
    for at in range(count):
        none[at] = ()
    return none


def certain(name: int) -> tuple[Floats, Floats]:
    """Return the log-probabilities of numbers `(15,)` and inks `(4,)` of what is known to have a name."""
    numbers, inks = np.full(NUMBERS + 2, CERTAIN), np.full(len(INKS), CERTAIN)
    number, ink = number_and_ink(name)
    numbers[number] = 0.0
    if number < JOKER:
        inks[ink] = 0.0
    else:
        inks[:] = -np.log(len(INKS))
    return numbers, inks


def likeness(ones: Appearances, others: Appearances) -> Floats:
    """Return how alike each looks to the other in its place, `(N,)`, 0 to 1: Bhattacharyya's coefficient of names."""
    halves = (normalised(ones.number_log_probs) + normalised(others.number_log_probs)) / 2
    numbers = np.exp(halves)
    inks = np.exp((normalised(ones.ink_log_probs) + normalised(others.ink_log_probs)) / 2).sum(axis=1)
    alike: Floats = numbers[:, :NUMBERS].sum(axis=1) * inks + numbers[:, NUMBERS:].sum(axis=1)
    return alike

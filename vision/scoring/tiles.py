"""The tiles of a table while they are judged: what each is named so far, how surely, and why it is in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Ints, Objects
from tilekeeper.vision.recognition.appearance import likelier_tiles
from tilekeeper.vision.types import (
    Doubt,
    DoubtReason,
    Inks,
    ReadTile,
    Sighting,
    TileNames,
    in_inks,
    labels_of,
)


@dataclass(slots=True, eq=False)
class Tiles(Columns):
    """N tiles, all fields `(N, ...)`, to be written to by whoever made them.

    `track` and `quads_px (N, 4, 2)` are those of the candidates; `number_log_probs (N, 15)` and `ink_log_probs (N, 4)`
    what each may be among the others, `own_…` by itself; `name` is what it is called, `runner_up` what else it may be,
    indices into `TileNames.log_probs`; `confidence` is from 0 to 1. `doubts` has for each a tuple of reasons, each with
    the name that the tile may have instead, None where that is not known.
    """

    track: Ints
    quads_px: Floats
    number_log_probs: Floats
    ink_log_probs: Floats
    own_number_log_probs: Floats
    own_ink_log_probs: Floats
    name: Ints
    runner_up: Ints
    confidence: Floats
    score: Floats
    by_person: Bools
    hidden: Bools
    doubts: Objects

    @property
    def log_probs(self) -> Floats:
        """What each may be, `(N, 54)`, as in `TileNames.log_probs`."""
        return in_inks(self.number_log_probs, self.ink_log_probs)

    @property
    def is_tile(self) -> Bools:
        """Which the classifier takes for tiles, whatever their names, and not the detector alone, `(N,)`."""
        return likelier_tiles(self.number_log_probs)

    @property
    def doubtful(self) -> Bools:
        """Which there is any reason to doubt, `(N,)`."""
        return self.doubts.astype(bool)

    def doubt(self, which: Bools, reason: DoubtReason, alternative: int | None = None) -> None:
        """Add a reason to doubt tiles `(N,)`; each counts once."""
        for at in np.flatnonzero(which):
            if all(reason is not known for known, _ in self.doubts[at]):
                self.doubts[at] = (*self.doubts[at], (reason, alternative))

    def rename(self, which: Bools | Ints, names: Ints, confidence: Floats) -> None:
        """Give some tiles other names; what they were called is their runner-up, and what they may be instead."""
        before = self.name[which]
        self.name[which], self.runner_up[which], self.confidence[which] = names, before, confidence
        for at, name in zip(np.arange(len(self))[which], before.tolist(), strict=True):
            self.doubts[at] = tuple((reason, name) for reason, _ in self.doubts[at])

    def read(self, inks: Inks) -> tuple[ReadTile, ...]:
        """Return the tiles of a reading, with labels in the names of the inks."""
        labels = labels_of(inks)
        names = map(TileNames, self.number_log_probs, self.ink_log_probs, self.own_number_log_probs)
        aside = self.by_person.tolist(), self.hidden.tolist(), self.score.tolist()
        sightings = map(Sighting, self.track.tolist(), self.quads_px, names, *aside)
        best, second = ([labels[name] for name in some.tolist()] for some in (self.name, self.runner_up))
        doubts = (_labelled(some, labels) if some else () for some in self.doubts)
        return tuple(map(ReadTile, sightings, best, self.confidence.tolist(), second, doubts))


def _labelled(doubts: tuple[tuple[DoubtReason, int | None], ...], labels: Sequence[str]) -> tuple[Doubt, ...]:
    return tuple(Doubt(reason, None if name is None else labels[name]) for reason, name in doubts)

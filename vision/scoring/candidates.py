"""What may be a tile: a place on the table, what it looks like, and what is known of it from earlier pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.scoring.evidence import Evidence, fused
from tilekeeper.vision.types import INKS, JOKER, NOT_A_TILE, NUMBERS, Doubt, number_and_ink

CERTAIN = -30.0
"""The logarithm of what is left for every other name once a person has named a tile."""


class Standing(Enum):
    """Whether a candidate was compared with the tiles around it, and with what result."""

    NEW = "new"
    """It was not compared yet, and was no tile of a reading."""
    MEMBER = "member"
    """It looks like the tiles around it."""
    SUSPECT = "suspect"
    """It may be no tile of their set, and is in doubt for that."""
    FOREIGN = "foreign"
    """It looks too little like them to be a tile of the set, and is left out."""
    RECONSIDERED = "reconsidered"
    """It was suspect or foreign, was examined again since, and is to be compared once more."""

    @property
    def is_to_be_compared(self) -> bool:
        """Whether the next reading compares it with the tiles around it."""
        return self is Standing.NEW or self is Standing.RECONSIDERED


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One place where something like a tile lies.

    `track` is its number, never given again; `quad_px (4, 2) float32`; `person` is the name that a person gave it, an
    index into `TileNames.log_probs`, and `locked` the name that earlier readings were sure of, both None where there is
    none. `doubts` are those for which it is suspect, and `tile_chance`, 0 to 1, is how likely it is a tile of the set,
    1 where nothing speaks against it. `hidden` says whether something covers it now.
    """

    track: int
    quad_px: np.ndarray
    evidence: Evidence
    person: int | None = None
    locked: int | None = None
    standing: Standing = Standing.NEW
    doubts: tuple[Doubt, ...] = ()
    tile_chance: float = 1.0
    hidden: bool = False

    @property
    def was_passed_over(self) -> bool:
        """Whether it was looked at before and yet was no tile of a reading."""
        return self.standing in (Standing.NEW, Standing.FOREIGN) and self.evidence.looks > 1


def appearance_of(candidates: Sequence[Candidate]) -> Appearances:
    """Return what all looks at each of N candidates say together; what a person named is certain."""
    numbers, inks = fused([candidate.evidence for candidate in candidates])
    for at, candidate in enumerate(candidates):
        if candidate.person is not None:
            numbers[at], inks[at] = certain(candidate.person)
    return Appearances(
        numbers,
        inks,
        np.array([candidate.evidence.upside_down_log_odds for candidate in candidates]),
        np.array([candidate.quad_px for candidate in candidates], np.float32).reshape(-1, 4, 2),
        np.array([candidate.evidence.ink_colours for candidate in candidates]),
        np.array([candidate.evidence.figures for candidate in candidates]),
    )


def certain(name: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-probabilities of numbers `(15,)` and inks `(4,)` of what is known to have a name."""
    numbers, inks = np.full(NUMBERS + 2, CERTAIN), np.full(len(INKS), CERTAIN)
    number, ink = number_and_ink(name)
    numbers[number] = 0.0
    inks[:] = -np.log(len(INKS)) if number in (JOKER, NOT_A_TILE) else inks
    if number < NUMBERS:
        inks[ink] = 0.0
    return numbers, inks

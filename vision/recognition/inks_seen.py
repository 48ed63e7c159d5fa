"""What is known of the inks of a table's tiles before they are compared with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints
from tilekeeper.vision.types import INKS

LEAST: Final = 1e-9
"""Nothing is less likely than this."""


@dataclass(frozen=True, slots=True, eq=False)
class InksSeen:
    """What is known of the inks of N tiles.

    `log_probs (N, 4)` is what the classifier says of each by itself, `colours (N, 3)` what their inks take from the
    light (`ink_mixture.absorbed`), `said (N,)` what people called them, indices into `INKS`, -1 where nobody did.
    """

    log_probs: Floats
    colours: Floats
    said: Ints

    @classmethod
    def none(cls) -> InksSeen:
        """Return what is known of no tile."""
        return cls(np.zeros((0, len(INKS))), np.zeros((0, 3), np.float32), np.zeros(0, int))

    @classmethod
    def joined(cls, some: Sequence[InksSeen]) -> InksSeen:
        """Return all of these, at least one, after one another."""
        return cls(*(np.concatenate([getattr(one, field.name) for one in some]) for field in fields(cls)))

    @property
    def named(self) -> Bools:
        """Which of them people called by an ink, `(N,)`."""
        return np.asarray(self.said >= 0)

    def are_of(self, inks: tuple[int, int]) -> Bools:
        """Which are of these two inks, `(N,)`: likelier than not as the classifier sees them, and nobody said
        otherwise."""
        seen = np.exp(self.log_probs[:, inks]).sum(axis=1) > 0.5
        return np.asarray(seen & (~self.named | np.isin(self.said, inks)))

    @property
    def told(self) -> Floats:
        """How likely each ink of each is, `(N, 4)`, by what people said where they did, and else by the classifier."""
        words = np.where(self.said[:, None] == np.arange(len(INKS)), 0.0, np.log(LEAST))
        return np.where(self.named[:, None], words, self.log_probs)

"""Ink evidence of a table's tiles before they are compared with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints
from tilekeeper.vision.types import INKS

LEAST: Final = 1e-9
"""Lower limit of a probability."""


@dataclass(frozen=True, slots=True, eq=False)
class InkEvidence:
    """Ink evidence of N tiles.

    `log_probs`: `(N, 4)` of the classifier; `colours`: absorbed light `(N, 3)` (`ink_mixture.ink_absorption`);
    `answers`: `(N,)` indices into `INKS` of inks that people confirmed, -1 if nobody did.
    """

    log_probs: Floats
    colours: Floats
    answers: Ints

    @classmethod
    def empty(cls) -> InkEvidence:
        return cls(np.zeros((0, len(INKS))), np.zeros((0, 3), np.float32), np.zeros(0, int))

    @classmethod
    def concatenate(cls, tables: Sequence[InkEvidence]) -> InkEvidence:
        """Return the rows of one or more tables."""
        return cls(*(np.concatenate([getattr(table, field.name) for table in tables]) for field in fields(cls)))

    @property
    def answered(self) -> Bools:
        """Which inks people confirmed, `(N,)`."""
        return np.asarray(self.answers >= 0)

    def belong_to(self, inks: tuple[int, int]) -> Bools:
        """Return which tiles are of these two inks, `(N,)`, by the answers and otherwise by the classifier."""
        is_likely = np.exp(self.log_probs[:, inks]).sum(axis=1) > 0.5
        return np.asarray(is_likely & (~self.answered | np.isin(self.answers, inks)))

    @property
    def log_probs_after_answers(self) -> Floats:
        """`log_probs (N, 4)`, replaced by the answer where a person confirmed the ink."""
        answers = np.where(self.answers[:, None] == np.arange(len(INKS)), 0.0, np.log(LEAST))
        return np.where(self.answered[:, None], answers, self.log_probs)

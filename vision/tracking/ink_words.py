"""Keeps what people called the inks of tiles: it tells of others in the same light, also once the tile itself is gone.

A word is what is known of the ink of one tile that a person named, `InkEvidence` of it alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from tilekeeper.vision.recognition.ink_evidence import InkEvidence
from tilekeeper.vision.recognition.ink_pairs import SIMILAR_INKS

# Two colours closer than this chord of the unit sphere are one ink; crops of one tile differ less, inks far more.
MAX_SAME_INK_CHORD = 0.02
# Only this many newest answers count per pair of similar inks; more would outvote what another lamp shows.
MAX_INK_ANSWERS_PER_PAIR = 4


class InkWords:
    """The words for tiles that are followed, by their tracks, and those from before."""

    def __init__(self) -> None:
        """Begin with none."""
        self._of: dict[int, InkEvidence] = {}
        self._before: tuple[InkEvidence, ...] = ()

    @property
    def newest(self) -> tuple[InkEvidence, ...]:
        """The words that count, a few for each pair of like inks, the newest last."""
        return _newest((*self._before, *self._of.values()))

    def add(self, track: int, word: InkEvidence, tracks: Collection[int]) -> None:
        """Take a person's word for a followed tile, in the place of an earlier one; without an ink it only takes back.

        What was said otherwise of the same colour goes, too, unless its tile is among `tracks`, which are followed: a
        slip is put right whichever tile shows it.
        """
        self._of.pop(track, None)
        self._of = {other: said for other, said in self._of.items() if other in tracks or not _otherwise(said, word)}
        self._before = tuple(said for said in self._before if not _otherwise(said, word))
        if word.answered.all():
            self._of[track] = word

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Take words from before, older than all others."""
        self._before = (*words, *self._before)

    def of_gone(self, tracks: Collection[int]) -> InkEvidence:
        """Return what was said of tiles that are not among `tracks`: those that are followed say it themselves."""
        gone = (*self._before, *(word for track, word in self._of.items() if track not in tracks))
        return InkEvidence.concatenate([InkEvidence.empty(), *_newest(gone)])


def _otherwise(earlier: InkEvidence, later: InkEvidence) -> bool:
    """Return whether a later word is for the same colour and not for the same ink."""
    apart = float(np.linalg.norm(earlier.colours[0] - later.colours[0]))
    return apart < MAX_SAME_INK_CHORD and bool(earlier.answers[0] != later.answers[0])


def _newest(words: Sequence[InkEvidence]) -> tuple[InkEvidence, ...]:
    """Return as many as count of each pair of like inks, in their order."""
    counted = dict.fromkeys(SIMILAR_INKS, 0)
    kept: list[InkEvidence] = []
    for word in reversed(words):
        pair = next(inks for inks in SIMILAR_INKS if word.answers[0] in inks)
        if counted[pair] < MAX_INK_ANSWERS_PER_PAIR:
            counted[pair] += 1
            kept.append(word)
    return tuple(reversed(kept))

"""Keeps what people said of the inks of tiles: it helps to read other tiles in the same light, also later ones.

A word is what is known of the ink of one tile that a person named: an `InkEvidence` of that tile alone.
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
    """The words for followed tiles, by their tracks, and earlier ones."""

    def __init__(self) -> None:
        """Start without words."""
        self._by_track: dict[int, InkEvidence] = {}
        self._earlier: tuple[InkEvidence, ...] = ()

    @property
    def newest(self) -> tuple[InkEvidence, ...]:
        """The words that count, a few for each pair of similar inks, the newest last."""
        return _newest((*self._earlier, *self._by_track.values()))

    def add(self, track: int, word: InkEvidence, tracks: Collection[int]) -> None:
        """Add a person's word for a followed tile in place of an earlier one; a word without an ink only removes it.

        A person may correct a mistake at any tile of the same colour: contradicting words for that colour are removed,
        unless their tile is among the followed `tracks`.
        """
        self._by_track.pop(track, None)
        self._by_track = {
            other_track: other
            for other_track, other in self._by_track.items()
            if other_track in tracks or not _contradicts(other, word)
        }
        self._earlier = tuple(earlier for earlier in self._earlier if not _contradicts(earlier, word))
        if word.answered.all():
            self._by_track[track] = word

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Add earlier words, older than all others."""
        self._earlier = (*words, *self._earlier)

    def of_gone(self, tracks: Collection[int]) -> InkEvidence:
        """Return the words that count for tiles that are not among `tracks`; followed tiles have their own words."""
        gone = (*self._earlier, *(word for track, word in self._by_track.items() if track not in tracks))
        return InkEvidence.concatenate([InkEvidence.empty(), *_newest(gone)])


def _contradicts(earlier: InkEvidence, later: InkEvidence) -> bool:
    """Return whether two words name different inks for one colour."""
    chord = float(np.linalg.norm(earlier.colours[0] - later.colours[0]))
    return chord < MAX_SAME_INK_CHORD and bool(earlier.answers[0] != later.answers[0])


def _newest(words: Sequence[InkEvidence]) -> tuple[InkEvidence, ...]:
    """Return the words that count for each pair of similar inks, in their order."""
    counts = dict.fromkeys(SIMILAR_INKS, 0)
    kept: list[InkEvidence] = []
    for word in reversed(words):
        pair = next(inks for inks in SIMILAR_INKS if word.answers[0] in inks)
        if counts[pair] < MAX_INK_ANSWERS_PER_PAIR:
            counts[pair] += 1
            kept.append(word)
    return tuple(reversed(kept))

"""Keeps what people said of the inks of tiles: it helps to read other tiles in the same light, also later ones.

A word is what is known of the ink of one tile that a person named: an `InksSeen` of that tile alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from tilekeeper.vision.recognition.ink_pairs import LIKE_INKS
from tilekeeper.vision.recognition.inks_seen import InksSeen

# Two colours closer than this chord of the unit sphere are one ink; crops of one tile differ less, inks far more.
MAX_SAME_INK_CHORD = 0.02
# Only this many newest answers count per pair of similar inks; more would outvote what another lamp shows.
MAX_INK_ANSWERS_PER_PAIR = 4


class InkWords:
    """The words for followed tiles, by their tracks, and earlier ones."""

    def __init__(self) -> None:
        """Start without words."""
        self._by_track: dict[int, InksSeen] = {}
        self._earlier: tuple[InksSeen, ...] = ()

    @property
    def newest(self) -> tuple[InksSeen, ...]:
        """The words that count, a few for each pair of similar inks, the newest last."""
        return _newest((*self._earlier, *self._by_track.values()))

    def add(self, track: int, word: InksSeen, tracks: Collection[int]) -> None:
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
        if word.named.all():
            self._by_track[track] = word

    def remember(self, words: Iterable[InksSeen]) -> None:
        """Add earlier words, older than all others."""
        self._earlier = (*words, *self._earlier)

    def of_gone(self, tracks: Collection[int]) -> InksSeen:
        """Return the words that count for tiles that are not among `tracks`; followed tiles have their own words."""
        gone = (*self._earlier, *(word for track, word in self._by_track.items() if track not in tracks))
        return InksSeen.joined([InksSeen.none(), *_newest(gone)])


def _contradicts(earlier: InksSeen, later: InksSeen) -> bool:
    """Return whether two words name different inks for one colour."""
    chord = float(np.linalg.norm(earlier.colours[0] - later.colours[0]))
    return chord < MAX_SAME_INK_CHORD and bool(earlier.said[0] != later.said[0])


def _newest(words: Sequence[InksSeen]) -> tuple[InksSeen, ...]:
    """Return the words that count for each pair of similar inks, in their order."""
    counts = dict.fromkeys(LIKE_INKS, 0)
    kept: list[InksSeen] = []
    for word in reversed(words):
        pair = next(inks for inks in LIKE_INKS if word.said[0] in inks)
        if counts[pair] < MAX_INK_ANSWERS_PER_PAIR:
            counts[pair] += 1
            kept.append(word)
    return tuple(reversed(kept))

"""Keeps what people said of inks: a word tells of other tiles in the same light, also once its own tile is gone.

Words come from people who may slip, and who say it again: a later word for a tile takes the place of an earlier one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.config import recognition_limits
from tilekeeper.vision.recognition.ink_pairs import LIKE_INKS
from tilekeeper.vision.recognition.inks_seen import InksSeen


@dataclass(frozen=True, slots=True, eq=False)
class InkWord:
    """A tile that a person named: its number, from 0, and how its ink was seen, `InksSeen` of this one tile."""

    number: int
    seen: InksSeen

    @property
    def ink(self) -> int:
        """The index in `INKS` of what the person called it."""
        return int(self.seen.said[0])

    def is_of_same_tile(self, other: InkWord) -> bool:
        """Return whether both may be words for one tile: its number, an ink or the one like it, and such a colour."""
        inks = self.ink, other.ink
        alike = inks[0] == inks[1] or tuple(sorted(inks)) in LIKE_INKS
        apart = float(np.linalg.norm(self.seen.colours[0] - other.seen.colours[0]))
        return self.number == other.number and alike and apart < recognition_limits.open_apart


class InkWords:
    """All words: those for tiles that are followed, by their tracks, and those from before a new start."""

    def __init__(self) -> None:
        """Begin with none."""
        self._of: dict[int, InkWord] = {}
        self._before: tuple[InkWord, ...] = ()

    @property
    def all(self) -> tuple[InkWord, ...]:
        """Every word, the newest last."""
        return (*self._before, *self._of.values())

    def say(self, track: int, word: InkWord | None, there: Collection[int]) -> None:
        """Take a person's word for a followed tile, None where what it was called has no ink.

        Earlier words for the same tile go, unless they are for another that is `there`, of all tracks that are.
        """
        self._of.pop(track, None)
        if word is None:
            return
        self._of = {
            other: said for other, said in self._of.items() if other in there or not said.is_of_same_tile(word)
        } | {track: word}
        self._before = _others(self._before, [word])

    def remember(self, before: Iterable[InkWord], there: Collection[int]) -> None:
        """Take the words of an evening in the place of those of another; tiles that are `there` keep theirs."""
        self._of = {track: said for track, said in self._of.items() if track in there}
        self._before = _others(before, self._of.values())

    def of_gone(self, there: Collection[int]) -> InksSeen:
        """Return what was said of tiles that are not `there`: those that are say it themselves."""
        gone = [*self._before, *(said for track, said in self._of.items() if track not in there)]
        return InksSeen.joined([InksSeen.none(), *(said.seen for said in gone)])


def _others(words: Iterable[InkWord], later: Collection[InkWord]) -> tuple[InkWord, ...]:
    """Return the words that are not for the tile of a later one."""
    return tuple(word for word in words if not any(word.is_of_same_tile(one) for one in later))

"""Words for inks: a later one takes the place of an earlier one for the same colour, and the newest count."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.config import config
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.tracking.ink_words import InkWords
from tilekeeper.vision.types import INKS

LIMITS = config().tracking


def word(ink: str, off: float = 0.0) -> InksSeen:
    """A person's word for a tile whose colour is so far from that of others; none for a joker."""
    said = INKS.index(ink) if ink in INKS else -1
    return InksSeen(np.zeros((1, 4)), np.array([[0.1 + off, 0.6, 0.8]], np.float32), np.array([said]))


def inks(words: InkWords) -> list[str]:
    return [INKS[int(one.said[0])] for one in words.newest]


def gone(words: InkWords, *tracks: int) -> list[str]:
    """What was said of tiles that are not among these."""
    return [INKS[ink] for ink in words.of_gone(tracks).said]


@pytest.mark.parametrize(
    ("earlier", "later", "off", "left"),
    [
        ("orange", "red", 0.015, ["red"]),
        ("red", "orange", -0.015, ["orange"]),
        ("blue", "black", 0.0, ["black"]),
        ("orange", "red", 0.03, ["orange", "red"]),
        ("red", "red", 0.0, ["red", "red"]),
        ("orange", "joker", 0.015, []),
        ("orange", "joker", 0.03, ["orange"]),
    ],
)
def test_a_later_word_for_the_same_colour_holds(earlier: str, later: str, off: float, left: list[str]) -> None:
    """Whichever tile it was said of, before a new start or of one that is gone."""
    words = InkWords()
    words.remember([word(earlier)])
    words.add(1, word(later, off), [1])
    assert inks(words) == left
    words = InkWords()
    words.add(0, word(earlier), [0])
    words.add(1, word(later, off), [1])
    assert gone(words) == left


def test_tiles_that_are_followed_keep_their_words_and_say_it_themselves() -> None:
    words = InkWords()
    words.add(0, word("orange"), [0, 1])
    words.add(1, word("red"), [0, 1])
    assert inks(words) == ["orange", "red"]
    assert gone(words, 0, 1) == []
    assert gone(words, 1) == ["orange"]


def test_a_word_that_is_taken_back_tells_nothing() -> None:
    words = InkWords()
    words.add(0, word("orange"), [0])
    words.add(0, word("joker"), [0])
    assert inks(words) == gone(words) == []


def test_the_newest_words_for_each_pair_of_inks_count() -> None:
    """Many for one pair push out none of another; those from before are the oldest."""
    words, apart = InkWords(), 2 * LIMITS.word_same_colour
    words.add(0, word("red"), [])
    for track in range(1, 8):
        words.add(track, word("blue" if track % 2 else "black", track * apart), [])
    words.remember([word("black", -apart), word("orange", -apart)])
    assert inks(words) == ["orange", "red", "black", "blue", "black", "blue"]
    assert gone(words) == inks(words)

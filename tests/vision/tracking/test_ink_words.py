"""Words for inks: a later one takes the place of an earlier one for the same tile, and of no other's."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.tracking.ink_words import InkWord, InkWords
from tilekeeper.vision.types import INKS


def word(label: str, colour: tuple[float, float, float] = (0.1, 0.6, 0.8)) -> InkWord:
    """A person's word for a tile that looks so."""
    ink, number = label.split("-")
    seen = InksSeen(np.zeros((1, 4)), np.array([colour], np.float32), np.array([INKS.index(ink)]))
    return InkWord(int(number) - 1, seen)


def said(words: InkWords, there: tuple[int, ...] = ()) -> list[str]:
    """What was said of tiles that are gone."""
    return [INKS[ink] for ink in words.of_gone(there).said]


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ("orange-3", "red-3", ["red"]),
        ("red-3", "orange-3", ["orange"]),
        ("blue-3", "black-3", ["black"]),
        ("red-3", "red-3", ["red"]),
        ("orange-3", "red-4", ["orange", "red"]),
        ("blue-3", "red-3", ["blue", "red"]),
    ],
)
def test_a_later_word_for_a_tile_from_before_a_new_start_holds(earlier: str, later: str, left: list[str]) -> None:
    words = InkWords()
    words.remember([word(earlier)], [1])
    words.say(1, word(later), [1])
    assert [INKS[one.ink] for one in words.all] == left
    # and so for one that was gone, and came back as another track
    words = InkWords()
    words.say(0, word(earlier), [0])
    words.say(1, word(later), [1])
    assert said(words) == left


def test_tiles_of_another_colour_and_those_that_lie_there_keep_their_words() -> None:
    words = InkWords()
    words.remember([word("orange-3", (0.5, 0.5, 0.5))], [0, 1])
    words.say(0, word("orange-3"), [0, 1])
    words.say(1, word("red-3"), [0, 1])
    assert [INKS[one.ink] for one in words.all] == ["orange", "orange", "red"]


def test_a_word_that_is_taken_back_tells_nothing() -> None:
    words = InkWords()
    words.say(0, word("orange-3"), [0])
    words.say(0, None, [0])
    assert words.all == ()
    assert said(words) == []


def test_those_that_are_there_say_it_themselves() -> None:
    words = InkWords()
    words.say(0, word("orange-3"), [0, 1])
    words.say(1, word("red-5"), [0, 1])
    assert said(words, (0, 1)) == []
    assert said(words, (1,)) == ["orange"]


def test_another_evening_begins_with_its_own_words_and_those_of_the_tiles_that_are_there() -> None:
    words = InkWords()
    words.say(0, word("orange-3"), [0, 1])
    words.say(1, word("red-5"), [0, 1])
    words.remember([word("blue-7", (0.9, 0.3, 0.1)), word("red-5")], [1])
    assert [(INKS[one.ink], one.number) for one in words.all] == [("blue", 6), ("red", 4)]
    words.remember([], [])
    assert words.all == ()

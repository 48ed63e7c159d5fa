"""A person's answers about inks: a later answer for the same colour replaces an earlier one, and the newest count."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.truthful_networks import PlayedTable, row
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.tracking.tracks import MAX_SAME_INK_CHORD, InkWords
from tilekeeper.vision.types import INKS, TableReading

OTHER = row(200, 300, "blue-9", "blue-10", "blue-11", "blue-12")


def answer(ink: str, off: float = 0.0) -> InkEvidence:
    """Return a person's answer for a tile whose colour differs by `off`; a joker has no ink."""
    answers = INKS.index(ink) if ink in INKS else -1
    return InkEvidence(np.zeros((1, 4)), np.array([[0.1 + off, 0.6, 0.8]], np.float32), np.array([answers]))


def newest_inks(words: InkWords) -> list[str]:
    return [INKS[int(answer_of.answers[0])] for answer_of in words.newest]


def inks_of_gone(words: InkWords, *tracks: int) -> list[str]:
    """Return the inks answered for tiles that are not among `tracks`."""
    known = words.of_other_tiles(tracks)
    return [] if known is None else [INKS[ink] for ink in known.answers]


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
def test_later_answer_for_the_same_colour_replaces_the_earlier_one(
    earlier: str, later: str, off: float, left: list[str]
) -> None:
    words = InkWords()
    words.remember([answer(earlier)])
    words.add(1, answer(later, off), [1])
    assert newest_inks(words) == left
    words = InkWords()
    words.add(0, answer(earlier), [0])
    words.add(1, answer(later, off), [1])
    assert inks_of_gone(words) == left


def test_answer_for_a_followed_tile_stays_and_counts_only_once() -> None:
    words = InkWords()
    words.add(0, answer("orange"), [0, 1])
    words.add(1, answer("red"), [0, 1])
    assert newest_inks(words) == ["orange", "red"]
    assert inks_of_gone(words, 0, 1) == []
    assert inks_of_gone(words, 1) == ["orange"]


def test_answer_that_is_taken_back_no_longer_counts() -> None:
    words = InkWords()
    words.add(0, answer("orange"), [0])
    words.add(0, answer("joker"), [0])
    assert newest_inks(words) == inks_of_gone(words) == []


def test_many_answers_for_a_pair_of_inks_only_the_newest_count() -> None:
    words, apart = InkWords(), 2 * MAX_SAME_INK_CHORD
    words.add(0, answer("red"), [])
    for track in range(1, 8):
        words.add(track, answer("blue" if track % 2 else "black", track * apart), [])
    words.remember([answer("black", -apart), answer("orange", -apart)])
    assert newest_inks(words) == ["orange", "red", "black", "blue", "black", "blue"]
    assert inks_of_gone(words) == newest_inks(words)


def test_answer_for_one_tile_decides_an_open_ink_also_after_the_tile_is_gone() -> None:
    """Tiles that may be orange or red are flagged until one answer decides for them and for later tiles."""
    played = PlayedTable(sure=0.999)
    played.truth.open_inks = INKS.index("orange"), INKS.index("red")
    reds = row(200, 120, "red-3", "red-4", "red-5", "red-6")
    reading = played.still([*reds, *OTHER], frames=12)
    assert sum(tile.doubtful for tile in reading.tiles) == len(reds)
    first = min((tile for tile in reading.tiles if tile.doubtful), key=lambda tile: tile.label)
    answered = played.reader.correct(first.sighting.track, f"red-{first.label.split('-')[1]}")
    assert sorted(tile.label for tile in answered.tiles if tile.label.startswith("red")) == sorted(
        label for *_, label in reds
    )
    assert not any(tile.doubtful for tile in answered.tiles)
    more = row(400, 300, "red-8", "red-9", "red-10", "red-11")
    played.still(OTHER, frames=12)
    later = played.still([*OTHER, *more], frames=12)
    assert {label for *_, label in more} <= {tile.label for tile in later.tiles}
    assert not any(tile.doubtful for tile in later.tiles)


def test_ink_taken_back_no_longer_counts_after_its_tile_is_gone() -> None:
    """A person first labels the tile red, then joker, so the other tiles are flagged again."""
    played = PlayedTable(sure=0.999)
    played.truth.open_inks = INKS.index("orange"), INKS.index("red")
    reds = row(200, 120, "red-3", "red-4", "red-5", "red-6")
    reading = played.still([*reds, *OTHER], frames=12)
    track = next(tile.sighting.track for tile in reading.tiles if tile.doubtful and tile.label.endswith("-3"))
    assert not any(tile.doubtful for tile in played.reader.correct(track, "red-3").tiles)
    played.reader.correct(track, "joker")
    assert played.reader.ink_words == ()
    left = played.still([*reds[1:], *OTHER], frames=12)
    assert sum(tile.doubtful for tile in left.tiles) == len(reds) - 1


def test_answers_given_to_another_reader_in_this_light_count() -> None:
    reds = row(200, 120, "red-3", "red-4", "red-5", "red-6")

    def begun() -> PlayedTable:
        played = PlayedTable(sure=0.999)
        played.truth.open_inks = INKS.index("orange"), INKS.index("red")
        return played

    def is_read_as(reading: TableReading, ink: str) -> bool:
        newest_inks = [
            tile.label.split("-")[0] for tile in reading.tiles if int(tile.label.split("-")[1]) in (3, 4, 5, 6)
        ]
        return newest_inks.count(ink) >= len(reds) and not any(tile.doubtful for tile in reading.tiles)

    played, words = begun(), ()
    for ink in ("orange", "red"):
        reading = played.still([*reds, *OTHER], frames=12)
        tile = min((tile for tile in reading.tiles if tile.label.endswith("-3")), key=lambda tile: tile.confidence)
        assert is_read_as(played.reader.correct(tile.sighting.track, f"{ink}-3"), ink)
        words = played.reader.ink_words
        assert [INKS[int(answer.answers[0])] for answer in words] == [ink]
        played = begun()
        assert sum(tile.doubtful for tile in played.still([*reds, *OTHER], frames=12).tiles) == len(reds)
        played.reader.remember(words)
        assert is_read_as(played.reader.reading, ink)
    played.reader.forget_inks()
    assert sum(tile.doubtful for tile in played.reader.reading.tiles) == len(reds)
    played.reader.remember(words)
    played.reader.forget()
    assert sum(tile.doubtful for tile in played.still([*reds, *OTHER], frames=12).tiles) == len(reds)

"""What people said of inks is kept for one camera and one evening, and whatever a disk made of it is no trouble."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from sqlalchemy import text

from tilekeeper.companion.session.ink_memory import KEPT_FOR, MOST_KEPT, InkMemory
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.tracking.ink_words import InkWord

NOW = datetime(2026, 11, 21, 19, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A data folder's database."""
    made = Store.open(tmp_path)
    yield made
    made.close()


def watching(camera: str = "Camera 0", evening: str | None = "e1") -> TableState:
    """A state of which only these are asked."""
    night = None if evening is None else SimpleNamespace(id=evening)
    source, activity = SimpleNamespace(watched=camera), SimpleNamespace(game_night=night)
    return cast("TableState", SimpleNamespace(source=source, activity=activity))


def some(*inks: int) -> tuple[InkWord, ...]:
    """Words for tiles of these inks, each of another number and seen otherwise."""
    rng = np.random.default_rng(len(inks))
    return tuple(
        InkWord(
            number % 13,
            InksSeen(np.log(rng.dirichlet(np.ones(4), 1)), rng.random((1, 3)).astype(np.float32), np.array([ink])),
        )
        for number, ink in enumerate(inks)
    )


def same(words: tuple[InkWord, ...], others: tuple[InkWord, ...]) -> bool:
    """Whether they tell the same, as closely as it is kept."""
    return [(word.number, word.ink) for word in words] == [(word.number, word.ink) for word in others] and all(
        np.allclose(word.seen.log_probs, other.seen.log_probs, atol=1e-4)
        and np.allclose(word.seen.colours, other.seen.colours, atol=1e-4)
        for word, other in zip(words, others, strict=True)
    )


def test_they_come_back_for_the_same_camera_and_evening_alone(store: Store) -> None:
    memory, words = InkMemory(store), some(3, 2, 0)
    memory.keep(watching(), words)
    assert same(InkMemory(store).recall(watching()), words)
    for other in (watching(camera="Camera 1"), watching(evening="e2"), watching(evening=None)):
        assert memory.recall(other) == ()


@pytest.mark.parametrize(("later", "comes_back"), [(KEPT_FOR * 0.99, True), (KEPT_FOR * 1.01, False)])
def test_another_day_has_another_light(store: Store, later: timedelta, comes_back: bool) -> None:
    InkMemory(store, lambda: NOW).keep(watching(), some(3))
    assert bool(InkMemory(store, lambda: NOW + later).recall(watching())) is comes_back


def test_where_no_evening_is_played_nothing_is_kept(store: Store) -> None:
    memory = InkMemory(store)
    memory.keep(watching(), some(3))
    memory.keep(watching(evening=None), some(2))
    assert [word.ink for word in memory.recall(watching())] == [3]


def test_the_newest_words_are_kept(store: Store) -> None:
    memory, words = InkMemory(store), some(*[2] * MOST_KEPT, 3)
    memory.keep(watching(), words)
    assert same(memory.recall(watching()), words[1:])


GOOD = {"number": 2, "ink": "red", "log_probs": [0, 0, 0, 0], "colour": [1, 1, 1]}


@pytest.mark.parametrize(
    "kept",
    [
        "x",
        {"evening": "e1"},
        {"evening": "e1", "at": NOW.isoformat(), "words": [GOOD | {"log_probs": [0, 0, 0]}]},
        {"evening": "e1", "at": NOW.isoformat(), "words": [GOOD | {"colour": [1, 1]}]},
        {"evening": "e1", "at": NOW.isoformat(), "words": [GOOD | {"ink": "mauve"}]},
        {"evening": "e1", "at": NOW.isoformat(), "words": [GOOD | {"number": 13}]},
        {"evening": "e1", "at": NOW.isoformat(), "words": [GOOD | {"log_probs": [0, 0, 0, float("nan")]}]},
        {"evening": "e1", "at": "yesterday", "words": [GOOD]},
    ],
)
def test_what_is_damaged_tells_nothing(store: Store, kept: Any) -> None:
    store.remember("inks Camera 0", kept)
    assert InkMemory(store, lambda: NOW).recall(watching()) == ()


def test_a_time_without_a_zone_is_one_of_utc(store: Store) -> None:
    store.remember("inks Camera 0", {"evening": "e1", "at": "2026-11-21T19:00:00", "words": [GOOD]})
    assert [word.number for word in InkMemory(store, lambda: NOW).recall(watching())] == [2]


def test_a_disk_that_refuses_stops_no_evening(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with store._engine.begin() as connection:
        connection.execute(text("DROP TABLE preferences"))
    InkMemory(store).keep(watching(), some(3))
    assert InkMemory(store).recall(watching()) == ()
    assert "can't be kept" in caplog.text
    assert "can't be read" in caplog.text

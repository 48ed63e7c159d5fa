"""What people called inks is kept for one camera and one evening, and whatever a disk made of it is no trouble."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from sqlalchemy import text

from tilekeeper.companion.session.ink_memory import InkMemory
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks_seen import InksSeen


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


def some(*inks: int) -> tuple[InksSeen, ...]:
    """Words for tiles of these inks, each seen otherwise."""
    rng = np.random.default_rng(len(inks))
    return tuple(
        InksSeen(np.log(rng.dirichlet(np.ones(4), 1)), rng.random((1, 3)).astype(np.float32), np.array([ink]))
        for ink in inks
    )


def same(words: tuple[InksSeen, ...], others: tuple[InksSeen, ...]) -> bool:
    """Whether they tell the same, as closely as it is kept."""
    one, other = InksSeen.joined(words), InksSeen.joined(others)
    return (
        one.said.tolist() == other.said.tolist()
        and np.allclose(one.log_probs, other.log_probs, atol=1e-4)
        and np.allclose(one.colours, other.colours, atol=1e-4)
    )


def test_they_come_back_for_the_same_camera_and_evening_alone(store: Store) -> None:
    memory, words = InkMemory(store), some(3, 2, 0)
    memory.keep(watching(), words)
    assert same(InkMemory(store).recall(watching()), words)
    for other in (watching(camera="Camera 1"), watching(evening="e2"), watching(evening=None)):
        assert memory.recall(other) == ()


def test_where_no_evening_is_played_nothing_is_kept(store: Store) -> None:
    memory = InkMemory(store)
    memory.keep(watching(), some(3))
    memory.keep(watching(evening=None), some(2))
    assert same(memory.recall(watching()), some(3))


GOOD = {"ink": "red", "log_probs": [0, 0, 0, 0], "colour": [1, 1, 1]}


@pytest.mark.parametrize(
    "kept",
    [
        "x",
        {"evening": "e1"},
        {"evening": "e1", "words": [GOOD | {"log_probs": [0, 0, 0]}]},
        {"evening": "e1", "words": [GOOD | {"colour": [1, 1]}]},
        {"evening": "e1", "words": [GOOD | {"ink": "mauve"}]},
        {"evening": "e1", "words": [GOOD | {"log_probs": [0, 0, 0, float("nan")]}]},
    ],
)
def test_what_is_damaged_tells_nothing(store: Store, kept: Any) -> None:
    store.remember("inks Camera 0", kept)
    assert InkMemory(store).recall(watching()) == ()


def test_a_disk_that_refuses_stops_no_evening(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with store._engine.begin() as connection:
        connection.execute(text("DROP TABLE preferences"))
    InkMemory(store).keep(watching(), some(3))
    assert InkMemory(store).recall(watching()) == ()
    assert "can't be kept" in caplog.text
    assert "can't be read" in caplog.text

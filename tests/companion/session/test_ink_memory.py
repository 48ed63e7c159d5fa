"""Ink corrections are stored for one camera and one game night; damaged data is ignored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from sqlalchemy import text

from tests.support.followed_table import LOW, Table
from tests.support.game_night_client import EveningClient
from tests.support.truthful_networks import Lying, picture, row
from tilekeeper.companion.session.ink_memory import InkMemory
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.types import INKS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A data folder's database."""
    made = Store.open(tmp_path)
    yield made
    made.close()


def watching(camera: str = "Camera 0", evening: str | None = "e1") -> TableState:
    """A table state with only the camera and the game night."""
    night = None if evening is None else SimpleNamespace(id=evening)
    source, activity = SimpleNamespace(watched=camera), SimpleNamespace(game_night=night)
    return cast("TableState", SimpleNamespace(source=source, activity=activity))


def evidence_of(*inks: int) -> tuple[InkEvidence, ...]:
    """Ink evidence for tiles of these inks, each with other colours."""
    rng = np.random.default_rng(len(inks))
    return tuple(
        InkEvidence(np.log(rng.dirichlet(np.ones(4), 1)), rng.random((1, 3)).astype(np.float32), np.array([ink]))
        for ink in inks
    )


def same(words: tuple[InkEvidence, ...], other_words: tuple[InkEvidence, ...]) -> bool:
    """Whether two pieces of evidence are equal within the precision of storage."""
    one, other = InkEvidence.concatenate(words), InkEvidence.concatenate(other_words)
    return (
        one.answers.tolist() == other.answers.tolist()
        and np.allclose(one.log_probs, other.log_probs, atol=1e-4)
        and np.allclose(one.colours, other.colours, atol=1e-4)
    )


def test_evidence_is_loaded_for_the_same_camera_and_game_night_only(store: Store) -> None:
    memory, words = InkMemory(store), evidence_of(3, 2, 0)
    memory.keep(watching(), words)
    assert same(InkMemory(store).recall(watching()), words)
    for other in (watching(camera="Camera 1"), watching(evening="e2"), watching(evening=None)):
        assert memory.recall(other) == ()


def test_nothing_is_stored_without_a_game_night(store: Store) -> None:
    memory = InkMemory(store)
    memory.keep(watching(), evidence_of(3))
    memory.keep(watching(evening=None), evidence_of(2))
    assert same(memory.recall(watching()), evidence_of(3))


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
def test_damaged_evidence_is_ignored(store: Store, kept: Any) -> None:
    store.remember("inks Camera 0", kept)
    assert InkMemory(store).recall(watching()) == ()


def test_disk_error_does_not_stop_the_game_night(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with store._engine.begin() as connection:
        connection.execute(text("DROP TABLE preferences"))
    InkMemory(store).keep(watching(), evidence_of(3))
    assert InkMemory(store).recall(watching()) == ()
    assert "can't be stored" in caplog.text
    assert "can't be read" in caplog.text


REDS, OTHER_REDS = row(200, 120, "red-3", "red-4", "red-5", "red-6"), row(200, 120, "red-1", "red-2", "red-7", "red-8")


class OpenInks:
    """A table whose red and orange look alike; its app can be restarted."""

    def __init__(self, data_folder: Path) -> None:
        self._folder = data_folder
        self.start()

    def start(self) -> None:
        """Start the app; a game night under way continues."""
        self.table = Table(self._folder)
        self.table.truth.open_inks = INKS.index("orange"), INKS.index("red")

    def restart(self) -> None:
        self.table.parts.close()
        self.start()

    def deal(self) -> None:
        """Begin another game night."""
        EveningClient(self.table.app).deal("Ada", "Bo")

    def lay_until_asked(self, tiles: Sequence[Lying], questions: int, ink: str = "") -> dict:
        """Lay tiles beside blue ones; wait until so many are doubtful and all others have this ink."""
        self.table.shows([*tiles, *LOW])
        numbers = sorted(label.split("-")[1] for *_, label in tiles)

        def holds(state: dict) -> bool:
            open_ones = [tile for tile in state["reading"]["tiles"] if not tile["label"].startswith("blue")]
            return (
                sorted(tile["label"].split("-")[1] for tile in open_ones) == numbers
                and sum(tile["doubtful"] for tile in open_ones) == questions
                and all(tile["doubtful"] or tile["label"].startswith(ink) for tile in open_ones)
            )

        return self.table.until(holds)

    def correct(self, state: dict, label: str) -> None:
        """Correct the tile with the number of the label."""
        numbers = [tile["label"].split("-")[1] for tile in state["reading"]["tiles"]]
        at = numbers.index(label.split("-")[1])
        self.table.player.press("correct", reading=state["reading"]["number"], tile=at, label=label)


@pytest.fixture
def open_inks(tmp_path: Path) -> Iterator[OpenInks]:
    """A table with two inks that look alike."""
    made = OpenInks(tmp_path)
    yield made
    made.table.parts.close()


@pytest.mark.slow
def test_one_answer_settles_an_ink_for_the_whole_game_night_only(open_inks: OpenInks) -> None:
    """Players are asked once per game night whether the ink is orange or red, also after restarts."""
    open_inks.deal()
    open_inks.correct(open_inks.lay_until_asked(REDS, 4), "red-3")
    open_inks.lay_until_asked(REDS, 0, "red")
    open_inks.restart()
    open_inks.lay_until_asked(OTHER_REDS, 0, "red")
    open_inks.table.player.until(lambda state: state["settled"])
    open_inks.deal()
    open_inks.lay_until_asked(REDS, 4)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["3", "5"])
def test_wrong_answer_can_be_corrected_after_a_restart(open_inks: OpenInks, at: str) -> None:
    """One tile was called orange by mistake, then one is called red: all become red, and stay red after a restart."""
    open_inks.deal()
    open_inks.correct(open_inks.lay_until_asked(REDS, 4), "orange-3")
    open_inks.lay_until_asked(REDS, 0, "orange")
    open_inks.restart()
    open_inks.correct(open_inks.lay_until_asked(REDS, 0, "orange"), f"red-{at}")
    open_inks.lay_until_asked(REDS, 0, "red")
    open_inks.restart()
    open_inks.lay_until_asked(REDS, 0, "red")


@pytest.mark.slow
@pytest.mark.parametrize("first_gone", [False, True])
def test_answer_of_one_game_night_does_not_count_in_the_next(open_inks: OpenInks, first_gone: bool) -> None:
    """The app is not restarted; the tiles of the first game night are still on the table, or gone."""
    open_inks.deal()
    open_inks.correct(open_inks.lay_until_asked(REDS, 4), "red-3")
    open_inks.lay_until_asked(REDS, 0, "red")
    if first_gone:
        open_inks.table.shows(LOW)
        open_inks.table.until(lambda state: len(state["reading"]["tiles"]) == len(LOW))
    open_inks.deal()
    open_inks.lay_until_asked(OTHER_REDS, 4)
    open_inks.restart()
    open_inks.lay_until_asked(OTHER_REDS, 4)


@pytest.mark.slow
def test_answer_before_a_game_night_counts_in_it(open_inks: OpenInks) -> None:
    """The camera is set up first, then the tiles are shuffled and dealt."""
    open_inks.correct(open_inks.lay_until_asked(REDS, 4), "red-3")
    open_inks.lay_until_asked(REDS, 0, "red")
    open_inks.table.shows(LOW)
    open_inks.table.until(lambda state: len(state["reading"]["tiles"]) == len(LOW))
    open_inks.deal()
    open_inks.lay_until_asked(OTHER_REDS, 0, "red")
    open_inks.restart()
    open_inks.lay_until_asked(REDS, 0, "red")


@pytest.mark.slow
def test_change_of_picture_size_keeps_the_inks(open_inks: OpenInks) -> None:
    """Everything is read again, but in the same light; also before a game night begins."""
    open_inks.correct(open_inks.lay_until_asked(REDS, 4), "red-3")
    open_inks.lay_until_asked(REDS, 0, "red")
    table, tiles = open_inks.table, [*OTHER_REDS, *LOW]
    larger = np.pad(picture(tiles), ((0, 0), (0, 64), (0, 0)), mode="edge")
    table.shows(tiles, larger)
    table.until(lambda state: {"red-1", "red-8"} <= {tile["label"] for tile in state["reading"]["tiles"]})
    table.until(lambda state: not any(tile["doubtful"] for tile in state["reading"]["tiles"]))

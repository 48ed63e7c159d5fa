"""What people called inks is kept for one camera and one evening, and whatever a disk made of it is no trouble."""

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
from tilekeeper.vision.recognition.ink_pairs import InkEvidence
from tilekeeper.vision.types import INKS


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


def evidence_of(*inks: int) -> tuple[InkEvidence, ...]:
    """Words for tiles of these inks, each seen otherwise."""
    rng = np.random.default_rng(len(inks))
    return tuple(
        InkEvidence(np.log(rng.dirichlet(np.ones(4), 1)), rng.random((1, 3)).astype(np.float32), np.array([ink]))
        for ink in inks
    )


def same(words: tuple[InkEvidence, ...], others: tuple[InkEvidence, ...]) -> bool:
    """Whether they tell the same, as closely as it is kept."""
    one, other = InkEvidence.concatenate(words), InkEvidence.concatenate(others)
    return (
        one.answers.tolist() == other.answers.tolist()
        and np.allclose(one.log_probs, other.log_probs, atol=1e-4)
        and np.allclose(one.colours, other.colours, atol=1e-4)
    )


def test_they_come_back_for_the_same_camera_and_evening_alone(store: Store) -> None:
    memory, words = InkMemory(store), evidence_of(3, 2, 0)
    memory.keep(watching(), words)
    assert same(InkMemory(store).recall(watching()), words)
    for other in (watching(camera="Camera 1"), watching(evening="e2"), watching(evening=None)):
        assert memory.recall(other) == ()


def test_where_no_evening_is_played_nothing_is_kept(store: Store) -> None:
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
def test_what_is_damaged_tells_nothing(store: Store, kept: Any) -> None:
    store.remember("inks Camera 0", kept)
    assert InkMemory(store).recall(watching()) == ()


def test_a_disk_that_refuses_stops_no_evening(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with store._engine.begin() as connection:
        connection.execute(text("DROP TABLE preferences"))
    InkMemory(store).keep(watching(), evidence_of(3))
    assert InkMemory(store).recall(watching()) == ()
    assert "can't be stored" in caplog.text
    assert "can't be read" in caplog.text


REDS, OTHER_REDS = row(200, 120, "red-3", "red-4", "red-5", "red-6"), row(200, 120, "red-1", "red-2", "red-7", "red-8")


class OpenInks:
    """A table whose red tiles could as well be orange, which is left and started again."""

    def __init__(self, data_folder: Path) -> None:
        self._folder = data_folder
        self.start()

    def start(self) -> None:
        """Start the app, or start it again; where an evening is played it goes on."""
        self.table = Table(self._folder)
        self.table.truth.open_inks = INKS.index("orange"), INKS.index("red")

    def restart(self) -> None:
        self.table.parts.close()
        self.start()

    def deal(self) -> None:
        """Begin another evening."""
        EveningClient(self.table.app).deal("Ada", "Bo")

    def asks(self, tiles: Sequence[Lying], questions: int, ink: str = "") -> dict:
        """Lay tiles beside blue ones, and wait until so many are asked about and all others are of this ink."""
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

    def say(self, state: dict, label: str) -> None:
        """Give the tile of this number a name."""
        numbers = [tile["label"].split("-")[1] for tile in state["reading"]["tiles"]]
        at = numbers.index(label.split("-")[1])
        self.table.player.press("correct", reading=state["reading"]["number"], tile=at, label=label)


@pytest.fixture
def open_inks(tmp_path: Path) -> Iterator[OpenInks]:
    """A table of open inks."""
    made = OpenInks(tmp_path)
    yield made
    made.table.parts.close()


@pytest.mark.slow
def test_one_answer_tells_an_open_ink_after_a_new_start_too_and_in_no_other_evening(open_inks: OpenInks) -> None:
    """Orange or red: people are asked once in an evening, however often the app is started."""
    open_inks.deal()
    open_inks.say(open_inks.asks(REDS, 4), "red-3")
    open_inks.asks(REDS, 0, "red")
    open_inks.restart()
    open_inks.asks(OTHER_REDS, 0, "red")
    open_inks.table.player.until(lambda state: state["settled"])
    open_inks.deal()
    open_inks.asks(REDS, 4)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["3", "5"])
def test_a_slip_is_taken_back_after_a_new_start(open_inks: OpenInks, at: str) -> None:
    """A tile was called orange, it or another is called red now: all are red, and stay so after another start."""
    open_inks.deal()
    open_inks.say(open_inks.asks(REDS, 4), "orange-3")
    open_inks.asks(REDS, 0, "orange")
    open_inks.restart()
    open_inks.say(open_inks.asks(REDS, 0, "orange"), f"red-{at}")
    open_inks.asks(REDS, 0, "red")
    open_inks.restart()
    open_inks.asks(REDS, 0, "red")


@pytest.mark.slow
@pytest.mark.parametrize("first_gone", [False, True])
def test_what_was_said_in_one_evening_is_nothing_to_another(open_inks: OpenInks, first_gone: bool) -> None:
    """The app is not started anew; the tiles of the one still lie there when people begin the other, or are gone."""
    open_inks.deal()
    open_inks.say(open_inks.asks(REDS, 4), "red-3")
    open_inks.asks(REDS, 0, "red")
    if first_gone:
        open_inks.table.shows(LOW)
        open_inks.table.until(lambda state: len(state["reading"]["tiles"]) == len(LOW))
    open_inks.deal()
    open_inks.asks(OTHER_REDS, 4)
    open_inks.restart()
    open_inks.asks(OTHER_REDS, 4)


@pytest.mark.slow
def test_what_was_said_before_the_evening_begins_is_kept_for_it(open_inks: OpenInks) -> None:
    """The camera is set up first, the tiles are shuffled, then they are dealt."""
    open_inks.say(open_inks.asks(REDS, 4), "red-3")
    open_inks.asks(REDS, 0, "red")
    open_inks.table.shows(LOW)
    open_inks.table.until(lambda state: len(state["reading"]["tiles"]) == len(LOW))
    open_inks.deal()
    open_inks.asks(OTHER_REDS, 0, "red")
    open_inks.restart()
    open_inks.asks(REDS, 0, "red")


@pytest.mark.slow
def test_a_picture_of_another_size_forgets_no_ink(open_inks: OpenInks) -> None:
    """All is read anew, but in the same light; also before an evening begins."""
    open_inks.say(open_inks.asks(REDS, 4), "red-3")
    open_inks.asks(REDS, 0, "red")
    table, tiles = open_inks.table, [*OTHER_REDS, *LOW]
    larger = np.pad(picture(tiles), ((0, 0), (0, 64), (0, 0)), mode="edge")
    table.shows(tiles, larger)
    table.until(lambda state: {"red-1", "red-8"} <= {tile["label"] for tile in state["reading"]["tiles"]})
    table.until(lambda state: not any(tile["doubtful"] for tile in state["reading"]["tiles"]))

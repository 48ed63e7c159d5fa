"""An app with a game night, and steps at its table that arrange screens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PlayedSource, Player
from tests.support.rendered_tables import RenderedTables

PLAYERS = ("Ada", "Bo", "Cleo", "Dan & Eve")


@dataclass(slots=True)
class Clock:
    """A monotonic clock that the test moves forward."""

    ahead_s: float = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_s


@dataclass(slots=True)
class Stage:
    """An app with a game night, the page that plays it, and the camera for its tables."""

    app: Flask
    address: str
    client: EveningClient
    clock: Clock
    camera: PlayedSource | None = None
    tables: RenderedTables | None = None

    def lay(self, notation: str, doubts: dict[tuple[int, int], str] | None = None) -> None:
        """Lay a table in front of the camera, and wait until it is read."""
        assert self.camera is not None
        assert self.tables is not None
        self.camera.show(self.tables.table(notation, doubts))
        Player(self.client.http).sees(notation)


def begin(stage: Stage, **more: object) -> None:
    """Begin a game night of three rounds."""
    seats = [{"people": name.split(" & ")} for name in PLAYERS]
    stage.client.post("/api/evenings", seats=seats, edition="large-numbers", rounds=3, **more)


def begin_first_turn(stage: Stage) -> None:
    """Begin the first round with the first player."""
    stage.client.act("starter", player=0, overruled=True)
    stage.client.act("deal")
    stage.client.act("resume")


def begin_turns(stage: Stage) -> None:
    """Begin a game night, and its first turn."""
    begin(stage)
    begin_first_turn(stage)


def correct_table(notation: str, **opened: bool) -> Callable[[Stage], None]:
    """Correct the table."""

    def arrange(stage: Stage) -> None:
        if stage.camera is not None:
            stage.lay(notation)
        press(stage, "table", **({} if stage.camera is not None else {"table": notation}))

    return arrange


def take_table_as_seen(stage: Stage) -> None:
    """Make the table of the camera the table of the game, once nothing moves and the verdict before it is stored."""
    player, end_s = Player(stage.client.http), time.monotonic() + 30
    while True:
        player.until(lambda state: state["settled"])
        answer = stage.client.send("/api/evening/table", {"revision": stage.client.evening["revision"]})
        if answer.status_code == 200:
            return
        assert time.monotonic() < end_s, answer.get_data(as_text=True)
        time.sleep(0.05)


def all_opened(stage: Stage) -> None:
    """Mark three players as opened."""
    for seat in (0, 1, 2):
        stage.client.act("opened", player=seat, opened=True)


def press_done(notation: str, doubts: dict[tuple[int, int], str] | None = None) -> Callable[[Stage], None]:
    """Lay a table and press Done."""

    def arrange(stage: Stage) -> None:
        if stage.camera is not None:
            stage.lay(notation, doubts)
        press(stage, "done", **({} if stage.camera is not None else {"table": notation}))

    return arrange


def steps(*of_it: Callable[[Stage], object]) -> Callable[[Stage], None]:
    """Run several steps in order."""

    def arrange(stage: Stage) -> None:
        for step in of_it:
            step(stage)

    return arrange


def act(what: str, **body: object) -> Callable[[Stage], object]:
    """Press a button of the game night."""
    return lambda stage: press(stage, what, **body)


def press(stage: Stage, what: str, **body: object) -> None:
    """Press a button; press it again if the page of the screen before has just stopped or started the clock."""
    end_s = time.monotonic() + 30
    while True:
        answer = stage.client.send(f"/api/evening/{what}", {"revision": stage.client.evening["revision"], **body})
        if answer.status_code == 200:
            return
        assert answer.get_json()["code"] == "stale", answer.get_data(as_text=True)
        assert time.monotonic() < end_s, "the game night changes all the time"
        time.sleep(0.05)


def put_clock_forward(seconds: float) -> Callable[[Stage], None]:
    """Move the clock forward."""

    def arrange(stage: Stage) -> None:
        stage.clock.ahead_s += seconds

    return arrange


def end_round(out: int, racks: dict[int, str]) -> Callable[[Stage], None]:
    """End the round: one rack is empty, the others are shown."""

    def arrange(stage: Stage) -> None:
        stage.client.act("rack-count", player=out, tiles=0)
        for seat, tiles in racks.items():
            stage.client.act("rack", player=seat, tiles=tiles)

    return arrange


def begin_next_round(stage: Stage) -> None:
    """Begin another round with the second player."""
    stage.client.act("next-round")
    stage.client.act("starter", player=1, overruled=True)
    stage.client.act("deal")


def take_opening_back(stage: Stage) -> None:
    """Mark the player in turn as not opened."""
    player = stage.client.evening["player"]
    stage.client.act("opened", player=player, opened=False)


def leave(stage: Stage) -> None:
    """Leave the game night."""
    stage.client.post("/api/evenings/leave")


def begin_with_the_youngest(stage: Stage) -> None:
    """Begin a first-acquaintance game, and find a tile."""
    seats = [{"people": [name]} for name in ("Mia", "Tom")]
    stage.client.post("/api/evenings", seats=seats, edition="junior", first_acquaintance=True)
    stage.client.act("point", tile="R5")
    stage.client.act("find", player=1, tile="R6")

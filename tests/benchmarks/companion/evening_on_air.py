"""A game night before a running app: the tables of a stream, turn by turn and round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from tests.benchmarks.companion.app_process import AppProcess, running_app
from tests.benchmarks.companion.on_air import FPS, OnAir, Scene

TURN_TIMEOUT_S = 90.0


class Air(Protocol):
    """A source of images of a table: a stream, or the film of a phone."""

    def lay(self, scene: Scene) -> None:
        """Show a hand, and then this table."""
        ...

    def hand_gone_s(self) -> float:
        """Wait until the hand is gone; return that time (`time.time`)."""
        ...


class EveningOnAir:
    """An app that watches a stream, and its game night of two players."""

    def __init__(self, app: AppProcess, air: Air, scenes: Sequence[Scene]) -> None:
        """Begin the game night from the first scene, which is on the table; both players have opened."""
        self.app, self.air, self._scenes = app, air, scenes
        self._at = 0
        self._steps = 0
        app.post("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
        app.act("starter", player=0, overruled=True)
        app.act("deal")
        app.until(lambda state: state["settled"] and state["reading"] and state["reading"]["judged"])
        app.act("table")
        for player in (0, 1):
            app.act("opened", player=player, opened=True)
        app.act("resume")

    def lay_next(self) -> Callable[[], float]:
        """Let a hand build the next table; after the last table the game begins again.

        Returns a function that waits until the hand is gone and returns that time (`time.time`).
        """
        self._at += 1
        if self._at == len(self._scenes):
            self._go_back()
            self._at = 1
        self.air.lay(self._scenes[self._at])
        return self.air.hand_gone_s

    def wait_until_read(self, after: int) -> None:
        """Wait for a reading newer than number `after`."""
        self.app.until(lambda state: state["settled"] and state["reading"]["number"] > after, TURN_TIMEOUT_S)

    @property
    def reading_number(self) -> int:
        """Return the number of the newest reading."""
        return int(self.app.state["reading"]["number"])

    def note_verdict(self) -> str:
        """Wait for the verdict and return its kind. A question is cancelled."""
        state = self.app.until(lambda state: state["verdict"] and state["turn"]["waiting_to"] is None)
        kind = state["verdict"]["kind"]
        if kind == "unsure":
            self.app.act("cancel")
        else:
            self._steps += 1
        return kind

    def _go_back(self) -> None:
        """Show the first table again and undo all turns, so that the box never runs out of tiles."""
        number = self.reading_number
        self.air.lay(Scene(self._scenes[1].hand, self._scenes[0].still))
        self.air.hand_gone_s()
        self.wait_until_read(number)
        if self._steps:
            self.app.act("undo", steps=self._steps)
        self._steps = 0


@contextmanager
def evening_on_air(scenes: Sequence[Scene], fps: int = FPS) -> Iterator[EveningOnAir]:
    """Start a stream with `fps` frames a second and an app that watches it, and begin a game night.

    Raises:
        NoStream: if there is no stream.
        AppFailed: if the app does not reach an expected state.
    """
    air = OnAir(scenes[0], fps)
    try:
        with running_app("--source", air.address) as app:
            yield EveningOnAir(app, air, scenes)
    finally:
        air.close()

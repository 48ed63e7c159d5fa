"""An evening that is played before a running app: tables of a stream, turn after turn, round after round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from tests.benchmarks.companion.app_process import AppProcess, running_app
from tests.benchmarks.companion.on_air import FPS, OnAir, Scene

TURN_TIMEOUT_S = 90.0


class Air(Protocol):
    """What shows a table: a stream, or the film of a phone."""

    def lay(self, scene: Scene) -> None:
        """Let a hand come, and then this table lie there."""
        ...

    def hand_gone_s(self) -> float:
        """Wait until the hand is gone; when that was (`time.time`)."""
        ...


class EveningOnAir:
    """An app that watches a stream, and the evening of two that is played on it."""

    def __init__(self, app: AppProcess, air: Air, scenes: Sequence[Scene]) -> None:
        """Set the evening up from the first of the scenes, which lies there; both players have opened."""
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
        """Let a hand lay the next table; after the last the game goes back to its beginning.

        Returns a function that waits until the hand is gone and tells when that was (`time.time`).
        """
        self._at += 1
        if self._at == len(self._scenes):
            self._go_back()
            self._at = 1
        self.air.lay(self._scenes[self._at])
        return self.air.hand_gone_s

    def wait_until_read(self, after: int) -> None:
        """Wait until a newer reading than number `after` stands."""
        self.app.until(lambda state: state["settled"] and state["reading"]["number"] > after, TURN_TIMEOUT_S)

    @property
    def reading_number(self) -> int:
        """The number of the newest reading."""
        return int(self.app.state["reading"]["number"])

    def note_verdict(self) -> str:
        """Take note of the verdict that comes; what it was. One that asks is called off."""
        state = self.app.until(lambda state: state["verdict"] and state["turn"]["waiting_to"] is None)
        kind = state["verdict"]["kind"]
        if kind == "unsure":
            self.app.act("cancel")
        else:
            self._steps += 1
        return kind

    def _go_back(self) -> None:
        """Lay the first table again and take all turns back, so that the box never runs out of tiles."""
        number = self.reading_number
        self.air.lay(Scene(self._scenes[1].hand, self._scenes[0].still))
        self.air.hand_gone_s()
        self.wait_until_read(number)
        if self._steps:
            self.app.act("undo", steps=self._steps)
        self._steps = 0


@contextmanager
def evening_on_air(scenes: Sequence[Scene], fps: int = FPS) -> Iterator[EveningOnAir]:
    """Put a table on air, `fps` pictures a second, start an app that watches it, and begin an evening.

    Raises:
        NoStream: where there is no stream.
        AppFailed: where the app does not do what it should.
    """
    air = OnAir(scenes[0], fps)
    try:
        with running_app("--source", air.address) as app:
            yield EveningOnAir(app, air, scenes)
    finally:
        air.close()

"""One turn after another in front of the camera: a game night of two players who never count their tiles."""

from collections.abc import Callable
from typing import Any

ENOUGH = 14
"""Racks are refilled to this many tiles, so that none is emptied or holds fewer than a turn lays."""


class JudgedTurns:
    """Presses the buttons of a game night, which begins with the first turn."""

    def __init__(self, press: Callable[..., dict[str, Any]], state: Callable[[], dict[str, Any]]) -> None:
        """Take a function that posts to a path below `/api/`, and one that returns the state."""
        self._press = press
        self._state = state

    def begin(self, opened: bool = True) -> dict[str, Any]:
        """Start a turn from the current table, for a player who has opened or not; return the state after it."""
        if self._state()["evening"] is None:
            self._press("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
            self.act("starter", player=0, overruled=True)
            self.act("deal")
        self.act("table", sure=True)
        return self.say_opened(opened)

    def say_opened(self, opened: bool) -> dict[str, Any]:
        """Set whether the player in turn has opened; return the state after it."""
        evening = self._state()["evening"]
        player = evening["players"][evening["player"]]
        if player["rack"] < ENOUGH:
            self.act("rack-count", player=evening["player"], tiles=ENOUGH)
        if player["opened"] != opened:
            self.act("opened", player=evening["player"], opened=opened)
        return self._state()

    def done(self) -> dict[str, Any]:
        """Press Done; return the state after it."""
        return self.act("done")

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button of the game night; return the state after it."""
        return self._press(f"evening/{what}", revision=self._state()["evening"]["revision"], **body)

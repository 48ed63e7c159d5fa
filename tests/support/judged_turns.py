"""One turn after another before the camera: a game night of two players in which nobody counts tiles."""

from collections.abc import Callable
from typing import Any

ENOUGH = 14
"""A rack is filled up to so many tiles, so that none is ever emptied or holds fewer than are laid in a turn."""


class JudgedTurns:
    """Presses the buttons of the game night; one is begun with the first turn."""

    def __init__(self, press: Callable[..., dict[str, Any]], state: Callable[[], dict[str, Any]]) -> None:
        """Take what sends an action below `/api/`, and what returns the state."""
        self._press = press
        self._state = state

    def begin(self, opened: bool = True) -> dict[str, Any]:
        """Take the table as the start of a turn of a player who has `opened` or not; the state after it."""
        if self._state()["evening"] is None:
            self._press("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
            self.act("starter", player=0, overruled=True)
            self.act("deal")
        self.act("table", sure=True)
        return self.say_opened(opened)

    def say_opened(self, opened: bool) -> dict[str, Any]:
        """Say whether the player whose turn it is has opened; the state after it."""
        evening = self._state()["evening"]
        player = evening["players"][evening["player"]]
        if player["rack"] < ENOUGH:
            self.act("rack-count", player=evening["player"], tiles=ENOUGH)
        if player["opened"] != opened:
            self.act("opened", player=evening["player"], opened=opened)
        return self._state()

    def done(self) -> dict[str, Any]:
        """Press Done; the state after it."""
        return self.act("done")

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """Press a button of the game night; the state after it."""
        return self._press(f"evening/{what}", revision=self._state()["evening"]["revision"], **body)

"""Presses the buttons that the people in the recorded table would press, unless somebody at the page does it first."""

import time
from collections.abc import Callable

from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.single_turn import SingleTurn
from tilekeeper.companion.session.table_state import Desk

BEGIN_S = 1.5
# How long whoever looks at the page has to press Done before the player in the film does.
DONE_S = 7.0
# How long the verdict can be looked at before the film goes on.
VERDICT_S = 6.0


class PlaysAlong:
    """Keeps the film and the desk together: it rests until there is a verdict, and goes on a while after."""

    def __init__(self, film: RecordedTable, desk: Desk) -> None:
        """Take the film and the desk that shows it."""
        self._film = film
        self._desk = desk
        self._cue: Cue | None = None
        self._since_s = 0.0
        self._judged = False

    def look(self) -> None:
        """Do what is due; called after every frame."""
        cue = self._film.resting
        now_s = time.monotonic()
        if cue is None or not self._desk.at_rest:
            self._cue = None
            return
        if cue is not self._cue:
            self._cue, self._since_s, self._judged = cue, now_s, False
            if cue.opened is not None and isinstance(self._desk.play, SingleTurn):
                self._desk.play.set_opened(cue.opened)
        waited_s = now_s - self._since_s
        if not isinstance(self._desk.play, SingleTurn):
            self._look_on(waited_s)
        else:
            self._play(self._desk.play, cue, waited_s)

    def _look_on(self, waited_s: float) -> None:
        """During an evening the people at the page press; the film goes on once they have their verdict."""
        if not self._judged and self._desk.play.judged_this:
            self._judged, self._since_s = True, time.monotonic()
        elif self._judged and waited_s >= VERDICT_S:
            self._film.go_on()

    def _play(self, turn: SingleTurn, cue: Cue, waited_s: float) -> None:
        now_s = time.monotonic()
        if cue.opened is None:
            if waited_s >= BEGIN_S:
                self._press(turn.begin)
                self._film.go_on()
        elif not self._judged and turn.judged_this is not None:
            self._judged, self._since_s = True, now_s
        elif self._judged and waited_s >= VERDICT_S:
            if turn.judged_this is False:
                self._press(turn.begin)  # nobody answered: the game goes on from the table as it was read
            self._film.go_on()
        elif not self._judged and waited_s >= DONE_S:
            self._press(turn.done)
            self._judged, self._since_s = True, now_s

    @staticmethod
    def _press(button: Callable[[], None]) -> None:
        try:
            button()
        except Refused:
            return  # the table can't be read now; the film goes on all the same

"""Presses the buttons that the people in the recorded table would press, unless somebody at the page does it first."""

import time
from contextlib import suppress

from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import BeginTurn, Command, JudgeTurn, SetOpened
from tilekeeper.companion.session.session import Session

BEGIN_S = 1.5
# How long whoever looks at the page has to press Done before the player in the film does.
DONE_S = 7.0
# How long the verdict can be looked at before the film goes on.
VERDICT_S = 6.0


class DemoPlayer:
    """Keeps the film and the session together: the film rests until there is a verdict, and goes on a while after."""

    def __init__(self, film: RecordedTable, session: Session) -> None:
        """Take the film and the session that shows it."""
        self._film = film
        self._session = session
        self._cue: Cue | None = None
        self._since_s = 0.0
        self._judged = False

    def press_due(self) -> None:
        """Do what is due; called after every frame."""
        cue, state = self._film.resting, self._session.state
        if cue is None or not state.at_rest:
            self._cue = None
            return
        alone = state.activity.game_night is None
        if cue is not self._cue:
            self._cue, self._since_s, self._judged = cue, time.monotonic(), False
            if cue.opened is not None and alone:
                self._press(SetOpened(cue.opened))
        waited_s = time.monotonic() - self._since_s
        if alone:
            self._play(cue, waited_s)
        else:
            self._follow_game_night(waited_s)

    def _follow_game_night(self, waited_s: float) -> None:
        """During a game night the people at the page press; the film goes on once they have their verdict."""
        if not self._judged and self._verdict_stands():
            self._judged, self._since_s = True, time.monotonic()
        elif self._judged and waited_s >= VERDICT_S:
            self._film.go_on()

    def _play(self, cue: Cue, waited_s: float) -> None:
        now_s = time.monotonic()
        if cue.opened is None:
            if waited_s >= BEGIN_S:
                self._press(BeginTurn())
                self._film.go_on()
        elif not self._judged and self._verdict_stands() is not None:
            self._judged, self._since_s = True, now_s
        elif self._judged and waited_s >= VERDICT_S:
            if self._verdict_stands() is False:
                self._press(BeginTurn())  # nobody answered: the game goes on from the table as it was read
            self._film.go_on()
        elif not self._judged and waited_s >= DONE_S:
            self._press(JudgeTurn())
            self._judged, self._since_s = True, now_s

    def _verdict_stands(self) -> bool | None:
        state = self._session.state
        return state.activity.verdict_stands(state.snapshot)

    def _press(self, button: Command) -> None:
        with suppress(Refused):  # the table can't be read now; the film goes on all the same
            self._session.handle(button)

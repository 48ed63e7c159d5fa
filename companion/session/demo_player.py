"""Presses the buttons of the demo film's players, unless somebody at the page presses them first."""

import time
from contextlib import suppress

from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import BeginTurn, Command, JudgeTurn, SetOpened
from tilekeeper.companion.session.session import Session

BEGIN_S = 1.5
"""The start of a turn is pressed after this time."""
DONE_S = 7.0
"""People at the page have this long to press Done before the film's player does."""
VERDICT_S = 6.0
"""People can look at the verdict for this long before the film goes on."""


class DemoPlayer:
    """Keeps film and session in step: the film pauses until there is a verdict, and goes on a while later."""

    def __init__(self, film: RecordedTable, session: Session) -> None:
        """Connect a film to the session that shows it."""
        self._film = film
        self._session = session
        self._cue: Cue | None = None
        self._changed_s = 0.0
        self._judged = False

    def press_due(self) -> None:
        """Press the button that is due; called after every frame."""
        cue, state = self._film.resting, self._session.state
        if cue is None or not state.at_rest:
            self._cue = None
            return
        is_single_turn = state.activity.game_night is None
        if cue is not self._cue:
            self._cue, self._changed_s, self._judged = cue, time.monotonic(), False
            if cue.opened is not None and is_single_turn:
                self._press(SetOpened(cue.opened))
        waited_s = time.monotonic() - self._changed_s
        if is_single_turn:
            self._play(cue, waited_s)
        else:
            self._follow_game_night(waited_s)

    def _follow_game_night(self, waited_s: float) -> None:
        """Let the film go on once the people, who press the buttons during a game night, have their verdict."""
        if not self._judged and self._verdict_stands():
            self._judged, self._changed_s = True, time.monotonic()
        elif self._judged and waited_s >= VERDICT_S:
            self._film.go_on()

    def _play(self, cue: Cue, waited_s: float) -> None:
        now_s = time.monotonic()
        if cue.opened is None:
            if waited_s >= BEGIN_S:
                self._press(BeginTurn())
                self._film.go_on()
        elif not self._judged and self._verdict_stands() is not None:
            self._judged, self._changed_s = True, now_s
        elif self._judged and waited_s >= VERDICT_S:
            if self._verdict_stands() is False:
                self._press(BeginTurn())  # nobody answered: the next turn starts from the reading
            self._film.go_on()
        elif not self._judged and waited_s >= DONE_S:
            self._press(JudgeTurn())
            self._judged, self._changed_s = True, now_s

    def _verdict_stands(self) -> bool | None:
        state = self._session.state
        return state.activity.verdict_stands(state.snapshot)

    def _press(self, button: Command) -> None:
        with suppress(Refused):  # the table can't be read now; the film goes on anyway
            self._session.handle(button)

"""Checks the clock of the game night: publishes warnings, and fails a turn whose time is up.

It also cancels a press of Done that gets no verdict within `LONGEST_WAIT_S` seconds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace

from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.commands.failed_turn import fail, with_observed_table
from tilekeeper.companion.game_night.commands.turns import Cancel
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.state import FailureCause, GameNightState, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import Act, UpdateGameNight
from tilekeeper.companion.session.game_night import Action, GameNight
from tilekeeper.companion.session.session import Session
from tilekeeper.engine.game.state import Phase

log = logging.getLogger(__name__)

TICK_S = 0.2
LONGEST_WAIT_S = 10.0
"""A press of Done is cancelled after this many seconds, since players still move tiles if the table does not settle."""
LONGEST_GAP_S = 5.0
"""A longer gap between two checks, in seconds, means that the computer or the process slept."""
SAVE_EVERY_S = 5.0


WarningListener = Callable[[GameNight, int], None]
"""Called with the game night and the seconds that are left at most: 15, 10, or 0 once the time is up."""


class Timekeeper:
    """Checks the clock of the game night in a separate thread."""

    def __init__(self, session: Session) -> None:
        """Watch the clock of this session's game night once `start` is called."""
        self._session = session
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
        self._shown_warning: int | None = None
        self._listeners: list[WarningListener] = []
        self._ticked_s = self._saved_s = session.moment().now_s

    def listen(self, listener: WarningListener) -> None:
        """Call `listener` with each new warning of the clock, in the clock's thread."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Start the thread that calls `tick` every `TICK_S` seconds."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and wait for the thread for at most five seconds."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def tick(self) -> None:
        """Check the clock once, and store the game night if that is due."""
        now_s = self._session.moment().now_s
        gap_s, self._ticked_s = now_s - self._ticked_s, now_s
        night = self._session.state.activity.game_night
        if night is None:
            return
        if gap_s > LONGEST_GAP_S and night.ticking:
            night = self._without_sleep(night, now_s, gap_s)
        self._check_clock(night, now_s)
        if night.waiting and now_s - night.since_s > LONGEST_WAIT_S:
            self._act(night, Cancel().apply)
        elif night.ticking and now_s - self._saved_s > SAVE_EVERY_S:
            # Set first, so that on a full disk the next attempt comes only after `SAVE_EVERY_S`.
            self._saved_s = now_s
            self._session.save()

    def _without_sleep(self, night: GameNight, now_s: float, gap_s: float) -> GameNight:
        """Return the game night with a clock that does not count the gap in which the computer slept."""

        def slept(night: GameNight) -> GameNight:
            clock = night.state.clock
            if clock.since_s is None or clock.since_s > now_s - gap_s:
                return night  # the clock was started after the sleep, so it has not counted the gap
            return replace(night, state=replace(night.state, clock=clock.slept(gap_s)))

        return self._session.handle(UpdateGameNight(night.id, slept)).activity.game_night or night

    def _check_clock(self, night: GameNight, now_s: float) -> None:
        state = night.state
        left_s = state.clock.left(now_s) if state.clock.running else None
        if left_s is None or state.state.phase is not Phase.TURNS:
            self._shown_warning = None
            return
        warning = 0 if left_s <= 0 else state.clock.warning(now_s)
        if warning != self._shown_warning:
            self._shown_warning = warning
            self._session.announce()
            if warning is not None:
                for listener in self._listeners:
                    listener(night, warning)
        if left_s <= 0 and state.settings.timer is Timer.STRICT:
            self._act(night, _time_is_up)

    def _act(self, night: GameNight, action: Action) -> None:
        try:
            self._session.handle(Act(night.revision, action, APP))
        except Refused as why:
            log.info("The app could not go on by itself: %s", why)

    def _run(self) -> None:
        while not self._closing.wait(TICK_S):
            try:
                self.tick()
            except Exception:  # the thread must continue; the log has the traceback
                log.exception("The clock could not be checked")


def _time_is_up(night: GameNightState, press: Press) -> GameNightState:
    return with_observed_table(fail(night, press, FailureCause.TIME_UP, None), press)

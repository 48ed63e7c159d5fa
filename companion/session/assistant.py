"""Works out beside everything else what takes long: whether a turn is done, the smallest fix of a wrong layout."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.game_night.commands.turns import done, judged_by_camera
from tilekeeper.companion.game_night.fix import find_fix
from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import Act, UpdateGameNight
from tilekeeper.companion.session.game_night import APP, GameNight
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.game.state import Phase
from tilekeeper.vision.tracking.motion_gate import State

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2
UNTOUCHED_S = 3.0
"""A legal table must lie untouched for so long before the app takes it for a turn that is done."""


class HandsFreeDone:
    """Presses Done for the people, where they agreed upon that: once a legal table lies there and no hand comes.

    The table is judged in a thread of its own, on the state as it was then. The turn counts as done only if nothing has
    changed when the judge is ready.
    """

    def __init__(self, session: Session) -> None:
        """Take the session; nothing happens before `start`."""
        self._session = session
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hands-free", daemon=True)

    def start(self) -> None:
        """Begin to look at the table."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the present look."""
        self._closing.set()

    def look(self) -> None:
        """Press Done if the turn is done."""
        state, moment = self._session.state, self._session.moment()
        night = state.activity.game_night
        if night is None or not _may_be_done(state, night, moment):
            return
        judged = judged_by_camera(night.state, night.press(state.snapshot, moment, APP))
        if not judged.sure or not judged.weighed.verdict.legal:
            return
        try:
            self._session.attempt(Act(night.revision, done, APP), state)
        except Refused as why:
            log.info("The app could not go on by itself: %s", why)

    def _run(self) -> None:
        while not self._closing.wait(LOOK_EVERY_S):
            try:
                self.look()
            except Exception:  # the last net of this thread, and not a silent one
                log.exception("Whether the turn is done could not be found out")


def _may_be_done(state: TableState, night: GameNight, moment: Moment) -> bool:
    """Return whether the table lies as it may when a turn is done, as far as that is seen without the judge."""
    game, snapshot = night.state, state.snapshot
    if not game.settings.notices_done or not snapshot.settled or moment.now_s - night.since_s <= UNTOUCHED_S:
        return False
    if game.state.phase is not Phase.TURNS or game.failing is not None or game.waiting or not game.clock.running:
        return False
    if snapshot.reading is None or not can_be_judged(snapshot.reading):
        return False
    return snapshot.state != State.HIDDEN.value  # a hand that rests on the table is not gone


class FixFinder:
    """Looks for the smallest fix of a wrong layout; the verdict does not wait for it."""

    def __init__(self, session: Session) -> None:
        """Look whenever the session has a new verdict."""
        self._session = session
        self._lock = threading.Lock()
        self._sought: Judged | None = None
        session.listen(self._consider)

    def _consider(self, state: TableState) -> None:
        night = state.activity.game_night
        judged = None if night is None else night.state.judged
        if night is None or judged is None or not judged.weighed.certain:
            return
        with self._lock:
            if self._sought is judged:
                return
            self._sought = judged
        threading.Thread(target=self._find, args=(night, judged), name="fix", daemon=True).start()

    def _find(self, night: GameNight, judged: Judged) -> None:
        fix = find_fix(judged.before.table, judged.weighed.observed.table, night.state.context())

        def with_fix(night: GameNight) -> GameNight:
            return night if night.state.judged is not judged else replace(night, found_fix=(judged, fix))

        self._session.handle(UpdateGameNight(night.id, with_fix))

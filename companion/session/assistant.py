"""Background work on the game night: hands-free Done, and the search for the smallest fix of an illegal table."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.game_night.commands.turns import observed_case
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.companion.session.commands import NoticeDone, UpdateGameNight
from tilekeeper.companion.session.game_night import FoundFix, GameNight
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.arrange import Arrangement, arrangements
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.scene import State

log = logging.getLogger(__name__)

CHECK_EVERY_S = 0.2


class HandsFreeDone:
    """Hands-free Done: presses Done once a legal table stays untouched, if the settings allow it.

    A separate thread judges the table. Done is pressed only if the table and the game have not changed meanwhile.
    """

    def __init__(self, session: Session, done_after_s: float) -> None:
        """Watch this session once `start` is called.

        Args:
            session: the session.
            done_after_s: for how many seconds a legal table must stay untouched before the app presses Done.
        """
        self._session = session
        self._done_after_s = done_after_s
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hands-free", daemon=True)

    def start(self) -> None:
        """Start the thread that checks the table every `CHECK_EVERY_S` seconds."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread after the check in progress."""
        self._closing.set()

    def check(self) -> None:
        """Judge the table, and press Done if the turn is legal and finished."""
        state, moment = self._session.state, self._session.moment()
        night = state.activity.game_night
        reading = state.snapshot.reading
        if night is None or reading is None or not _may_be_done(state, night, moment, self._done_after_s):
            return
        judged = observed_case(night.state, night.press(state.snapshot, moment, APP)).judged()
        if judged.sure and judged.weighed.verdict.legal:
            self._session.handle(NoticeDone(night.revision, reading))

    def _run(self) -> None:
        while not self._closing.wait(CHECK_EVERY_S):
            try:
                self.check()
            except Exception:  # the thread must continue; the log has the traceback
                log.exception("Hands-free Done could not check the table")


def _may_be_done(state: TableState, night: GameNight, moment: Moment, done_after_s: float) -> bool:
    """Return whether all conditions of hands-free Done are met, apart from the verdict."""
    game, snapshot = night.state, state.snapshot
    if not game.settings.notices_done or not snapshot.settled or moment.now_s - night.since_s <= done_after_s:
        return False
    if game.state.phase is not Phase.TURNS or game.failing is not None or not game.clock.running:
        return False
    if game.waiting or game.judging is not None:
        return False
    if snapshot.reading is None or not can_be_judged(snapshot.reading):
        return False
    return snapshot.state != State.HIDDEN.value  # a hand that rests on the table covers tiles


class FixFinder:
    """Searches for the smallest fix of an illegal table while its verdict is shown, and publishes each better fix."""

    def __init__(self, session: Session) -> None:
        """Start a search, in a thread of its own, for each new verdict of the session."""
        self._session = session
        self._lock = threading.Lock()
        self._searched: Judged | None = None
        session.listen(self._consider)

    def _consider(self, state: TableState) -> None:
        night = state.activity.game_night
        judged = None if night is None else night.state.judged
        if night is None or judged is None or not judged.weighed.certain:
            return
        with self._lock:
            if self._searched is judged:
                return
            self._searched = judged
        threading.Thread(target=self._find, args=(night, judged), name="fix", daemon=True).start()

    def _find(self, night: GameNight, judged: Judged) -> None:
        best = None
        for best in _fixes(judged.before.table, judged.weighed.observed.table, night.state.context()):
            if self._searched is not judged:
                return
            self._publish(night, FoundFix(judged, best, improving=not best.proved))
        if best is not None and not best.proved:
            self._publish(night, FoundFix(judged, best, improving=False))

    def _publish(self, night: GameNight, fix: FoundFix) -> None:
        def with_fix(night: GameNight) -> GameNight:
            return night if night.state.judged is not fix.judged else replace(night, found_fix=fix)

        self._session.handle(UpdateGameNight(night.id, with_fix))


def _fixes(before: Table, after: Table, context: TurnContext) -> Iterator[Arrangement]:
    """Yield rearrangements of `after` that make the turn legal, each with fewer moves than the one before."""
    try:
        for arrangement in arrangements(after, context.rules):
            if arrangement.moves and judge_once(before, arrangement.table, context).legal:
                yield arrangement
    except SearchTooLarge:
        return

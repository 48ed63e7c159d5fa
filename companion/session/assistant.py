"""Works out beside everything else what takes long: whether a turn is done, the smallest fix of a wrong layout."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace

from tilekeeper.companion.adjudication.turn import Judged
from tilekeeper.companion.game_night.commands.turns import observed_case
from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.companion.session.commands import NoticeDone, UpdateGameNight
from tilekeeper.companion.session.game_night import APP, FoundFix, GameNight
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
        """Begin to check at the table."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the present check."""
        self._closing.set()

    def check(self) -> None:
        """Press Done if the turn is done."""
        state, moment = self._session.state, self._session.moment()
        night = state.activity.game_night
        reading = state.snapshot.reading
        if night is None or reading is None or not _may_be_done(state, night, moment):
            return
        judged = observed_case(night.state, night.press(state.snapshot, moment, APP)).judged()
        if judged.sure and judged.weighed.verdict.legal:
            self._session.handle(NoticeDone(night.revision, reading))

    def _run(self) -> None:
        while not self._closing.wait(CHECK_EVERY_S):
            try:
                self.check()
            except Exception:  # the last net of this thread, and not a silent one
                log.exception("Whether the turn is done could not be found out")


def _may_be_done(state: TableState, night: GameNight, moment: Moment) -> bool:
    """Return whether the table lies as it may when a turn is done, as far as that is seen without the judge."""
    game, snapshot = night.state, state.snapshot
    if not game.settings.notices_done or not snapshot.settled or moment.now_s - night.since_s <= UNTOUCHED_S:
        return False
    if game.state.phase is not Phase.TURNS or game.failing is not None or not game.clock.running:
        return False
    if game.waiting or game.judging is not None:
        return False
    if snapshot.reading is None or not can_be_judged(snapshot.reading):
        return False
    return snapshot.state != State.HIDDEN.value  # a hand that rests on the table is not gone


class FixFinder:
    """Looks for the smallest fix of a wrong layout; the verdict does not wait for it, and every better one is told."""

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
        best = None
        for best in _fixes(judged.before.table, judged.weighed.observed.table, night.state.context()):
            if self._sought is not judged:
                return
            self._tell(night, FoundFix(judged, best, improving=not best.nearest))
        if best is not None and not best.nearest:
            self._tell(night, FoundFix(judged, best, improving=False))

    def _tell(self, night: GameNight, found: FoundFix) -> None:
        def with_fix(night: GameNight) -> GameNight:
            return night if night.state.judged is not found.judged else replace(night, found_fix=found)

        self._session.handle(UpdateGameNight(night.id, with_fix))


def _fixes(before: Table, after: Table, context: TurnContext) -> Iterator[Arrangement]:
    """Moves that make a wrong turn legal, fewer and fewer; none where only going back helps."""
    try:
        for arrangement in arrangements(after, context.rules):
            if arrangement.moves and judge_once(before, arrangement.table, context).legal:
                yield arrangement
    except SearchTooLarge:
        return

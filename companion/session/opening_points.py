"""Counts the opening points of the current table in the background, so that no page waits for the judge."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial

from tilekeeper.companion.observation.observed_table import can_be_judged, table_and_rows
from tilekeeper.companion.session.commands import UpdateGameNight
from tilekeeper.companion.session.game_night import GameNight, OpeningCount
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.tiles.table import Table


class OpeningCounter:
    """Counts the opening points of the newest table, in a thread that ends when there is nothing more to count."""

    def __init__(self, session: Session) -> None:
        """Count for each new table of the session while the player in turn must still open."""
        self._session = session
        self._lock = threading.Lock()
        self._counting = False
        session.listen(self._start_if_needed)

    def _start_if_needed(self, state: TableState) -> None:
        if _table_to_count(state) is None:
            return
        with self._lock:
            if self._counting:
                return  # The running thread continues with the newest state.
            self._counting = True
        threading.Thread(target=self._count, name="opening", daemon=True).start()

    def _count(self) -> None:
        while True:
            with self._lock:
                state = self._session.state
                table, night = _table_to_count(state), state.activity.game_night
                if table is None or night is None:
                    self._counting = False
                    return
            before = night.state.round.table
            points = judge_once(before, table, night.state.context()).points or 0
            count = OpeningCount(before, table, points)
            self._session.handle(UpdateGameNight(night.id, partial(_with_count, count)))


def _with_count(count: OpeningCount, night: GameNight) -> GameNight:
    return replace(night, opening=count)


def opening_table(state: TableState) -> Table | None:
    """Return the table whose opening points are counted: the camera's, or an illegal one that was entered by hand.

    None if the player has opened, the edition needs no points, or there is no such table.
    """
    night, reading = state.activity.game_night, state.snapshot.reading
    if night is None or not night.opens:
        return None
    if reading is not None and can_be_judged(reading):
        return table_and_rows(reading)[0]
    claim = night.state.round.claim  # an illegal table that was entered by hand
    return None if claim is None else claim.after


def _table_to_count(state: TableState) -> Table | None:
    night, table = state.activity.game_night, opening_table(state)
    if night is None or table is None:
        return None
    return None if night.opening_count(table) is not None else table

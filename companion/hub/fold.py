"""Event sourcing: replays (folds) tables' logs with the engine, and stores the results of finished rounds."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.log_chain import ENDING, SEATED
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note
from tilekeeper.companion.hub.schema import EntryRow, LogRow, RoundRow, SeatingRow
from tilekeeper.companion.messaging.messages import TOO_MANY, MessageRefused
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.engine.game.events import Entry, Event, GameStarted
from tilekeeper.engine.game.fold import begin, step
from tilekeeper.engine.game.game import effective_events
from tilekeeper.engine.game.log import GameLogError, format_header, parse_log
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.language import STORED, gettext, use_language

SLICE_S: Final = 0.5
"""The processor time that the logs of one table get before those of other tables come; a usual log takes a tenth."""
LONGEST_S: Final = 30.0
"""The most processor time for one log; a log that takes longer is refused."""
LARGEST_LOG: Final = 5_000_000
"""The most characters of a log's entries; a long night has a tenth of it."""
_LOGS_AT_ONCE: Final = 100
_ENTRIES_AT_ONCE: Final = 200
_REPLAYS_KEPT: Final = 64
_LONGEST_ABOUT: Final = 300


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """The result of one game, in the form that `SeatingRow.games` stores as JSON."""

    points: tuple[str, ...]
    """The points of each seat as text: `-5`, or `15/2` if winners share."""
    won: tuple[int, ...]
    """The seats that won."""
    unopened: tuple[int, ...] = ()
    """The seats that never made their opening."""


def outcomes_of(state: GameState) -> tuple[GameOutcome, ...] | None:
    """Return the results of all games of a table's round; None before the last game is scored."""
    scores = state.sheet.rounds
    if not scores or len(scores) < (state.rounds_agreed or 1):
        return None
    return tuple(GameOutcome(tuple(map(str, score.points)), score.winners, score.unopened) for score in scores)


@dataclass(frozen=True, slots=True)
class _Due:
    """A log with new entries that may end a round or name a command."""

    table: str
    log: str
    folded: int
    """The number of replayed entries."""
    taken: int
    """The number of stored entries."""


@dataclass(frozen=True, slots=True)
class _Fold:
    """What the new entries of a log bring."""

    command: str
    """The id of the command that began the log; empty if no new entry names the command that seats the players."""
    outcomes: tuple[GameOutcome, ...] | None = None
    """The results of the round's games; None before the last game is scored."""
    is_changed: bool = False
    """Whether a new entry may have changed the results."""
    error: str = ""
    """Why the log can't be replayed, as a stored sentence; empty if it was replayed."""


class LogReplayer:
    """Replays the logs of all tables, and stores the results; a cache of unfinished games makes this faster.

    The tables take turns: nobody's log, however hard to judge, delays those of other tables for longer than `SLICE_S`.
    """

    def __init__(self, database: Database, now: Callable[[], float] = time.thread_time) -> None:
        """Replay the logs stored in this database; `now` returns the processor time of this thread, in seconds."""
        self._database = database
        self._now = now
        self._replays: OrderedDict[str, _Replay] = OrderedDict()
        """By table: the replay of its last log."""

    def catch_up(self) -> int:
        """Work on up to 100 logs that are due, and store the results of those that are replayed to their end.

        Returns:
            The number of these logs, finished or not; 0 if none was due.
        """
        with self._database.reading() as session:
            logs = _due_logs(session)
            until_s: dict[str, float] = {}
            folds = [
                (due, found)
                for due in logs
                if (found := self._fold(session, due, until_s.setdefault(due.table, self._now() + SLICE_S))) is not None
            ]
        if folds:
            with self._database.writing() as session:
                for due, found in folds:
                    _store_fold(session, due, found)
        return len(logs)

    def _fold(self, session: Session, due: _Due, until_s: float) -> _Fold | None:
        """Return what the new entries of a log bring; None if that takes longer than `until_s`."""
        if self._now() >= until_s:
            return None
        new = EntryRow.table == due.table, EntryRow.log == due.log, EntryRow.seq > due.folded, EntryRow.seq <= due.taken
        seated = session.scalars(select(EntryRow.data).where(*new, EntryRow.kind == SEATED).order_by(EntryRow.seq))
        command = next((str(data.get("command", "")) for data in seated if data.get("kind") == "seat"), "")
        if session.scalar(select(EntryRow.seq).where(*new, EntryRow.kind.in_(ENDING)).limit(1)) is None:
            return _Fold(command)
        replay = self._replays.pop(due.table, None)
        if replay is None or replay.log != due.log:
            replay = _Replay(due.table, due.log, self._now)
        try:
            with use_language(STORED):  # each organiser gets the sentence in their language
                state = replay.advance(session, due.taken, until_s)
        except (GameLogError, EventRefused, MessageRefused) as error:
            reason = error.reason if isinstance(error, MessageRefused) else str(error)
            return _Fold(command, error=to_stored(reason, _LONGEST_ABOUT))
        self._replays[due.table] = replay
        if len(self._replays) > _REPLAYS_KEPT:
            self._replays.popitem(last=False)
        return None if state is None else _Fold(command, outcomes_of(state), is_changed=True)


def _due_logs(session: Session) -> list[_Due]:
    """Return up to 100 logs that are due: the first one of each table, then the second ones, and so on."""
    place = func.row_number().over(partition_by=LogRow.table, order_by=LogRow.log)
    behind = select(LogRow.table, LogRow.log, LogRow.folded, LogRow.taken).where(LogRow.folded < LogRow.due)
    rows = session.execute(behind.order_by(place, LogRow.table).limit(_LOGS_AT_ONCE))
    return [_Due(row.table, row.log, row.folded, row.taken) for row in rows]


class _Replay:
    """A replay of one log, which can pause after each event."""

    def __init__(self, table: str, log: str, now: Callable[[], float]) -> None:
        """Begin with no entry; `now` as for `LogReplayer`."""
        self.log = log
        self._of_log = EntryRow.table == table, EntryRow.log == log
        self._now = now
        self._entries: tuple[Entry, ...] = ()
        self._size = 0
        self._used_s = 0.0
        self._events: tuple[tuple[int, Event], ...] = ()
        """The events that count, of which `_applied` are applied."""
        self._applied = 0
        self._state: GameState | None = None

    def advance(self, session: Session, taken: int, until_s: float) -> GameState | None:
        """Return the state after the first `taken` entries; None if that takes longer than `until_s`.

        Raises:
            GameLogError: for an entry that this version does not know.
            EventRefused: if an entry can't follow those before it.
            MessageRefused: if the log is larger, or takes longer, than that of any night.
        """
        if self._used_s > LONGEST_S:
            raise MessageRefused(TOO_MANY)
        began_s = self._now()
        self._read(session, taken)
        state = self._apply(until_s)
        self._used_s = 0.0 if state is not None else self._used_s + self._now() - began_s
        return state

    def _read(self, session: Session, taken: int) -> None:
        """Read the entries up to number `taken`, some at a time, since a hostile log may be huge."""
        while (known := len(self._entries)) < taken:
            rows = select(EntryRow.data).where(*self._of_log, EntryRow.seq > known, EntryRow.seq <= taken)
            lines = _lines_of(session.scalars(rows.order_by(EntryRow.seq).limit(_ENTRIES_AT_ONCE)).all())
            if not lines:
                return
            self._size += sum(map(len, lines))
            if self._size > LARGEST_LOG:
                raise MessageRefused(TOO_MANY)
            try:
                self._entries += _parse(lines)
            except GameLogError as error:
                raise GameLogError(error.message, known + error.line) from None

    def _apply(self, until_s: float) -> GameState | None:
        events = effective_events(self._entries)
        if not events or not isinstance(events[0][1], GameStarted):
            raise EventRefused(gettext("the first event of a game must be its start"), 0)
        if events[: self._applied] != self._events[: self._applied]:  # something was undone or corrected
            self._applied, self._state = 0, None
        self._events = events
        for place, event in events[self._applied :]:
            try:
                self._state = begin(events[0][1]) if self._state is None else step(self._state, event)
            except EventRefused as error:
                raise EventRefused(error.message, place) from None
            self._applied += 1
            if self._applied < len(events) and self._now() >= until_s:
                return None
        return self._state


def entries_of(rows: Sequence[dict[str, Any]]) -> tuple[Entry, ...]:
    """Parse the stored entries of a log.

    Raises:
        GameLogError: for an entry that this version does not know.
    """
    return _parse(_lines_of(rows))


def _lines_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [json.dumps(row) for row in rows]


def _parse(lines: Sequence[str]) -> tuple[Entry, ...]:
    return parse_log("\n".join((format_header(), *lines, "")))


def _store_fold(session: Session, due: _Due, found: _Fold) -> None:
    """Store what the new entries of a log bring, unless another hub has replayed them meanwhile."""
    of_log = LogRow.table == due.table, LogRow.log == due.log
    is_same = LogRow.folded == due.folded
    done = update(LogRow).where(*of_log, is_same).values(folded=due.taken).returning(LogRow.folded)
    if session.scalar(done) is None:
        return
    if found.command:
        session.execute(update(LogRow).where(*of_log).values(command=found.command))
        # A table may name any command in its log. If a second log names the same command, it counts only after the
        # organiser has chosen it.
        of_command = SeatingRow.table == due.table, SeatingRow.command == found.command, SeatingRow.log.is_(None)
        session.execute(update(SeatingRow).where(*of_command).values(log=due.log))
    if found.error:
        note(session, Notice(NoticeKind.FOLD, due.table, found.error))
    if found.is_changed:
        _store_outcome(session, due.table, due.log, found.outcomes)


def _store_outcome(session: Session, table: str, log: str, outcomes: tuple[GameOutcome, ...] | None) -> None:
    """Store the results of a table's round, unless its points were entered by hand; end the round if it is complete."""
    of_seating = SeatingRow.table == table, SeatingRow.log == log, SeatingRow.entered_by == ""
    games = None if outcomes is None else [asdict(outcome) for outcome in outcomes]
    number = session.scalar(update(SeatingRow).where(*of_seating).values(games=games).returning(SeatingRow.round))
    if number is not None:
        settle_round(session, number)


def settle_round(session: Session, number: int) -> None:
    """End a round if all its tables have results; set an ended round to running if a result was withdrawn."""
    round_ = session.get_one(RoundRow, number, with_for_update=True)
    open_ = session.scalar(
        select(SeatingRow.table).where(SeatingRow.round == number, SeatingRow.games.is_(None)).limit(1)
    )
    if open_ is None:
        round_.state = "over"
    elif round_.state == "over":
        round_.state = "running"

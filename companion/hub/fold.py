"""Event sourcing: replays (folds) tables' logs with the engine, and stores the results of finished rounds."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.log_chain import ENDING, SEATED
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note
from tilekeeper.companion.hub.schema import EntryRow, LogRow, RoundRow, SeatingRow
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.engine.game.events import Entry
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import GameLogError, format_header, parse_log
from tilekeeper.engine.game.state import EventRefused, GameState
from tilekeeper.engine.language import STORED, use_language

_LOGS_AT_ONCE: Final = 100
_GAMES_KEPT: Final = 64
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


class LogReplayer:
    """Replays the logs of all tables, and stores the results; a cache of games makes this faster."""

    def __init__(self, database: Database) -> None:
        """Replay the logs stored in this database."""
        self._database = database
        self._games: OrderedDict[tuple[str, str], tuple[int, Game]] = OrderedDict()

    def catch_up(self) -> int:
        """Replay up to 100 logs that are due; return how many logs were replayed, 0 if none was due."""
        with self._database.reading() as session:
            behind = select(LogRow.table, LogRow.log, LogRow.folded, LogRow.taken).where(LogRow.folded < LogRow.due)
            logs = session.execute(behind.order_by(LogRow.table, LogRow.log).limit(_LOGS_AT_ONCE)).all()
            folds = [(*row, *self._fold(session, *row)) for row in logs]
        if not folds:
            return 0
        with self._database.writing() as session:
            for table, log, folded, taken, command, outcome, error_words in folds:
                of_log = LogRow.table == table, LogRow.log == log, LogRow.folded == folded
                if session.scalar(update(LogRow).where(*of_log).values(folded=taken).returning(LogRow.folded)) is None:
                    continue  # another hub was quicker
                if command:
                    begun = LogRow.table == table, LogRow.log == log
                    session.execute(update(LogRow).where(*begun).values(command=command))
                    # A table may name any command in its log. If a second log names the same command, it counts only
                    # after the organiser has chosen it.
                    of_command = SeatingRow.table == table, SeatingRow.command == command, SeatingRow.log.is_(None)
                    session.execute(update(SeatingRow).where(*of_command).values(log=log))
                if error_words:
                    note(session, Notice(NoticeKind.FOLD, table, error_words))
                if outcome is not _UNCHANGED:
                    _store_outcome(session, table, log, outcome)
        return len(folds)

    def _fold(self, session: Session, table: str, log: str, folded: int, taken: int) -> tuple[str, Any, str]:
        """Return three values: the id of the command that began a log, the log's results, and an error as a sentence.

        The id is empty if no new entry names the command that seats the players. The results are
        `_UNCHANGED` unless a new entry may have ended a round. The error is empty unless the log can't be replayed.
        """
        of_log = EntryRow.table == table, EntryRow.log == log
        new = session.execute(
            select(EntryRow.kind, EntryRow.data).where(*of_log, EntryRow.seq > folded, EntryRow.seq <= taken)
        ).all()
        seat_commands = (data for kind, data in new if kind == SEATED and data.get("kind") == "seat")
        command = next((str(data.get("command", "")) for data in seat_commands), "")
        if not any(kind in ENDING for kind, _ in new):
            return command, _UNCHANGED, ""
        try:
            with use_language(STORED):  # each organiser gets the sentence in their language
                return command, outcomes_of(self._game(session, table, log, taken).state), ""
        except (GameLogError, EventRefused) as error:
            return command, _UNCHANGED, to_stored(str(error), _LONGEST_ABOUT)

    def _game(self, session: Session, table: str, log: str, taken: int) -> Game:
        """Return the game after the first `taken` entries of a log.

        Raises:
            GameLogError: for an entry that this version does not know.
            EventRefused: if an entry can't follow those before it.
        """
        cached_seq, game = self._games.pop((table, log), (0, None))
        of_log = EntryRow.table == table, EntryRow.log == log, EntryRow.seq > cached_seq, EntryRow.seq <= taken
        rows = session.scalars(select(EntryRow.data).where(*of_log).order_by(EntryRow.seq)).all()
        entries = entries_of(rows)
        if game is None:
            game = Game.replay(entries)
        else:
            for entry in entries:
                game = game.record(entry)
        self._games[table, log] = taken, game
        if len(self._games) > _GAMES_KEPT:
            self._games.popitem(last=False)
        return game


_UNCHANGED: Final = object()


def entries_of(rows: Sequence[dict[str, Any]]) -> tuple[Entry, ...]:
    """Parse the stored entries of a log.

    Raises:
        GameLogError: for an entry that this version does not know.
    """
    lines = [format_header(), *(json.dumps(row) for row in rows)]
    return parse_log("\n".join(lines) + "\n")


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

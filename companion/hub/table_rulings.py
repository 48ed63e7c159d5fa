"""Rulings at a table: about a raised hand, or about something that an arbiter saw, such as toppled tiles.

Each ruling is one transaction with an entry in the journal. What the table must do is queued as a command.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.commands import command_fields, queue_command
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.journal import add_to_journal
from tilekeeper.companion.hub.rounds import rounds_of, seatings_of
from tilekeeper.companion.hub.rulings import MOST_PENALTY
from tilekeeper.companion.hub.schema import DisputeRow, PenaltyRow, PlayerRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.times import clock_words
from tilekeeper.companion.messaging.messages import DecideCommand, TimeCommand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import LazyText, gettext, gettext_noop, lazy_gettext


class Matter(StrEnum):
    """What a ruling is about."""

    TURN = "turn"
    TOPPLED = "toppled"
    QUESTION = "question"
    LAST_TILE = "last_tile"
    OTHER = "other"


class Measure(StrEnum):
    """What an arbiter can decide at a table."""

    STANDS = "stands"
    """The turn counts."""
    TAKEN_BACK = "taken_back"
    """The turn fails and is taken back."""
    TIME_GIVEN = "time_given"
    """The player in turn gets more time."""
    TILES_BACK = "tiles_back"
    """The players put toppled tiles back; the turn goes on."""
    WARNING = "warning"
    """A player is warned; the turn goes on."""
    PENALTY = "penalty"
    """A player loses points; the turn goes on."""


MATTERS: Final = {
    Matter.TURN: gettext_noop("the turn"),
    Matter.TOPPLED: gettext_noop("toppled tiles"),
    Matter.QUESTION: gettext_noop("questions or remarks of other players"),
    Matter.LAST_TILE: gettext_noop("announcing the last tile"),
    Matter.OTHER: gettext_noop("something else"),
}
"""The words for each matter, for `gettext`."""
_AT_THE_TABLE: Final = (Measure.STANDS, Measure.TAKEN_BACK, Measure.TIME_GIVEN)
"""The measures that the table carries out; for all others its turn goes on."""
_OF_A_TURN: Final = (Measure.STANDS, Measure.TAKEN_BACK)
"""The measures that decide about a judged turn, so they need a raised hand."""


@dataclass(frozen=True, slots=True)
class TableRuling:
    """What an arbiter decides, and why."""

    measure: Measure
    why: str
    """The reason, which everybody can read."""
    matter: Matter = Matter.TURN
    seconds: float | None = None
    """The extra time; only for `TIME_GIVEN`."""
    player: int | None = None
    """The player who is warned or loses points."""
    points: int = 0
    """The points that the player loses; only for `PENALTY`."""


class TableRulings:
    """Rulings at tables; `by` and `role` are name and role of the person who decides."""

    def __init__(self, database: Database) -> None:
        """Act on the event in this database."""
        self._database = database

    def decide(self, dispute: str, ruling: TableRuling, by: str, role: Role) -> None:
        """Decide a dispute, and queue the decision as a command for the table.

        Raises:
            Refused: if the dispute is unknown or decided, or the ruling is incomplete.
        """
        with self._database.writing() as session:
            row = session.get(DisputeRow, dispute, with_for_update=True)
            if row is None:
                raise Refused(gettext("There is no such dispute."), "not-found")
            if row.decision:
                raise Refused(gettext("{name} has already decided this.", name=row.decided_by))
            _record(session, row.table, ruling, by)
            command = DecideCommand(
                **command_fields(row.table, by, role, ruling.why),
                dispute=dispute,
                decision=ruling.measure.value if ruling.measure in _AT_THE_TABLE else "goes_on",  # type: ignore[arg-type]
                seconds=ruling.seconds if ruling.measure is Measure.TIME_GIVEN else None,
            )
            row.decision, row.seconds, row.decided_by = ruling.measure.value, command.seconds, by
            row.why, row.command = ruling.why, command.id
            queue_command(session, command)

    def rule(self, player: int, ruling: TableRuling, by: str, role: Role) -> None:
        """Rule on something at a player's table that nobody raised a hand for; only extra time is sent to the table.

        Raises:
            Refused: if the player sits at no table, the ruling is incomplete, or it needs a raised hand.
        """
        with self._database.writing() as session:
            table = _table_of(session, player)
            if ruling.measure in _OF_A_TURN:
                raise Refused(gettext("Only a raised hand can decide about a turn."), "bad-input")
            _record(session, table, ruling, by)
            if ruling.measure is Measure.TIME_GIVEN:
                fields = command_fields(table, by, role, ruling.why)
                queue_command(session, TimeCommand(**fields, seconds=ruling.seconds or 0.0))


def _table_of(session: Session, player: int) -> str:
    rounds = rounds_of(session)
    seatings = seatings_of(session, rounds[-1].number) if rounds else []
    table = next((seating.table for seating in seatings if player in seating.players), None)
    if table is None:
        raise Refused(gettext("This player sits at no table now."), "not-found")
    return table


def _record(session: Session, table: str, ruling: TableRuling, by: str) -> None:
    """Store the warning or penalty of a ruling, and add the ruling to the journal.

    Raises:
        Refused: if the ruling is incomplete.
    """
    if not ruling.why:
        raise Refused(gettext("Say why in a few words. Everybody can read it."), "reason")
    sentence = lazy_gettext(
        "Table {table}, {matter}: {ruling}.",
        table=table,
        matter=lazy_gettext(MATTERS[ruling.matter]),
        ruling=_carry_out(session, ruling),
    )
    add_to_journal(session, sentence, by, ruling.why)


def _carry_out(session: Session, ruling: TableRuling) -> LazyText:
    match ruling.measure:
        case Measure.STANDS:
            return lazy_gettext("the turn counts")
        case Measure.TAKEN_BACK:
            return lazy_gettext("the turn is taken back")
        case Measure.TIME_GIVEN:
            if not ruling.seconds:
                raise Refused(gettext("Enter how much time you give."), "bad-input")
            time = clock_words(ruling.seconds)
            return lazy_gettext("{time} more", time=time)
        case Measure.TILES_BACK:
            return lazy_gettext("the tiles are put back")
        case Measure.WARNING:
            return _punish(session, ruling, 0)
        case Measure.PENALTY:
            if not 0 < ruling.points <= MOST_PENALTY:
                raise Refused(gettext("{word!r} is not a number of points.", word=str(ruling.points)), "bad-input")
            return _punish(session, ruling, ruling.points)


def _punish(session: Session, ruling: TableRuling, points: int) -> LazyText:
    """Store a penalty, or a warning for 0 points."""
    player = None if ruling.player is None else session.get(PlayerRow, ruling.player)
    if player is None:
        raise Refused(gettext("Choose the player."), "bad-input")
    rounds = rounds_of(session)
    session.add(PenaltyRow(player=player.id, round=len(rounds), points=points))
    session.flush()
    if points:
        return lazy_gettext("{name} loses {points} points", name=player.name, points=points)
    of_player = select(func.count()).where(PenaltyRow.player == player.id, PenaltyRow.points == 0)
    count = session.scalar(of_player) or 0
    return lazy_gettext("{name} is warned (warning {count})", name=player.name, count=count)

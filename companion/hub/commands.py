"""Transactions that change the plan, and the queue of commands for tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.schema import CommandRow, HallRow, PlayerRow
from tilekeeper.companion.hub.settings import HallSettings, Role
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.messages import CommandBase, Player, SeatCommand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

_ROTATION: Final = "setup.next_round=left"
"""The house rule that the next game's first player is the left neighbour, so that each begins equally often."""


@contextmanager
def changing_plan(database: Database, plan: int) -> Iterator[tuple[Session, HallRow]]:
    """Yield session and hall row of a transaction that changes the plan (optimistic locking).

    Raises:
        Refused: if the plan's number is no longer `plan`, since somebody else has changed it.
    """
    with database.writing() as session:
        same_plan = update(HallRow).where(HallRow.id == 1, HallRow.plan == plan).values(plan=HallRow.plan + 1)
        if session.scalar(same_plan.returning(HallRow.id)) is None:
            raise Refused(gettext("Somebody else has changed something. Look at it and try again."), "changed")
        yield session, session.get_one(HallRow, 1)


def seat_command(
    table: str,
    by: str,
    settings: HallSettings,
    round_: int,
    players: Sequence[PlayerRow],
    waits: bool | None = None,
) -> SeatCommand:
    """Return a new command that seats players at a table.

    Args:
        table: the table's name.
        by: the name of the organiser.
        settings: the settings of the club night.
        round_: the number of the round.
        players: the players, clockwise.
        waits: whether the table waits until the round is started; None to follow `settings.together`.
    """
    return SeatCommand(
        **command_fields(table, by, Role.ORGANISER),
        round=round_,
        players=[
            Player(
                id=str(player.id),
                name=player.name,
                bank_s=float(settings.bank_s + player.more_s) if player.more_s else None,
            )
            for player in players
        ],
        edition=settings.edition,
        house=[*settings.house, *([_ROTATION] if settings.format.games > 1 else [])],
        games=settings.format.games,
        timer=settings.timer,
        tournament=settings.tournament,
        bank_s=float(settings.bank_s),
        added_s=float(settings.added_s),
        increment=settings.increment,
        waits=settings.together if waits is None else waits,
    )


def command_fields(table: str, by: str, role: Role, why: str = "") -> dict[str, Any]:
    """Return the fields that all commands share, with a new id."""
    return {"id": uuid.uuid4().hex, "table": table, "by": by, "role": role.value, "why": why}


def queue_command(session: Session, command: CommandBase) -> None:
    """Add a command to the queue; the hub sends it repeatedly until the table has answered."""
    place = (session.scalar(select(func.max(CommandRow.place))) or 0) + 1
    kind: str = command.kind  # type: ignore[attr-defined]
    row = CommandRow(id=command.id, place=place, table=command.table, kind=kind, made_at=now())
    row.payload, row.done, row.refusal = command.model_dump(mode="json"), False, ""
    session.add(row)
    session.flush()

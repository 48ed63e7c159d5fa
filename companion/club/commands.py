"""Transactions that change the plan, and the commands for tables that they queue."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.broker.messages import CommandBase, Player, SeatCommand
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.schema import CommandRow, HallRow
from tilekeeper.companion.club.settings import HallSettings, Role
from tilekeeper.companion.club.times import now
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

_ROTATION: Final = "setup.next_round=left"
"""The house rule by which the start moves to the left after each game, so that each player begins equally often."""


@contextmanager
def changing_plan(database: Database, plan: int) -> Iterator[tuple[Session, HallRow]]:
    """Yield a transaction that changes the plan (optimistic locking).

    Raises:
        Refused: if the plan has changed since the page showed it.
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
    players: Sequence[tuple[str, str]],
    waits: bool | None = None,
) -> SeatCommand:
    """Return the command that seats players, each with id and name."""
    return SeatCommand(
        **command_fields(table, by, Role.ORGANISER),
        round=round_,
        players=[Player(id=player, name=name) for player, name in players],
        edition=settings.edition,
        house=[*settings.house, *([_ROTATION] if settings.format.games > 1 else [])],
        games=settings.format.games,
        timer=settings.timer,
        tournament=settings.tournament,
        waits=settings.together if waits is None else waits,
    )


def command_fields(table: str, by: str, role: Role, why: str = "") -> dict[str, Any]:
    """Return the fields that every command has; the id is new."""
    return {"id": uuid.uuid4().hex, "table": table, "by": by, "role": role.value, "why": why}


def queue_command(session: Session, command: CommandBase) -> None:
    """Add a command, which the hub sends until the table has answered."""
    place = (session.scalar(select(func.max(CommandRow.place))) or 0) + 1
    kind: str = command.kind  # type: ignore[attr-defined]
    row = CommandRow(id=command.id, place=place, table=command.table, kind=kind, made_at=now())
    row.payload, row.done, row.refusal = command.model_dump(mode="json"), False, ""
    session.add(row)
    session.flush()

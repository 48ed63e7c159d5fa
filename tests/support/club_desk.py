"""A club night: players entered, rounds played by the random player, and the commands sent to tables."""

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import select

from tests.support.club_hall import plan
from tests.support.club_tables import CLUB, play_round
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk
from tilekeeper.companion.hub.fold import LogReplayer
from tilekeeper.companion.hub.intake import Intake
from tilekeeper.companion.hub.rounds import seatings_of
from tilekeeper.companion.hub.schema import CommandRow, SeatingRow
from tilekeeper.companion.hub.settings import HallSettings


def night(
    database: Database, players: int = 8, format: Mapping[str, object] = MappingProxyType({}), **settings: object
) -> Desk:
    """Return the desk of a night of three rounds with players."""
    desk = Desk(database)
    names = "\n".join(f"Player {number}" for number in range(1, players + 1))
    desk.configure(plan(database), hall_settings(**settings, format={"rounds": 3} | dict(format)))
    desk.import_players(plan(database), f"name\n{names}".encode())
    return desk


def hall_settings(**settings: object) -> dict[str, object]:
    """Return the settings of a night by the Finnish edition; a partial `format` gets its other fields by default."""
    return HallSettings().as_json() | {"edition": "finnish"} | settings


def commands(database: Database, kind: str) -> list[CommandRow]:
    with database.reading() as session:
        return list(session.scalars(select(CommandRow).where(CommandRow.kind == kind).order_by(CommandRow.place)))


def seated(database: Database, round_: int = 1) -> list[SeatingRow]:
    with database.reading() as session:
        return seatings_of(session, round_)


def play(database: Database, number: int, seed: object = 0) -> None:
    """Play a round at all tables, and fold the results."""
    messages, _ = play_round(database, number, seed)
    Intake(database, CLUB).take(messages)
    replayer = LogReplayer(database)
    while replayer.catch_up():
        pass

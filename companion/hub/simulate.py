"""Simulation of a whole event through the real desk: late players, byes, withdrawals and results are random."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from typing import Final

from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.desk import Desk
from tilekeeper.companion.hub.fold import GameOutcome, settle_round
from tilekeeper.companion.hub.rounds import players_of, rounds_of, seatings_of
from tilekeeper.companion.hub.rulings import Rulings
from tilekeeper.companion.hub.schema import HallRow, SeatingRow
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.formats import CLUB_EVENING, Format
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.simulation import random_result
from tilekeeper.engine.language import gettext

BY: Final = "simulation"
_ABSENT: Final = 0.03
"""The share of players who ask for a bye in each round."""
_LATE: Final = 0.05
_LEAVING: Final = 0.03


def simulate(database: Database, players: int, rounds: int, rng: random.Random, chosen: Format = CLUB_EVENING) -> None:
    """Play an event with random results in an empty database.

    Args:
        database: the database.
        players: the number of players; some of them come late, some leave.
        rounds: the number of rounds before a final.
        rng: the source of chance.
        chosen: the format; `rounds` replaces its number of rounds.

    Raises:
        Refused: if the database has players already, or the numbers of players or rounds are not possible.
    """
    desk, rulings = Desk(database), Rulings(database)
    with database.reading() as session:
        if players_of(session):
            raise Refused(
                gettext("This tournament already has players. For a simulation choose a new folder: --data FOLDER.")
            )
    try:
        format_ = replace(chosen, rounds=rounds)
    except ValueError as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    with database.writing() as session:
        session.get_one(HallRow, 1).seed = rng.getrandbits(48)
    settings = HallSettings(name="Simulation", format=format_)
    desk.configure(_plan(database), settings.as_json(), BY)
    late = (
        sum(rng.random() < _LATE for _ in range(players))
        if min(rounds, format_.last_to_join) > 1 and players > 4
        else 0
    )
    names = [f"Player {number:03}" for number in range(1, players + 1)]
    desk.import_players(_plan(database), "\n".join(["name", *names[: players - late]]).encode())
    for number in range(1, format_.count_rounds(players) + 1):
        if number == 2:
            for name in names[players - late :]:
                desk.add_player(_plan(database), name)
        _let_some_be_away(database, desk, rulings, number, rng)
        try:
            desk.pair(_plan(database), BY)
        except Refused:
            return  # the final had fewer players, so it is over
        _play_round(database, number, format_.games, rng)


def _let_some_be_away(database: Database, desk: Desk, rulings: Rulings, number: int, rng: random.Random) -> None:
    with database.reading() as session:
        active = [row.id for row in players_of(session) if not row.gone]
    if len(active) < 8:
        return
    for player in active:
        if rng.random() < _ABSENT:
            rulings.give_bye(_plan(database), player, number, rng.choice((ByeKind.HALF, ByeKind.ZERO)), BY)
        elif number > 1 and rng.random() < _LEAVING:
            desk.set_gone(_plan(database), player, True)


def _play_round(database: Database, number: int, games: int, rng: random.Random) -> None:
    """Store random results for all tables of a round, and end the round."""
    with database.writing() as session:
        for seating in seatings_of(session, number):
            seating.games = [asdict(_outcome(seating, rng)) for _ in range(games)]
            seating.entered_by = BY
        session.flush()
        settle_round(session, number)


def _outcome(seating: SeatingRow, rng: random.Random) -> GameOutcome:
    players = tuple(map(str, seating.players))
    result = random_result(seating.round, players, rng)
    return GameOutcome(
        tuple(str(result.points[player]) for player in players),
        tuple(seat for seat, player in enumerate(players) if player in result.won),
        tuple(seat for seat, player in enumerate(players) if player in result.unopened),
    )


def _plan(database: Database) -> int:
    with database.reading() as session:
        return session.get_one(HallRow, 1).plan


def count_games(session: Session) -> tuple[int, int, int]:
    """Return the numbers of players, rounds and games of an event."""
    games = sum(len(seating.games or ()) for seating in seatings_of(session))
    return len(players_of(session)), len(rounds_of(session)), games

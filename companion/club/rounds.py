"""Queries of stored rounds, in the form of the engine's pairing and standings."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.club.schema import PlayerRow, RoundRow, SeatingRow
from tilekeeper.companion.club.settings import HallSettings
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.tournament.pairing import PairedRound, pair
from tilekeeper.engine.tournament.standings import Standing, TableResult, standings


def players_of(session: Session) -> list[PlayerRow]:
    """Return all players, in the order in which they were entered."""
    return list(session.scalars(select(PlayerRow).order_by(PlayerRow.id)))


def rounds_of(session: Session) -> list[RoundRow]:
    """Return all rounds in order."""
    return list(session.scalars(select(RoundRow).order_by(RoundRow.number)))


def seatings_of(session: Session, round_: int | None = None) -> list[SeatingRow]:
    """Return the seatings of a round, or of all rounds, in the order of the tables."""
    query = select(SeatingRow).order_by(SeatingRow.round, SeatingRow.place)
    return list(session.scalars(query if round_ is None else query.where(SeatingRow.round == round_)))


def paired_rounds(rounds: Sequence[RoundRow], seatings: Sequence[SeatingRow]) -> list[PairedRound]:
    """Return the rounds for the engine; players are their ids as text."""
    return [
        PairedRound(
            tuple(tuple(map(str, seating.players)) for seating in seatings if seating.round == row.number),
            tuple(map(str, row.byes)),
        )
        for row in rounds
    ]


def results_of(seatings: Sequence[SeatingRow]) -> list[TableResult]:
    """Return the results of tables whose game is over."""
    return [
        TableResult(
            {
                str(player): simplify_points(Fraction(points))
                for player, points in zip(row.players, row.points, strict=False)
            },
            frozenset(str(row.players[seat]) for seat in row.won or () if seat < len(row.players)),
        )
        for row in seatings
        if row.points is not None
    ]


def standings_of(
    players: Sequence[PlayerRow], seatings: Sequence[SeatingRow], settings: HallSettings
) -> tuple[Standing, ...]:
    """Return the standings."""
    return standings([str(row.id) for row in players], results_of(seatings), settings.rules.scoring.totals)


def next_round(session: Session, settings: HallSettings, seed: int) -> PairedRound:
    """Pair the next round.

    Raises:
        ValueError: if there are too few players, with a line for people.
    """
    players, rounds, seatings = players_of(session), rounds_of(session), seatings_of(session)
    present = [str(row.id) for row in players if not row.gone]
    ranking = [line.player for line in standings_of(players, seatings, settings)]
    past = paired_rounds(rounds, seatings)
    return pair(settings.pairing, present, past, random.Random(f"{seed} {len(past)}"), ranking)

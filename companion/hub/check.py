"""Verification of a stored event: computes results, pairings and standings again, and compares them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.fold import entries_of, outcomes_of
from tilekeeper.companion.hub.rounds import PairingBasis, StoredTournament, read_tournament
from tilekeeper.companion.hub.schema import CommandRow, EntryRow, RoundRow, SeatingRow
from tilekeeper.companion.tournament.record import ByeKind, PairedRound
from tilekeeper.companion.tournament.recount import Fault, FaultKind, find_faults
from tilekeeper.companion.tournament.words import criterion_words
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import GameLogError
from tilekeeper.engine.game.state import EventRefused
from tilekeeper.engine.language import gettext, gettext_noop

_FAULTS: Final[Mapping[FaultKind, str]] = {
    FaultKind.TWO_PLACES: gettext_noop("Round {number}: {name} sits in two places."),
    FaultKind.WRONG_GAMES: gettext_noop("Round {number}: {names} have the wrong number of games."),
    FaultKind.OTHER_PLAYERS: gettext_noop("Round {number}: {names} do not sit at one table."),
    FaultKind.WRONG_WINNER: gettext_noop("Round {number}: {names} won with fewer points than others."),
    FaultKind.WRONG_VALUE: gettext_noop("Standings of {name}: {criterion} is not right."),
    FaultKind.WRONG_ORDER: gettext_noop("Standings: {names} are in the wrong order."),
    FaultKind.WRONG_PLACE: gettext_noop("Standings: {name} has the wrong place."),
}
"""The sentence for each kind of fault; placeholders are `number`, `criterion`, `name` and `names`."""


def check_event(session: Session) -> Iterator[str]:
    """Yield a sentence for each seating, result, pairing or standing that differs from the recomputed one."""
    tournament = read_tournament(session)
    for seating in tournament.seatings:
        yield from _check_seats(session, tournament, seating)
        yield from _check_result(session, seating)
    for number, row in enumerate(tournament.rounds, start=1):
        yield from _check_pairing(tournament, row, number)
    names = {str(row.id): row.name for row in tournament.players}
    unknown = {player for paired in tournament.record.rounds for player in paired.players} - names.keys()
    if unknown:
        yield gettext("These players are not on the list: {names}", names=", ".join(sorted(unknown)))
        return
    for fault in find_faults(tournament.record, tournament.settings.ranking, tournament.standings):
        yield fault_words(fault, names)


def _check_seats(session: Session, tournament: StoredTournament, seating: SeatingRow) -> Iterator[str]:
    """Check that a table has the players of its command, and that each game has a result for each player."""
    where = {"number": seating.round, "table": seating.table}
    command = session.get(CommandRow, seating.command)
    if command is not None and [int(player["id"]) for player in command.payload["players"]] != seating.players:
        yield gettext("Round {number}, table {table}: the players are not those that the table was told.", **where)
    if any(len(game["points"]) != len(seating.players) for game in seating.games or ()):
        yield gettext("Round {number}, table {table}: the number of results is not the number of players.", **where)


def _check_result(session: Session, seating: SeatingRow) -> Iterator[str]:
    """Replay the log of a table, and compare its results with the stored ones."""
    if seating.log is None or seating.entered_by:
        return
    where = {"number": seating.round, "table": seating.table}
    of_log = EntryRow.table == seating.table, EntryRow.log == seating.log
    rows = session.scalars(select(EntryRow.data).where(*of_log).order_by(EntryRow.seq)).all()
    try:
        outcomes = outcomes_of(Game.replay(entries_of(rows)).state)
    except (GameLogError, EventRefused) as error:
        yield gettext("Round {number}, table {table}: its report can't be replayed: {why}", why=str(error), **where)
        return
    replayed = [json.loads(json.dumps(asdict(outcome))) for outcome in outcomes or ()]
    stored = seating.games or []
    # Earlier versions did not store which players never opened.
    if len(replayed) != len(stored) or any(
        game[name] != outcome[name] for game, outcome in zip(stored, replayed, strict=True) for name in game
    ):
        yield gettext("Round {number}, table {table}: the result is not the one in the table's report.", **where)


def _check_pairing(tournament: StoredTournament, row: RoundRow, number: int) -> Iterator[str]:
    """Draw the pairing of a round again from its stored basis, and compare tables and byes."""
    paired, past = tournament.record.rounds[number - 1], tournament.record.rounds[: number - 1]
    if row.basis is None:
        return
    try:
        drawn = PairingBasis.of(row.basis).draw(past)
    except ValueError as error:
        yield gettext("Round {number}: the draw can't be repeated: {why}", number=number, why=str(error))
        return
    if row.corrected_by:
        if drawn.players != _drawn_part(paired).players:
            yield gettext("Round {number}: the players are not those that were drawn.", number=number)
    elif drawn != _drawn_part(paired):
        yield gettext("Round {number}: the tables or byes are not those that were drawn.", number=number)
    byes_asked = {(str(one.player), one.kind) for one in tournament.absences if one.round == number}
    byes_given = {(bye.player, bye.kind.value) for bye in paired.byes if bye.kind is not ByeKind.ALLOCATED}
    if byes_given - byes_asked:
        yield gettext("Round {number}: a bye was given that nobody asked for.", number=number)
    if tournament.settings.format.knock_out_from is not None and number >= tournament.settings.format.knock_out_from:
        return  # eliminated players get no byes
    players_gone = {str(one.id) for one in tournament.players if one.gone}
    if {one for one in byes_asked - byes_given if one[0] not in players_gone}:
        yield gettext("Round {number}: a bye that somebody asked for is missing.", number=number)


def _drawn_part(paired: PairedRound) -> PairedRound:
    """Return only the part of a round that the pairing draws: the tables and the allocated byes."""
    return PairedRound(paired.tables, tuple(bye for bye in paired.byes if bye.kind is ByeKind.ALLOCATED))


def fault_words(fault: Fault, names: Mapping[str, str]) -> str:
    """Return a fault as a sentence; `names` has the players' names by id."""
    who = ", ".join(names.get(player, "?") for player in fault.players)
    criterion = "" if fault.criterion is None else criterion_words(fault.criterion)
    return gettext(_FAULTS[fault.kind], number=fault.round or 0, name=who, names=who, criterion=criterion)

"""Rulings of organiser and arbiter: corrected pairings, byes, pairs kept apart, penalties, and ties decided by hand.

Each ruling is one transaction, refused if the plan has changed meanwhile. All add a journal entry, but for a player's
club, category and time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tilekeeper.companion.game_night.player_names import tidy_name
from tilekeeper.companion.hub.commands import changing_plan, queue_command, seat_command
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.journal import add_to_journal
from tilekeeper.companion.hub.players import name_key
from tilekeeper.companion.hub.rounds import StoredTournament, read_tournament
from tilekeeper.companion.hub.schema import (
    AbsenceRow,
    ApartRow,
    CommandRow,
    HandOrderRow,
    PenaltyRow,
    PlayerRow,
    SeatingRow,
)
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import ByeKind, PairedRound, Player
from tilekeeper.companion.tournament.tie_breaks import draw_lot
from tilekeeper.companion.tournament.words import bye_words, conflict_words
from tilekeeper.engine.language import STORED, gettext, lazy_gettext, use_language

MOST_PENALTY: Final = 10_000
_SEED_DIGITS: Final = 12
"""The hexadecimal digits of the seed of drawn lots."""


class Rulings:
    """The rulings of organiser and arbiter.

    In all methods `plan` is the number of the plan that the page showed, and `by` the name of the person who acts.
    Methods with `plan` raise `Refused` if the plan has changed meanwhile.
    """

    def __init__(self, database: Database) -> None:
        """Act on the event in this database."""
        self._database = database

    def swap(self, plan: int, one: int, other: int, by: str) -> tuple[str, ...]:
        """Swap two players in the newest round, before it starts; return the new pairing's conflicts as sentences.

        The tables of both players get their seats again. One of the two may have an allocated bye.

        Raises:
            Refused: if the round has started, or the swap makes no playable pairing.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            if not tournament.rounds or tournament.rounds[-1].state != "seated":
                raise Refused(gettext("This round has started. Its pairing can't be changed any more."))
            row, number = tournament.rounds[-1], len(tournament.rounds)
            places = {str(one): str(other), str(other): str(one)}
            before = tournament.record.rounds[-1]
            after = PairedRound(
                tuple(tuple(places.get(player, player) for player in table) for table in before.tables),
                tuple(
                    replace(bye, player=places.get(bye.player, bye.player)) if bye.kind is ByeKind.ALLOCATED else bye
                    for bye in before.byes
                ),
            )
            names = _names(tournament)
            _expect_in_round(tournament, before, (one, other))
            conflicts = tournament.conflicts(after, number)
            if one == other or any(found.is_impossible for found in conflicts):
                raise Refused(gettext("These two players can't change places."), "bad-input")
            row.byes = [{"player": int(bye.player), "kind": bye.kind.value} for bye in after.byes]
            row.corrected_by = by or "?"
            seatings = [seating for seating in tournament.seatings if seating.round == number]
            for seating, table in zip(seatings, after.tables, strict=True):
                if list(map(int, table)) != seating.players:
                    self._seat(session, tournament, seating, list(map(int, table)), by)
            sentence = lazy_gettext(
                "Round {number}: {name} and {other} changed places.",
                number=number,
                name=names[str(one)],
                other=names[str(other)],
            )
            add_to_journal(session, sentence, by)
            return tuple(conflict_words(conflict, names.__getitem__) for conflict in conflicts)

    def _seat(
        self, session: Session, tournament: StoredTournament, seating: SeatingRow, players: Sequence[int], by: str
    ) -> None:
        """Seat other players at a table that has not started; its earlier command is no longer valid."""
        rows = {row.id: row for row in tournament.players}
        # Older commands must not arrive after this one.
        session.execute(delete(CommandRow).where(CommandRow.table == seating.table, CommandRow.answered_at.is_(None)))
        command = seat_command(
            seating.table,
            by,
            tournament.settings,
            seating.round,
            [rows[player] for player in players],
        )
        seating.players, seating.command, seating.log = list(players), command.id, None
        queue_command(session, command)

    def give_bye(self, plan: int, player: int, round_: int, kind: ByeKind | None, by: str) -> None:
        """Give a player a bye of this kind in a later round; None cancels the bye.

        Raises:
            Refused: if the round is already paired, or the player is unknown.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            name = _name(tournament, player)
            if round_ <= len(tournament.rounds):
                raise Refused(gettext("Round {number} is already paired.", number=round_))
            session.execute(delete(AbsenceRow).where(AbsenceRow.player == player, AbsenceRow.round == round_))
            if kind is None:
                words = lazy_gettext("{name} plays in round {number} after all.", name=name, number=round_)
            else:
                session.add(AbsenceRow(player=player, round=round_, kind=kind.value))
                with use_language(STORED):
                    kind_words = bye_words(kind)
                words = lazy_gettext(
                    "{name} does not play in round {number}: {kind}.", name=name, number=round_, kind=kind_words
                )
            add_to_journal(session, words, by)

    def keep_apart(self, plan: int, one: int, other: int, apart: bool, by: str) -> None:
        """Forbid that two players meet, or with `apart` False allow it again.

        Raises:
            Refused: if a player is unknown, or both are the same.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            name, other_name = _name(tournament, one), _name(tournament, other)
            if one == other:
                raise Refused(gettext("Choose two players."), "bad-input")
            low, high = min(one, other), max(one, other)
            session.execute(delete(ApartRow).where(ApartRow.one == low, ApartRow.other == high))
            if apart:
                session.add(ApartRow(one=low, other=high))
                words = lazy_gettext("{name} and {other} are kept apart.", name=name, other=other_name)
            else:
                words = lazy_gettext("{name} and {other} may meet.", name=name, other=other_name)
            add_to_journal(session, words, by)

    def player_named(self, name: str) -> int:
        """Return the id of the player with this name; `name_key` decides which names are the same.

        Raises:
            Refused: if nobody has this name.
        """
        with self._database.reading() as session:
            player = session.scalar(select(PlayerRow.id).where(PlayerRow.key == name_key(name)))
        if player is None:
            raise Refused(gettext("Nobody here is called {name}.", name=name), "not-found")
        return player

    def describe(
        self, plan: int, player: int, club: str, category: str, more_s: int = 0, *, name: str = "", by: str = ""
    ) -> None:
        """Set club and category of a player, the seconds that the player has more than others, and the name.

        An empty name stays as it is. Tables show a new name from the next round on.

        Raises:
            Refused: if the player is unknown, or the name is not possible or taken.
        """
        with changing_plan(self._database, plan) as (session, _):
            row = session.get(PlayerRow, player)
            if row is None:
                raise Refused(gettext("There is no such player."), "not-found")
            if name and name != row.name:
                _rename(session, row, tidy_name(name), by)
            _move_to_groups(session, row, club, category, by)
            row.more_s = more_s

    def punish(self, plan: int, player: int, points: int, why: str, by: str) -> None:
        """Deduct points from a player's score in the newest round.

        Raises:
            Refused: without a reason, before the first round, for an unknown player, or points out of range.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            name = _name(tournament, player)
            if not why:
                raise Refused(gettext("Say why in a few words. Everybody can read it."), "reason")
            if not tournament.rounds:
                raise Refused(gettext("The first round is not paired yet."))
            if not 0 < points <= MOST_PENALTY:
                raise Refused(gettext("{word!r} is not a number of points.", word=str(points)), "bad-input")
            session.add(PenaltyRow(player=player, round=len(tournament.rounds), points=points))
            add_to_journal(session, lazy_gettext("{name} loses {points} points.", name=name, points=points), by, why)

    def order_by_hand(self, plan: int, better: int, other: int, why: str, by: str) -> None:
        """Decide a tie: place the player `better` ahead of `other`, who shares the place.

        Raises:
            Refused: without a reason, if they share no place, or if `Criterion.BY_HAND` is not among the criteria.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            name, other_name = _name(tournament, better), _name(tournament, other)
            if not why:
                raise Refused(gettext("Say why in a few words. Everybody can read it."), "reason")
            _, sharing = _share_place(tournament, better)
            if better == other or other not in sharing:
                raise Refused(gettext("These two players do not share a place."))
            new_order = [player for player in sharing if player != better]
            new_order.insert(new_order.index(other), better)
            session.add(HandOrderRow(players=new_order))
            words = lazy_gettext("{name} is placed ahead of {other}.", name=name, other=other_name)
            add_to_journal(session, words, by, why)

    def draw_lots(self, plan: int, player: int, by: str) -> None:
        """Decide a tie by lot: order all players who share the place of `player`.

        The journal has the seed, from which `draw_lot` draws the same lots for the players' names again.

        Raises:
            Refused: if the player shares no place, or if `Criterion.BY_HAND` is not among the criteria.
        """
        with changing_plan(self._database, plan) as (session, _):
            tournament = read_tournament(session)
            _name(tournament, player)
            place, sharing = _share_place(tournament, player)
            if len(sharing) < 2:
                raise Refused(gettext("This player shares no place."))
            names = _names(tournament)
            # The seed of the event itself stays secret, since it also draws the pairings to come.
            seed = hashlib.sha256(f"{tournament.seed} lots {plan}".encode()).hexdigest()[:_SEED_DIGITS]
            order = sorted(sharing, key=lambda one: draw_lot(seed, names[str(one)]), reverse=True)
            session.add(HandOrderRow(players=order))
            words = lazy_gettext(
                "Lots were drawn for place {place} (seed {seed}): {names}.",
                place=place,
                seed=seed,
                names=", ".join(names[str(one)] for one in order),
            )
            add_to_journal(session, words, by)


def _rename(session: Session, row: PlayerRow, name: str, by: str) -> None:
    """Give a player another name; raise `Refused` if somebody else has it."""
    key = name_key(name)
    if session.scalar(select(PlayerRow.id).where(PlayerRow.key == key, PlayerRow.id != row.id)) is not None:
        raise Refused(gettext("{name} is already on the list.", name=name), "bad-name")
    add_to_journal(session, lazy_gettext("{name} is now called {other}.", name=row.name, other=name), by)
    row.name, row.key = name, key


def _move_to_groups(session: Session, row: PlayerRow, club: str, category: str, by: str) -> None:
    """Give a player another club and another category; either may be empty. The journal names each change."""
    if club != row.club:
        played = lazy_gettext("{name} now plays for {club}.", name=row.name, club=club)
        add_to_journal(session, played if club else lazy_gettext("{name} has no club now.", name=row.name), by)
    if category != row.category:
        placed = lazy_gettext("{name} is now in the category {category}.", name=row.name, category=category)
        add_to_journal(
            session, placed if category else lazy_gettext("{name} is in no category now.", name=row.name), by
        )
    row.club, row.category = club, category


def _expect_in_round(tournament: StoredTournament, paired: PairedRound, players: Sequence[int]) -> None:
    """Raise `Refused` if a player has left, or has neither a seat nor a bye in a round."""
    for player in players:
        name = _name(tournament, player)
        if any(row.id == player and row.gone for row in tournament.players):
            raise Refused(gettext("{name} has left. Press “Is back” first.", name=name))
        if str(player) not in paired.players:
            raise Refused(gettext("{name} does not play in this round.", name=name))


def _share_place(tournament: StoredTournament, player: int) -> tuple[int, list[int]]:
    """Return the place of a player, and all players who share it.

    Raises:
        Refused: if `Criterion.BY_HAND` is not among the criteria.
    """
    if Criterion.BY_HAND not in tournament.settings.ranking.criteria:
        raise Refused(gettext("First add “Decision of the referee” to the tie-breaks."))
    places = {int(line.player): line.place for line in tournament.standings}
    return places[player], [one for one, place in places.items() if place == places[player]]


def _names(tournament: StoredTournament) -> dict[Player, str]:
    return {str(row.id): row.name for row in tournament.players}


def _name(tournament: StoredTournament, player: int) -> str:
    name = _names(tournament).get(str(player))
    if name is None:
        raise Refused(gettext("There is no such player."), "not-found")
    return name

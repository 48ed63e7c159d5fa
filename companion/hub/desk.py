"""The actions of organiser and arbiter; each is one transaction, refused if the plan has changed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, Literal

from pydantic import ValidationError
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.commands import changing_plan, command_fields, queue_command, seat_command
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.entered_points import note_changed_result, read_games
from tilekeeper.companion.hub.fold import settle_round
from tilekeeper.companion.hub.journal import add_to_journal
from tilekeeper.companion.hub.player_sheet import Line, ReadingChoices, read_sheet
from tilekeeper.companion.hub.players import check_players, name_key
from tilekeeper.companion.hub.rounds import PairingBasis, players_of, read_tournament, rounds_of, seatings_of
from tilekeeper.companion.hub.schema import (
    AbsenceRow,
    CommandRow,
    HallRow,
    LogRow,
    NoticeRow,
    PlayerRow,
    RoundRow,
    SeatingRow,
    TableRow,
)
from tilekeeper.companion.hub.setting_changes import change_sentences
from tilekeeper.companion.hub.settings import HallSettings, Role, new_codes
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.messages import ClockCommand
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.record import Bye
from tilekeeper.engine.language import gettext, gettext_noop, lazy_gettext, ngettext
from tilekeeper.engine.rules.editions import UnknownEdition
from tilekeeper.engine.rules.house_rules import HouseRuleError

SEATED: Final = "seated"
RUNNING: Final = "running"
PAUSED: Final = "paused"
OVER: Final = "over"
_BY_CLOCK: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "start": ((SEATED,), RUNNING),
    "pause": ((RUNNING,), PAUSED),
    "resume": ((PAUSED,), RUNNING),
}
"""For each action the states of a round in which the action is possible, and the state after it."""


class Desk:
    """The organiser's and arbiters' actions, apart from rulings.

    In all methods `plan` is the number of the plan that the page showed, and `by` and `role` are name and role of the
    person who acts. Methods with `plan` raise `Refused` if the plan has changed meanwhile.
    """

    def __init__(self, database: Database) -> None:
        """Act on the event in this database."""
        self._database = database

    def configure(self, plan: int, chosen: dict[str, Any], by: str = "") -> None:
        """Store the settings of the club night; `chosen` has the fields of `HallSettings`.

        Raises:
            Refused: if a setting is not possible, or contradicts the rounds played so far.
        """
        try:
            settings = HallSettings.model_validate(chosen)
            settings.rules  # noqa: B018, raises for wrong house rules
        except (UnknownEdition, HouseRuleError) as error:
            raise Refused(str(error), "bad-input") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            why = first["msg"].removeprefix("Value error, ")
            raise Refused(gettext("{field} is not right: {why}", field=where, why=why), "bad-input") from None
        with changing_plan(self._database, plan) as (session, hall):
            before, players = HallSettings.of(hall.settings), len(players_of(session))
            rounds = len(rounds_of(session))
            _expect_to_fit(settings, before, rounds, players)
            for sentence in change_sentences(before, settings) if rounds else ():
                add_to_journal(session, sentence, by)
            hall.settings = settings.as_json()
            hall.name = settings.name

    def add_player(self, plan: int, name: str, club: str = "", category: str = "") -> None:
        """Add a player, who plays from the next round on.

        Raises:
            Refused: if the name is empty or taken, or after the last round that late players can join.
        """
        with changing_plan(self._database, plan) as (session, hall):
            players = check_players([Line(1, name, club, category)], [row.name for row in players_of(session)])
            _enter(session, players, HallSettings.of(hall.settings))

    def import_players(
        self, plan: int, data: bytes, reading: ReadingChoices | None = None, *, leave_out: bool = False
    ) -> int:
        """Add all players of a CSV file, or none; return how many were added.

        Args:
            plan: the number of the plan that the page showed.
            data: the contents of the file.
            reading: the encoding and the columns; None to guess them from the file.
            leave_out: whether to skip players who are on the list already; otherwise they are errors.

        Raises:
            Refused: for bad lines, with a sentence for each, or after the last round that late players can join.
        """
        with changing_plan(self._database, plan) as (session, hall):
            known_names = [row.name for row in players_of(session)]
            players = check_players(read_sheet(data, reading).lines, known_names, leave_out=leave_out)
            _enter(session, players, HallSettings.of(hall.settings))
        return len(players)

    def set_gone(self, plan: int, player: int, gone: bool, by: str = "") -> None:
        """Let a player leave or come back, from the next round on; a player who leaves before the first is deleted."""
        with changing_plan(self._database, plan) as (session, _):
            row = session.get(PlayerRow, player)
            if row is None:
                raise Refused(gettext("There is no such player."), "not-found")
            if gone and not rounds_of(session):
                session.delete(row)
                return
            row.gone = gone
            words = gettext_noop("{name} leaves.") if gone else gettext_noop("{name} is back.")
            add_to_journal(session, lazy_gettext(words, name=row.name), by)

    def pair(self, plan: int, by: str) -> int:
        """Pair the next round, queue for each table the command that seats its players, and return the round's number.

        Raises:
            Refused: if a round is not over, all rounds are played, or there are too few players.
        """
        with changing_plan(self._database, plan) as (session, hall):
            settings = HallSettings.of(hall.settings)
            rounds = rounds_of(session)
            if rounds and rounds[-1].state != OVER:
                raise Refused(gettext("Round {number} is not over yet.", number=rounds[-1].number))
            tournament = read_tournament(session)
            if len(rounds) >= tournament.count_rounds:
                raise Refused(
                    ngettext("The only round is played.", "All {count} rounds are played.", tournament.count_rounds)
                )
            number = len(rounds) + 1
            try:
                basis = tournament.next_basis()
                paired = basis.draw(tournament.record.rounds)
            except ValueError as error:
                raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
            byes = [*paired.byes, *(Bye(player, kind) for player, kind in tournament.byes_asked().items())]
            row = RoundRow(number=number, state=SEATED, made_at=now(), basis=basis.as_json())
            row.byes = [{"player": int(bye.player), "kind": bye.kind.value} for bye in byes]
            session.add(row)
            session.flush()
            rows = {str(row.id): row for row in tournament.players}
            tables = _table_names(session, len(paired.tables))
            for place, (table, players) in enumerate(zip(tables, paired.tables, strict=True), start=1):
                command = seat_command(table, by, settings, number, [rows[player] for player in players])
                seating = SeatingRow(round=number, table=table, place=place, command=command.id, entered_by="")
                seating.players = list(map(int, players))
                session.add(seating)
                queue_command(session, command)
        return number

    def seat_again(self, plan: int, table: str, by: str) -> None:
        """Send the seating of a table in the newest round again, after a failure or to another machine.

        Games that were played there in this round no longer count. In a running round the table starts at once.

        Raises:
            Refused: if the table has no seats in the newest round, or has its points already.
        """
        with changing_plan(self._database, plan) as (session, hall):
            rounds = rounds_of(session)
            seating = session.get(SeatingRow, (rounds[-1].number, table), with_for_update=True) if rounds else None
            if seating is None:
                raise Refused(gettext("There is no such table."), "not-found")
            if seating.points is not None:
                raise Refused(gettext("The game at this table is over."))
            rows = {row.id: row for row in players_of(session)}
            players = [rows[player] for player in seating.players]
            settings = HallSettings.of(hall.settings)
            waits = settings.together and rounds[-1].state == SEATED
            command = seat_command(table, by, settings, seating.round, players, waits=waits)
            # Older commands must not arrive after this one.
            session.execute(delete(CommandRow).where(CommandRow.table == table, CommandRow.answered_at.is_(None)))
            seating.command, seating.log = command.id, None
            queue_command(session, command)
            if rounds[-1].state == PAUSED:
                queue_command(session, ClockCommand(**command_fields(table, by, Role.ORGANISER), kind="pause"))

    def withdraw(self, plan: int, by: str = "") -> None:
        """Delete the newest round, whose pairing can then be drawn anew; raise `Refused` if it has started."""
        with changing_plan(self._database, plan) as (session, hall):
            rounds = rounds_of(session)
            if not rounds or rounds[-1].state != SEATED:
                raise Refused(gettext("This round has started, so its pairings can't be drawn again."))
            seats = select(SeatingRow.command).where(SeatingRow.round == rounds[-1].number)
            unanswered = CommandRow.id.in_(seats), CommandRow.answered_at.is_(None)
            session.execute(delete(CommandRow).where(*unanswered))
            session.execute(delete(SeatingRow).where(SeatingRow.round == rounds[-1].number))
            _let_late_players_in(session, rounds[-1])
            session.delete(rounds[-1])
            hall.redraws += 1  # otherwise the same pairing would be drawn again
            words = lazy_gettext("The pairing of round {number} was withdrawn.", number=rounds[-1].number)
            add_to_journal(session, words, by)

    def turn_clock(self, round_: int, kind: Literal["start", "pause", "resume"], by: str, role: Role) -> None:
        """Start, pause or resume a round at all tables that are still playing.

        Raises:
            Refused: if the round is not the newest, or not in a state for this action.
        """
        before, after = _BY_CLOCK[kind]
        with self._database.writing() as session:
            # A withdrawn result can reopen an earlier round, but its tables may be playing a later one by now.
            newest = select(func.max(RoundRow.number)).scalar_subquery()
            of_round = RoundRow.number == round_, RoundRow.number == newest, RoundRow.state.in_(before)
            if session.scalar(update(RoundRow).where(*of_round).values(state=after).returning(RoundRow.number)) is None:
                raise Refused(gettext("The round has changed. Look at it and try again."))
            for seating in seatings_of(session, round_):
                if seating.points is None:
                    queue_command(session, ClockCommand(**command_fields(seating.table, by, role), kind=kind))

    def enter_points(
        self,
        plan: int,
        round_: int,
        table: str,
        points: Sequence[str],
        by: str,
        *,
        anyway: bool = False,
        unopened: Sequence[bool] = (),
    ) -> None:
        """Store points that were entered by hand for a table; with empty `points` the table's log counts again.

        Args:
            plan: the number of the plan that the page showed.
            round_: the number of the round.
            table: the table's name.
            points: the points of each seat in the first game, then of each seat in the second, and so on.
            by: the name of the person who enters them.
            anyway: whether to store points that do not add up.
            unopened: for each of `points` whether the player never opened; empty if all have opened.

        Raises:
            Refused: if the table has no seats in this round, or the points are not numbers for every seat, or do not
                add up.
        """
        with changing_plan(self._database, plan) as (session, hall):
            settings = HallSettings.of(hall.settings)
            seating = session.get(SeatingRow, (round_, table), with_for_update=True)
            if seating is None:
                raise Refused(gettext("There is no such table."), "not-found")
            before = seating.points
            if not points:
                if seating.log is None:
                    raise Refused(gettext("This table has sent no points of its own."))
                seating.games, seating.entered_by = None, ""
                # The table's log is replayed, so that its own result counts.
                of_log = LogRow.table == table, LogRow.log == seating.log
                session.execute(update(LogRow).where(*of_log).values(folded=0))
            else:
                games = read_games(points, unopened, len(seating.players), settings, anyway=anyway)
                seating.games = [asdict(game) for game in games]
                seating.entered_by = by or "?"
            session.flush()
            settle_round(session, round_)
            if before is not None:
                note_changed_result(session, seating, before, by)

    def choose_log(self, plan: int, round_: int, table: str, log: str, by: str = "") -> None:
        """Choose which log of a table counts for a round, if the table has begun several.

        Raises:
            Refused: if the log does not begin with the command for these seats.
        """
        with changing_plan(self._database, plan) as (session, _):
            seating = session.get(SeatingRow, (round_, table), with_for_update=True)
            row = session.get(LogRow, (table, log), with_for_update=True)
            if seating is None or row is None or row.command != seating.command:
                raise Refused(gettext("There is no such table."), "not-found")
            seating.log, row.folded = log, 0
            if not seating.entered_by:
                seating.games = None
            session.flush()
            settle_round(session, round_)
            words = lazy_gettext(
                "Round {number}, table {table}: another report of the table counts now.", number=round_, table=table
            )
            add_to_journal(session, words, by)

    def forget_notice(self, notice: int) -> None:
        """Delete a notice that the organiser has read."""
        with self._database.writing() as session:
            session.execute(delete(NoticeRow).where(NoticeRow.id == notice))

    def renew_codes(self) -> None:
        """Replace all sign-in codes; everybody who signed in with an old code is signed out."""
        with self._database.writing() as session:
            session.get_one(HallRow, 1, with_for_update=True).codes = new_codes()


def _enter(session: Session, lines: Sequence[Line], settings: HallSettings) -> None:
    """Add players. In each round that is already paired they get the format's bye for late players.

    Raises:
        Refused: after the last round that late players can join.
    """
    rounds = rounds_of(session)
    late = settings.format.last_to_join
    if len(rounds) >= late:
        raise Refused(gettext("Players can join up to round {number}.", number=late), "too-late")
    for line in lines:
        player = PlayerRow(name=line.name, key=name_key(line.name), gone=False, club=line.club, category=line.category)
        session.add(player)
        session.flush()
        for row in rounds:
            kind = settings.format.late_bye.value
            row.byes = [*row.byes, {"player": player.id, "kind": kind}]
            session.add(AbsenceRow(player=player.id, round=row.number, kind=kind))


def _let_late_players_in(session: Session, round_: RoundRow) -> None:
    """Cancel the byes of players who came after a round was paired, since they can play once it is paired again."""
    if round_.basis is None:
        return
    known = set(map(int, PairingBasis.of(round_.basis).ranking))
    late = AbsenceRow.round == round_.number, AbsenceRow.player.not_in(known)
    session.execute(delete(AbsenceRow).where(*late))


def _expect_to_fit(settings: HallSettings, before: HallSettings, rounds: int, players: int) -> None:
    """Raise `Refused` if the new settings allow fewer rounds than are paired, or another way of scoring than before."""
    if settings.format.count_rounds(players) < rounds:
        raise Refused(ngettext("{count} round is already paired.", "{count} rounds are already paired.", rounds))
    if rounds and settings.format.games != before.format.games:
        raise Refused(
            gettext("The number of games in a round can't change any more: {count}.", count=before.format.games)
        )
    if rounds and settings.rules.scoring.totals is not before.rules.scoring.totals:
        raise Refused(
            gettext("That box scores in another way than the rounds you have played. Start a new evening for it.")
        )


def _table_names(session: Session, count: int) -> list[str]:
    """Return `count` table names: first those of known tables, then unused numbers; in natural order."""
    known = [row.id for row in session.scalars(select(TableRow).order_by(TableRow.id))]
    names = sorted(known, key=natural_key)[:count]
    number = 1
    while len(names) < count:
        if str(number) not in known:
            names.append(str(number))
        number += 1
    return sorted(names, key=natural_key)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key for natural sorting: table 2 comes before table 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", name)]

"""The actions of organiser and arbiter; each is one transaction, refused if the plan has changed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Final, Literal

from pydantic import ValidationError
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.commands import changing_plan, command_fields, queue_command, seat_command
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.fold import GameOutcome, settle_round
from tilekeeper.companion.hub.journal import add_to_journal
from tilekeeper.companion.hub.player_sheet import Line, ReadingChoices, read_sheet
from tilekeeper.companion.hub.players import check_players, name_key
from tilekeeper.companion.hub.rounds import players_of, read_tournament, rounds_of, seatings_of
from tilekeeper.companion.hub.schema import (
    CommandRow,
    HallRow,
    LogRow,
    NoticeRow,
    PlayerRow,
    RoundRow,
    SeatingRow,
    TableRow,
)
from tilekeeper.companion.hub.settings import HallSettings, Role, new_codes
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.messages import ClockCommand
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.tournament.record import Bye
from tilekeeper.companion.tournament.words import criterion_words
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.language import gettext, lazy_gettext, ngettext
from tilekeeper.engine.rules.editions import UnknownEdition
from tilekeeper.engine.rules.house_rules import HouseRuleError
from tilekeeper.engine.rules.policies import EmptyPoolScore
from tilekeeper.engine.rules.ruleset import RuleSet

SEATED: Final = "seated"
RUNNING: Final = "running"
PAUSED: Final = "paused"
OVER: Final = "over"
_POINTS: Final = re.compile(r"[+-]?\d{1,5}(/[1-9]\d?)?", re.ASCII)
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
            if rounds:
                _note_changed_format(session, settings, before, by)
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

    def set_gone(self, plan: int, player: int, gone: bool) -> None:
        """Let a player leave or come back, from the next round on; a player who leaves before the first is deleted."""
        with changing_plan(self._database, plan) as (session, _):
            row = session.get(PlayerRow, player)
            if row is None:
                raise Refused(gettext("There is no such player."), "not-found")
            if gone and not rounds_of(session):
                session.delete(row)
            else:
                row.gone = gone

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

    def withdraw(self, plan: int) -> None:
        """Delete the newest round, whose pairing can then be drawn anew; raise `Refused` if it has started."""
        with changing_plan(self._database, plan) as (session, hall):
            rounds = rounds_of(session)
            if not rounds or rounds[-1].state != SEATED:
                raise Refused(gettext("This round has started, so its pairings can't be drawn again."))
            seats = select(SeatingRow.command).where(SeatingRow.round == rounds[-1].number)
            unanswered = CommandRow.id.in_(seats), CommandRow.answered_at.is_(None)
            session.execute(delete(CommandRow).where(*unanswered))
            session.execute(delete(SeatingRow).where(SeatingRow.round == rounds[-1].number))
            session.delete(rounds[-1])
            hall.redraws += 1  # otherwise the same pairing would be drawn again

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
            if not points:
                seating.games, seating.entered_by = None, ""
            else:
                numbers = [_points(word) for word in points]
                count = len(seating.players)
                if len(numbers) % count or len(numbers) > count * settings.format.games:
                    raise Refused(gettext("Enter points for every player at the table."), "bad-input")
                games = [numbers[begin : begin + count] for begin in range(0, len(numbers), count)]
                if not anyway:
                    _expect_to_add_up(games, settings.rules)
                if unopened and len(unopened) != len(numbers):
                    raise Refused(gettext("Enter points for every player at the table."), "bad-input")
                marks = [unopened[begin : begin + count] for begin in range(0, len(numbers), count)]
                seating.games = [asdict(_outcome(*game)) for game in zip(games, marks, strict=True)]
                seating.entered_by = by or "?"
            session.flush()
            settle_round(session, round_)

    def choose_log(self, plan: int, round_: int, table: str, log: str) -> None:
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
            row.byes = [*row.byes, {"player": player.id, "kind": settings.format.late_bye.value}]


def _expect_to_fit(settings: HallSettings, before: HallSettings, rounds: int, players: int) -> None:
    """Raise `Refused` if the new settings allow fewer rounds than are paired, or another way of scoring than before."""
    if settings.format.count_rounds(players) < rounds:
        raise Refused(ngettext("{count} round is already paired.", "{count} rounds are already paired.", rounds))
    if rounds and settings.rules.scoring.totals is not before.rules.scoring.totals:
        raise Refused(
            gettext("That box scores in another way than the rounds you have played. Start a new evening for it.")
        )


def _note_changed_format(session: Session, settings: HallSettings, before: HallSettings, by: str) -> None:
    """Add a journal entry if the criteria or the points for games and byes differ from `before`."""
    if settings.ranking.criteria != before.ranking.criteria:
        names = ", ".join(map(criterion_words, settings.ranking.criteria))
        add_to_journal(
            session, lazy_gettext("What counts in the standings has changed: {criteria}", criteria=names), by
        )
    elif settings.ranking != before.ranking:
        add_to_journal(session, lazy_gettext("The points for games and byes have changed."), by)


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


def _outcome(points: Sequence[Fraction], unopened: Sequence[bool]) -> GameOutcome:
    """Return the result of a game whose points were entered by hand; the seats with the most points win."""
    won = tuple(seat for seat, number in enumerate(points) if number == max(points))
    never_opened = tuple(seat for seat, is_marked in enumerate(unopened) if is_marked)
    return GameOutcome(tuple(map(str, points)), won, never_opened)


def _expect_to_add_up(games: Sequence[Sequence[Fraction]], rules: RuleSet) -> None:
    """Raise `Refused` for the first game whose points contradict the rules: plus must equal minus."""
    if rules.stars is not None:
        return
    for number, game in enumerate(games, start=1):
        is_all_minus = rules.scoring.empty_pool is EmptyPoolScore.ALL_MINUS and max(game) <= 0
        if sum(game) and not is_all_minus:
            difference = points_words(simplify_points(sum(game, Fraction(0))))
            raise Refused(
                gettext(
                    "Game {number} does not add up: plus and minus differ by {points}. Correct it, or tick the box "
                    "below if it is right.",
                    number=number,
                    points=difference,
                ),
                "sum",
            )


def _points(word: str) -> Fraction:
    tidy = word.replace("−", "-").strip()
    if not _POINTS.fullmatch(tidy):
        raise Refused(gettext("{word!r} is not a number of points.", word=word[:20]), "bad-input")
    return Fraction(tidy)

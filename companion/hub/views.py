"""View models of the hub's pages, read from the database as of one moment."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.desk import natural_key
from tilekeeper.companion.hub.journal import journal_of
from tilekeeper.companion.hub.notices import newest_notices, notice_words
from tilekeeper.companion.hub.rounds import StoredTournament, read_tournament
from tilekeeper.companion.hub.schema import (
    CommandRow,
    DisputeRow,
    HallRow,
    LogRow,
    NewsRow,
    PlayerRow,
    RoundRow,
    SeatingRow,
    TableRow,
)
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.hub.standing_views import LineView, view_categories, view_lines
from tilekeeper.companion.hub.table_views import PlayerView, ReportView, Seats, StoredTable, TableSummary, table_view
from tilekeeper.companion.hub.times import clock_words, time_words
from tilekeeper.companion.text import kept
from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.companion.text.fault_rules import FaultRule, explain_rules, fault_sentences
from tilekeeper.companion.text.kept import translate_lines
from tilekeeper.companion.text.rulebook import rulebook_language
from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.words import conflict_words, criterion_words, pairing_words
from tilekeeper.engine.language import gettext, ngettext

_DECIDED_SHOWN: Final = 20
_KEY_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A raised hand and its decision, as the pages show them."""

    id: str
    table: str
    raised_by: str
    at: str
    verdict: str
    reasons: tuple[str, ...]
    rules: tuple[FaultRule, ...]
    """The rules that the turn breaks, with the sentences of the rulebook."""
    language: str
    """The language code of the rulebook."""
    players: tuple[tuple[int, str], ...]
    """Id and name of each player at the table."""
    before: bool
    """Whether there is a picture of the table before the turn."""
    after: bool
    """Whether there is a picture of the table after the turn."""
    decision: str
    decided_by: str
    why: str
    answer: str
    """A sentence if the table has not confirmed the decision yet, or has refused it; empty otherwise."""


@dataclass(frozen=True, slots=True)
class NightView:
    """The data of all pages of a club night, as of one moment and in one language."""

    revision: int
    name: str
    plan: int
    settings: HallSettings
    box: str
    way: str
    rounds: int
    """The number of rounds to be played, final rounds included."""
    columns: tuple[str, ...]
    """The criteria of the standings: the score, then the tie-breaks."""
    conflicts: tuple[str, ...]
    """The conflicts in the pairing of the newest round, as sentences."""
    journal: tuple[tuple[str, str, str, str], ...]
    """The newest decisions of organiser and arbiters: time, person, sentence, reason."""
    categories: tuple[tuple[str, tuple[LineView, ...]], ...]
    """Each category with its standings, in which places are counted anew."""
    round: int
    """The number of the newest round; 0 before the first."""
    round_state: str
    round_words: str
    byes: tuple[str, ...]
    """The players of the newest round who do not play, each with the letter of the bye."""
    away: tuple[str, ...]
    """The players who will not play in a later round, each with the round and the letter of the bye."""
    apart: tuple[str, ...]
    """The pairs of players who are kept apart."""
    free: tuple[str, ...]
    """Those of them who have a bye from the draw, so that they can change places with others."""
    standings: tuple[LineView, ...]
    players: tuple[PlayerView, ...]
    disputes: tuple[DisputeView, ...]
    decided: tuple[DisputeView, ...]
    punished: tuple[tuple[str, str], ...]
    """The players with warnings or penalties, and the sums of both over the whole event, in words."""
    notices: tuple[tuple[int, str, int], ...]
    """The newest notices: id, sentence, how often."""
    codes: Mapping[str, str]
    unanswered: int
    """The number of commands without an answer, to tables that have ever connected."""
    secret: str
    seats: Seats
    seats_by_name: tuple[tuple[str, str], ...] = ()
    """The players of the newest round sorted by name, each with the table, or with the letter of a bye."""
    tables: tuple[TableSummary, ...] = ()
    spare: tuple[TableSummary, ...] = ()
    """Tables that have no players in the newest round."""

    def table_key(self, table: str) -> str:
        """Return the key in a table's QR code; whoever sends the key has scanned the code."""
        return hmac.new(self.secret.encode(), table.encode(), "sha256").hexdigest()[:_KEY_LENGTH]

    def path(self, table: str) -> str:
        """Return the path of the address in a table's QR code, relative to the hub's address."""
        return f"t/{table}?at={self.table_key(table)}"


def night_view(session: Session, before: NightView | None = None) -> NightView:
    """Read the club night, in the current language.

    Args:
        session: a reading session.
        before: the result of an earlier call in the same language. If nothing has changed, this same object is
            returned. If only the tables' status has changed, as it does many times a second, only the tables are read.
    """
    revision, night_revision = session.execute(select(NewsRow.revision, NewsRow.night)).one()
    if before is None or before.seats.revision != night_revision:
        return _with_tables(session, _night(session, revision, night_revision), {})
    if before.revision == revision:
        return before
    summaries = {table.row: table for table in (*before.tables, *before.spare)}
    return _with_tables(session, replace(before, revision=revision), summaries)


def _night(session: Session, revision: int, night_revision: int) -> NightView:
    """Read everything but the tables' status, which `_with_tables` adds."""
    hall = session.get_one(HallRow, 1)
    tournament = read_tournament(session)
    settings, players, rounds, seatings = (
        tournament.settings,
        tournament.players,
        tournament.rounds,
        tournament.seatings,
    )
    newest_round = rounds[-1] if rounds else None
    lines = tournament.standings
    names = {row.id: row for row in players}
    scored = any(line.played for line in lines)
    columns = settings.ranking.criteria
    places = {int(line.player): line.place for line in lines if scored}
    with_pictures = select(DisputeRow, DisputeRow.before.is_not(None), DisputeRow.after.is_not(None))
    disputes = session.execute(with_pictures.order_by(DisputeRow.raised_at.desc())).all()
    hands = Counter(dispute.table for dispute, *_ in disputes if not dispute.decision)
    newest_seatings = [
        seating for seating in seatings if newest_round is not None and seating.round == newest_round.number
    ]
    seats_at = {
        seating.table: tuple((player, names[player].name) for player in seating.players if player in names)
        for seating in newest_seatings
    }
    answered = {row.id: row for row in session.scalars(select(CommandRow).where(CommandRow.kind == "decide"))}
    # A table whose results are typed from slips never answers.
    open_ = (
        select(CommandRow.id).join(TableRow, TableRow.id == CommandRow.table).where(CommandRow.answered_at.is_(None))
    )
    standing_views = view_lines(tournament)
    return NightView(
        revision=revision,
        name=hall.name or gettext("Club night"),
        plan=hall.plan,
        settings=settings,
        box=BOXES[settings.edition].name,
        way=pairing_words(settings.format.pairing),
        rounds=tournament.count_rounds,
        columns=tuple(map(criterion_words, columns)),
        conflicts=_conflicts(tournament),
        journal=journal_of(session),
        categories=view_categories(tournament, standing_views),
        round=0 if newest_round is None else newest_round.number,
        round_state="" if newest_round is None else newest_round.state,
        round_words=_round_words("" if newest_round is None else newest_round.state),
        byes=()
        if newest_round is None
        else tuple(
            f"{names[bye['player']].name} ({ByeKind(bye['kind']).mark})"
            for bye in newest_round.byes
            if bye["player"] in names
        ),
        away=_away(tournament, names),
        apart=tuple(f"{names[row.one].name} – {names[row.other].name}" for row in tournament.apart),
        free=()
        if newest_round is None
        else tuple(
            names[bye["player"]].name
            for bye in newest_round.byes
            if bye["player"] in names and bye["kind"] == ByeKind.ALLOCATED
        ),
        standings=standing_views,
        seats_by_name=_seats_by_name(newest_round, newest_seatings, names),
        players=tuple(_player(row, places.get(row.id)) for row in players),
        disputes=tuple(_dispute(*row, answered, seats_at) for row in reversed(disputes) if not row[0].decision),
        decided=tuple(_dispute(*row, answered, seats_at) for row in disputes if row[0].decision)[:_DECIDED_SHOWN],
        punished=_punished(tournament),
        notices=tuple((row.id, notice_words(row), row.times) for row in newest_notices(session)),
        codes=hall.codes,
        unanswered=len(session.scalars(open_).all()),
        secret=hall.secret,
        seats=Seats(night_revision, newest_seatings, names, places, hands, _reports(session, newest_seatings)),
    )


def _player(row: PlayerRow, place: int | None) -> PlayerView:
    return PlayerView(
        row.id, row.name, row.gone, place, club=row.club, category=row.category, more_min=row.more_s // 60
    )


def _away(tournament: StoredTournament, names: Mapping[int, PlayerRow]) -> tuple[str, ...]:
    """Return each bye that somebody has asked for in a later round, in words."""
    later = [row for row in tournament.absences if row.round > len(tournament.rounds)]
    return tuple(
        gettext(
            "{name} in round {number} ({mark})",
            name=names[row.player].name,
            number=row.round,
            mark=ByeKind(row.kind).mark,
        )
        for row in sorted(later, key=lambda row: (row.round, names[row.player].name.casefold()))
    )


def _seats_by_name(
    newest_round: RoundRow | None, seatings: Sequence[SeatingRow], names: Mapping[int, PlayerRow]
) -> tuple[tuple[str, str], ...]:
    seats = [
        (names[player].name, seating.table) for seating in seatings for player in seating.players if player in names
    ]
    byes = [] if newest_round is None else newest_round.byes
    seats += [(names[bye["player"]].name, ByeKind(bye["kind"]).mark) for bye in byes if bye["player"] in names]
    return tuple(sorted(seats, key=lambda seat: seat[0].casefold()))


def _conflicts(tournament: StoredTournament) -> tuple[str, ...]:
    """Return the conflicts in the pairing of the newest round, as sentences."""
    if not tournament.rounds:
        return ()
    names = {str(row.id): row.name for row in tournament.players}
    number = len(tournament.rounds)
    found = tournament.conflicts(tournament.record.rounds[-1], number)
    return tuple(conflict_words(conflict, lambda player: names.get(player, "?")) for conflict in found)


def _reports(session: Session, seatings: Sequence[SeatingRow]) -> dict[str, tuple[ReportView, ...]]:
    """Return the logs of each table that has several logs for these seatings."""
    commands = {seating.command: seating for seating in seatings}
    found: dict[str, tuple[ReportView, ...]] = {}
    for row in session.scalars(select(LogRow).where(LogRow.command.in_(commands)).order_by(LogRow.log)):
        seating = commands[row.command]
        if row.table == seating.table:
            report = ReportView(row.log, row.taken, row.log == seating.log)
            found[row.table] = (*found.get(row.table, ()), report)
    return {table: reports for table, reports in found.items() if len(reports) > 1}


def _with_tables(session: Session, night: NightView, summaries: Mapping[StoredTable | None, TableSummary]) -> NightView:
    """Return the night with the tables' current status; summaries of unchanged tables are taken from `summaries`."""
    state = func.coalesce(cast(TableRow.state, Text), "")
    rows = session.execute(select(TableRow.id, TableRow.here, TableRow.join, TableRow.skew_s, state))
    stored = {row[0]: StoredTable(*row) for row in rows}
    seats = night.seats

    def view(row: StoredTable | None, seating: SeatingRow | None) -> TableSummary:
        summary = summaries.get(row) if row is not None else None
        return table_view(row, seating, seats) if summary is None else summary

    seated = {seating.table for seating in seats.seatings}
    return replace(
        night,
        tables=tuple(view(stored.get(seating.table), seating) for seating in seats.seatings),
        spare=tuple(view(stored[id_], None) for id_ in sorted(stored, key=natural_key) if id_ not in seated),
    )


def _round_words(state: str) -> str:
    match state:
        case "seated":
            return gettext("Take your seats")
        case "running":
            return gettext("The round is being played")
        case "paused":
            return gettext("The round is paused")
        case "over":
            return gettext("The round is over")
    return gettext("Not started yet")


def _punished(tournament: StoredTournament) -> tuple[tuple[str, str], ...]:
    """Return each player with warnings or penalties, and how many warnings and penalty points in the whole event."""
    warnings = Counter(row.player for row in tournament.penalties if not row.points)
    points: Counter[int] = Counter()
    for row in tournament.penalties:
        points[row.player] += row.points
    return tuple(
        (
            row.name,
            ", ".join(
                (
                    *([ngettext("{count} warning", "{count} warnings", warnings[row.id])] if warnings[row.id] else []),
                    *([points_words(-points[row.id])] if points[row.id] else []),
                )
            ),
        )
        for row in tournament.players
        if warnings[row.id] or points[row.id]
    )


def _dispute(
    row: DisputeRow,
    before: bool,
    after: bool,
    answered: Mapping[str, CommandRow],
    seats_at: Mapping[str, tuple[tuple[int, str], ...]],
) -> DisputeView:
    command = answered.get(row.command)
    answer = ""
    if command is not None:
        answer = (
            gettext("The table has not accepted it yet")
            if command.answered_at is None
            else kept.translate_stored(command.refusal)
        )
    return DisputeView(
        row.id,
        row.table,
        row.raised_by,
        time_words(row.raised_at),
        translate_lines(row.verdict),
        fault_sentences(row.faults) or tuple(map(str, row.reasons)),
        explain_rules(row.edition, map(str, row.rules)),
        rulebook_language(row.edition),
        seats_at.get(row.table, ()),
        before,
        after,
        decision_words(row.decision, row.seconds),
        row.decided_by,
        row.why,
        answer,
    )


def decision_words(decision: str, seconds: float | None) -> str:
    """Return an arbiter's decision in words; empty if there is none."""
    match decision:
        case "stands":
            return gettext("The turn counts")
        case "taken_back":
            return gettext("The turn is taken back")
        case "time_given":
            return gettext("{time} more", time=clock_words(seconds))
        case "tiles_back":
            return gettext("Tiles put back")
        case "warning":
            return gettext("Warning")
        case "penalty":
            return gettext("Penalty")
    return ""

"""The printed documents of an event as PDF: players, check-in, pairings, cross table, standings, prizes and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from flask_babel import format_date

from tilekeeper.companion.hub.handouts import Award, cards_pdf, certificates_pdf, slips_pdf
from tilekeeper.companion.hub.listing import Column, Listing, print_listings
from tilekeeper.companion.hub.rounds import StoredTournament
from tilekeeper.companion.hub.schema import PlayerRow
from tilekeeper.companion.hub.seats_pdf import seats_pdf
from tilekeeper.companion.hub.standing_views import LineView
from tilekeeper.companion.hub.standing_words import number_words
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.hub.views import NightView
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.record import Player
from tilekeeper.engine.language import gettext, gettext_noop

AWARDED: Final = 3
"""The number of places, among all players and in each category, that get a prize and a certificate."""
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_Print = Callable[[NightView, StoredTournament, str], bytes]


def print_document(name: str, night: NightView, tournament: StoredTournament, address: str) -> bytes:
    """Return a document of `DOCUMENTS` as PDF, in the current language.

    Args:
        name: a key of `DOCUMENTS`.
        night: the club night.
        tournament: the tournament of the same night.
        address: the hub's address for the QR codes, with a slash at its end.

    Raises:
        Refused: if there is no such document, or nothing to print yet.
    """
    if name not in _PRINTS:
        raise Refused(gettext("There is no such page."), "not-found")
    if not night.players:
        raise Refused(gettext("There are no players yet."), "not-found")
    if name in _OF_A_ROUND and not night.tables:
        raise Refused(gettext("No round is paired yet."), "not-found")
    return _PRINTS[name](night, tournament, address)


def _players(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    rows = [row for row in tournament.players if not row.gone]
    columns, details = _descriptions(rows)
    listed = [(str(number), row.name, *details(row)) for number, row in enumerate(rows, start=1)]
    heads = [(gettext("No."), Column.NUMBER), (gettext("Name"), Column.TEXT), *columns]
    return _print(night, Listing(gettext("List of players"), heads, listed))


def _check_in(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    rows = sorted((row for row in tournament.players if not row.gone), key=lambda row: row.name.casefold())
    columns, details = _descriptions(rows)
    heads = [("", Column.BOX), (gettext("Name"), Column.TEXT), *columns, (gettext("Signature"), Column.BLANK)]
    return _print(night, Listing(gettext("Check-in"), heads, [("", row.name, *details(row), "") for row in rows]))


def _pairings(night: NightView, _: StoredTournament, __: str) -> bytes:
    rows = [(table.id, "\n".join(player.name for player in table.players)) for table in night.tables]
    if night.byes:
        rows.append(("–", gettext("Free in this round: {names}", names=", ".join(night.byes))))
    heads = [(gettext("Table"), Column.NUMBER), (gettext("Players"), Column.TEXT)]
    title = f"{gettext('Pairings')} · {gettext('Round {number}', number=night.round)}"
    return _print(night, Listing(title, heads, rows))


def _pairings_by_name(night: NightView, _: StoredTournament, __: str) -> bytes:
    rows = [
        (player.name, table.id, str(seat))
        for table in night.tables
        for seat, player in enumerate(table.players, start=1)
    ]
    rows += [(name, "–", "–") for name in night.byes]
    heads = [(gettext("Name"), Column.TEXT), (gettext("Table"), Column.NUMBER), (gettext("Seat"), Column.NUMBER)]
    title = f"{gettext('Pairings by name')} · {gettext('Round {number}', number=night.round)}"
    return _print(night, Listing(title, heads, sorted(rows, key=lambda row: row[0].casefold())))


def _cross_table(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    tie_breaks = tournament.settings.ranking.tie_breaks(tournament.record)
    lines, score = tournament.standings, tournament.settings.ranking.criteria[0]
    names = {str(row.id): row.name for row in tournament.players}
    number_of = {line.player: number for number, line in enumerate(lines, start=1)}
    rounds = range(1, len(tournament.rounds) + 1)
    marks = {
        (number, bye.player): bye.kind.mark
        for number, paired in enumerate(tournament.record.rounds, start=1)
        for bye in paired.byes
    }

    def cell(player: Player, number: int) -> str:
        """Return the player's score in a round, and in a second line the opponents' numbers or the letter of a bye."""
        at_table = tie_breaks.players[player].tables.get(number, frozenset[Player]()) - {player}
        mark = marks.get((number, player))
        if not at_table and mark is None:
            return "–"
        below = mark or " ".join(str(one) for one in sorted(number_of[opponent] for opponent in at_table))
        return f"{number_words(tie_breaks.round_score(player, number), score)}\n{below}"

    rows = [
        (
            str(number_of[line.player]),
            names[line.player],
            *(cell(line.player, number) for number in rounds),
            number_words(line.score, score),
        )
        for line in lines
    ]
    heads = [
        (gettext("No."), Column.NUMBER),
        (gettext("Name"), Column.TEXT),
        *((gettext("Round {number}", number=number).replace(" ", _NO_BREAK), Column.NUMBER) for number in rounds),
        (night.columns[0], Column.NUMBER),
    ]
    return _print(night, Listing(gettext("Cross table"), heads, rows), is_wide=True)


def _standings(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    heads = [
        (gettext("Place"), Column.NUMBER),
        (gettext("Name"), Column.TEXT),
        *((column, Column.NUMBER) for column in night.columns),
    ]

    def listing(title: str, lines: Sequence[LineView]) -> Listing:
        return Listing(title, heads, [(str(line.place), _with_reason(line), *line.values) for line in lines])

    after = gettext("Standings")
    if night.round:
        after = f"{after} · {gettext('Round {number} of {count}', number=night.round, count=night.rounds)}"
    all_players = listing(after, night.standings)
    categories = [listing(f"{gettext('Standings')} · {category}", lines) for category, lines in night.categories]
    return _print(night, all_players, *categories, is_wide=True)


def _with_reason(line: LineView) -> str:
    return f"{line.name}\n{line.why}" if line.why else line.name


def _prizes(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    awards = _awards(night, tournament)
    clubs = [(gettext("Club"), Column.TEXT)] if any(one.club for one in awards) else []
    groups = [(gettext("Category"), Column.TEXT)] if night.categories else []
    heads = [
        (gettext("Place"), Column.NUMBER),
        (gettext("Name"), Column.TEXT),
        *clubs,
        *groups,
        (night.columns[0], Column.NUMBER),
        (gettext("Prize"), Column.BLANK),
    ]
    rows = [
        (
            str(one.place),
            one.name,
            *([one.club] if clubs else []),
            *([one.group or gettext("all players")] if groups else []),
            one.score,
            "",
        )
        for one in awards
    ]
    return _print(night, Listing(gettext("Prizes"), heads, rows), is_wide=True)


def _awards(night: NightView, tournament: StoredTournament) -> list[Award]:
    """Return the players of the first `AWARDED` places: among all players, then in each category."""
    clubs = {row.name: row.club for row in tournament.players}
    return [
        Award(line.place, line.name, clubs.get(line.name, ""), group, line.values[0])
        for group, lines in (("", night.standings), *night.categories)
        for line in lines
        if line.place <= AWARDED
    ]


def _certificates(night: NightView, tournament: StoredTournament, _: str) -> bytes:
    began = datetime.fromisoformat(tournament.rounds[0].made_at if tournament.rounds else now()).astimezone()
    awards = [
        Award(award.place, award.name, award.club, award.group, f"{night.columns[0]}: {award.score}")
        for award in _awards(night, tournament)
    ]
    return certificates_pdf(night.name, format_date(began, "long"), awards)


def _descriptions(
    rows: Sequence[PlayerRow],
) -> tuple[list[tuple[str, Column]], Callable[[PlayerRow], tuple[str, ...]]]:
    """Return columns for clubs and categories, and a function that returns a player's cells in them.

    A column is left out if nobody has a club or a category.
    """
    shown = [
        (name, heading)
        for name, heading in (("club", gettext("Club")), ("category", gettext("Category")))
        if any(getattr(row, name) for row in rows)
    ]
    columns = [(heading, Column.TEXT) for _, heading in shown]
    return columns, lambda row: tuple(str(getattr(row, name)) for name, _ in shown)


def _print(night: NightView, *listings: Listing, is_wide: bool = False) -> bytes:
    return print_listings(night.name, listings[0].title, listings, is_wide=is_wide)


_PRINTS: Final[Mapping[str, _Print]] = {
    "players": _players,
    "check-in": _check_in,
    "pairings": _pairings,
    "pairings-by-name": _pairings_by_name,
    "seats": lambda night, _, address: seats_pdf(night, address),
    "cards": lambda night, _, address: cards_pdf(night, address),
    "slips": lambda night, _, __: slips_pdf(night),
    "standings": _standings,
    "cross-table": _cross_table,
    "prizes": _prizes,
    "certificates": _certificates,
}
_OF_A_ROUND: Final = ("pairings", "pairings-by-name", "seats", "cards", "slips", "cross-table")
DOCUMENTS: Final[Mapping[str, str]] = {
    "players": gettext_noop("List of players"),
    "check-in": gettext_noop("Check-in"),
    "pairings": gettext_noop("Pairings by table"),
    "pairings-by-name": gettext_noop("Pairings by name"),
    "seats": gettext_noop("Seats with codes"),
    "cards": gettext_noop("Place cards"),
    "slips": gettext_noop("Result slips"),
    "standings": gettext_noop("Standings"),
    "cross-table": gettext_noop("Cross table"),
    "prizes": gettext_noop("Prizes"),
    "certificates": gettext_noop("Award certificates"),
}
"""The titles of the documents by name, in the order in which an event needs them."""

"""PDF documents for tables and players: result slips, certificates, and place cards with a QR code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.companion.hub.paper import BOLD, MARGIN_PT, Paper, explain_missing_letters
from tilekeeper.companion.hub.table_views import TableSummary
from tilekeeper.companion.hub.views import NightView
from tilekeeper.engine.language import gettext

_SLIPS_A_SHEET: Final = 2
_CARD_COLUMNS, _CARD_ROWS = 2, 4
_CODE_PT: Final = 84.0
_SEAT_PT: Final = 18.0
"""The width of a seat's number."""
_LEAST_NAME_PT: Final = 200.0
"""The least width of the names on a result slip."""


@dataclass(frozen=True, slots=True)
class Award:
    """A player who gets a certificate or a prize for a place."""

    place: int
    name: str
    club: str
    group: str
    """The category of the place; empty for a place among all players."""
    score: str
    """The score in words."""


def slips_pdf(night: NightView) -> bytes:
    """Return a PDF with a result slip for each table of the newest round, two on a sheet, to fill in and sign."""
    paper = Paper(f"{night.name} – {gettext('Result slips')}")
    half = paper.height / _SLIPS_A_SHEET
    for index, table in enumerate(night.tables):
        slot = index % _SLIPS_A_SHEET
        if index and slot == 0:
            paper.next_sheet()
        _draw_slip(paper, night, table, paper.height - slot * half)
        if slot == 0:
            paper.line(MARGIN_PT, half, paper.width - MARGIN_PT, half, is_dashed=True)
    return paper.finish()


def _draw_slip(paper: Paper, night: NightView, table: TableSummary, top: float) -> None:
    games, wide = night.settings.format.games, paper.width - 2 * MARGIN_PT
    y = top - MARGIN_PT
    head = f"{night.name} · {gettext('Round {number}', number=night.round)}"
    paper.write_fitted(MARGIN_PT, y, head, 12, wide, least=8)
    paper.write(MARGIN_PT, y - 32, gettext("Table {table}", table=table.id), 26, wide, font=BOLD)
    columns = [gettext("Game {number}", number=number) for number in range(1, games + 1)] if games > 1 else []
    columns.append(gettext("Points"))
    signature = 90.0
    cell = min(64.0, (wide - _LEAST_NAME_PT - signature) / len(columns))
    name_width = wide - signature - cell * len(columns)
    y -= 64
    for number, words in enumerate(columns):
        middle = MARGIN_PT + name_width + (number + 0.5) * cell
        paper.write(middle, y, words if cell > 38 else words.split()[-1], 9, cell - 2, align="centre")
    paper.write(MARGIN_PT + wide - signature + 6, y, gettext("Signature"), 9, signature - 6)
    row = 36.0
    y -= 8
    for seat, player in enumerate(table.players, start=1):
        y -= row
        paper.write(MARGIN_PT, y + 12, f"{seat}", 13, _SEAT_PT, font=BOLD)
        room = name_width - _SEAT_PT - 8
        paper.write_fitted(MARGIN_PT + _SEAT_PT, y + 13, player.name, 13, room, least=8, font=BOLD)
        for number in range(len(columns)):
            paper.box(MARGIN_PT + name_width + number * cell, y, cell, row)
        paper.box(MARGIN_PT + wide - signature, y, signature, row)
    paper.write(MARGIN_PT, y - 18, gettext("Write minus points with a clear minus."), 9, wide)
    if night.settings.format.scoring.unopened_points is not None:
        paper.write(MARGIN_PT, y - 32, gettext("Circle the points of a player who never opened."), 9, wide)
    foot = top - paper.height / _SLIPS_A_SHEET + 40
    if paper.lacks_letters:
        paper.write(MARGIN_PT, foot - 16, explain_missing_letters(), 8, wide)
    paper.write(MARGIN_PT, foot, f"{gettext('Referee')}:", 10, 120)
    paper.line(MARGIN_PT + 110, foot - 2, MARGIN_PT + 300, foot - 2)


def certificates_pdf(event: str, date: str, awards: Sequence[Award]) -> bytes:
    """Return a PDF with a certificate for each award, one on a sheet.

    Args:
        event: the name of the event.
        date: the date of the event, in words.
        awards: the players and their places.
    """
    paper = Paper(f"{event} – {gettext('Certificates')}", is_wide=True)
    middle, wide = paper.width / 2, paper.width - 4 * MARGIN_PT
    for number, award in enumerate(awards):
        if number:
            paper.next_sheet()
        paper.box(24, 24, paper.width - 48, paper.height - 48, line=3)
        paper.box(32, 32, paper.width - 64, paper.height - 64, line=0.7)
        paper.write(middle, 455, gettext("Certificate"), 44, wide, font=BOLD, align="centre")
        paper.write_fitted(middle, 408, event, 20, wide, least=12, align="centre")
        paper.write_fitted(middle, 332, award.name, 34, wide, least=16, font=BOLD, align="centre")
        paper.write_fitted(middle, 280, award.club, 14, wide, least=10, align="centre")
        place = gettext("Place {place}", place=award.place)
        if award.group:
            place = gettext("Place {place} of the category {category}", place=award.place, category=award.group)
        paper.write_fitted(middle, 238, place, 26, wide, least=14, font=BOLD, align="centre")
        paper.write(middle, 188, award.score, 14, wide, align="centre")
        paper.write(2 * MARGIN_PT, 110, date, 12, 200)
        for left, words in ((paper.width - 480, gettext("Organiser")), (paper.width - 280, gettext("Referee"))):
            paper.line(left, 104, left + 180, 104)
            paper.write(left, 88, words, 10, 180)
    return paper.finish()


def cards_pdf(night: NightView, address: str) -> bytes:
    """Return a PDF with a place card for each player of the newest round, eight on a sheet to cut.

    The QR code is that of `address`, the page with pairings and standings.
    """
    paper = Paper(f"{night.name} – {gettext('Place cards')}")
    width, height = paper.width / _CARD_COLUMNS, paper.height / _CARD_ROWS
    seats = [(table.id, seat, player) for table in night.tables for seat, player in enumerate(table.players, start=1)]
    for index, (table, seat, player) in enumerate(seats):
        slot = index % (_CARD_COLUMNS * _CARD_ROWS)
        if index and slot == 0:
            paper.next_sheet()
        if slot == 0:
            paper.line(width, 0, width, paper.height, is_dashed=True)
            for row in range(1, _CARD_ROWS):
                paper.line(0, row * height, paper.width, row * height, is_dashed=True)
        left, top = slot % _CARD_COLUMNS * width + 20, paper.height - slot // _CARD_COLUMNS * height - 24
        room = width - 40
        paper.write_fitted(left, top - 10, night.name, 10, room, least=7)
        paper.write_fitted(left, top - 50, player.name, 20, room, least=9, font=BOLD)
        where = f"{gettext('Round {number}', number=night.round)} · {gettext('Seat {number}', number=seat)}"
        paper.write(left, top - 114, gettext("Table {table}", table=table), 22, room - _CODE_PT - 8, font=BOLD)
        paper.write(left, top - 138, where, 11, room - _CODE_PT - 8)
        paper.code(address, left + room - _CODE_PT, top - 76 - _CODE_PT, _CODE_PT)
    return paper.finish()

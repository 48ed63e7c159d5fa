"""The seating of a round as a PDF: half a page per table, with its players and the QR code for its tablet."""

from __future__ import annotations

from typing import Final

from tilekeeper.companion.hub.paper import BOLD, MARGIN_PT, Paper, explain_missing_letters
from tilekeeper.companion.hub.table_views import TableSummary
from tilekeeper.companion.hub.views import NightView
from tilekeeper.engine.language import gettext

_CODE_PT: Final = 150.0
_TABLES_A_SHEET: Final = 2
_ROW_PT: Final = 44.0
"""The height of a player's row; a long name has two lines."""


def seats_pdf(night: NightView, address: str) -> bytes:
    """Return the seating of the newest round as a PDF, two tables on each A4 sheet.

    Args:
        night: the club night.
        address: the hub's address for the QR codes, with a slash at its end.

    Raises:
        Refused: if the PDF library is not installed.
    """
    paper = Paper(f"{night.name} – {gettext('Round {number}', number=night.round)}")
    half = paper.height / _TABLES_A_SHEET
    for index, table in enumerate(night.tables):
        slot = index % _TABLES_A_SHEET
        if index and slot == 0:
            paper.next_sheet()
        _draw_table(paper, night, table, address, paper.height - slot * half)
        if slot == 0:
            paper.line(MARGIN_PT, half, paper.width - MARGIN_PT, half, is_dashed=True)
    return paper.finish()


def _draw_table(paper: Paper, night: NightView, table: TableSummary, address: str, top: float) -> None:
    y, wide = top - MARGIN_PT - 12, paper.width - 2 * MARGIN_PT
    paper.lacks_letters = False
    head = f"{night.name} · {gettext('Round {number}', number=night.round)} · {night.box}"
    paper.write_fitted(MARGIN_PT, y, head, 12, wide, least=8)
    y -= 46
    room = wide - MARGIN_PT - _CODE_PT
    paper.write(MARGIN_PT, y, gettext("Table {table}", table=table.id), 34, room, font=BOLD)
    y -= 6
    for seat, player in enumerate(table.players, start=1):
        y -= _ROW_PT
        paper.write(MARGIN_PT, y, f"{seat}", 12, 24)
        paper.write_fitted(MARGIN_PT + 24, y, player.name, 16, room - 24, least=8, font=BOLD)
    foot = top - paper.height / _TABLES_A_SHEET + 44
    if paper.lacks_letters:
        paper.write(MARGIN_PT, foot + 16, explain_missing_letters(), 10, wide)
    paper.write(MARGIN_PT, foot, gettext("Scan the code with the tablet of this table."), 10, wide)
    left, bottom = paper.width - MARGIN_PT - _CODE_PT, top - MARGIN_PT - 70 - _CODE_PT
    paper.code(f"{address}{night.path(table.id)}", left, bottom, _CODE_PT)

"""The seats of a round as a PDF: half a page per table, with its players and the QR code for its tablet."""

from __future__ import annotations

import io
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, Final

import segno

from tilekeeper.companion.club.table_views import TableSummary
from tilekeeper.companion.club.views import NightView
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

_WIDTH_PT: Final = 595.28
_HEIGHT_PT: Final = 841.89
_MARGIN_PT: Final = 48.0
_CODE_PT: Final = 150.0
_TABLES_A_PAGE: Final = 2
_FONTS: Final = Path(__file__).with_name("fonts")
_PLAIN: Final = "plain"
_BOLD: Final = "bold"
_NO_LETTER: Final = "□"
"""Printed for a letter that the fonts lack; they have Latin, Greek, Cyrillic, Armenian and Georgian."""


def seats_pdf(night: NightView, address: str) -> bytes:
    """Return the document, A4.

    Args:
        night: the night with the seats of its newest round.
        address: the hub's address, with a slash at its end, for the codes.

    Raises:
        Refused: if the PDF library is not installed.
    """
    canvas = _canvas(out := io.BytesIO())
    canvas.setTitle(f"{night.name} – {gettext('Round {number}', number=night.round)}")
    for index, table in enumerate(night.tables):
        slot = index % _TABLES_A_PAGE
        if index and slot == 0:
            canvas.showPage()
        _draw_table(canvas, night, table, address, _HEIGHT_PT - slot * _HEIGHT_PT / _TABLES_A_PAGE)
        if slot == 0:
            canvas.setDash(2, 4)
            canvas.line(_MARGIN_PT, _HEIGHT_PT / 2, _WIDTH_PT - _MARGIN_PT, _HEIGHT_PT / 2)
            canvas.setDash()
    canvas.save()
    return out.getvalue()


def _draw_table(canvas: Any, night: NightView, table: TableSummary, address: str, top: float) -> None:
    y = top - _MARGIN_PT - 12
    is_complete = True

    def write(x: float, y: float, words: str, font: str, size: float, room: float) -> None:
        nonlocal is_complete
        printed = printable(words)
        is_complete = is_complete and _NO_LETTER not in printed
        canvas.setFont(font, size)
        canvas.drawString(x, y, _shorten(printed, font, size, room))

    head = f"{night.name} · {gettext('Round {number}', number=night.round)} · {night.box}"
    write(_MARGIN_PT, y, head, _PLAIN, 12, _WIDTH_PT - 2 * _MARGIN_PT)
    y -= 46
    room = _WIDTH_PT - 3 * _MARGIN_PT - _CODE_PT
    write(_MARGIN_PT, y, gettext("Table {table}", table=table.id), _BOLD, 34, room)
    for seat, player in enumerate(table.players, start=1):
        y -= 34
        write(_MARGIN_PT, y, f"{seat}", _PLAIN, 12, 24)
        write(_MARGIN_PT + 24, y, player.name, _BOLD, 18, room - 24)
    foot, wide = top - _HEIGHT_PT / 2 + 44, _WIDTH_PT - 2 * _MARGIN_PT
    if not is_complete:
        words = gettext(
            "{sign} stands for a letter that this print can’t show; the code shows the whole names.", sign="□"
        )
        write(_MARGIN_PT, foot + 16, words, _PLAIN, 10, wide)
    write(_MARGIN_PT, foot, gettext("Scan the code with the tablet of this table."), _PLAIN, 10, wide)
    _draw_code(
        canvas, f"{address}{night.path(table.id)}", _WIDTH_PT - _MARGIN_PT - _CODE_PT, top - _MARGIN_PT - 70 - _CODE_PT
    )


def _draw_code(canvas: Any, address: str, left: float, bottom: float) -> None:
    rows = [list(row) for row in segno.make_qr(address).matrix]
    module = _CODE_PT / len(rows)
    for line, row in enumerate(rows):
        for column, is_dark in enumerate(row):
            if is_dark:
                y = bottom + _CODE_PT - (line + 1) * module
                canvas.rect(left + column * module, y, module + 0.1, module + 0.1, stroke=0, fill=1)


def _canvas(out: io.BytesIO) -> Any:
    try:
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        raise Refused(
            gettext(
                "A part for tournaments is missing. Run “make club” in Tilekeeper’s folder, "
                "or install its wheel with [club]."
            )
        ) from None
    _register_fonts()
    return Canvas(out, pagesize=(_WIDTH_PT, _HEIGHT_PT))


@cache
def _register_fonts() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    for name in (_PLAIN, _BOLD):
        pdfmetrics.registerFont(TTFont(name, str(_FONTS / f"{name}.ttf")))


def printable(words: str) -> str:
    """Return a text as the fonts can print it, with `□` for each letter that they lack."""
    from reportlab.pdfbase import pdfmetrics

    _register_fonts()
    known = pdfmetrics.getFont(_PLAIN).face.charToGlyph
    letters = (
        letter
        for letter in unicodedata.normalize("NFC", words)
        if unicodedata.category(letter) != "Mn" or ord(letter) in known
    )
    return "".join(letter if ord(letter) in known else _NO_LETTER for letter in letters)


def _shorten(text: str, font: str, size: float, room: float) -> str:
    """Return a text that fits the room, cut at its end if necessary."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    if stringWidth(text, font, size) <= room:
        return text
    while text and stringWidth(f"{text}…", font, size) > room:
        text = text[:-1]
    return f"{text}…"

"""Sheets of paper as PDF: fonts, texts that fit their room, lines, boxes and QR codes."""

from __future__ import annotations

import io
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import segno

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

A4_PT: Final = (595.28, 841.89)
"""Width and height of an upright sheet."""
MARGIN_PT: Final = 48.0
PLAIN: Final = "plain"
BOLD: Final = "bold"
_FONTS: Final = Path(__file__).with_name("fonts")
_NO_LETTER: Final = "□"
"""Printed for a letter that the fonts lack; they have Latin, Greek, Cyrillic, Armenian and Georgian."""


class Paper:
    """A document of A4 sheets; all measures are points from the lower left corner."""

    def __init__(self, title: str, *, is_wide: bool = False) -> None:
        """Begin a document with its first sheet.

        Args:
            title: the title of the document.
            is_wide: whether the sheets lie on their long side.

        Raises:
            Refused: if the PDF library is not installed.
        """
        self.width, self.height = reversed(A4_PT) if is_wide else A4_PT
        self.lacks_letters = False
        """Whether a text had letters that the fonts lack."""
        self._out = io.BytesIO()
        self._canvas = _canvas(self._out, self.width, self.height)
        self._canvas.setTitle(title)

    def write(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        room: float,
        *,
        font: str = PLAIN,
        align: Literal["left", "right", "centre"] = "left",
    ) -> None:
        """Write one line from, up to or around `x`, cut at its end if it is longer than the room."""
        printed = printable(words)
        self.lacks_letters = self.lacks_letters or _NO_LETTER in printed
        self._canvas.setFont(font, size)
        draw = {"left": "drawString", "right": "drawRightString", "centre": "drawCentredString"}[align]
        getattr(self._canvas, draw)(x, y, _shorten(printed, font, size, room))

    def line(
        self, x: float, y: float, to_x: float, to_y: float, *, width: float = 0.5, is_dashed: bool = False
    ) -> None:
        """Draw a line."""
        self._canvas.setLineWidth(width)
        if is_dashed:
            self._canvas.setDash(2, 4)
        self._canvas.line(x, y, to_x, to_y)
        self._canvas.setDash()

    def box(self, x: float, y: float, width: float, height: float, *, line: float = 0.7, shade: float = 1.0) -> None:
        """Draw a box; `shade` fills it, 0 black to 1 white, and `line` 0 leaves out its frame."""
        self._canvas.setLineWidth(line)
        self._canvas.setFillGray(shade)
        self._canvas.rect(x, y, width, height, stroke=int(line > 0), fill=int(shade < 1))
        self._canvas.setFillGray(0)

    def code(self, address: str, x: float, y: float, size: float) -> None:
        """Draw the QR code of an address."""
        rows = [list(row) for row in segno.make_qr(address).matrix]
        module = size / len(rows)
        for line, row in enumerate(rows):
            for column, is_dark in enumerate(row):
                if is_dark:
                    left, bottom = x + column * module, y + size - (line + 1) * module
                    self._canvas.rect(left, bottom, module + 0.1, module + 0.1, stroke=0, fill=1)

    def next_sheet(self) -> None:
        """Go on with a new sheet."""
        self._canvas.showPage()

    def finish(self) -> bytes:
        """Return the document."""
        self._canvas.save()
        return self._out.getvalue()


def explain_missing_letters() -> str:
    """Return the sentence for a sheet on which the fonts lack letters."""
    return gettext("{sign} stands in place of a letter that can't be printed here.", sign="□")


def width_of(words: str, size: float, font: str = PLAIN) -> float:
    """Return the width of a text."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    _register_fonts()
    return float(stringWidth(printable(words), font, size))


def printable(words: str) -> str:
    """Return a text as the fonts can print it, with `□` for each letter that they lack."""
    from reportlab.pdfbase import pdfmetrics

    _register_fonts()
    known = pdfmetrics.getFont(PLAIN).face.charToGlyph
    letters = (
        letter
        for letter in unicodedata.normalize("NFC", words)
        if unicodedata.category(letter) != "Mn" or ord(letter) in known
    )
    return "".join(letter if ord(letter) in known else _NO_LETTER for letter in letters)


def _canvas(out: io.BytesIO, width: float, height: float) -> Any:
    try:
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        raise Refused(
            gettext(
                "A part for tournaments is missing. Run “make club” in Tilekeeper's folder, or install its wheel with "
                "[club]."
            )
        ) from None
    _register_fonts()
    return Canvas(out, pagesize=(width, height))


@cache
def _register_fonts() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    for name in (PLAIN, BOLD):
        pdfmetrics.registerFont(TTFont(name, str(_FONTS / f"{name}.ttf")))


def _shorten(text: str, font: str, size: float, room: float) -> str:
    """Return a text that fits the room, cut at its end if necessary."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    if stringWidth(text, font, size) <= room:
        return text
    while text and stringWidth(f"{text}…", font, size) > room:
        text = text[:-1]
    return f"{text}…"

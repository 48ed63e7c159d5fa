"""A PDF canvas of A4 sheets: texts fitted, wrapped or cut to a width, lines, boxes and QR codes."""

from __future__ import annotations

import io
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import segno

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

A4_PT: Final = (595.28, 841.89)
"""Width and height of a portrait sheet."""
MARGIN_PT: Final = 48.0
PLAIN: Final = "plain"
BOLD: Final = "bold"
_FONTS: Final = Path(__file__).with_name("fonts")
_LEADING: Final = 1.2
"""The line height of a fitted text as a multiple of the font size."""
_SMALLEST_ON_ONE_LINE: Final = 0.75
"""A fitted text is put on two lines before its letters are smaller than this part of the wanted size."""
_PART: Final = re.compile(r" +|[^ -]*-+|[^ -]+")
"""Spaces, or a part of a text after which a line may end; not after a no-break space."""
_NO_LETTER: Final = "□"
"""The sign printed for a letter that the fonts lack; they have Latin, Greek, Cyrillic, Armenian and Georgian."""


class Paper:
    """A PDF document of A4 sheets; all coordinates are points from the lower left corner."""

    def __init__(self, title: str, *, is_wide: bool = False) -> None:
        """Begin a document with its first sheet.

        Args:
            title: the title in the PDF's properties.
            is_wide: whether the sheets are landscape.

        Raises:
            Refused: if the PDF library is not installed.
        """
        self.width, self.height = reversed(A4_PT) if is_wide else A4_PT
        self.lacks_letters = False
        """Whether a text had letters that the fonts lack; a caller may reset it for each sheet."""
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
        """Write one line of text, with `…` at its end if it had to be cut.

        Args:
            x: where the text begins, ends or has its middle, by `align`.
            y: the baseline.
            words: the text.
            size: the font size.
            room: the greatest width.
            font: `PLAIN` or `BOLD`.
            align: how the text lies at `x`.
        """
        printed = printable(words)
        self.lacks_letters = self.lacks_letters or _NO_LETTER in printed
        self._canvas.setFont(font, size)
        draw = {"left": "drawString", "right": "drawRightString", "centre": "drawCentredString"}[align]
        getattr(self._canvas, draw)(x, y, _shorten(printed, font, size, room))

    def write_fitted(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        room: float,
        *,
        least: float,
        font: str = PLAIN,
        align: Literal["left", "right", "centre"] = "left",
    ) -> None:
        """Write a text whole: in smaller letters than `size`, or on two lines with their middle at `y`.

        A text that does not fit on two lines in letters of the size `least` is cut.
        """
        size, lines = _fit(words, size, least, room, font)
        y += (len(lines) - 1) * size * _LEADING / 2
        for line in lines:
            self.write(x, y, line, size, room + 0.5, font=font, align=align)
            y -= size * _LEADING

    def line(
        self, x: float, y: float, to_x: float, to_y: float, *, width: float = 0.5, is_dashed: bool = False
    ) -> None:
        """Draw a line from (`x`, `y`) to (`to_x`, `to_y`)."""
        self._canvas.setLineWidth(width)
        if is_dashed:
            self._canvas.setDash(2, 4)
        self._canvas.line(x, y, to_x, to_y)
        self._canvas.setDash()

    def box(self, x: float, y: float, width: float, height: float, *, line: float = 0.7, shade: float = 1.0) -> None:
        """Draw a box with the lower left corner (`x`, `y`).

        `shade` is the grey that fills the box, from 0 for black to 1 for none. `line` is the width of its frame; 0 for
        none.
        """
        self._canvas.setLineWidth(line)
        self._canvas.setFillGray(shade)
        self._canvas.rect(x, y, width, height, stroke=int(line > 0), fill=int(shade < 1))
        self._canvas.setFillGray(0)

    def code(self, address: str, x: float, y: float, size: float) -> None:
        """Draw the QR code of an address as a square of side `size` with the lower left corner (`x`, `y`)."""
        rows = [list(row) for row in segno.make_qr(address).matrix]
        module = size / len(rows)
        for line, row in enumerate(rows):
            for column, is_dark in enumerate(row):
                if is_dark:
                    left, bottom = x + column * module, y + size - (line + 1) * module
                    self._canvas.rect(left, bottom, module + 0.1, module + 0.1, stroke=0, fill=1)

    def next_sheet(self) -> None:
        """Finish this sheet and begin the next."""
        self._canvas.showPage()

    def finish(self) -> bytes:
        """Finish the document and return it as PDF."""
        self._canvas.save()
        return self._out.getvalue()


def explain_missing_letters() -> str:
    """Return the sentence to print on a sheet with replaced letters: what `□` means."""
    return gettext("{sign} stands in place of a letter that can't be printed here.", sign="□")


def width_of(words: str, size: float, font: str = PLAIN) -> float:
    """Return the width in points of a text after `printable` has replaced letters in it."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    _register_fonts()
    return float(stringWidth(printable(words), font, size))


def wrap(words: str, size: float, room: float, font: str = PLAIN) -> list[str]:
    """Return the lines of a text, each at most `room` points wide; they end after a space, a hyphen or any letter."""
    lines, line = [], ""
    for part in _PART.findall(words):
        if width_of((line + part).rstrip(), size, font) <= room:
            line += part
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = part.lstrip()
        while len(line) > 1 and width_of(line, size, font) > room:
            count = next(
                end for end in range(len(line) - 1, 0, -1) if end == 1 or width_of(line[:end], size, font) <= room
            )
            lines.append(line[:count])
            line = line[count:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _fit(words: str, size: float, least: float, room: float, font: str) -> tuple[float, list[str]]:
    """Return the font size and the one or two lines of a text that must be at most `room` points wide."""
    width = width_of(words, size, font)
    alone = size * min(1.0, room / width) if width else size
    if alone >= max(least, size * _SMALLEST_ON_ONE_LINE):
        return alone, [words]
    while size > least and len(wrap(words, size, room, font)) > 2:
        size -= 0.5
    size = max(size, least)
    first, *rest = wrap(words, size, room, font)
    return size, [first, words[len(first) :].strip()] if rest else [first]


def printable(words: str) -> str:
    """Return a text with `□` for each letter that the fonts lack; accents that they lack are dropped."""
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
    """Return a text that is at most `room` points wide, cut and with `…` at its end if necessary."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    if stringWidth(text, font, size) <= room:
        return text
    while text and stringWidth(f"{text}…", font, size) > room:
        text = text[:-1]
    return f"{text}…"

"""Lists on paper: a title, columns and rows, over as many sheets as they need, with page numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from tilekeeper.companion.hub.paper import BOLD, MARGIN_PT, PLAIN, Paper, explain_missing_letters, width_of, wrap
from tilekeeper.engine.language import gettext

_SIZES_PT: Final = (11.0, 10.0, 9.0, 8.0, 7.0, 6.0)
"""Font sizes to try: the first with which every text fits on its line, or else the first of those for wrapped texts
that leaves each column enough room."""
_SMALLEST_UNWRAPPED_PT: Final = 9.0
"""The smallest font size that is used to keep a text on one line; smaller letters are hard to read on a wall."""
_LARGEST_WRAPPED_PT: Final = 9.0
"""The largest font size of a list in which texts go on in a second line."""
_LEAST_NAME_PT: Final = 130.0
"""The least width of the first text column, which has the names."""
_LEAST_TEXT_PT: Final = 60.0
"""The least width of the other text columns."""
_BETWEEN_PT: Final = 10.0
_LEADING: Final = 1.35
"""The line height as a multiple of the font size."""
_HEAD_PT: Final = 62.0
_FOOT_PT: Final = 26.0
_BLANK_PT: Final = 110.0


class Column(Enum):
    """The kind of a column: how its cells are drawn."""

    TEXT = auto()
    """Text, left-aligned; on several lines if the sheet is too narrow."""
    NUMBER = auto()
    """Numbers and short signs, right-aligned, never wrapped; a heading of several words may be on several lines."""
    BOX = auto()
    """An empty box that somebody ticks by hand."""
    BLANK = auto()
    """A line on which somebody writes by hand."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list to print: title, columns and rows."""

    title: str
    columns: Sequence[tuple[str, Column]]
    """The heading and the kind of each column."""
    rows: Sequence[Sequence[str]]
    """For each row a text per column; `\\n` begins a second line. A `BOX` or `BLANK` prints no text."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One sheet of a listing: the size of its letters, the widths of its columns, and its rows."""

    listing: Listing
    letters_pt: float
    widths_pt: Sequence[float]
    heads: Sequence[Sequence[str]]
    """The lines of each heading."""
    rows: Sequence[_Row]


_Row = Sequence[Sequence[str]]
"""A row: for each cell its lines."""


def print_listings(event: str, title: str, listings: Sequence[Listing], *, is_wide: bool = False) -> bytes:
    """Print lists as one PDF; each list begins on a new sheet.

    Args:
        event: the name of the event, printed on each sheet.
        title: the title in the PDF's properties.
        listings: the lists.
        is_wide: whether the sheets are landscape.

    Raises:
        Refused: if the PDF library is not installed.
    """
    paper = Paper(f"{event} – {title}", is_wide=is_wide)
    sheets = [sheet for listing in listings for sheet in _sheets(paper, listing)]
    for number, sheet in enumerate(sheets, start=1):
        if number > 1:
            paper.next_sheet()
        paper.lacks_letters = False
        paper.write(MARGIN_PT, paper.height - MARGIN_PT, event, 11, paper.width - 2 * MARGIN_PT)
        title = sheet.listing.title
        paper.write(MARGIN_PT, paper.height - MARGIN_PT - 24, title, 18, paper.width - 2 * MARGIN_PT, font=BOLD)
        _draw_rows(paper, sheet)
        if paper.lacks_letters:
            paper.write(MARGIN_PT, MARGIN_PT - 14, explain_missing_letters(), 8, paper.width * 0.6)
        words = gettext("Page {number} of {count}", number=number, count=len(sheets))
        paper.write(paper.width - MARGIN_PT, MARGIN_PT - 14, words, 9, 120, align="right")
    return paper.finish()


def _sheets(paper: Paper, listing: Listing) -> Iterator[_Sheet]:
    """Yield the sheets of a listing."""
    size = _size(paper, listing)
    widths = _widths(paper, listing, size)
    heads = [
        wrap(heading, size, width + 0.5, BOLD) for (heading, _), width in zip(listing.columns, widths, strict=True)
    ]
    free = paper.height - 2 * MARGIN_PT - _HEAD_PT - _FOOT_PT - _more_head_pt(heads, size)
    rows: list[_Row] = []
    used = 0.0
    for cells in listing.rows:
        row = [
            _lines(kind, cell, width, size)
            for (_, kind), cell, width in zip(listing.columns, cells, widths, strict=True)
        ]
        height = _height(row, size)
        if rows and used + height > free:
            yield _Sheet(listing, size, widths, heads, rows)
            rows, used = [], 0.0
        rows.append(row)
        used += height
    yield _Sheet(listing, size, widths, heads, rows)


def _lines(kind: Column, cell: str, width: float, size: float) -> Sequence[str]:
    lines = cell.split("\n")
    return [line for text in lines for line in wrap(text, size, width + 0.5)] if kind is Column.TEXT else lines


def _more_head_pt(heads: Sequence[Sequence[str]], size: float) -> float:
    """Return the height of the headings beyond their first line."""
    return size * _LEADING * (max(map(len, heads)) - 1)


def _size(paper: Paper, listing: Listing) -> float:
    for size in _SIZES_PT:
        if size >= _SMALLEST_UNWRAPPED_PT and sum(_wanted_widths(listing, size)) <= _room(paper, listing):
            return size
    for size in _SIZES_PT:
        if size <= _LARGEST_WRAPPED_PT and sum(_least_widths(listing, size)) <= _room(paper, listing):
            return size
    return _SIZES_PT[-1]


def _room(paper: Paper, listing: Listing) -> float:
    return paper.width - 2 * MARGIN_PT - _BETWEEN_PT * (len(listing.columns) - 1)


def _height(row: _Row, size: float) -> float:
    return size * _LEADING * max(map(len, row)) + 6


def _widths(paper: Paper, listing: Listing, size: float) -> list[float]:
    """Return the widths of the columns; if there is not enough room for their texts, text columns are narrower."""
    wanted, least = _wanted_widths(listing, size), _least_widths(listing, size)
    spare = _room(paper, listing) - sum(wanted)
    if spare < 0:
        shrinking = sum(wanted) - sum(least)
        scale = min(1.0, -spare / shrinking) if shrinking else 0.0
        return [width - scale * (width - low) for width, low in zip(wanted, least, strict=True)]
    growing = [kind in (Column.TEXT, Column.BLANK) for _, kind in listing.columns]
    return [width + spare * grows / sum(growing) for width, grows in zip(wanted, growing, strict=True)]


def _wanted_widths(listing: Listing, size: float) -> list[float]:
    return [_wanted_width(listing, index, size) for index in range(len(listing.columns))]


def _least_widths(listing: Listing, size: float) -> list[float]:
    kinds = [kind for _, kind in listing.columns]
    return [
        min(width, _LEAST_NAME_PT if index == kinds.index(Column.TEXT) else _LEAST_TEXT_PT)
        if kind is Column.TEXT
        else width
        for index, (kind, width) in enumerate(zip(kinds, _wanted_widths(listing, size), strict=True))
    ]


def _wanted_width(listing: Listing, index: int, size: float) -> float:
    heading, kind = listing.columns[index]
    words = max((width_of(word, size, BOLD) for word in heading.split(" ")), default=0.0)
    if kind is Column.BOX:
        return max(size, words)
    if kind is Column.BLANK:
        return max(_BLANK_PT, words)
    cells = (width_of(line, size) for row in listing.rows for line in row[index].split("\n"))
    return max(words, max(cells, default=0.0)) + 1


def _draw_rows(paper: Paper, sheet: _Sheet) -> None:
    listing, size, widths = sheet.listing, sheet.letters_pt, sheet.widths_pt
    lefts = [MARGIN_PT + sum(widths[:index]) + _BETWEEN_PT * index for index in range(len(widths))]
    y = paper.height - MARGIN_PT - _HEAD_PT - _more_head_pt(sheet.heads, size)
    for (_, kind), left, width, heading in zip(listing.columns, lefts, widths, sheet.heads, strict=True):
        for line, words in enumerate(reversed(heading)):
            _write_cell(paper, kind, left, width, y + line * size * _LEADING, words, size, BOLD)
    paper.line(MARGIN_PT, y - 5, paper.width - MARGIN_PT, y - 5, width=1)
    bottom = y - 5
    for number, row in enumerate(sheet.rows):
        height = _height(row, size)
        if number % 2:
            paper.box(MARGIN_PT - 3, bottom - height, paper.width - 2 * MARGIN_PT + 6, height, line=0, shade=0.93)
        for (_, kind), left, width, cell in zip(listing.columns, lefts, widths, row, strict=True):
            baseline = bottom - size - 3
            if kind is Column.BOX:
                paper.box(left, baseline - 1, size, size)
            elif kind is Column.BLANK:
                paper.line(left, baseline - 2, left + width, baseline - 2)
            else:
                for line, words in enumerate(cell):
                    _write_cell(paper, kind, left, width, baseline - line * size * _LEADING, words, size)
        bottom -= height


def _write_cell(
    paper: Paper, kind: Column, left: float, width: float, y: float, words: str, size: float, font: str = PLAIN
) -> None:
    if kind is Column.NUMBER:
        paper.write(left + width, y, words, size, width + 0.5, font=font, align="right")
    else:
        paper.write(left, y, words, size, width + 0.5, font=font)

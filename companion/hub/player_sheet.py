"""Reading a CSV file with a list of players: encoding, separator, columns and rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

ENCODINGS: Final = ("utf-8", "utf-16", "windows-1252", "windows-1250", "windows-1251", "windows-1257", "mac-roman")
"""The encodings that a person can choose; only the first three can be guessed from the bytes."""
_SEPARATORS: Final = ";\t,"
FIELDS: Final = ("name", "first", "club", "category")
"""The contents of columns: full or last name, first name, club, category."""
_HEADINGS: Final[Mapping[str, frozenset[str]]] = {
    "name": frozenset(
        ("name", "player", "last name", "surname", "spieler", "spielerin", "nachname", "nimi", "pelaaja", "sukunimi")
    ),
    "first": frozenset(("first name", "given name", "vorname", "etunimi")),
    "club": frozenset(("club", "team", "verein", "klub", "seura", "joukkue")),
    "category": frozenset(("category", "group", "class", "kategorie", "klasse", "gruppe", "sarja", "luokka")),
}


@dataclass(frozen=True, slots=True)
class ReadingChoices:
    """Choices for reading a file; a choice that is None or empty is guessed from the file."""

    encoding: str = ""
    """One of `ENCODINGS`."""
    columns: Mapping[str, int] | None = None
    """The column of each field of `FIELDS`, from 0; a field without a column is missing."""
    has_heading: bool | None = None
    """Whether the first row contains headings."""


@dataclass(frozen=True, slots=True)
class Line:
    """A player in the file; `number` is the line, from 1."""

    number: int
    name: str
    club: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The contents of a file, and the choices with which it was read."""

    reading: ReadingChoices
    """The choices, with guesses filled in."""
    headings: tuple[str, ...]
    """The headings of the columns; a column without a heading has its letter: A, B, C, …"""
    lines: tuple[Line, ...]


def read_sheet(data: bytes, reading: ReadingChoices | None = None) -> Sheet:
    """Read the players of a CSV file; the separator is guessed: semicolon, tab or comma.

    Raises:
        Refused: for a cell with a line break, since most likely a quotation mark is missing and names would be lost.
    """
    reading = reading or ReadingChoices()
    encoding = reading.encoding if reading.encoding in ENCODINGS else _guess_encoding(data)
    text = data.decode("utf-8-sig" if encoding == "utf-8" else encoding, errors="replace").replace("\0", "")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    head = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(_SEPARATORS, key=head.count))
    rows = [(number, row) for number, row in _rows(reader) if any(cell.strip() for cell in row)]
    first = [" ".join(cell.split()) for cell in rows[0][1]] if rows else []
    guessed = _guess_columns(first)
    has_heading = "name" in guessed if reading.has_heading is None else reading.has_heading
    columns = reading.columns if reading.columns is not None else guessed if "name" in guessed else {"name": 0}
    width = max((len(row) for _, row in rows), default=0)
    letters = [chr(ord("A") + index % 26) for index in range(width)]
    headings = [first[index] if has_heading and index < len(first) else "" for index in range(width)]
    lines = tuple(_line(number, row, columns) for number, row in rows[1 if has_heading else 0 :])
    return Sheet(
        ReadingChoices(encoding, MappingProxyType(dict(columns)), has_heading),
        tuple(heading or letter for heading, letter in zip(headings, letters, strict=True)),
        lines,
    )


def _line(number: int, row: Sequence[str], columns: Mapping[str, int]) -> Line:
    cells = {field: " ".join(row[column].split()) for field, column in columns.items() if column < len(row)}
    name = f"{cells.get('first', '')} {cells.get('name', '')}".strip()
    return Line(number, name, cells.get("club", ""), cells.get("category", ""))


def _guess_columns(heading: Sequence[str]) -> dict[str, int]:
    names = [cell.casefold() for cell in heading]
    found = {
        field: next((index for index, name in enumerate(names) if name in known), -1)
        for field, known in _HEADINGS.items()
    }
    return {field: column for field, column in found.items() if column >= 0}


def _guess_encoding(data: bytes) -> str:
    """Guess the encoding: UTF-16, UTF-8, or else Windows-1252, which older Excel writes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:200].count(0) > len(data[:200]) // 4:
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _rows(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file, each with the number of its line.

    Raises:
        Refused: for a cell with a line break, or a line that can't be parsed.
    """
    before = 0
    try:
        for row in reader:
            if any("\n" in cell for cell in row):
                why = gettext("Line {number}: a quotation mark is not closed. Nobody was added.", number=before + 1)
                raise Refused(why, "bad-name")
            before = reader.line_num
            yield before, row
    except csv.Error:
        why = gettext("Line {number} can't be read. Nobody was added.", number=before + 1)
        raise Refused(why, "bad-name") from None

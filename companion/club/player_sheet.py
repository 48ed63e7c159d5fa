"""A list of players as a spreadsheet saves it (CSV): its encoding, its rows, and which column holds what."""

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
"""The encodings that a person can choose; the first ones can be told from the bytes."""
_SEPARATORS: Final = ";\t,"
FIELDS: Final = ("name", "first", "club", "category")
"""What a column can hold: the name or last name, the first name, the club, the category."""
_HEADINGS: Final[Mapping[str, frozenset[str]]] = {
    "name": frozenset(
        ("name", "player", "last name", "surname", "spieler", "spielerin", "nachname", "nimi", "pelaaja", "sukunimi")
    ),
    "first": frozenset(("first name", "given name", "vorname", "etunimi")),
    "club": frozenset(("club", "team", "verein", "klub", "seura", "joukkue")),
    "category": frozenset(("category", "group", "class", "kategorie", "klasse", "gruppe", "sarja", "luokka")),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read; what is None or empty is found out from the file."""

    encoding: str = ""
    """One of `ENCODINGS`."""
    columns: Mapping[str, int] | None = None
    """For each of `FIELDS` its column, from 0; a field without a column is left out."""
    has_heading: bool | None = None
    """Whether the first row has the headings of the columns."""


@dataclass(frozen=True, slots=True)
class Line:
    """A player of a list, and the line in the file, from 1."""

    number: int
    name: str
    club: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it was read."""

    reading: Reading
    """With everything found out."""
    headings: tuple[str, ...]
    """The headings of the columns; their letters, A, B, C, if it has none."""
    lines: tuple[Line, ...]


def read_sheet(data: bytes, reading: Reading | None = None) -> Sheet:
    """Return the players of a CSV file with semicolons, tabs or commas between its columns.

    Raises:
        Refused: for a cell over several lines, since a missing quotation mark would lose names.
    """
    reading = reading or Reading()
    encoding = reading.encoding if reading.encoding in ENCODINGS else _guess_encoding(data)
    text = data.decode("utf-8-sig" if encoding == "utf-8" else encoding, errors="replace")
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
        Reading(encoding, MappingProxyType(dict(columns)), has_heading),
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
    """Return the likely encoding: Windows-1252, as older Excel writes it, for what can be nothing else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:200].count(0) > len(data[:200]) // 4:
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _rows(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file with their lines.

    Raises:
        Refused: for a cell over several lines.
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

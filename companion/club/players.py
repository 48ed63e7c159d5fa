"""The list of players: entered by hand or read from a file, with a clear word for every line that can't stay."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilekeeper.companion.game_night.player_names import tidy_name
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

MOST_PLAYERS: Final = 2000
_SEPARATORS: Final = ";\t,"
_HEADINGS: Final = frozenset(("name", "player", "spieler", "spielerin", "nimi", "pelaaja"))
_MOST_TOLD: Final = 8
_MOST_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A name, and the line of the file where it stands, from 1."""

    number: int
    name: str


def read_names(data: bytes) -> list[Line]:
    """The names in a CSV file: those of the first column, or of the one that is called name.

    Args:
        data: UTF-8, or what spreadsheets of older Windows write; columns parted by semicolons, tabs or commas.
    """
    text = _text(data)
    lines = text.split("\n", 1)
    separator = max(_SEPARATORS, key=lambda sign: lines[0].count(sign)) if lines else ","
    column, found = 0, []
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    first = True
    for row in _rows(reader):
        if not any(cell.strip() for cell in row):
            continue
        heading = [cell.strip().casefold() for cell in row]
        if first and _HEADINGS & set(heading):
            column = next(at for at, cell in enumerate(heading) if cell in _HEADINGS)
        else:
            found.append(Line(reader.line_num, row[column] if column < len(row) else ""))
        first = False
    return found


def _rows(reader: Any) -> Iterator[list[str]]:
    """The rows of a file.

    Raises:
        Refused: where a cell goes on over several lines: a quotation mark is missing there, and names would be lost.
    """
    before = 0
    try:
        for row in reader:
            if any("\n" in cell for cell in row):
                why = gettext("Line {number}: a quotation mark is not closed. Nobody was added.", number=before + 1)
                raise Refused(why, "bad-name")
            before = reader.line_num
            yield row
    except csv.Error:
        why = gettext("Line {number} can’t be read. Nobody was added.", number=before + 1)
        raise Refused(why, "bad-name") from None


def checked(lines: Sequence[Line], taken: Sequence[str]) -> list[str]:
    """The names as they are kept, all different from each other and from those that are there.

    Raises:
        Refused: with a sentence for every line that can't stay; nothing is taken then.
    """
    troubles: list[str] = []
    names: list[str] = []
    seen: dict[str, int] = {}
    there = {name_key(name) for name in taken}
    for line in lines:
        try:
            name = tidy_name(line.name)
        except Refused as why:
            empty = not line.name.strip()
            troubles.append(
                gettext("Line {number}: the name is empty.", number=line.number)
                if empty
                else gettext("Line {number}: {why}", number=line.number, why=str(why))
            )
            continue
        key = name_key(name)
        if key in seen:
            troubles.append(
                gettext(
                    "Line {number}: {name} is already in line {first}.",
                    number=line.number,
                    name=name,
                    first=seen[key],
                )
            )
        elif key in there:
            troubles.append(gettext("Line {number}: {name} is already on the list.", number=line.number, name=name))
        seen.setdefault(key, line.number)
        names.append(name)
    if not lines:
        troubles.append(gettext("It contains no name."))
    if len(taken) + len(lines) > MOST_PLAYERS:
        troubles.append(gettext("At most {most} players fit.", most=MOST_PLAYERS))
    if troubles:
        told = troubles[:_MOST_TOLD]
        if len(troubles) > _MOST_TOLD:
            told.append(gettext("And {count} more.", count=len(troubles) - _MOST_TOLD))
        raise Refused(" ".join([*told, gettext("Nobody was added.")]), "bad-name", {"lines": troubles[:_MOST_LISTED]})
    return names


def name_key(name: str) -> str:
    """A name as it is compared: two that look alike are one."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _text(data: bytes) -> str:
    """The text of a file, its lines ended alike: those of old Macs end in another way."""
    return _decoded(data).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")

"""The list of players: reads names from a CSV file, and checks them with a sentence for every bad line."""

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
_MOST_SHOWN: Final = 8
_MOST_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A name, and its line in the file, from 1."""

    number: int
    name: str


def read_names(data: bytes) -> list[Line]:
    """Return the names in a CSV file: the first column, or the one with the heading `name`.

    Args:
        data: the file in UTF-8, UTF-16 or Windows-1252, with semicolons, tabs or commas between columns.
    """
    text = _text(data)
    lines = text.split("\n", 1)
    separator = max(_SEPARATORS, key=lambda sign: lines[0].count(sign)) if lines else ","
    column, names = 0, []
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    is_first = True
    for row in _rows(reader):
        if not any(cell.strip() for cell in row):
            continue
        heading = [cell.strip().casefold() for cell in row]
        if is_first and _HEADINGS & set(heading):
            column = next(index for index, cell in enumerate(heading) if cell in _HEADINGS)
        else:
            names.append(Line(reader.line_num, row[column] if column < len(row) else ""))
        is_first = False
    return names


def _rows(reader: Any) -> Iterator[list[str]]:
    """Yield the rows of a file.

    Raises:
        Refused: for a cell over several lines, since a missing quotation mark would lose names.
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
    """Return the names tidied, if all differ from each other and from the present ones.

    Raises:
        Refused: with a sentence for every bad line.
    """
    troubles: list[str] = []
    names: list[str] = []
    line_by_key: dict[str, int] = {}
    present_keys = {name_key(name) for name in taken}
    for line in lines:
        try:
            name = tidy_name(line.name)
        except Refused as why:
            is_empty = not line.name.strip()
            troubles.append(
                gettext("Line {number}: the name is empty.", number=line.number)
                if is_empty
                else gettext("Line {number}: {why}", number=line.number, why=str(why))
            )
            continue
        key = name_key(name)
        if key in line_by_key:
            troubles.append(
                gettext(
                    "Line {number}: {name} is already in line {first}.",
                    number=line.number,
                    name=name,
                    first=line_by_key[key],
                )
            )
        elif key in present_keys:
            troubles.append(gettext("Line {number}: {name} is already on the list.", number=line.number, name=name))
        line_by_key.setdefault(key, line.number)
        names.append(name)
    if not lines:
        troubles.append(gettext("It contains no name."))
    if len(taken) + len(lines) > MOST_PLAYERS:
        troubles.append(gettext("At most {most} players fit.", most=MOST_PLAYERS))
    if troubles:
        shown = troubles[:_MOST_SHOWN]
        if len(troubles) > _MOST_SHOWN:
            shown.append(gettext("And {count} more.", count=len(troubles) - _MOST_SHOWN))
        raise Refused(" ".join([*shown, gettext("Nobody was added.")]), "bad-name", {"lines": troubles[:_MOST_LISTED]})
    return names


def name_key(name: str) -> str:
    """Return the key by which names are compared; names that look alike have the same key."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _text(data: bytes) -> str:
    """Return the text of a file with `\\n` at the end of lines."""
    return _decode(data).replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")

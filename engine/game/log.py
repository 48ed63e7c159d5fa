"""A game as JSON Lines: a header line, then one line for each entry, in the order of recording.

    {"tilekeeper": "game", "version": 1}
    {"event": "game-started", "players": ["Ada", "Bo"], "edition": "large-numbers", "house": []}
    {"event": "tiles-laid", "after": "K10 B10 O10", "seconds": 41.5, "overruled": false}

Tables and tiles are written in the notation of `tilekeeper.engine.tiles.notation`. An event is recorded by appending a
line; a written line never changes. After a power failure only the last line can be incomplete.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any, Final

from tilekeeper.engine.game.entry_check import FIELD_TYPES
from tilekeeper.engine.game.events import ENTRIES_BY_NAME, Entry
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.errors import NotationError, expect
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

VERSION: Final = 1
"""The version of the format; files of other versions can't be read."""

_NAMES: Final = MappingProxyType({kind: name for name, kind in ENTRIES_BY_NAME.items()})


class GameLogError(ValueError):
    """A line that is not an entry of a game.

    Args:
        message: what is wrong, in the current language, to show on the page or the command line.
        line: the line number, from 1.
    """

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message, line)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return gettext("line {line}: {message}", line=self.line, message=self.message)


@dataclass(frozen=True, slots=True)
class LostLine:
    """An incomplete last line of a file."""

    number: int
    """The line number, from 1."""
    text: str
    """The text, with a replacement character for bytes that are not UTF-8."""


def format_header() -> str:
    """Return the header line, without a line break."""
    return json.dumps({"tilekeeper": "game", "version": VERSION})


def format_entry(entry: Entry) -> str:
    """Format one entry as one line, without a line break."""
    return json.dumps(_as_json(entry), ensure_ascii=False)


def format_log(entries: Iterable[Entry]) -> str:
    """Format a whole file for `parse_log`."""
    return "".join(f"{line}\n" for line in (format_header(), *map(format_entry, entries)))


def parse_log(text: str) -> tuple[Entry, ...]:
    """Parse the entries of a file; `Game.replay` then checks whether they can follow each other.

    Raises:
        ArgumentError: if the argument is not a string.
        GameLogError: if a line can't be read, the header is missing, or the file has another version.
    """
    expect("text", text, str, "Path('game.jsonl').read_text()")
    lines = text.split("\n")  # `splitlines` also splits at characters that names can contain
    if lines[-1] == "":
        lines.pop()
    documents = [_document(line, number) for number, line in enumerate(lines, start=1)]
    if not documents or documents[0].get("tilekeeper") != "game":
        raise GameLogError(gettext("a game begins with {beginning}", beginning=format_header()), 1)
    if documents[0].get("version") != VERSION:
        found = json.dumps(documents[0].get("version"))
        raise GameLogError(
            gettext(
                "this is version {found} of the format, but this Tilekeeper reads version {version}",
                found=found,
                version=VERSION,
            ),
            1,
        )
    entries = []
    for number, document in enumerate(documents[1:], start=2):
        try:
            entries.append(_from_json(document))
        except ValueError as error:
            raise GameLogError(str(error), number) from None
    return tuple(entries)


def read_log(data: bytes) -> tuple[tuple[Entry, ...], LostLine | None]:
    """Parse the entries of a file; an incomplete last line is returned apart from the entries.

    The last line is incomplete if it has no line break and is not JSON, or if zero bytes stand in its place. The first
    line never counts as incomplete.

    Returns:
        The entries, and the incomplete last line; None if the file is complete.

    Raises:
        ArgumentError: if the argument is not `bytes`.
        GameLogError: if another line can't be read, the header is missing, or the file has another version or is not
            UTF-8.
    """
    expect("data", data, bytes, "Path('game.jsonl').read_bytes()")
    body = data.rstrip(b"\0")
    before, line_break, last = body.rpartition(b"\n")
    incomplete = bool(line_break) and (not _is_json(last) if last else len(body) < len(data))
    valid = before + line_break if incomplete else body
    try:
        text = valid.decode()
    except UnicodeDecodeError as error:
        raise GameLogError(gettext("this is not text in UTF-8"), valid[: error.start].count(b"\n") + 1) from None
    lost = LostLine(valid.count(b"\n") + 1, last.decode(errors="replace")) if incomplete else None
    return parse_log(text), lost


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _document(line: str, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise GameLogError(gettext("this is not JSON: {error}", error=error), number) from None
    if not isinstance(document, dict):
        raise GameLogError(gettext("a line must hold one JSON object"), number)
    return document


def _as_json(entry: Entry) -> dict[str, Any]:
    document: dict[str, Any] = {"event": _NAMES[type(entry)]}
    for field in fields(entry):
        document[field.name] = _value_as_json(getattr(entry, field.name), str(field.type))
    return document


def _value_as_json(value: Any, kind: str) -> Any:
    """Return a value of a field with this annotation as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Table | Tile):
        return str(value)
    if isinstance(value, tuple):
        return " ".join(map(str, value)) if kind == "tuple[Tile, ...]" else list(value)
    return _as_json(value)


def _from_json(document: Mapping[str, Any]) -> Entry:
    """Return the entry that a JSON object holds; fields with defaults may be missing.

    Raises:
        ValueError: if the object is no entry.
    """
    name = document.get("event")
    kind = ENTRIES_BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        events = ", ".join(ENTRIES_BY_NAME)
        raise ValueError(gettext("there is no event {name}; choose {events}", name=json.dumps(name), events=events))
    wanted = {field.name: field for field in fields(kind)}
    if unknown := document.keys() - wanted.keys() - {"event"}:
        raise ValueError(gettext("{event} has no {fields}", event=name, fields=", ".join(sorted(unknown))))
    values = {}
    for field in wanted.values():
        if field.name in document:
            try:
                values[field.name] = _read_value(document[field.name], str(field.type))
            except (NotationError, TypeError) as error:
                raise ValueError(f"{name}, {field.name}: {error}") from None
        elif field.default is MISSING:
            raise ValueError(gettext("{event} has no {fields}", event=name, fields=field.name))
    return kind(**values)


def _read_value(value: Any, annotation: str) -> Any:
    """Return the value of a field with this annotation from its JSON.

    Raises:
        NotationError: if the text of a table or of tiles can't be read.
        TypeError: if the JSON or its value has another type.
    """
    wanted, _, or_none = annotation.partition(" | ")
    if or_none and value is None:
        return None
    json_type, read = _READERS.get(wanted, (object, lambda plain: plain))
    field_type = FIELD_TYPES[wanted]
    found = read(value) if isinstance(value, json_type) else None
    if not field_type.is_right(found):
        raise TypeError(gettext(field_type.expected, value=json.dumps(value)))
    return found


def _read_tiles(text: str) -> tuple[Tile, ...] | None:
    """Parse a row of tiles, such as a rack; None if the text has several rows. The empty text is an empty row."""
    rows = parse_table(text).melds
    return None if len(rows) > 1 else rows[0] if rows else ()


def _read_tile(text: str) -> Tile | None:
    """Parse one tile; None if the text has none or several."""
    tiles = _read_tiles(text)
    return tiles[0] if tiles and len(tiles) == 1 else None


_READERS: Final[Mapping[str, tuple[type, Callable[[Any], Any]]]] = MappingProxyType(
    {
        "tuple[str, ...]": (list, tuple),
        "tuple[int, ...]": (list, tuple),
        "Tile": (str, _read_tile),
        "tuple[Tile, ...]": (str, _read_tiles),
        "Table": (str, parse_table),
        "Event": (dict, _from_json),
    }
)
"""For each annotation of a field that JSON writes in another way: the type in JSON, and the function that reads it."""

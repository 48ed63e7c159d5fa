"""The history and the score sheet of a game night as CSV files for spreadsheets."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from tilekeeper.companion.game_night.played_turns import undone_places
from tilekeeper.companion.text.history import Item
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.language import gettext

_SIGNS = frozenset("=+-@|%")
_SEPARATORS = frozenset(",;\t\r\n")

HISTORY_HEAD = (
    *("place", "step", "at", "by", "event", "round", "player", "text", "reason", "seconds", "legal", "undone"),
    *("tiles", "table", "picture"),
)


def history_csv(items: Sequence[Item], players: Sequence[str]) -> str:
    """Return the history as CSV: a header row, and one row for each record."""
    undone = undone_places(tuple(item.record for item in items))
    return _csv([HISTORY_HEAD, *(_row(item, players, item.place in undone) for item in items)])


def sheet_csv(sheet: ScoreSheet) -> str:
    """Return the score sheet as CSV: a row with the names, one for each round, and one with the totals."""
    rows = [
        [gettext("round {number}", number=number), *(points_words(points, signed=False) for points in score.points)]
        for number, score in enumerate(sheet.rounds, start=1)
    ]
    return _csv(
        [
            ["", *map(harmless, sheet.players)],
            *rows,
            [gettext("total"), *(points_words(p, signed=False) for p in sheet.totals)],
        ]
    )


def _row(item: Item, players: Sequence[str], undone: bool) -> list[object]:
    note = item.record.note
    return [
        item.place,
        note.step,
        note.at,
        harmless(note.by),
        item.kind,
        item.round,
        "" if item.player is None else harmless(players[item.player]),
        harmless(item.text),
        harmless(note.reason),
        note.seconds,
        {None: "", True: "yes", False: "no"}[item.legal],
        "yes" if undone else "no",
        " ".join(map(str, item.tiles)),
        item.table,
        note.picture or "",
    ]


def harmless(text: str) -> str:
    """Quote a text so that no spreadsheet treats it as a formula (CSV injection), whatever its cell separator is."""
    first = _plain(text.lstrip()[:1])
    safe = "'" if first in _SIGNS or text[:1] in ("\t", "\r", "\n") else ""
    begins_cell = False
    for char in text:
        # A program with another separator than the file's begins a new cell after this separator.
        safe += f"'{char}" if begins_cell and _plain(char) in _SIGNS else char
        begins_cell = _plain(char) in _SEPARATORS or (begins_cell and char.isspace())
    return safe


def decimal(number: Fraction | float, separator: str) -> str:
    """Return a number for a cell, with at most two decimals; a fraction such as 1/2 would be read as a date.

    In a file with semicolons the decimal sign is the comma, as in the countries that use such files.
    """
    words = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return words.replace(".", ",") if separator == ";" else words


def _plain(char: str) -> str:
    """Return the plain form of a character (NFKC), since some programs also accept full-width signs."""
    return unicodedata.normalize("NFKC", char)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()

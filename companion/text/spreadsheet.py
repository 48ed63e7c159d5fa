"""The history and the score sheet of a game night as CSV files for spreadsheets."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence

from tilekeeper.companion.game_night.played_turns import undone_places
from tilekeeper.companion.text.history import Item
from tilekeeper.companion.text.scores import points_words
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.language import gettext

HISTORY_HEAD = (
    *("place", "step", "at", "by", "event", "round", "player", "text", "reason", "seconds", "legal", "undone"),
    *("tiles", "table", "picture"),
)


def history_csv(items: Sequence[Item], players: Sequence[str]) -> str:
    """Return the history as CSV: a head, and one line for each record."""
    undone = undone_places(tuple(item.record for item in items))
    return _csv([HISTORY_HEAD, *(_row(item, players, item.place in undone) for item in items)])


def sheet_csv(sheet: ScoreSheet) -> str:
    """Return the score sheet as CSV: the names, a line for each round, and the totals."""
    rows = [
        [gettext("round {number}", number=number), *(points_words(points, signed=False) for points in score.points)]
        for number, score in enumerate(sheet.rounds, start=1)
    ]
    return _csv(
        [
            ["", *map(_harmless, sheet.players)],
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
        _harmless(note.by),
        item.kind,
        item.round,
        "" if item.player is None else _harmless(players[item.player]),
        _harmless(item.text),
        _harmless(note.reason),
        note.seconds,
        {None: "", True: "yes", False: "no"}[item.legal],
        "yes" if undone else "no",
        " ".join(map(str, item.tiles)),
        item.table,
        note.picture or "",
    ]


def _harmless(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula (CSV injection)."""
    # NFKC turns full-width signs, which some programs accept, into plain ones.
    first = unicodedata.normalize("NFKC", text.lstrip())[:1]
    return f"'{text}" if first in ("=", "+", "-", "@", "|", "%") or text[:1] in ("\t", "\r", "\n") else text


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()

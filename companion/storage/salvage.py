"""Saves what can be read of a damaged database, and fills the gaps from the copies that were made of it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Final, TypeGuard

from pydantic import TypeAdapter, ValidationError

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.storage.integrity import Row, decoded, find_damage, readable_rows, write_with_sound_head
from tilekeeper.companion.storage.schema import EVENING_ID, MOST_REVISIONS, moment_of
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import lazy_gettext

_SEATED: Final = TypeAdapter(tuple[tuple[str, ...], ...])


@dataclass(frozen=True, slots=True)
class SalvagedEvening:
    """An evening up to its last good record."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    recorded: RecordedGame
    settings: object
    live: object
    last_place: int
    """The last place at which its file shows a record of it, from 0; beyond the last good one where it is damaged."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was saved of a database."""

    evenings: tuple[SalvagedEvening, ...]
    """In the order in which they were begun."""
    preferences: Mapping[str, object]
    notice: str
    """What people should know, in sentences."""


def salvage(damaged: Path, damage: str, sound: Path, copies: Sequence[Path]) -> Salvaged:
    """Return what can be read of a damaged database and of its copies.

    Of each evening the source with the most good records counts; the damaged file itself where they have equally many.

    Args:
        damaged: the file, where it was set aside.
        damage: what is wrong with it, in a few words.
        sound: an empty database of this version.
        copies: the copies, newest first; those that are damaged themselves are left out.
    """
    best: dict[str, SalvagedEvening] = {}
    preferences: dict[str, object] = {}
    last_places: dict[str, int] = {}
    mended = damaged.with_name("mended-head.sqlite3")
    with suppress(OSError):
        write_with_sound_head(damaged, sound, mended)
    for path in (damaged, mended, *filter(_is_whole, copies)):
        for evening_id, evening in _evenings(path):
            last_place = -1 if evening is None else evening.last_place
            last_places[evening_id] = max(last_place, last_places.get(evening_id, -1))
            there = best.get(evening_id)
            if evening is not None and (there is None or len(evening.recorded.records) > len(there.recorded.records)):
                best[evening_id] = evening
        for row in readable_rows(path, "preferences"):
            value = decoded(row.get("value"))
            if isinstance(row.get("name"), str) and (value is not None or row.get("value") == "null"):
                preferences.setdefault(str(row["name"]), value)
    mended.unlink(missing_ok=True)
    evenings = tuple(sorted(best.values(), key=lambda evening: evening.begun_at))
    return Salvaged(evenings, preferences, _notice(damaged, damage, evenings, last_places))


def _is_whole(copy: Path) -> bool:
    try:
        return not find_damage(copy)
    except sqlite3.Error:
        return False


def _notice(damaged: Path, damage: str, evenings: Sequence[SalvagedEvening], last_places: Mapping[str, int]) -> str:
    found = len(last_places)
    cut = sum(len(evening.recorded.records) <= last_places.get(evening.id, -1) for evening in evenings)
    its = {"damage": damage, "folder": damaged.parent, "saved": len(evenings), "found": found, "cut": cut}
    if not found:
        return lazy_gettext(
            "The file with the evenings was damaged ({damage}). No evening was found in it. The file "
            "is now in {folder}.",
            **its,
        )
    if cut:
        return lazy_gettext(
            "The file with the evenings was damaged ({damage}). {saved} of {found} evenings were "
            "saved, {cut} of them only up to the damage. The file is now in {folder}.",
            **its,
        )
    return lazy_gettext(
        "The file with the evenings was damaged ({damage}). {saved} of {found} evenings were saved. "
        "The file is now in {folder}.",
        **its,
    )


def _evenings(path: Path) -> Iterator[tuple[str, SalvagedEvening | None]]:
    """The evenings of a file by id, None for one of which nothing can be read."""
    rows = {str(row["id"]): row for row in readable_rows(path, "evenings") if isinstance(row.get("id"), str)}
    records: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in readable_rows(path, "records"):
        evening, place = row.get("evening"), row.get("place")
        if isinstance(evening, str) and isinstance(place, int):
            records[evening][place] = row
    for evening_id in dict.fromkeys((*rows, *records)):
        yield evening_id, _evening(evening_id, rows.get(evening_id, {}), records.get(evening_id, {}))


def _evening(evening_id: str, row: Row, records: Mapping[int, Row]) -> SalvagedEvening | None:
    unbroken = [records[place] for place in takewhile(records.__contains__, count())]
    stored = [(record.get("event"), decoded(record.get("note"))) for record in unbroken]
    try:
        seated = _SEATED.validate_python(decoded(row.get("people")))
    except ValidationError:
        seated = ()
    recorded, _ = RecordedGame.salvaged(stored, seated)
    if recorded is None or not EVENING_ID.fullmatch(evening_id):
        return None
    first, last, revision = recorded.records[0].note.at, recorded.records[-1].note.at, row.get("revision")
    return SalvagedEvening(
        id=evening_id,
        begun_at=moment_of(row.get("begun_at"), first),
        changed_at=moment_of(row.get("changed_at"), last),
        revision=revision if _is_revision(revision) else len(recorded.records),
        over=recorded.state.phase is Phase.OVER,
        recorded=recorded,
        settings=decoded(row.get("settings")),
        live=decoded(row.get("live")),
        last_place=max(records, default=-1),
    )


def _is_revision(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= MOST_REVISIONS

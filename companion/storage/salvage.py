"""Recovery of a damaged database: reads the readable rows, and takes more complete game nights from backups."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Final, TypeGuard

from pydantic import TypeAdapter, ValidationError

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.storage.ids import EVENING_ID
from tilekeeper.companion.storage.integrity import Row, decode_json, find_damage, readable_rows, write_with_sound_head
from tilekeeper.companion.storage.schema import ACCESS_DATA, MOST_REVISIONS, moment_of
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import lazy_gettext

_SEATED: Final = TypeAdapter(tuple[tuple[str, ...], ...])


@dataclass(frozen=True, slots=True)
class SalvagedEvening:
    """A game night up to its last readable record."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    recorded: RecordedGame
    settings: object
    live: object
    last_place: int
    """The highest place of any record in the file, from 0; higher than the last readable one after damage."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The recovered contents of a database."""

    evenings: tuple[SalvagedEvening, ...]
    """The game nights, the oldest first."""
    preferences: Mapping[str, object]
    notice: str
    """Sentences for the page about the damage and the recovery."""


def salvage(damaged: Path, damage: str, sound: Path, copies: Sequence[Path]) -> Salvaged:
    """Return the readable game nights and preferences of a damaged database and of its backups.

    Each game night is taken from the file with the most readable records; among equal files the damaged one is first.

    Args:
        damaged: the path of the damaged file after it was set aside.
        damage: what is damaged, in a few words.
        sound: an empty database of this version.
        copies: the backups, newest first; damaged ones are skipped.
    """
    best: dict[str, SalvagedEvening] = {}
    preferences: dict[str, object] = {}
    last_places: dict[str, int] = {}
    repaired = damaged.with_name("mended-head.sqlite3")
    with suppress(OSError):
        write_with_sound_head(damaged, sound, repaired)
    for path in (damaged, repaired, *filter(_is_undamaged, copies)):
        for evening_id, evening in _evenings(path):
            last_place = -1 if evening is None else evening.last_place
            last_places[evening_id] = max(last_place, last_places.get(evening_id, -1))
            best_yet = best.get(evening_id)
            if evening is not None and (
                best_yet is None or len(evening.recorded.records) > len(best_yet.recorded.records)
            ):
                best[evening_id] = evening
        for name, value in readable_preferences(path).items():
            if path not in copies or name not in ACCESS_DATA:  # else an old code from a backup would work again
                preferences.setdefault(name, value)
    repaired.unlink(missing_ok=True)
    evenings = tuple(sorted(best.values(), key=lambda evening: evening.begun_at))
    return Salvaged(evenings, preferences, _notice(damaged, damage, evenings, last_places))


def readable_preferences(path: Path) -> dict[str, object]:
    """Return all readable preferences of a database file, by name."""
    found: dict[str, object] = {}
    for row in readable_rows(path, "preferences"):
        value = decode_json(row.get("value"))
        if isinstance(row.get("name"), str) and (value is not None or row.get("value") == "null"):
            found.setdefault(str(row["name"]), value)
    return found


def _is_undamaged(copy: Path) -> bool:
    try:
        return not find_damage(copy)
    except sqlite3.Error:
        return False


def _notice(damaged: Path, damage: str, evenings: Sequence[SalvagedEvening], last_places: Mapping[str, int]) -> str:
    found_count = len(last_places)
    cut = sum(len(evening.recorded.records) <= last_places.get(evening.id, -1) for evening in evenings)
    values = {"damage": damage, "folder": damaged.parent, "saved": len(evenings), "found": found_count, "cut": cut}
    if not found_count:
        return lazy_gettext(
            "The file with the evenings was damaged ({damage}). No evening could be rescued. The file is now in "
            "{folder}.",
            **values,
        )
    if cut:
        return lazy_gettext(
            "The file with the evenings was damaged ({damage}). {saved} of {found} evenings were rescued, {cut} of "
            "them only up to the damage. The file is now in {folder}.",
            **values,
        )
    return lazy_gettext(
        "The file with the evenings was damaged ({damage}). {saved} of {found} evenings were rescued. The file is now "
        "in {folder}.",
        **values,
    )


def _evenings(path: Path) -> Iterator[tuple[str, SalvagedEvening | None]]:
    """Yield id and contents of each game night in a file; None for contents that can't be read at all."""
    rows = {str(row["id"]): row for row in readable_rows(path, "evenings") if isinstance(row.get("id"), str)}
    records: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in readable_rows(path, "records"):
        evening, place = row.get("evening"), row.get("place")
        if isinstance(evening, str) and isinstance(place, int):
            records[evening][place] = row
    for evening_id in dict.fromkeys((*rows, *records)):
        yield evening_id, read_evening(evening_id, rows.get(evening_id, {}), records.get(evening_id, {}))


def read_evening(
    evening_id: str, row: Row, records: Mapping[int, Row], before_each: Callable[[], object] = lambda: None
) -> SalvagedEvening | None:
    """Return a game night up to its last readable record; None if the id is not valid or no record can be read.

    Args:
        evening_id: the game night's id, not validated.
        row: the game night's row in the table `evenings`, by column name; columns may be missing.
        records: the game night's rows in the table `records`, by place.
        before_each: called before each record is replayed, which may take long; it may raise an error.
    """

    def stored() -> Iterator[tuple[object, object]]:
        for place in takewhile(records.__contains__, count()):
            before_each()
            yield records[place].get("event"), decode_json(records[place].get("note"))

    try:
        seated = _SEATED.validate_python(decode_json(row.get("people")))
    except ValidationError:
        seated = ()
    recorded, _ = RecordedGame.salvage(stored(), seated)
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
        settings=decode_json(row.get("settings")),
        live=decode_json(row.get("live")),
        last_place=max(records, default=-1),
    )


def _is_revision(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= MOST_REVISIONS

"""Whether an entry holds values of the kinds that it says: asked where people hand one in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.game.events import ENTRIES_BY_NAME, Commanded, Corrected, Entry, GameStarted, Undone
from tilekeeper.engine.tiles.errors import ArgumentError, describe, expect
from tilekeeper.engine.tiles.table import TABLE_EXAMPLE, Table
from tilekeeper.engine.tiles.tile import Tile

_Holds = Callable[[object], bool]


def check_entry(entry: Entry) -> None:
    """Check that this is an entry of a game, and the kinds of its values.

    Raises:
        ArgumentError: if it is none, or a value is of another kind; the message says what was expected.
    """
    if type(entry) not in _KINDS:
        raise ArgumentError(f"an event must be one such as TilesLaid({TABLE_EXAMPLE}), not {describe(entry)}")
    for field in fields(entry):
        holds, example = _VALUES[str(field.type)]
        value = getattr(entry, field.name)
        if not holds(value):
            name = f"{type(entry).__name__}.{field.name}"
            raise ArgumentError(f"{name} must be {example}, not {describe(value)}")
    if isinstance(entry, Corrected):
        check_entry(entry.instead)


def check_start(event: GameStarted) -> None:
    """Check that this is the start of a game, as `check_entry` does.

    Raises:
        ArgumentError: as `check_entry`.
    """
    expect("event", event, GameStarted, "GameStarted(('Ada', 'Bo'), 'large-numbers')")
    check_entry(event)


def _one(kind: type | tuple[type, ...]) -> _Holds:
    """A check of plain values; true and false are no numbers."""
    return lambda value: isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _or_none(holds: _Holds) -> _Holds:
    return lambda value: value is None or holds(value)


def _many(holds: _Holds) -> _Holds:
    return lambda value: isinstance(value, tuple) and all(map(holds, value))


def _event(value: object) -> bool:
    return type(value) in _KINDS and not isinstance(value, Undone | Corrected | Commanded)


_KINDS: Final = frozenset(ENTRIES_BY_NAME.values())
_VALUES: Final[Mapping[str, tuple[_Holds, str]]] = MappingProxyType(
    {
        "str": (_one(str), "a text"),
        "int": (_one(int), "a whole number"),
        "int | None": (_or_none(_one(int)), "a whole number or None"),
        "float | None": (_or_none(_one((int, float))), "a number or None"),
        "bool": (_one(bool), "True or False"),
        "tuple[str, ...]": (_many(_one(str)), "a tuple of texts, such as ('Ada', 'Bo')"),
        "tuple[int, ...] | None": (_or_none(_many(_one(int))), "a tuple of whole numbers, such as (14, 14), or None"),
        "Tile": (_one(Tile), "a tile, such as Tile('R5')"),
        "Tile | None": (_or_none(_one(Tile)), "a tile, such as Tile('R5'), or None"),
        "tuple[Tile, ...]": (_many(_one(Tile)), "a tuple of tiles, such as parse_rack('R5 K7 J')"),
        "Table": (_one(Table), f"a table, such as {TABLE_EXAMPLE}"),
        "Table | None": (_or_none(_one(Table)), f"a table, such as {TABLE_EXAMPLE}, or None"),
        "Event": (_event, "an event that can stand for another, such as TileDrawn()"),
    }
)
"""By the annotation of a field: what holds of its values, and how one is told of."""

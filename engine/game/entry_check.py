"""Type checks of the fields of entries, which a caller passes in or a file holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from tilekeeper.engine.game.events import ENTRIES_BY_NAME, Commanded, Corrected, Entry, Undone
from tilekeeper.engine.language import gettext_noop
from tilekeeper.engine.tiles.errors import ArgumentError, describe
from tilekeeper.engine.tiles.table import TABLE_EXAMPLE, Table
from tilekeeper.engine.tiles.tile import Tile

_EntryT = TypeVar("_EntryT", bound=Entry)
_Check = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a field of an entry."""

    is_right: _Check
    """Whether a value has this type."""
    example: str
    """Words for a right value, for a programmer who passes another one."""
    expected: str
    """The message about another value in a file, for `gettext`."""


def check_entry(entry: _EntryT) -> _EntryT:
    """Check that a value is an entry of a game and that its fields have the right types.

    Returns:
        The entry, with tuples in place of lists.

    Raises:
        ArgumentError: if the value is no entry, or a field has another type; the message names what was expected.
    """
    if type(entry) not in _KINDS:
        raise ArgumentError(f"an event must be one such as TilesLaid({TABLE_EXAMPLE}), not {describe(entry)}")
    changes: dict[str, Any] = {}
    for field in fields(entry):
        wanted, _, or_none = str(field.type).partition(" | ")
        field_type = FIELD_TYPES[wanted]
        value = getattr(entry, field.name)
        if or_none and value is None:
            continue
        if isinstance(value, list) and field_type.is_right(tuple(value)):
            changes[field.name] = tuple(value)
        elif not field_type.is_right(value):
            name, example = f"{type(entry).__name__}.{field.name}", field_type.example
            raise ArgumentError(f"{name} must be {example}{' or None' if or_none else ''}, not {describe(value)}")
    if isinstance(entry, Corrected):
        changes["instead"] = check_entry(entry.instead)
    return replace(entry, **changes) if changes else entry


def _is_a(kind: type | tuple[type, ...]) -> _Check:
    """Return a check whether a value has this type; `True` and `False` do not count as numbers."""
    return lambda value: isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _is_tuple_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, tuple) and all(map(check, value))


def _is_event(value: object) -> bool:
    return type(value) in _KINDS and not isinstance(value, Undone | Corrected | Commanded)


_KINDS: Final = frozenset(ENTRIES_BY_NAME.values())
FIELD_TYPES: Final[Mapping[str, FieldType]] = MappingProxyType(
    {
        "str": FieldType(_is_a(str), "a text", gettext_noop("expected text, not {value}")),
        "int": FieldType(_is_a(int), "a whole number", gettext_noop("expected a whole number, not {value}")),
        "float": FieldType(_is_a((int, float)), "a number", gettext_noop("expected a number, not {value}")),
        "bool": FieldType(_is_a(bool), "True or False", gettext_noop("expected true or false, not {value}")),
        "tuple[str, ...]": FieldType(
            _is_tuple_of(_is_a(str)),
            "a tuple of texts, such as ('Ada', 'Bo')",
            gettext_noop("expected a list of texts, not {value}"),
        ),
        "tuple[int, ...]": FieldType(
            _is_tuple_of(_is_a(int)),
            "a tuple of whole numbers, such as (14, 14)",
            gettext_noop("expected a list of whole numbers, not {value}"),
        ),
        "Tile": FieldType(_is_a(Tile), "a tile, such as Tile('R5')", gettext_noop("expected one tile, not {value}")),
        "tuple[Tile, ...]": FieldType(
            _is_tuple_of(_is_a(Tile)),
            "a tuple of tiles, such as parse_rack('R5 K7 J')",
            gettext_noop("expected tiles without bars, not {value}"),
        ),
        "Table": FieldType(
            _is_a(Table), f"a table, such as {TABLE_EXAMPLE}", gettext_noop("expected text, not {value}")
        ),
        "Event": FieldType(
            _is_event,
            "an event that can stand for another, such as TileDrawn()",
            gettext_noop("expected an event that can stand for another, not {value}"),
        ),
    }
)
"""The types of fields, by annotation without `| None`."""

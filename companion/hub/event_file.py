"""Export and import of an event as one JSON file: all rows on which its results depend, without codes and secrets."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Integer, func, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, undefer
from sqlalchemy.types import TypeEngine

from tilekeeper.companion.hub.check import check_event
from tilekeeper.companion.hub.rounds import players_of, read_tournament
from tilekeeper.companion.hub.schema import (
    AbsenceRow,
    ApartRow,
    Base,
    DisputeRow,
    EntryRow,
    HallRow,
    HandOrderRow,
    JournalRow,
    LogRow,
    PenaltyRow,
    PlayerRow,
    RoundRow,
    SeatingRow,
)
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.web.schemas.requests import MOST_WHOLE
from tilekeeper.engine.language import gettext

KIND: Final = "tilekeeper-event"
VERSION: Final = 1
_NAMES: Final = frozenset(("table", "log", "command"))
"""The attributes with names of tables, logs and commands, which become parts of topics and addresses."""
_NAME: Final = re.compile(r"([A-Za-z0-9_.-]{1,64})?", re.ASCII)
_MOST_BIG: Final = 2**63 - 1
_AT_ONCE: Final = 10
"""The number of rows in memory while an event is written."""
_ROWS: Final[tuple[type[Base], ...]] = (
    PlayerRow,
    ApartRow,
    AbsenceRow,
    PenaltyRow,
    HandOrderRow,
    JournalRow,
    RoundRow,
    SeatingRow,
    LogRow,
    EntryRow,
    DisputeRow,
)
"""The stored tables, ordered so that rows come after the rows to which they refer."""


def write_event(session: Session) -> Iterator[str]:
    """Yield the event as JSON: settings, players, rounds with results and logs, rulings, disputes with pictures.

    It comes in small parts, since the pictures of a large event would fill the memory.
    """
    hall = session.get_one(HallRow, 1)
    head = {"tilekeeper": KIND, "version": VERSION, "name": hall.name, "settings": hall.settings}
    head |= {"seed": hall.seed, "redraws": hall.redraws}
    yield f'{_as_json(head)[:-1]},"rows":{{'
    for place, kind in enumerate(_ROWS):
        yield f'{"," if place else ""}"{kind.__tablename__}":['
        for number, values in enumerate(_dump(session, kind)):
            yield f"{',' if number else ''}{_as_json(values)}"
        yield "]"
    yield "}}"


def _as_json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def rebuild_event(session: Session, data: bytes) -> list[str]:
    """Fill an empty database with the event of a file, and return the sentences of `check_event`.

    Raises:
        Refused: if the database has players, or the file is not an event; the caller must then roll back.
    """
    if players_of(session):
        raise Refused(
            gettext("This tournament already has players. To rebuild another one, choose a new folder: --data FOLDER.")
        )
    try:
        event = json.loads(data)
        if event["tilekeeper"] != KIND or event["version"] != VERSION:
            raise Refused(gettext("This file is from another version of Tilekeeper."), "bad-input")
        hall = session.get_one(HallRow, 1)
        settings = HallSettings.model_validate(event["settings"])
        hall.settings, hall.name, hall.seed = settings.as_json(), settings.name, int(event["seed"])
        hall.redraws = int(event.get("redraws", 0))
        _expect_form("seed", BigInteger(), hall.seed)
        _expect_form("redraws", Integer(), hall.redraws)
        for kind in _ROWS:
            session.add_all([_load(kind, values) for values in event["rows"][kind.__tablename__]])
            session.flush()
        read_tournament(session).standings  # noqa: B018, raises for a result of an unknown player
        differences = list(check_event(session))
        night_view(session)  # raises for what no page can show
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        SQLAlchemyError,
    ) as error:
        raise Refused(gettext("This file has no tournament that can be rebuilt."), "bad-input") from error
    _continue_numbers(session)
    return differences


def _dump(session: Session, kind: type[Base]) -> Iterator[dict[str, Any]]:
    attributes = [column.key for column in inspect(kind).column_attrs]
    everything = select(kind).options(undefer("*")).order_by(*inspect(kind).primary_key)
    for row in session.scalars(everything.execution_options(yield_per=_AT_ONCE)):
        values = {name: getattr(row, name) for name in attributes}
        session.expunge(row)
        yield {
            name: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
            for name, value in values.items()
        }


def _load(kind: type[Base], values: Mapping[str, Any]) -> Base:
    """Return a row with the values of a file, not yet added to a session.

    Raises:
        KeyError, TypeError, ValueError: if a value is missing, or not possible in its column.
    """
    row = {}
    for attribute in inspect(kind).column_attrs:
        column, value = attribute.columns[0], values[attribute.key]
        if isinstance(value, dict) and value.keys() == {"base64"}:
            try:
                value = base64.b64decode(value["base64"], validate=True)
            except binascii.Error as error:
                raise ValueError(str(error)) from error
        _expect_type(attribute.key, column.type, column.nullable, value)
        _expect_form(attribute.key, column.type, value)
        row[attribute.key] = value
    return kind(**row)


def _expect_type(name: str, kind: TypeEngine[Any], may_be_none: bool | None, value: object) -> None:
    """Raise `TypeError` if a value has the wrong type for its column, which SQLite itself does not check."""
    if value is None and may_be_none:
        return
    wanted = {dict: (dict, list), float: (float, int)}.get(kind.python_type, (kind.python_type,))
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise TypeError(f"{name} can't be {value!r}")


def _expect_form(name: str, kind: TypeEngine[Any], value: object) -> None:
    """Raise `ValueError` for a value that no table or hub sends, although the column's type allows it."""
    longest = getattr(kind, "length", None)
    match value:
        case str() if (longest is not None and len(value) > longest) or "\0" in value:
            raise ValueError(f"{name} is too long or has a zero character")
        case str() if name.endswith("_at"):
            datetime.fromisoformat(value)
        case str() if name in _NAMES and not _NAME.fullmatch(value):
            raise ValueError(f"{name} can't be {value!r}")
        case int() if abs(value) > (_MOST_BIG if isinstance(kind, BigInteger) else MOST_WHOLE):
            raise ValueError(f"{name} is too large")
        case float() if not math.isfinite(value):
            raise ValueError(f"{name} is no number")


def _continue_numbers(session: Session) -> None:
    """Set PostgreSQL's sequences to the highest rebuilt ids; SQLite continues after them by itself."""
    if session.get_bind().dialect.name != "postgresql":
        return
    for kind in (PlayerRow, PenaltyRow, HandOrderRow, JournalRow):
        highest = session.scalar(select(func.max(kind.id)))
        if highest is not None:
            sequence = f"pg_get_serial_sequence('{kind.__tablename__}', 'id')"
            session.execute(text(f"SELECT setval({sequence}, :highest)"), {"highest": highest})

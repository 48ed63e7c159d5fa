"""Groups tiles into melds where a reading leaves two ways open.

Each such place is a `AlternativeGrouping` of the reading: other rows for the tiles of some of its rows.
"""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.vision.types import AlternativeGrouping, TableReading

Rows = tuple[tuple[int, ...], ...]


def replaced_rows(reading: TableReading, rows: Rows) -> Rows:
    """Return the rows of a reading that have any tile of these other rows."""
    tiles = {index for row in rows for index in row}
    return tuple(row for row in reading.rows if not tiles.isdisjoint(row))


def with_rows(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading with other rows for some of its tiles, and without any doubt about the rows of these tiles."""
    gone = replaced_rows(reading, rows)
    at = reading.rows.index(gone[0])
    others = [row for row in reading.rows if row not in gone]
    before = sum(row not in gone for row in reading.rows[:at])
    tiles = {index for row in rows for index in row}
    other_rows = tuple(one for one in reading.other_rows if all(tiles.isdisjoint(row) for row in one.rows))
    return replace(reading, rows=(*others[:before], *rows, *others[before:]), other_rows=other_rows)


def without(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading without the doubt whether its tiles lie in these rows."""
    others = tuple(one for one in reading.other_rows if not same_rows(one.rows, rows))
    return reading if len(others) == len(reading.other_rows) else replace(reading, other_rows=others)


def same_rows(ones: Rows, others: Rows) -> bool:
    """Return whether two lists of rows are the same, in any order and each read from either end."""
    return _alike(ones) == _alike(others)


def is_choice(reading: TableReading, doubt: AlternativeGrouping, rows: Rows) -> bool:
    """Return whether these rows are one of the two ways of a doubt: those of the reading, or the other ones."""
    return same_rows(rows, doubt.rows) or same_rows(rows, replaced_rows(reading, doubt.rows))


def grouped_as_before(before: ObservedTable, reading: TableReading) -> TableReading:
    """Return the reading with its tiles in the rows in which they lay before, wherever that is one of two ways."""
    if not before.tracks:
        return reading
    rows_before = set(_alike(before.tracks))
    for other in reading.other_rows:
        if other not in reading.other_rows:
            continue  # settled together with another
        if rows_before.issuperset(_alike(_tracks(reading, replaced_rows(reading, other.rows)))):
            reading = without(reading, other.rows)
        elif rows_before.issuperset(_alike(_tracks(reading, other.rows))):
            reading = with_rows(reading, other.rows)
    return reading


def _tracks(reading: TableReading, rows: Rows) -> Rows:
    return tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)


def _alike(rows: Rows) -> list[tuple[int, ...]]:
    return sorted(min(row, row[::-1]) for row in rows)

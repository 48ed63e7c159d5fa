"""Settles doubts about how the tiles of a reading are grouped into rows.

A doubt is an `AlternativeGrouping` of the reading: other rows for the tiles of some of its rows.
"""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.vision.types import AlternativeGrouping, TableReading

Rows = tuple[tuple[int, ...], ...]


def replaced_rows(reading: TableReading, rows: Rows) -> Rows:
    """Return the rows of a reading that share a tile with `rows`."""
    tiles = {index for row in rows for index in row}
    return tuple(row for row in reading.rows if not tiles.isdisjoint(row))


def with_rows(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading with other rows for some of its tiles, and without doubts about the rows of these tiles."""
    replaced = replaced_rows(reading, rows)
    at = reading.rows.index(replaced[0])
    kept = [row for row in reading.rows if row not in replaced]
    before = sum(row not in replaced for row in reading.rows[:at])
    tiles = {index for row in rows for index in row}
    other_rows = tuple(doubt for doubt in reading.other_rows if all(tiles.isdisjoint(row) for row in doubt.rows))
    return replace(reading, rows=(*kept[:before], *rows, *kept[before:]), other_rows=other_rows)


def without_doubt(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading without the doubt whose other rows are `rows`; the reading itself if there is none."""
    doubts = tuple(doubt for doubt in reading.other_rows if not same_rows(doubt.rows, rows))
    return reading if len(doubts) == len(reading.other_rows) else replace(reading, other_rows=doubts)


def same_rows(rows: Rows, other_rows: Rows) -> bool:
    """Return whether two lists of rows are equal, in any order and with each row in either direction."""
    return _normalised(rows) == _normalised(other_rows)


def is_choice(reading: TableReading, doubt: AlternativeGrouping, rows: Rows) -> bool:
    """Return whether `rows` answer a doubt: they are the doubt's other rows, or the reading's rows of these tiles."""
    return same_rows(rows, doubt.rows) or same_rows(rows, replaced_rows(reading, doubt.rows))


def grouped_as_before(before: ObservedTable, reading: TableReading) -> TableReading:
    """Return the reading, with doubts about rows settled in favour of rows that were on the table `before`."""
    if not before.tracks:
        return reading
    rows_before = set(_normalised(before.tracks))
    for doubt in reading.other_rows:
        if doubt not in reading.other_rows:
            continue  # an earlier doubt was settled, which has removed this one
        if rows_before.issuperset(_normalised(_tracks(reading, replaced_rows(reading, doubt.rows)))):
            reading = without_doubt(reading, doubt.rows)
        elif rows_before.issuperset(_normalised(_tracks(reading, doubt.rows))):
            reading = with_rows(reading, doubt.rows)
    return reading


def _tracks(reading: TableReading, rows: Rows) -> Rows:
    return tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)


def _normalised(rows: Rows) -> list[tuple[int, ...]]:
    return sorted(min(row, row[::-1]) for row in rows)

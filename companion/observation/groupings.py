"""Which tiles lie in one meld where the eye can't be sure: what lay so before lies so still, and a person's word holds.

A place where tiles can as well be grouped otherwise is a `Grouping` of the reading: rows that lie in the place of some
of its rows.
"""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import Laid
from tilekeeper.vision.types import Grouping, TableReading

Rows = tuple[tuple[int, ...], ...]


def in_place_of(reading: TableReading, rows: Rows) -> Rows:
    """Return the rows of a reading in the place of which these would lie: those that have any of their tiles."""
    tiles = {index for row in rows for index in row}
    return tuple(row for row in reading.rows if not tiles.isdisjoint(row))


def with_rows(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading with other rows for some of its tiles; what else these might be is no question then."""
    gone = in_place_of(reading, rows)
    at = reading.rows.index(gone[0])
    kept = [row for row in reading.rows if row not in gone]
    before = sum(row not in gone for row in reading.rows[:at])
    tiles = {index for row in rows for index in row}
    others = tuple(one for one in reading.other_rows if all(tiles.isdisjoint(row) for row in one.rows))
    return replace(reading, rows=(*kept[:before], *rows, *kept[before:]), other_rows=others)


def without(reading: TableReading, rows: Rows) -> TableReading:
    """Return the reading without the doubt whether tiles lie in these rows: they don't."""
    others = tuple(one for one in reading.other_rows if not same_rows(one.rows, rows))
    return reading if len(others) == len(reading.other_rows) else replace(reading, other_rows=others)


def same_rows(ones: Rows, others: Rows) -> bool:
    """Whether two lists of rows are the same; neither their order matters nor from which end each is read."""
    return _alike(ones) == _alike(others)


def is_choice(reading: TableReading, doubt: Grouping, rows: Rows) -> bool:
    """Whether these rows are one of the two ways of a doubt: how the reading has it, or how else it may be."""
    return same_rows(rows, doubt.rows) or same_rows(rows, in_place_of(reading, doubt.rows))


def as_they_lay(before: Laid, reading: TableReading) -> TableReading:
    """Return the reading with those doubts settled that the table before settles.

    Where all the tiles of a doubt lay in such rows before, and they could as well lie so still, they do.
    """
    if not before.tracks:
        return reading
    lay = set(_alike(before.tracks))
    for other in reading.other_rows:
        if other not in reading.other_rows:
            continue  # went with another
        if lay.issuperset(_alike(_tracks(reading, in_place_of(reading, other.rows)))):
            reading = without(reading, other.rows)
        elif lay.issuperset(_alike(_tracks(reading, other.rows))):
            reading = with_rows(reading, other.rows)
    return reading


def _tracks(reading: TableReading, rows: Rows) -> Rows:
    return tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)


def _alike(rows: Rows) -> list[tuple[int, ...]]:
    return sorted(min(row, row[::-1]) for row in rows)

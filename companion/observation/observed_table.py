"""Converts a reading to the engine's table, with the tile in the image for each place on the table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.quality.diagnostics import NO_TILES
from tilekeeper.vision.types import NO_TILE_LABEL, OK, TableReading, TileSet

Quad = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ObservedTable:
    """A table, with its tiles' places in the image if a camera has read it.

    Attributes:
        table: the melds.
        rows: each tile's index in the reading, by meld and position; `NO_INDEX` if the table was entered by hand.
        quads_px: each tile's four corners in the image, clockwise from its own top left, by meld and position; empty if
        the table was entered by hand.
        tracks: each tile's track, by meld and position; an empty tuple if the table was entered by hand.
        loose: the indices of the melds that consist of one doubtful tile, which may be a false detection.
    """

    table: Table
    rows: tuple[tuple[int, ...], ...]
    quads_px: tuple[tuple[Quad, ...], ...]
    tracks: tuple[tuple[int, ...], ...] = ()
    loose: tuple[int, ...] = ()


EMPTY_TABLE = ObservedTable(Table(()), (), ())
NO_INDEX = -1
"""The index of a tile that was entered by hand."""


def by_hand(table: Table) -> ObservedTable:
    """Return a table that was entered by hand as an observed table, without places in an image."""
    rows = tuple((NO_INDEX,) * len(meld) for meld in table.melds)
    return ObservedTable(table, rows, tuple(((),) * len(meld) for meld in table.melds))


def table_and_rows(
    reading: TableReading, labels: Mapping[int, str] | None = None
) -> tuple[Table, tuple[tuple[int, ...], ...]]:
    """Return the table of a reading, and by meld and position the index of each tile in the reading.

    Args:
        reading: the tiles and their rows.
        labels: other labels for some tiles, by index; `no-tile` removes the tile.
    """
    labels = labels or {}
    rows: list[tuple[int, ...]] = []
    melds: list[tuple[Tile, ...]] = []
    for row in reading.rows:
        labelled = [(index, tile_of(labels.get(index, reading.tiles[index].label))) for index in row]
        kept = [(index, tile) for index, tile in labelled if tile is not None]
        if kept:
            rows.append(tuple(index for index, _ in kept))
            melds.append(tuple(tile for _, tile in kept))
    return Table(tuple(melds)), tuple(rows)


def observed_table(reading: TableReading, labels: Mapping[int, str] | None = None) -> ObservedTable:
    """Return the table of a reading with the places of its tiles in the image; `labels` as in `table_and_rows`."""
    table, rows = table_and_rows(reading, labels)
    quads_px = tuple(tuple(quad_px(reading, index) for index in row) for row in rows)
    tracks = tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)
    loose = tuple(meld for meld, row in enumerate(rows) if len(row) == 1 and reading.tiles[row[0]].doubtful)
    return ObservedTable(table, rows, quads_px, tracks, loose)


def can_be_judged(reading: TableReading) -> bool:
    """Return whether a turn may be judged or begun by a reading; False for example for a dark or blurred image."""
    return reading.status in (OK, NO_TILES)


def certain_table(reading: TableReading) -> ObservedTable:
    """Return the table of a reading without isolated doubtful tiles, which may be false detections."""
    isolated = {row[0] for row in reading.rows if len(row) == 1}
    return observed_table(reading, {index: NO_TILE_LABEL for index in isolated if reading.tiles[index].doubtful})


def quad_px(reading: TableReading, index: int) -> Quad:
    """Return the four corners of the tile `index` as plain numbers, in pixels of the image, rounded to 0.1."""
    corners = reading.tiles[index].sighting.quad_px
    return tuple(map(tuple, corners.astype(np.float64).round(1).tolist()))


def inks_of(rules: RuleSet) -> tuple[str, str, str, str]:
    """Return the words for the four inks of an edition, in stock order: black, blue, orange or yellow, red."""
    black, blue, warm, red = (ink.word for ink in rules.stock.inks)
    return black, blue, warm, red


def tile_set_of(rules: RuleSet) -> TileSet:
    """Return the tile set of an edition: its words for the inks, and how many copies of each tile it has."""
    return TileSet(inks_of(rules), rules.stock.copies)


def tile_of(label: str) -> Tile | None:
    """Return the tile of a label such as `red-7` or `joker`; None for a label that is no tile."""
    try:
        return Tile.from_label(label)
    except ValueError:
        return None


def with_persons_label(reading: TableReading, index: int, label: str) -> TableReading:
    """Return the reading with a person's label for the tile `index`, which is then no longer doubtful.

    The label `no-tile` removes the tile from its row.
    """
    tile = reading.tiles[index]
    certain = replace(
        tile, label=label, confidence=1.0, doubts=(), sighting=replace(tile.sighting, locked_by_person=True)
    )
    tiles = (*reading.tiles[:index], certain, *reading.tiles[index + 1 :])
    rows = reading.rows
    if tile_of(label) is None:
        rows = tuple(kept for row in rows if (kept := tuple(place for place in row if place != index)))
    return replace(reading, tiles=tiles, rows=rows)

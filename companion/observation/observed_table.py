"""Makes the engine's table out of a reading, and keeps for each place in it the tile on the picture."""

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
    """A table with its place on the picture, as far as a camera has read it.

    Attributes:
        table: its melds.
        rows: for each meld and position the index of the tile in the reading; `NO_INDEX` where it was entered by hand.
        quads_px: for each meld and position the four corners on the picture, clockwise from the tile's own top left;
            empty where it was entered by hand.
        tracks: for each meld and position the track of the tile; no melds at all where it was entered by hand.
        loose: the melds that are a single doubtful tile, which may be none.
    """

    table: Table
    rows: tuple[tuple[int, ...], ...]
    quads_px: tuple[tuple[Quad, ...], ...]
    tracks: tuple[tuple[int, ...], ...] = ()
    loose: tuple[int, ...] = ()


EMPTY_TABLE = ObservedTable(Table(()), (), ())
NO_INDEX = -1
"""In the place of an index into the reading, for a tile that was entered by hand."""


def by_hand(table: Table) -> ObservedTable:
    """Return a table that was entered by hand, whose tiles are on no picture."""
    rows = tuple((NO_INDEX,) * len(meld) for meld in table.melds)
    return ObservedTable(table, rows, tuple(((),) * len(meld) for meld in table.melds))


def table_and_rows(
    reading: TableReading, labels: Mapping[int, str] | None = None
) -> tuple[Table, tuple[tuple[int, ...], ...]]:
    """Return the table of a reading, and for each meld and position of it the index of the tile in the reading.

    Args:
        reading: the tiles and how they lie in rows.
        labels: other labels for some tiles, by index; one that names no tile takes the tile off the table.
    """
    labels = labels or {}
    rows: list[tuple[int, ...]] = []
    melds: list[tuple[Tile, ...]] = []
    for row in reading.rows:
        named = [(index, tile_of(labels.get(index, reading.tiles[index].label))) for index in row]
        kept = [(index, tile) for index, tile in named if tile is not None]
        if kept:
            rows.append(tuple(index for index, _ in kept))
            melds.append(tuple(tile for _, tile in kept))
    return Table(tuple(melds)), tuple(rows)


def observed_table(reading: TableReading, labels: Mapping[int, str] | None = None) -> ObservedTable:
    """Return the table of a reading with its place on the picture; `labels` as in `table_and_rows`."""
    table, rows = table_and_rows(reading, labels)
    quads_px = tuple(tuple(quad_px(reading, index) for index in row) for row in rows)
    tracks = tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)
    loose = tuple(meld for meld, row in enumerate(rows) if len(row) == 1 and reading.tiles[row[0]].doubtful)
    return ObservedTable(table, rows, quads_px, tracks, loose)


def can_be_judged(reading: TableReading) -> bool:
    """Return whether a turn may be judged or begun on a reading: not where the picture is dark or blurred."""
    return reading.status in (OK, NO_TILES)


def certain_table(reading: TableReading) -> ObservedTable:
    """Return the table of a reading without doubtful tiles that lie alone, which may be no tiles."""
    alone = {row[0] for row in reading.rows if len(row) == 1}
    return observed_table(reading, {index: NO_TILE_LABEL for index in alone if reading.tiles[index].doubtful})


def quad_px(reading: TableReading, index: int) -> Quad:
    """Return the corners of a tile as plain numbers, in pixels of the picture to a tenth."""
    corners = reading.tiles[index].sighting.quad_px
    return tuple(map(tuple, corners.astype(np.float64).round(1).tolist()))


def inks_of(rules: RuleSet) -> tuple[str, str, str, str]:
    """Return the words for the four inks of an edition, in stock order: black, blue, orange or yellow, red."""
    black, blue, warm, red = (ink.word for ink in rules.stock.inks)
    return black, blue, warm, red


def tile_set_of(rules: RuleSet) -> TileSet:
    """Return the set of tiles of an edition: the words for its inks, and how many copies of each tile it has."""
    return TileSet(inks_of(rules), rules.stock.copies)


def tile_of(label: str) -> Tile | None:
    """Return the tile of a label such as `red-7` or `joker`, or None for a label that names no tile."""
    try:
        return Tile.from_label(label)
    except ValueError:
        return None


def named_by_person(reading: TableReading, index: int, label: str) -> TableReading:
    """Return the reading with one tile named by a person, so that it is not in doubt any more.

    A label that names no tile takes the tile out of its row.
    """
    tile = reading.tiles[index]
    sure = replace(tile, label=label, confidence=1.0, doubts=(), sighting=replace(tile.sighting, locked_by_person=True))
    tiles = (*reading.tiles[:index], sure, *reading.tiles[index + 1 :])
    rows = reading.rows
    if tile_of(label) is None:
        rows = tuple(kept for row in rows if (kept := tuple(place for place in row if place != index)))
    return replace(reading, tiles=tiles, rows=rows)

"""Makes the engine's table out of a reading, and keeps for each place in it the tile on the picture."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.tracking.missing_tiles import NOT_FOUND
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile, TableReading

Quad = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Laid:
    """A table as it was seen to lie.

    Attributes:
        table: its melds.
        rows: for each meld and position the index of the tile in the reading; `NOT_SEEN` where nobody saw it.
        quads_px: for each meld and position the four corners on the picture, clockwise from the tile's own top left;
            empty where nobody saw it.
        tracks: for each meld and position the track of the tile; no melds at all where it was entered by hand.
        loose: the melds that are a single doubtful tile, which may be none.
    """

    table: Table
    rows: tuple[tuple[int, ...], ...]
    quads_px: tuple[tuple[Quad, ...], ...]
    tracks: tuple[tuple[int, ...], ...] = ()
    loose: tuple[int, ...] = ()


NOTHING_LAID = Laid(Table(()), (), ())
NOT_SEEN = -1
"""In the place of a tile's index in the reading, where it was entered by hand."""


def is_missing(tile: ReadTile) -> bool:
    """Whether a tile was not found but is read where it lay, and nobody has said yet whether it lies there."""
    return tile.confidence == NOT_FOUND and tile.doubtful


def is_taken(tile: ReadTile) -> bool:
    """Whether a person said of a missing tile that it was taken away; what never was a tile is named by a person."""
    return tile.label == NO_TILE_LABEL and not tile.sighting.locked_by_person


def by_hand(table: Table) -> Laid:
    """Return a table that was entered by hand: its tiles lie on no picture."""
    rows = tuple((NOT_SEEN,) * len(meld) for meld in table.melds)
    return Laid(table, rows, tuple(((),) * len(meld) for meld in table.melds))


def laid(reading: TableReading, labels: Mapping[int, str] | None = None) -> Laid:
    """Return the table of a reading.

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
    quads_px = tuple(tuple(quad_px(reading, index) for index in row) for row in rows)
    tracks = tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)
    loose = tuple(meld for meld, row in enumerate(rows) if len(row) == 1 and reading.tiles[row[0]].doubtful)
    return Laid(Table(tuple(melds)), tuple(rows), quads_px, tracks, loose)


def surely_laid(reading: TableReading) -> Laid:
    """Return the table of a reading without what lies alone and may be no tile at all."""
    alone = {row[0] for row in reading.rows if len(row) == 1}
    return laid(reading, {index: NO_TILE_LABEL for index in alone if reading.tiles[index].doubtful})


def quad_px(reading: TableReading, index: int) -> Quad:
    """Return the corners of a tile as plain numbers, in pixels of the picture to a tenth."""
    corners = reading.tiles[index].sighting.quad_px
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners)


def inks_of(rules: RuleSet) -> tuple[str, str, str, str]:
    """Return the words for the four inks of an edition, in stock order: black, blue, orange or yellow, red."""
    black, blue, warm, red = (ink.word for ink in rules.stock.inks)
    return black, blue, warm, red


def tile_of(label: str) -> Tile | None:
    """Return the tile of a label such as `red-7` or `joker`, or None for a label that names no tile."""
    try:
        return Tile.from_label(label)
    except ValueError:
        return None


def answered(reading: TableReading, index: int, label: str) -> TableReading:
    """Return the reading with one tile named by a person, who is not in doubt.

    A label that names no tile takes the tile out of its row.
    """
    tile = reading.tiles[index]
    sure = replace(
        tile, label=label, confidence=1.0, doubtful=False, sighting=replace(tile.sighting, locked_by_person=True)
    )
    tiles = (*reading.tiles[:index], sure, *reading.tiles[index + 1 :])
    rows = reading.rows
    if tile_of(label) is None:
        rows = tuple(kept for row in rows if (kept := tuple(place for place in row if place != index)))
    return replace(reading, tiles=tiles, rows=rows)

"""Doubts about melds are settled by the table before."""

from dataclasses import replace

from tests.support.known_tables import table_reading
from tilekeeper.companion.observation.groupings import grouped_as_before
from tilekeeper.companion.observation.observed_table import EMPTY_TABLE, observed_table
from tilekeeper.vision.types import AlternativeGrouping, TableReading

APART, JOINED = ((0, 1, 2), (3, 4, 5)), ((0, 1, 2, 3, 4, 5),)


def lying_as(reading: TableReading, notation: str) -> TableReading:
    """Return the reading of a table, with the tiles of another reading assigned by their labels."""
    tiles = {tile.label: tile for tile in reading.tiles}
    other = table_reading(notation)
    return replace(other, tiles=tuple(tiles.get(tile.label, tile) for tile in other.tiles))


def test_doubtful_melds_are_grouped_as_before():
    two = table_reading("K1 K2 K3 | R9 B9 K9")
    one = replace(lying_as(two, "K1 K2 K3 R9 B9 K9"), other_rows=(AlternativeGrouping(APART, 0.4),))
    for reading in (replace(two, other_rows=(AlternativeGrouping(JOINED, 0.4),)), one):
        settled = grouped_as_before(observed_table(two), reading)
        assert (settled.rows, settled.other_rows) == (APART, ())
    # A table without these melds settles nothing.
    assert grouped_as_before(EMPTY_TABLE, one) is one

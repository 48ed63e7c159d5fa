"""Adds tiles to a reading that lay on the table when the turn began, are found nowhere, and may still lie there.

The networks can lose a tile. Each such tile is read as a doubtful one in its old place, if that place still looks like
a tile: then the page shows it, and people are asked before a turn is called illegal for it. Where the place shows the
table, the tile was taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from tilekeeper.companion.observation.observed_table import TAKEN_WITHIN, ObservedTable
from tilekeeper.companion.observation.start_table import known_places
from tilekeeper.engine.tiles.table import Place
from tilekeeper.vision.geometry.proximity import free_places
from tilekeeper.vision.geometry.quads import as_quads, centres_px, sizes_wh_px
from tilekeeper.vision.tracking.missing_tiles import occupied_places, with_missing_tile
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading


def missing_places(start: ObservedTable, reading: TableReading) -> dict[int, Place]:
    """Return the places of tiles that are found nowhere and in whose place no other was found, by their tracks.

    Of tiles that are alike only so many are missing as lie nowhere else.
    """
    found = Counter(tile.label for tile in reading.tiles)
    before = Counter(tile.label for _, tile in start.table.places())
    if not before - found:
        return {}
    known = set(known_places(start, reading).values())
    middles = centres_px(as_quads([tile.sighting.quad_px for tile in reading.tiles]))
    places = {}
    for place, tile in start.table.places():
        quad = start.quads_px[place.meld][place.position]
        if place in known or not quad or place.meld in start.loose or before[tile.label] <= found[tile.label]:
            continue
        quads_px = as_quads([quad])
        if free_places(centres_px(quads_px), middles, TAKEN_WITHIN * sizes_wh_px(quads_px)[0, 0]).all():
            places[start.tracks[place.meld][place.position]] = place
    return places


def with_missing_tiles(
    reading: TableReading,
    start: ObservedTable,
    missing: dict[int, Place],
    image_bgr: np.ndarray,
    inks: tuple[str, str, str, str],
) -> TableReading:
    """Return a reading with the missing tiles whose places look as if they still lay there, the doubtful ones last.

    Args:
        reading: what was read.
        start: the table at the start of the turn.
        missing: the places of the missing tiles on it, by their tracks, see `missing_places`.
        image_bgr: the frame that was read, `(H, W, 3) uint8`.
        inks: the names of the inks.
    """
    if not missing:
        return reading
    quads_px = as_quads([start.quads_px[place.meld][place.position] for place in missing.values()])
    is_occupied = occupied_places(image_bgr, quads_px, reading)
    for (track, place), quad_px, occupied in zip(missing.items(), quads_px, is_occupied, strict=True):
        if occupied:
            reading = with_missing_tile(reading, track, quad_px, start.table.tile_at(place).label, inks)
    return reading


def as_taken(reading: TableReading, index: int) -> TableReading:
    """Return a reading in which a missing tile was taken away: it lay on the table only when the turn began.

    It becomes `no-tile`, but is not marked as named by a person: such a mark would remove it from the start of the turn
    too. The tiles on either side of the gap get a row of their own.
    """
    tile = reading.tiles[index]
    taken = replace(tile, label=NO_TILE_LABEL, runner_up=NO_TILE_LABEL, doubts=(), confidence=1.0)
    rows: list[tuple[int, ...]] = []
    for row in reading.rows:
        cut = row.index(index) if index in row else len(row)
        rows += [part for part in (row[:cut], row[cut + 1 :]) if part]
    return replace(reading, tiles=(*reading.tiles[:index], taken, *reading.tiles[index + 1 :]), rows=tuple(rows))

"""Corrects the table at the start of a turn by what is known by now of the tiles that lay on it.

The game's events have the table as it was read then. Where a tile that is still on the table turns out to be another
one, it was that other one at the start too: nobody exchanged it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilekeeper.companion.observation.observed_table import ObservedTable, Quad, tile_of
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.geometry.proximity import are_free
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.tracking.association import MAX_SAME_PLACE_WIDTHS
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading


def known_places(before: ObservedTable, reading: TableReading) -> dict[int, Place]:
    """Return the places on the table before of those tiles of a reading that lay on it, by the tiles' indices.

    A tile is known by its track, and must have the same name or lie in the same place.
    """
    places = {track: Place(meld, at) for meld, row in enumerate(before.tracks) for at, track in enumerate(row)}
    nearest = _nearest_places(before, reading)
    found: dict[int, Place] = {}
    for index, tile in enumerate(reading.tiles):
        place = places.get(tile.sighting.track)
        if place is None or place in found.values():
            continue
        if place == nearest.get(index) or before.table.tile_at(place).label == tile.label:
            found[index] = place
    return found


def corrected_start(before: ObservedTable, reading: TableReading) -> ObservedTable:
    """Return the table at the start of a turn with the names that people have given to its tiles since.

    A doubtful tile that lay alone and is not found any more is left out: it was no tile.
    """
    there = known_places(before, reading)
    names = {
        place: reading.tiles[index].label
        for index, place in there.items()
        if reading.tiles[index].sighting.locked_by_person
    }
    names |= {Place(meld, 0): NO_TILE_LABEL for meld in before.loose if Place(meld, 0) not in there.values()}
    return renamed(before, names)


def renamed(before: ObservedTable, names: Mapping[Place, str]) -> ObservedTable:
    """Return a table with other labels for some of its tiles; a label that names no tile removes the tile."""
    if all(before.table.tile_at(place).label == name for place, name in names.items()):
        return before
    melds: list[tuple[Tile, ...]] = []
    rows: list[tuple[int, ...]] = []
    quads_px: list[tuple[Quad, ...]] = []
    tracks: list[tuple[int, ...]] = []
    loose: list[int] = []
    for meld, tiles in enumerate(before.table.melds):
        named = [tile_of(names.get(Place(meld, at), tile.label)) for at, tile in enumerate(tiles)]
        kept = [at for at, tile in enumerate(named) if tile is not None]
        if not kept:
            continue
        if meld in before.loose and Place(meld, 0) not in names:
            loose.append(len(melds))
        melds.append(tuple(tile for tile in named if tile is not None))
        rows.append(tuple(before.rows[meld][at] for at in kept))
        quads_px.append(tuple(before.quads_px[meld][at] for at in kept))
        if before.tracks:
            tracks.append(tuple(before.tracks[meld][at] for at in kept))
    return ObservedTable(Table(tuple(melds)), tuple(rows), tuple(quads_px), tuple(tracks), tuple(loose))


def _nearest_places(before: ObservedTable, reading: TableReading) -> dict[int, Place]:
    """Return the place on the table before in which a tile of the reading lies, by the tile's index."""
    places = [Place(meld, at) for meld, row in enumerate(before.quads_px) for at, quad in enumerate(row) if quad]
    if not places or not reading.tiles:
        return {}
    quads_px = np.array([tile.sighting.quad_px for tile in reading.tiles])
    lay_px = centres_px(np.array([before.quads_px[place.meld][place.position] for place in places]))
    nearest = distances_px(centres_px(quads_px), lay_px).argmin(axis=1)
    within_px = MAX_SAME_PLACE_WIDTHS * sizes_wh_px(quads_px)[:, :1]
    close = ~are_free(centres_px(quads_px), lay_px, within_px)
    return {int(index): places[nearest[index]] for index in np.flatnonzero(close)}

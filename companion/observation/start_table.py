"""Corrects the table at the start of a turn by labels that people give to its tiles later.

The game's events have the table as it was read at the start. If a person corrects the label of a tile later, the tile
had this label at the start too, since nobody has exchanged it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilekeeper.companion.observation.observed_table import ObservedTable, Quad, tile_of
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.geometry.proximity import are_free
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.tracking.tracks import MAX_SAME_PLACE_WIDTHS
from tilekeeper.vision.types import NO_TILE_LABEL, TableReading


def known_places(before: ObservedTable, reading: TableReading) -> dict[int, Place]:
    """Match the tiles of a reading to the table `before`; return each matched tile's place there, by tile index.

    Tiles are matched by track, and must have the same label or be at the same place in the image.
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
    """Return the table at the start of a turn with the labels that people gave to its tiles later.

    An isolated doubtful tile that is no longer detected is removed, since it was a false detection.
    """
    places = known_places(before, reading)
    labels = {
        place: reading.tiles[index].label
        for index, place in places.items()
        if reading.tiles[index].sighting.locked_by_person
    }
    labels |= {Place(meld, 0): NO_TILE_LABEL for meld in before.loose if Place(meld, 0) not in places.values()}
    return relabel(before, labels)


def relabel(before: ObservedTable, labels: Mapping[Place, str]) -> ObservedTable:
    """Return the table with other `labels` for the tiles at some places; `no-tile` removes the tile."""
    if all(before.table.tile_at(place).label == label for place, label in labels.items()):
        return before
    melds: list[tuple[Tile, ...]] = []
    rows: list[tuple[int, ...]] = []
    quads_px: list[tuple[Quad, ...]] = []
    tracks: list[tuple[int, ...]] = []
    loose: list[int] = []
    for meld, tiles in enumerate(before.table.melds):
        relabelled = [tile_of(labels.get(Place(meld, at), tile.label)) for at, tile in enumerate(tiles)]
        kept = [at for at, tile in enumerate(relabelled) if tile is not None]
        if not kept:
            continue
        if meld in before.loose and Place(meld, 0) not in labels:
            loose.append(len(melds))
        melds.append(tuple(tile for tile in relabelled if tile is not None))
        rows.append(tuple(before.rows[meld][at] for at in kept))
        quads_px.append(tuple(before.quads_px[meld][at] for at in kept))
        if before.tracks:
            tracks.append(tuple(before.tracks[meld][at] for at in kept))
    return ObservedTable(Table(tuple(melds)), tuple(rows), tuple(quads_px), tuple(tracks), tuple(loose))


def _nearest_places(before: ObservedTable, reading: TableReading) -> dict[int, Place]:
    """Match tiles by position in the image; return their places on the table `before`, by tile index."""
    places = [Place(meld, at) for meld, row in enumerate(before.quads_px) for at, quad in enumerate(row) if quad]
    if not places or not reading.tiles:
        return {}
    quads_px = np.array([tile.sighting.quad_px for tile in reading.tiles])
    places_px = centres_px(np.array([before.quads_px[place.meld][place.position] for place in places]))
    nearest = distances_px(centres_px(quads_px), places_px).argmin(axis=1)
    within_px = MAX_SAME_PLACE_WIDTHS * sizes_wh_px(quads_px)[:, :1]
    close = ~are_free(centres_px(quads_px), places_px, within_px)
    return {int(index): places[nearest[index]] for index in np.flatnonzero(close)}

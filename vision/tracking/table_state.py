"""Makes the reading of a table that is followed: rows, names that hold together, and what is wrong and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.vision import types as kinds
from tilekeeper.vision.geometry.quads import as_quads, distances_px
from tilekeeper.vision.quality.diagnostics import WORDS, troubles_of
from tilekeeper.vision.quality.face_down import tiles_face_down
from tilekeeper.vision.quality.status import status_of
from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.scoring.features import NEIGHBOURS
from tilekeeper.vision.scoring.naming import decoded, of_one_set
from tilekeeper.vision.scoring.set_constraints import within_stock
from tilekeeper.vision.scoring.tileness import IsTile
from tilekeeper.vision.tracking.hysteresis import Inks
from tilekeeper.vision.tracking.incremental_rows import Grouped
from tilekeeper.vision.tracking.track import Track
from tilekeeper.vision.types import NO_TILE_LABEL, Grouping, ReadTile, TableReading, Trouble, log_probs_of

PEERS = NEIGHBOURS
"""With so many of the nearest tiles a new one is compared."""


@dataclass(frozen=True, slots=True)
class Set:
    """The set of tiles on the table: its words for the four inks, and how often it has each tile."""

    inks: Inks
    copies: int = COPIES


def reading_of(
    image: np.ndarray, tiles: Sequence[ReadTile], of: Set, grouped: Grouped, colourless: bool, time_s: float
) -> TableReading:
    """Return what tiles say together, as `TableReading`; what a person called no tile lies in no row.

    Its troubles and what lies face down are for `surveyed` to add.
    """
    there = [at for at, tile in enumerate(tiles) if tile.label != NO_TILE_LABEL]
    known = [tiles[at] for at in there]
    quads_px = np.array([tile.sighting.quad_px for tile in known], np.float32).reshape(-1, 4, 2)
    rows, others = grouped(quads_px)
    together = [
        tile if tile.sighting.locked_by_person else after
        for tile, after in zip(known, decoded(known, rows, of.inks), strict=True)
    ]
    together = _not_too_many(together, of.copies)
    status = status_of(image, quads_px, tuple(tile.doubtful for tile in together), colourless)
    told = list(tiles)
    for at, tile in zip(there, together, strict=True):
        told[at] = tile
    placed = tuple(Grouping(_at(there, other.rows), other.weight) for other in others)
    image_wh = image.shape[1], image.shape[0]
    return TableReading(tuple(told), _at(there, rows), image_wh, status, time_s, other_rows=placed)


def surveyed(image: np.ndarray, reading: TableReading, faint_px: np.ndarray) -> tuple[tuple[Trouble, ...], np.ndarray]:
    """Return what is wrong with a picture, and the quads of tiles that lie face down in it, `(M, 4, 2) float32`.

    `faint_px (K, 4, 2)` is what was found too faint for a tile.
    """
    tiles, rows = seen_only(reading)
    quads_px = as_quads([tile.sighting.quad_px for tile in tiles])
    sure = np.array([not tile.doubtful for tile in tiles], bool)
    face_down = tiles_face_down(image, faint_px, quads_px, sure)
    return troubles_of(image, tiles, rows, face_down), face_down


def seen_only(reading: TableReading) -> tuple[tuple[ReadTile, ...], tuple[tuple[int, ...], ...]]:
    """Return the tiles in the rows of a reading that nothing hides, and their rows."""
    seen = [at for row in reading.rows for at in row if not reading.tiles[at].sighting.hidden]
    new = {at: index for index, at in enumerate(seen)}
    rows = [tuple(new[at] for at in row if at in new) for row in reading.rows]
    return tuple(reading.tiles[at] for at in seen), tuple(filter(None, rows))


def in_the_way(hidden_px: Sequence[np.ndarray], tracks: Sequence[Track]) -> tuple[Trouble, ...]:
    """Return a trouble for each outline `(K, 2)` of what covers the table, and for what else lies over tiles."""
    outlines = [outline.astype(np.float32) for outline in hidden_px if len(outline) >= 3]
    alone = [
        track.quad_px
        for track in tracks
        if track.hidden and not any(_reaches(track.quad_px, outline) for outline in outlines)
    ]
    regions = [*(cv2.boxPoints(cv2.minAreaRect(outline)) for outline in outlines), *alone]
    return tuple(
        Trouble(kinds.IN_THE_WAY, WORDS[kinds.IN_THE_WAY], region.astype(np.float32).reshape(4, 2))
        for region in regions
    )


def odd_ones(
    image: np.ndarray, tiles: Sequence[ReadTile], fresh: set[int], is_tile: IsTile | None = None
) -> tuple[set[int], set[int]]:
    """Return the tracks among the `fresh` ones that are no tiles of the set around them, and those that may be none.

    See `naming.of_one_set`; the second are put in doubt for that alone. What a person called no tile shows nothing of
    how tiles look.
    """
    tiles = [tile for tile in tiles if tile.label != NO_TILE_LABEL]
    new = [at for at, tile in enumerate(tiles) if tile.sighting.track in fresh]
    if not new:
        return set(), set()
    middles = np.array([tile.sighting.quad_px for tile in tiles]).mean(axis=1)
    apart = distances_px(middles[new], middles)
    near = sorted({int(at) for at in np.argsort(apart, axis=1)[:, : PEERS + 1].ravel()} | set(new))
    some = [tiles[at] for at in near]
    asked = fresh & {tile.sighting.track for tile in some if not tile.sighting.locked_by_person}
    sure = {tile.sighting.track for tile in some if not tile.doubtful}
    left = {tile.sighting.track: tile.doubtful for tile in of_one_set(image, some, is_tile, whole=False)}
    return asked - left.keys(), {track for track in asked & sure if left.get(track, False)}


def _not_too_many(tiles: list[ReadTile], copies: int) -> list[ReadTile]:
    """Return the tiles, all those in doubt of which more are read than the set has."""
    if copies >= COPIES or not tiles:
        return tiles
    crowded = within_stock(log_probs_of([tile.sighting.names for tile in tiles]), copies)[1]
    return [
        replace(tile, doubtful=True) if in_question and not tile.sighting.locked_by_person else tile
        for tile, in_question in zip(tiles, crowded, strict=True)
    ]


def _at(places: Sequence[int], rows: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(places[at] for at in row) for row in rows)


def _reaches(quad_px: np.ndarray, outline_px: np.ndarray) -> bool:
    x, y = (float(value) for value in quad_px.mean(axis=0))
    return cv2.pointPolygonTest(outline_px, (x, y), True) >= -float(np.linalg.norm(quad_px[1] - quad_px[0]))

"""Tiles that lay on the table when the turn began and are found nowhere, though their places look as if they lay there.

Nobody took them, as far as can be seen: the eye has lost them. Each is told as a doubtful tile where it lay, so that
the page shows it, and people are asked before a turn is called illegal for it. Where the place shows the table, it was
taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.companion.observation.observed_table import Laid, answered, is_unseen
from tilekeeper.companion.observation.start_table import lay_there
from tilekeeper.engine.tiles.table import Place
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.tracking.missing_tiles import still_there, with_missing_tile
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile, TableReading

TAKEN_AWAY = -1
"""The track of one of which a person said that it lies there no more."""
SAME_PLACE = 0.6
"""In tile widths: where another tile is found nearer than this, it lies in the place of the one that is missed."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A person's word for a place: the label of the tile that lies there still, `no-tile` for none."""

    centre_px: tuple[float, float]
    label: str


class StillThere:
    """Adds to readings what lies there still; remembers what people said of it. Not for several threads at once."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._said: tuple[_Said, ...] = ()

    def tells(self, tile: ReadTile) -> bool:
        """Whether it is told by this and not by the eye, be it that a person has said that it lies there."""
        return is_unseen(tile) or any(_near(one, tile.sighting.quad_px) for one in self._said)

    def say(self, tile: ReadTile, label: str) -> None:
        """Take a person's word for such a tile; `no-tile` where it lies there no more."""
        here = _middle(tile.sighting.quad_px)
        self._said = (*(one for one in self._said if not _near(one, tile.sighting.quad_px)), _Said(here, label))

    def applied(
        self, start: Laid | None, reading: TableReading, image_bgr: np.ndarray | None, inks: tuple[str, str, str, str]
    ) -> TableReading:
        """Return a reading with the tiles that are missed and may lie there still, the doubtful ones last.

        Args:
            start: the table at the start of the turn; none where no turn is played.
            reading: what was read.
            image_bgr: the frame that was read, `(H, W, 3) uint8`; without one nothing is added.
            inks: the names of the inks.
        """
        # what is found again is told by the eye, and what was said of its place is over
        self._said = tuple(
            one for one in self._said if not any(_near(one, tile.sighting.quad_px) for tile in reading.tiles)
        )
        missed = () if start is None else _missed(start, reading)
        if start is None or image_bgr is None or not missed:
            return reading
        places_px = np.array([start.quads_px[place.meld][place.position] for place in missed], np.float32)
        lies_there = still_there(image_bgr, places_px, reading)
        for place, quad_px in zip(missed, places_px, strict=True):
            if not lies_there[missed.index(place)]:
                continue
            label = start.table.tile_at(place).label
            said = next((one.label for one in self._said if _near(one, quad_px)), None)
            track = start.tracks[place.meld][place.position] if start.tracks else len(reading.tiles)
            reading = with_missing_tile(reading, track, quad_px, label, inks)
            if said is not None:
                reading = said_of_unseen(reading, len(reading.tiles) - 1, said)
        return reading


def said_of_unseen(reading: TableReading, index: int, label: str) -> TableReading:
    """Return a reading with a person's word for a tile that is not seen.

    One that lies there no more lay there when the turn began, and was taken; any other was so from the beginning.
    """
    if label != NO_TILE_LABEL:
        return answered(reading, index, label)
    tile = reading.tiles[index]
    gone = replace(
        tile,
        label=NO_TILE_LABEL,
        runner_up=NO_TILE_LABEL,
        doubtful=False,
        confidence=1.0,
        sighting=replace(tile.sighting, track=TAKEN_AWAY),
    )
    rows: list[tuple[int, ...]] = []
    for row in reading.rows:  # what lies on either side of the gap lies in a row of its own
        cut = row.index(index) if index in row else len(row)
        rows += [part for part in (row[:cut], row[cut + 1 :]) if part]
    return replace(reading, tiles=(*reading.tiles[:index], gone, *reading.tiles[index + 1 :]), rows=tuple(rows))


def _missed(start: Laid, reading: TableReading) -> tuple[Place, ...]:
    """The places of tiles that are missed, and in which no other tile is found.

    Of tiles that are alike only so many are missed as lie nowhere else.
    """
    there = Counter(tile.label for tile in reading.tiles)
    lay = Counter(tile.label for _, tile in start.table.places())
    if not lay - there:
        return ()
    known = set(lay_there(start, reading).values())
    found = []
    for place, tile in start.table.places():
        quad = start.quads_px[place.meld][place.position]
        if place in known or not quad or place.meld in start.loose or lay[tile.label] <= there[tile.label]:
            continue
        quad_px = np.array(quad, np.float32)
        if not any(_is_near(quad_px, other.sighting.quad_px) for other in reading.tiles):
            found.append(place)
    return tuple(found)


def _middle(quad_px: np.ndarray) -> tuple[float, float]:
    x, y = centres_px(quad_px[None])[0]
    return float(x), float(y)


def _near(said: _Said, quad_px: np.ndarray) -> bool:
    apart = np.subtract(_middle(quad_px), said.centre_px)
    return float(np.hypot(*apart)) < SAME_PLACE * float(sizes_wh_px(quad_px[None])[0, 0])


def _is_near(quad_px: np.ndarray, other_px: np.ndarray) -> bool:
    return _near(_Said(_middle(other_px), ""), quad_px)

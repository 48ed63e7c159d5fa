"""Remembers what people said of tiles that are followed: names until the eye hears them, melds, empty places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.companion.observation.groupings import SaidRows, as_said
from tilekeeper.companion.observation.observed_table import answered
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile, TableReading

SAME_PLACE = 0.6
"""In widths of what was taken for a tile: something else that is found nearer than this is the same pattern again."""


@dataclass(frozen=True, slots=True)
class _Nothing:
    """A place of which a person said that no tile lies there: its middle, and how wide what was seen there was."""

    centre_px: tuple[float, float]
    width_px: float


class SaidOfTracks:
    """What people said; not for several threads at once."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._names: tuple[tuple[int, str], ...] = ()
        self._rows: tuple[SaidRows, ...] = ()
        self._nothing: tuple[_Nothing, ...] = ()

    def name(self, tile: ReadTile, label: str) -> None:
        """Take a person's word for what a tile is."""
        self._names = (*self._names, (tile.sighting.track, label))
        here = _place_of(tile)
        kept = [one for one in self._nothing if not _is_at(one, here)]
        self._nothing = (*kept, here) if label == NO_TILE_LABEL else tuple(kept)

    def rows(self, said: SaidRows) -> None:
        """Take a person's word for how tiles lie."""
        self._rows = (*self._rows, said)

    def take(self) -> tuple[tuple[int, str], ...]:
        """Return the names said since this was asked last, for whoever follows the tracks."""
        names, self._names = self._names, ()
        return names

    def applied(self, reading: TableReading) -> TableReading:
        """Return a reading with what was said: what the eye takes for a tile again where there is none is none."""
        at = {tile.sighting.track: index for index, tile in enumerate(reading.tiles)}
        for track, label in self._names:
            if track in at:
                reading = answered(reading, at[track], label)
        for index, tile in enumerate(reading.tiles):
            if tile.sighting.locked_by_person:
                continue
            here = _place_of(tile)
            if not any(_is_at(one, here) for one in self._nothing):
                continue
            if tile.doubtful and (index,) in reading.rows:
                reading = answered(reading, index, NO_TILE_LABEL)
                self._names = (*self._names, (tile.sighting.track, NO_TILE_LABEL))
            elif not tile.doubtful:  # now a tile does lie there
                self._nothing = tuple(one for one in self._nothing if not _is_at(one, here))
        reading, self._rows = as_said(reading, self._rows)
        return reading


def _place_of(tile: ReadTile) -> _Nothing:
    quad_px = tile.sighting.quad_px[None]
    x, y = (float(value) for value in centres_px(quad_px)[0])
    return _Nothing((x, y), float(sizes_wh_px(quad_px)[0, 0]))


def _is_at(nothing: _Nothing, here: _Nothing) -> bool:
    return float(np.hypot(*np.subtract(here.centre_px, nothing.centre_px))) < SAME_PLACE * nothing.width_px

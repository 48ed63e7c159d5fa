"""Keeps what people said of the tiles on the table: names, that something is no tile, and which tiles lie in one meld.

All of it is kept by the tracks of the tiles, so that it stays with a tile while that lies or slides. Only "no tile" is
kept by its place too: a pattern on the cloth that is found again gets another track.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tilekeeper.companion.observation.groupings import Rows, replaced_rows, same_rows, with_rows, without
from tilekeeper.companion.observation.observed_table import named_by_person
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import INKS, NO_TILE_LABEL, AlternativeGrouping, ReadTile, TableReading

Inks = tuple[str, str, str, str]
SAME_PLACE = 0.6
"""In tile widths: what is found nearer than this to where something was lies in its place. The next tile of a row lies
a whole width away, and something that is found a second time hardly a tenth."""


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """How some tiles lie, by their tracks: in the rows that a person chose and not in those that were rejected."""

    rows: Rows
    rejected: Rows


@dataclass(frozen=True, slots=True)
class EmptyPlace:
    """A place in which no tile lies: its middle, and the width of what was taken for a tile there, in pixels."""

    centre_px: tuple[float, float]
    width_px: float

    @classmethod
    def of(cls, tile: ReadTile) -> EmptyPlace:
        """Return the place in which a tile was read."""
        quad_px = tile.sighting.quad_px[None]
        x, y = (float(value) for value in centres_px(quad_px)[0])
        return cls((x, y), float(sizes_wh_px(quad_px)[0, 0]))

    def holds(self, tile: ReadTile) -> bool:
        """Return whether a tile was read here."""
        apart_px = np.subtract(EmptyPlace.of(tile).centre_px, self.centre_px)
        return float(np.hypot(*apart_px)) < SAME_PLACE * self.width_px


@dataclass(frozen=True, slots=True)
class Annotations:
    """What people said of the table that is watched now; another table starts with none.

    Attributes:
        labels: names of tiles that were found, by track; `no-tile` for what is none. The tracker gets them too.
        rows: how tiles lie that could as well lie otherwise.
        empty_places: where something was read and no tile lies.
        inks: the edition's words for the four inks, in which tiles are named here.
    """

    labels: Mapping[int, str] = field(default_factory=dict)
    rows: tuple[ChosenRows, ...] = ()
    empty_places: tuple[EmptyPlace, ...] = ()
    inks: Inks = INKS

    def with_label(self, tile: ReadTile, label: str) -> Annotations:
        """Return these with the name that a person gave to a tile of the present reading; `no-tile` for none."""
        track = tile.sighting.track
        others = tuple(place for place in self.empty_places if not place.holds(tile))
        here = (EmptyPlace.of(tile),) if label == NO_TILE_LABEL else ()
        return replace(self, labels={**self.labels, track: label}, empty_places=(*others, *here))

    def with_rows(self, reading: TableReading, doubt: AlternativeGrouping, rows: Rows) -> Annotations:
        """Return these with the rows that a person chose: those of the reading, or the other ones of a doubt of it."""
        read_rows = replaced_rows(reading, doubt.rows)
        rejected = read_rows if same_rows(rows, doubt.rows) else doubt.rows
        return replace(self, rows=(*self.rows, ChosenRows(_tracks(reading, rows), _tracks(reading, rejected))))

    def updated_by(self, reading: TableReading, inks: Inks) -> Annotations:
        """Return what of these still holds on a newer reading from the tracker, named in the words of `inks`.

        A doubtful tile that lies alone on an empty place is no tile either; where a sure one lies, the place is empty
        no more. Chosen rows hold for as long as their tiles lie together and no other lies with them.
        """
        words = dict(zip(self.inks, inks, strict=True))
        labels = {track: _in_words(label, words) for track, label in self.labels.items()}
        places = self.empty_places
        for index, tile in enumerate(reading.tiles):
            if tile.sighting.locked_by_person or not any(place.holds(tile) for place in places):
                continue
            if not tile.doubtful:
                places = tuple(place for place in places if not place.holds(tile))
            elif (index,) in reading.rows:
                labels.setdefault(tile.sighting.track, NO_TILE_LABEL)
        rows = tuple(chosen for chosen in self.rows if _rows_of(chosen, reading) is not None)
        return Annotations(labels, rows, places, inks)

    def applied_to(self, reading: TableReading) -> TableReading:
        """Return a reading with the names and the rows that people gave."""
        for index, tile in enumerate(reading.tiles):
            if (label := self.labels.get(tile.sighting.track)) is not None:
                reading = named_by_person(reading, index, label)
        for chosen in self.rows:
            rows = _rows_of(chosen, reading)
            if rows is None:
                continue
            if not same_rows(replaced_rows(reading, rows), rows):
                reading = with_rows(reading, rows)
            rejected = _indices(chosen.rejected, reading)
            if rejected is not None:
                reading = without(reading, rejected)
        return reading


def _in_words(label: str, words: Mapping[str, str]) -> str:
    """Return a label such as `orange-7` with other words for the inks; a joker and no tile have none."""
    ink, dash, number = label.partition("-")
    return f"{words[ink]}-{number}" if dash and ink in words else label


def _rows_of(chosen: ChosenRows, reading: TableReading) -> Rows | None:
    """Return chosen rows by the indices of their tiles; None where some are gone or others lie with them."""
    rows = _indices(chosen.rows, reading)
    if rows is None:
        return None
    together = {index for row in replaced_rows(reading, rows) for index in row}
    return rows if together == {index for row in rows for index in row} else None


def _indices(rows: Rows, reading: TableReading) -> Rows | None:
    """Return rows of tracks as rows of indices into the reading's tiles; None where a track is not among them."""
    at = {tile.sighting.track: index for index, tile in enumerate(reading.tiles)}
    if not all(track in at for row in rows for track in row):
        return None
    return tuple(tuple(at[track] for track in row) for row in rows)


def _tracks(reading: TableReading, rows: Rows) -> Rows:
    return tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)

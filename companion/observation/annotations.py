"""Annotations: people's corrections of a reading, namely labels, "no tile", and which tiles form a meld.

An annotation belongs to a track, so that it stays with a tile that slides. "No tile" also belongs to a place, since a
pattern on the cloth gets a new track each time that it is detected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tilekeeper.companion.observation.groupings import Rows, replaced_rows, same_rows, with_rows, without_doubt
from tilekeeper.companion.observation.observed_table import with_persons_label
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import INKS, NO_TILE_LABEL, AlternativeGrouping, ReadTile, TableReading

Inks = tuple[str, str, str, str]
SAME_PLACE = 0.6
"""Two detections whose distance is below this many tile widths are at the same place. The next tile of a row is a
whole width away; a second detection of the same thing is hardly a tenth away."""


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows that a person chose for some tiles, and the rows that the person rejected; tiles are given by track."""

    rows: Rows
    rejected: Rows


@dataclass(frozen=True, slots=True)
class EmptyPlace:
    """A place that a person marked as "no tile": the centre and the width of the false detection there, in pixels."""

    centre_px: tuple[float, float]
    width_px: float

    @classmethod
    def of(cls, tile: ReadTile) -> EmptyPlace:
        """Return the place of a false detection."""
        quad_px = tile.sighting.quad_px[None]
        x, y = (float(value) for value in centres_px(quad_px)[0])
        return cls((x, y), float(sizes_wh_px(quad_px)[0, 0]))

    def holds(self, tile: ReadTile) -> bool:
        """Return whether a detected tile is at this place."""
        offset_px = np.subtract(EmptyPlace.of(tile).centre_px, self.centre_px)
        return float(np.hypot(*offset_px)) < SAME_PLACE * self.width_px


@dataclass(frozen=True, slots=True)
class Annotations:
    """All annotations of the current table, as an immutable value; another source starts without annotations.

    Attributes:
        labels: people's labels by track; `no-tile` for a false detection. The tracker gets these labels too.
        rows: the rows that people chose for tiles that can be grouped in two ways.
        empty_places: the places of false detections.
        inks: the edition's words for the four inks, in which `labels` are written.
    """

    labels: Mapping[int, str] = field(default_factory=dict)
    rows: tuple[ChosenRows, ...] = ()
    empty_places: tuple[EmptyPlace, ...] = ()
    inks: Inks = INKS

    def with_label(self, tile: ReadTile, label: str) -> Annotations:
        """Return the annotations with a person's label for a tile; the label `no-tile` marks a false detection."""
        track = tile.sighting.track
        other_places = tuple(place for place in self.empty_places if not place.holds(tile))
        new_places = (EmptyPlace.of(tile),) if label == NO_TILE_LABEL else ()
        return replace(self, labels={**self.labels, track: label}, empty_places=(*other_places, *new_places))

    def with_rows(self, reading: TableReading, doubt: AlternativeGrouping, rows: Rows) -> Annotations:
        """Return the annotations with a person's answer to a doubt: `rows`, the doubt's or the reading's."""
        read_rows = replaced_rows(reading, doubt.rows)
        rejected = read_rows if same_rows(rows, doubt.rows) else doubt.rows
        return replace(self, rows=(*self.rows, ChosenRows(_tracks(reading, rows), _tracks(reading, rejected))))

    def updated_by(self, reading: TableReading, inks: Inks) -> Annotations:
        """Return the annotations that still apply to a newer reading; labels get the words of `inks`.

        An isolated doubtful tile at an empty place gets `no-tile` too; a tile without doubts there removes the empty
        place. Chosen rows apply as long as all their tiles are detected and no other tile is in their rows.
        """
        words = dict(zip(self.inks, inks, strict=True))
        labels = {track: _translate_ink(label, words) for track, label in self.labels.items()}
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
        """Return a reading with the labels and rows of these annotations."""
        for index, tile in enumerate(reading.tiles):
            if (label := self.labels.get(tile.sighting.track)) is not None:
                reading = with_persons_label(reading, index, label)
        for chosen in self.rows:
            rows = _rows_of(chosen, reading)
            if rows is None:
                continue
            if not same_rows(replaced_rows(reading, rows), rows):
                reading = with_rows(reading, rows)
            rejected = _indices(chosen.rejected, reading)
            if rejected is not None:
                reading = without_doubt(reading, rejected)
        return reading


def _translate_ink(label: str, words: Mapping[str, str]) -> str:
    """Return a label such as `orange-7` with the word for its ink replaced; `joker` and `no-tile` stay the same."""
    ink, dash, number = label.partition("-")
    return f"{words[ink]}-{number}" if dash and ink in words else label


def _rows_of(chosen: ChosenRows, reading: TableReading) -> Rows | None:
    """Return chosen rows as indices of tiles; None if a tile is missing or another tile is in one of the rows."""
    rows = _indices(chosen.rows, reading)
    if rows is None:
        return None
    replaced = {index for row in replaced_rows(reading, rows) for index in row}
    return rows if replaced == {index for row in rows for index in row} else None


def _indices(rows: Rows, reading: TableReading) -> Rows | None:
    """Return rows of tracks as rows of indices into the reading's tiles; None if the reading lacks a track."""
    at = {tile.sighting.track: index for index, tile in enumerate(reading.tiles)}
    if not all(track in at for row in rows for track in row):
        return None
    return tuple(tuple(at[track] for track in row) for row in rows)


def _tracks(reading: TableReading, rows: Rows) -> Rows:
    return tuple(tuple(reading.tiles[index].sighting.track for index in row) for row in rows)

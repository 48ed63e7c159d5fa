"""Remembers what people said of tiles, so that a correction stays with its tile from reading to reading."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.companion.observation.observed_table import answered
from tilekeeper.vision.geometry.quads import centres_px, sizes_wh_px
from tilekeeper.vision.types import TableReading

# As a share of the tile's longer side: nearer than this it is the same tile, which nobody lays quite still.
SAME_PLACE = 0.6
# A hand may hide a tile for some readings; after so many it is not expected to come back.
MOST_READINGS_UNSEEN = 20


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said of one tile."""

    centre_px: tuple[float, float]
    """Where it lay last, as a share of the picture's width and height it would move with the camera; pixels do."""
    side_px: float
    """Its longer side."""
    read_as: str
    """The label that the reader gives it."""
    label: str
    """The label that the person gave it."""
    unseen: int = 0
    """For how many readings it has not been seen."""


class Corrections:
    """The corrections that hold; not for several threads at once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: tuple[Correction, ...] = ()
        self._last: tuple[tuple[str, np.ndarray], ...] = ()  # what was read where, the last time

    def remember(self, raw: TableReading, index: int, label: str) -> None:
        """Take a person's word for a tile of a reading as the reader gave it."""
        quad_px = raw.tiles[index].sighting.quad_px[None]
        x, y = (float(value) for value in centres_px(quad_px)[0])
        side_px = float(sizes_wh_px(quad_px)[0].max())
        here = Correction((x, y), side_px, raw.tiles[index].label, label)
        others = [kept for kept in self._kept if _distance(kept, np.array([[x, y]]))[0] > SAME_PLACE * side_px]
        self._kept = (*others, here)

    def forget(self) -> None:
        """Forget all, as when another table is watched."""
        self._kept = ()

    def applied(self, raw: TableReading) -> TableReading:
        """Return the reading with what people said of the tiles that still lie there."""
        quads_px = np.array([tile.sighting.quad_px for tile in raw.tiles], np.float32).reshape(-1, 4, 2)
        centres = centres_px(quads_px) if len(quads_px) else np.zeros((0, 2), np.float32)
        reading, kept, taken = raw, [], set[int]()
        for correction in self._kept:
            index = _found(correction, raw, centres, taken)
            if index is None:
                index = self._moved(correction, raw, centres, taken)
            if index is None:
                at = _nearest(correction, centres)
                # Another tile lies there now: the corrected one has gone, and nothing is known of this one.
                if at is None and correction.unseen < MOST_READINGS_UNSEEN:
                    kept.append(replace(correction, unseen=correction.unseen + 1))
                continue
            taken.add(index)
            x, y = (float(value) for value in centres[index])
            kept.append(replace(correction, centre_px=(x, y), unseen=0))
            reading = answered(reading, index, correction.label)
        self._kept = tuple(kept)
        self._last = tuple((tile.label, centre) for tile, centre in zip(raw.tiles, centres, strict=True))
        return reading

    def _moved(self, correction: Correction, raw: TableReading, centres: np.ndarray, taken: set[int]) -> int | None:
        """The one tile that reads as the corrected one did and did not lie there before; None where several do."""
        if _nearest(correction, centres) is not None:
            return None
        there = np.array([centre for label, centre in self._last if label == correction.read_as]).reshape(-1, 2)
        new = [
            index
            for index, tile in enumerate(raw.tiles)
            if tile.label == correction.read_as
            and index not in taken
            and not _any_near(there, centres[index], SAME_PLACE * correction.side_px)
        ]
        return new[0] if len(new) == 1 else None


def _found(correction: Correction, raw: TableReading, centres: np.ndarray, taken: set[int]) -> int | None:
    """The tile that lies where the corrected one lay, if it may be the same."""
    index = _nearest(correction, centres)
    if index is None or index in taken:
        return None
    return index if raw.tiles[index].label in (correction.read_as, correction.label) else None


def _nearest(correction: Correction, centres: np.ndarray) -> int | None:
    if not len(centres):
        return None
    distances = _distance(correction, centres)
    index = int(distances.argmin())
    return index if distances[index] <= SAME_PLACE * correction.side_px else None


def _distance(correction: Correction, centres: np.ndarray) -> np.ndarray:
    return np.linalg.norm(centres - np.array(correction.centre_px, np.float32), axis=1)


def _any_near(centres: Sequence[np.ndarray] | np.ndarray, centre: np.ndarray, within_px: float) -> bool:
    return len(centres) > 0 and bool((np.linalg.norm(np.asarray(centres) - centre, axis=1) <= within_px).any())

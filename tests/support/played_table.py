"""A drawn table that is played on, seen by stand-ins for the two networks that know what lies there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.support.drawn_table import WH, with_tiles, wood
from tests.support.truthful_networks import Truth
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scoring.calibration import Calibration
from tilekeeper.vision.scoring.tileness import IsTile
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading

Lying = tuple[int, int, str]
"""A tile's middle in pixels and its label."""
WOOD = wood()


@dataclass(frozen=True)
class Shown:
    """A frame."""

    image_bgr: np.ndarray
    time_s: float


def quad_at(x: float, y: float) -> np.ndarray:
    """The quad of an upright tile 24 px wide."""
    return np.array([[x - 12, y - 17], [x + 12, y - 17], [x + 12, y + 17], [x - 12, y + 17]], np.float64)


def row(x: int, y: int, *labels: str) -> list[Lying]:
    """Tiles side by side from the left."""
    return [(x + 25 * at, y, label) for at, label in enumerate(labels)]


def picture(tiles: Sequence[Lying], ground: np.ndarray = WOOD) -> np.ndarray:
    """The table with tiles, each with a print that goes with its label."""
    image = ground
    for x, y, label in tiles:
        image = with_tiles(image, [(x, y)], label[-1])
    return image


class Played:
    """Shows frames of a table to a `FrameReader`, 0.2 seconds apart; a still is four of them."""

    def __init__(self, sure: float = 0.999, is_tile: IsTile | None = None) -> None:
        self.truth = Truth(
            np.zeros((0, 4, 2)), (), WH, sure=sure, misread_off=0.2
        )  # cuts for more looks lie beside it on purpose
        self.reader = FrameReader(
            Reader(self.truth, self.truth.classifier, Calibration(is_tile=is_tile)), still_after_s=0.2
        )
        self.time_s = 0.0

    def know(self, tiles: Sequence[Lying]) -> None:
        """Let the stand-ins know what lies there."""
        self.truth.quads_px = np.array([quad_at(x, y) for x, y, _ in tiles]).reshape(-1, 4, 2)
        self.truth.labels = [label for *_, label in tiles]

    def frame(self, image: np.ndarray) -> TableReading:
        """Show one frame."""
        self.time_s += 0.2
        return self.reader.push(Shown(image, self.time_s))

    def still(self, tiles: Sequence[Lying], image: np.ndarray | None = None, frames: int = 4) -> TableReading:
        """Show a still table, drawn where no picture is given."""
        self.know(tiles)
        image = picture(tiles) if image is None else image
        return [self.frame(image) for _ in range(frames)][-1]


def told(reading: TableReading) -> dict[int, str]:
    """The labels by track."""
    return {tile.sighting.track: tile.label for tile in reading.tiles}


def places(reading: TableReading) -> dict[tuple[int, int], int]:
    """The tracks by the middles of their tiles."""
    return {
        tuple(np.round(t.sighting.quad_px.mean(axis=0)).astype(int).tolist()): t.sighting.track for t in reading.tiles
    }

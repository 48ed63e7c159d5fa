"""A rendered table of real wood or cloth, photographed with noise and read with the networks that ship."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tests.support.played_table import Shown
from tilekeeper.datasets.synthesis.recordings.pieces import Piece
from tilekeeper.datasets.synthesis.recordings.places import NOTHING, arrange
from tilekeeper.datasets.synthesis.recordings.studio import Studio
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading

MELDS = "R3 R4 R5 R6 | K8 B8 O8 | B9 B10 B11 | O2 O3 O4"


class PaintedTable:
    """Four melds in a printing kept out of training, any tiles of which are shown to a `FrameReader`."""

    def __init__(self, surface: str, reader: Reader | None = None) -> None:
        self._rng = np.random.default_rng(2)
        self.studio = Studio(self._rng, "kept-out", (960, 720), 44, surface, clutter=0)
        pieces = iter(range(99))
        rows = tuple(tuple(Piece(next(pieces), tile) for tile in meld) for meld in parse_table(MELDS).melds)
        lies = arrange(self._rng, NOTHING, rows, self.studio.floor)
        assert lies is not None  # there is room for four melds
        self._lying = {piece.key: (piece, self.studio.pose(lies.spots[piece.key])) for row in rows for piece in row}
        self.rows = tuple(tuple(piece.key for piece in row) for row in rows)
        self.quads_px = self.studio.paint(self._lying.values())[2]
        self._reader = FrameReader(reader or load_reader(), still_after_s=0.2)
        self._time_s = 0.0

    def middle(self, meld: int) -> np.ndarray:
        """Where a meld lies, in pixels."""
        return np.mean([self.quads_px[key].mean(axis=0) for key in self.rows[meld]], axis=0)

    def still(
        self,
        shown: Collection[int],
        over: np.ndarray | None = None,
        at: np.ndarray | None = None,
        readings: list[TableReading] | None = None,
    ) -> TableReading:
        """Show some of the tiles, by their keys in `rows`, with a thing `(h, w, 4) uint8` over them.

        Return the last reading; `readings` gets those of all frames.
        """
        painted = self.studio.paint([self._lying[key] for key in shown])[:2]
        for _ in range(4):
            image = self.studio.take(self._rng, *painted)
            if over is not None and at is not None:
                image = laid_over(image, over, at)
            self._time_s += 0.3
            reading = self._reader.push(Shown(image, self._time_s))
            if readings is not None:
                readings.append(reading)
        return reading


def laid_over(image: np.ndarray, sprite: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The picture with a thing `(h, w, 4) uint8` whose middle lies at a point well inside it."""
    height, width = sprite.shape[:2]
    left, top = (int(v) for v in at - (width / 2, height / 2))
    box = slice(max(top, 0), top + height), slice(max(left, 0), left + width)
    part = sprite[max(-top, 0) :, max(-left, 0) :][: image[box].shape[0], : image[box].shape[1]].astype(np.float32)
    share = part[..., 3:] / 255
    image = image.copy()
    image[box] = (image[box] * (1 - share) + part[..., :3] * share).astype(np.uint8)
    return image

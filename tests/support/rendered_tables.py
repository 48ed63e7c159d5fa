"""A rendered table that is filmed: tiles are laid by a hand, and what lies there is known by a mark in the corner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np

from tests.support.known_tables import MarkedTracker, table_reading
from tilekeeper.datasets.synthesis.recordings.hands import Arm, draw_arm, shoulder_of
from tilekeeper.datasets.synthesis.recordings.pieces import Piece, Rows
from tilekeeper.datasets.synthesis.recordings.places import NOTHING, Arrangement, arrange
from tilekeeper.datasets.synthesis.recordings.studio import Studio
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.types import TableReading, TileSet

WH = (960, 720)
MARK_PX = 24
LEVELS, STEP, DARKEST = 8, 28, 20
COVERED = "something covers the table"


class RenderedTables:
    """Renders tables and knows what lies on each picture of them; `read` is the reader of an app that watches them."""

    def __init__(self, seed: int = 3, surface: str = "walnut") -> None:
        """Draw a printing, a surface, light and an arm."""
        self._studio = Studio(np.random.default_rng(seed), "kept-out", WH, 44, surface, clutter=2)
        self._rng = np.random.default_rng(seed)
        self._arm: Arm = draw_arm(self._rng, min(2.2, 1.1 * self._studio.px_per_mm), 900.0)
        self._keys: dict[tuple[Tile, int], Piece] = {}
        self._lies: Arrangement = NOTHING
        self._painted = self._studio.paint([])[:2]
        self._readings: list[TableReading] = [replace(table_reading("R1 R2 R3"), status=COVERED)]

    def hand(self) -> np.ndarray:
        """A picture of the table as it lies, with a hand over it."""
        grip_mm = np.array(self._rng.uniform(-60, 60, 2))
        sprite = self._arm.reaching(grip_mm, shoulder_of("south", self._studio.edges, grip_mm))
        over = self._studio.paint_over(*self._painted, [], sprite)
        return self._marked(self._studio.take(self._rng, *over), 0)

    def table(self, notation: str, doubts: Mapping[tuple[int, int], str] | None = None) -> np.ndarray:
        """A picture of a table; tiles that stay lie where they lay. `doubts` are as for `table_reading`."""
        rows = self._pieces(notation)
        lies = arrange(self._rng, self._lies, rows, self._studio.floor)
        assert lies is not None  # there is room for all that these tests lay
        poses = [(piece, self._studio.pose(lies.spots[piece.key])) for row in rows for piece in row]
        scene, on_tiles, quads = self._studio.paint(poses)
        self._lies, self._painted = lies, (scene, on_tiles)
        known = table_reading(notation, doubts)
        order = [piece.key for row in rows for piece in row]
        tiles = tuple(
            replace(tile, sighting=replace(tile.sighting, quad_px=np.array(quads[key], np.float32)))
            for tile, key in zip(known.tiles, order, strict=True)
        )
        self._readings.append(replace(known, tiles=tiles, image_wh=WH))
        return self._marked(self._studio.take(self._rng, scene, on_tiles), len(self._readings) - 1)

    def read(self, image_bgr: np.ndarray, tile_set: TileSet | None = None) -> TableReading:
        """Read the mark."""
        scale = image_bgr.shape[1] / WH[0]
        inside = slice(round(5 * scale), round((MARK_PX - 5) * scale))
        digits = []
        for place in range(2):
            across = slice(round((place * MARK_PX + 5) * scale), round(((place + 1) * MARK_PX - 5) * scale))
            level = float(image_bgr[inside, across].mean())
            digits.append(min(LEVELS - 1, max(0, round((level - DARKEST) / STEP))))
        return self._readings[min(digits[0] * LEVELS + digits[1], len(self._readings) - 1)]

    def tracker(self, still_after_s: float) -> MarkedTracker:
        """Follows the tiles of these tables."""
        return MarkedTracker(self, still_after_s)

    def _pieces(self, notation: str) -> Rows:
        seen: Counter[Tile] = Counter()
        rows = []
        for meld in parse_table(notation).melds:
            row = []
            for tile in meld:
                copy = tile, seen[tile]
                seen[tile] += 1
                row.append(self._keys.setdefault(copy, Piece(len(self._keys), tile)))
            rows.append(tuple(row))
        return tuple(rows)

    @staticmethod
    def _marked(image_bgr: np.ndarray, number: int) -> np.ndarray:
        for place, digit in enumerate(divmod(number, LEVELS)):
            corner = (place * MARK_PX, 0), ((place + 1) * MARK_PX - 1, MARK_PX - 1)
            cv2.rectangle(image_bgr, *corner, (DARKEST + STEP * digit,) * 3, -1)
        return image_bgr

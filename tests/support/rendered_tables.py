"""Tables rendered with their ground truth: `RenderedTables` films them for the app, `PaintedTable` for a `FrameReader`.

A hand lays the tiles. The app's stand-in reader knows the table of a picture by a mark in its corner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

import cv2
import numpy as np

from tests.support.frames import Frame
from tests.support.known_tables import MarkedTracker, table_reading
from tilekeeper.datasets.synthesis.recordings.hands import Arm, draw_arm, shoulder_of
from tilekeeper.datasets.synthesis.recordings.pieces import Piece, Rows
from tilekeeper.datasets.synthesis.recordings.places import NOTHING, Arrangement, arrange
from tilekeeper.datasets.synthesis.recordings.studio import Studio
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading, TileSet

WH = (960, 720)
MARK_PX = 24
LEVELS, STEP, DARKEST = 8, 28, 20
COVERED = "something covers the table"
MELDS = "R3 R4 R5 R6 | K8 B8 O8 | B9 B10 B11 | O2 O3 O4"


class RenderedTables:
    """Render tables with known readings; `read` is the stand-in reader of an app that watches them."""

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
        """Return an image of the current table with a hand over it."""
        grip_mm = np.array(self._rng.uniform(-60, 60, 2))
        sprite = self._arm.reaching(grip_mm, shoulder_of("south", self._studio.edges, grip_mm))
        over = self._studio.paint_over(*self._painted, [], sprite)
        return self._marked(self._studio.take(self._rng, *over), 0)

    def table(self, notation: str, doubts: Mapping[tuple[int, int], str] | None = None) -> np.ndarray:
        """Return an image of a table; unchanged tiles keep their places. `doubts` are as for `table_reading`."""
        rows = self._pieces(notation)
        arrangement = arrange(self._rng, self._lies, rows, self._studio.floor)
        assert arrangement is not None  # there is room for the tables of these tests
        poses = [(piece, self._studio.pose(arrangement.spots[piece.key])) for row in rows for piece in row]
        scene, on_tiles, quads = self._studio.paint(poses)
        self._lies, self._painted = arrangement, (scene, on_tiles)
        reading = table_reading(notation, doubts)
        order = [piece.key for row in rows for piece in row]
        tiles = tuple(
            replace(tile, sighting=replace(tile.sighting, quad_px=np.array(quads[key], np.float32)))
            for tile, key in zip(reading.tiles, order, strict=True)
        )
        self._readings.append(replace(reading, tiles=tiles, image_wh=WH))
        return self._marked(self._studio.take(self._rng, scene, on_tiles), len(self._readings) - 1)

    def read(self, image_bgr: np.ndarray, tile_set: TileSet | None = None) -> TableReading:
        """Return the reading of an image by its mark."""
        scale = image_bgr.shape[1] / WH[0]
        inside = slice(round(5 * scale), round((MARK_PX - 5) * scale))
        digits = []
        for place in range(2):
            across = slice(round((place * MARK_PX + 5) * scale), round(((place + 1) * MARK_PX - 5) * scale))
            level = float(image_bgr[inside, across].mean())
            digits.append(min(LEVELS - 1, max(0, round((level - DARKEST) / STEP))))
        return self._readings[min(digits[0] * LEVELS + digits[1], len(self._readings) - 1)]

    def tracker(self, still_after_s: float) -> MarkedTracker:
        """Return a tracker for these tables."""
        return MarkedTracker(self, still_after_s)

    def _pieces(self, notation: str) -> Rows:
        copies: Counter[Tile] = Counter()
        rows = []
        for meld in parse_table(notation).melds:
            row = []
            for tile in meld:
                copy = tile, copies[tile]
                copies[tile] += 1
                row.append(self._keys.setdefault(copy, Piece(len(self._keys), tile)))
            rows.append(tuple(row))
        return tuple(rows)

    @staticmethod
    def _marked(image_bgr: np.ndarray, number: int) -> np.ndarray:
        for place, digit in enumerate(divmod(number, LEVELS)):
            corner = (place * MARK_PX, 0), ((place + 1) * MARK_PX - 1, MARK_PX - 1)
            cv2.rectangle(image_bgr, *corner, (DARKEST + STEP * digit,) * 3, -1)
        return image_bgr


class PaintedTable:
    """Four melds in a held-out printing; a `FrameReader` gets images of any of their tiles."""

    def __init__(self, surface: str, reader: Reader | None = None) -> None:
        self._rng = np.random.default_rng(2)
        self.studio = Studio(self._rng, "kept-out", (960, 720), 44, surface, clutter=0)
        pieces = iter(range(99))
        rows = tuple(tuple(Piece(next(pieces), tile) for tile in meld) for meld in parse_table(MELDS).melds)
        arrangement = arrange(self._rng, NOTHING, rows, self.studio.floor)
        assert arrangement is not None  # there is room for four melds
        spots = arrangement.spots
        self._lying = {piece.key: (piece, self.studio.pose(spots[piece.key])) for row in rows for piece in row}
        self.rows = tuple(tuple(piece.key for piece in row) for row in rows)
        self.quads_px = self.studio.paint(self._lying.values())[2]
        self._reader = FrameReader(reader or load_reader(2), still_after_s=0.2)
        self._time_s = 0.0

    def middle(self, meld: int) -> np.ndarray:
        """Return the middle of a meld in pixels."""
        return np.mean([self.quads_px[key].mean(axis=0) for key in self.rows[meld]], axis=0)

    def still(
        self,
        shown: Collection[int],
        over: np.ndarray | None = None,
        at: np.ndarray | None = None,
        readings: list[TableReading] | None = None,
    ) -> TableReading:
        """Show some of the tiles, by their keys in `rows`, with the object `over`, `(h, w, 4) uint8`, at `at`.

        Returns the last reading; `readings` gets those of all frames.
        """
        painted = self.studio.paint([self._lying[key] for key in shown])[:2]
        for _ in range(4):
            image = self.studio.take(self._rng, *painted)
            if over is not None and at is not None:
                image = laid_over(image, over, at)
            self._time_s += 0.3
            reading = self._reader.push(Frame(image, self._time_s))
            if readings is not None:
                readings.append(reading)
        return reading


def laid_over(image: np.ndarray, sprite: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the image with an object `(h, w, 4) uint8` around a point inside it."""
    height, width = sprite.shape[:2]
    left, top = (int(v) for v in at - (width / 2, height / 2))
    box = slice(max(top, 0), top + height), slice(max(left, 0), left + width)
    part = sprite[max(-top, 0) :, max(-left, 0) :][: image[box].shape[0], : image[box].shape[1]].astype(np.float32)
    share = part[..., 3:] / 255
    image = image.copy()
    image[box] = (image[box] * (1 - share) + part[..., :3] * share).astype(np.uint8)
    return image

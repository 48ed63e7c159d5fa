"""Large tiles, whose glyphs and logos resemble small tiles in the first search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.vision.detection.test_detector import empty_maps, tile
from tilekeeper.vision.detection.detector import CORNER_UNIT_PX, STRIDE_PX, TileDetector, _are_figures
from tilekeeper.vision.scene import Scene

FULL_SIZE_SCORES = (0.5, 0.6)
"""Scores of a logo and of the large tile under it, in a search at full size, for which the tile is too large."""
WIDTH_PX = 136
PLACES = [(x, y) for y in (200, 480) for x in (160, 340, 520, 700)]


@dataclass
class SeeingLogos:
    """Finds large tiles with high scores at half size, and at full size three 10 px logos on each.

    `below_px` moves the logos down, off the tiles.
    """

    tiles: float = 0.9
    logos: float = FULL_SIZE_SCORES[0]
    below_px: int = 0
    sizes: list[int] = field(default_factory=list)

    def run(self, outputs: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        rows, columns = (2 * side for side in inputs["picture"].shape[1:3])
        self.sizes.append(columns)
        scale = columns / 1024
        maps = empty_maps(rows, columns)
        for x, y in PLACES:
            self._find(
                maps, tile(x * scale, y * scale, WIDTH_PX * scale), FULL_SIZE_SCORES[1] if scale > 0.9 else self.tiles
            )
            for low in (50, 62, 74) if scale > 0.9 else ():
                self._find(maps, tile(x - 20, y + low + self.below_px, 10), self.logos)
        return [maps[None]]

    @staticmethod
    def _find(maps: np.ndarray, quad: np.ndarray, chance: float) -> None:
        column, row = np.round(quad.mean(axis=0) / STRIDE_PX - 0.5).astype(int)
        maps[0, row, column] = np.log(chance / (1 - chance))
        cell = (np.array([column, row]) + 0.5) * STRIDE_PX
        maps[1:9, row, column] = ((quad - cell) / CORNER_UNIT_PX).ravel()


def test_logos_on_large_tiles_are_dropped_and_do_not_change_the_scale() -> None:
    """The image is searched at half size, and not at twice the size."""
    session = SeeingLogos()
    detections = list(TileDetector(session).detect(Scene(np.zeros((768, 1024, 3), np.uint8))).quads_px)
    assert session.sizes == [1024, 512, 256]
    detections.sort(key=lambda quad_px: tuple(quad_px.mean(axis=0)[::-1].round()))
    assert len(detections) == len(PLACES)
    for quad_px, place in zip(detections, PLACES, strict=True):
        assert quad_px == pytest.approx(tile(*place, WIDTH_PX), abs=1.0)


def test_weak_detections_of_all_searches_are_sorted_by_score() -> None:
    session = SeeingLogos(tiles=0.2, logos=0.1, below_px=70)
    detections = TileDetector(session, 0.65).detect(Scene(np.zeros((768, 1024, 3), np.uint8)))
    assert not len(detections.scores)
    widths = np.ptp(detections.faint_px[..., 0], axis=1)
    assert list(widths) == sorted(widths, reverse=True)  # tiles score 0.2, and logos 0.1
    assert len(set(widths.round())) > 1


def test_small_tiles_beside_a_large_detection_stay() -> None:
    """Only a quad on a higher-scored one is its glyph."""
    small = np.array([tile(300 + 30 * index, 300, 24) for index in range(4)])
    wide, beside = tile(300, 300, 120)[None], tile(700, 300, 120)[None]
    barely_three_times = tile(300, 300, 72)[None]
    cases = ((wide, 0.5, 0.7, 5), (wide, 0.95, 0.7, 3), (beside, 0.95, 0.7, 5), (wide, 0.95, 0.85, 5))
    for large, chance, small_score, remaining in (*cases, (barely_three_times, 0.95, 0.7, 5)):
        quads, scores = np.concatenate([small, large]), np.array([small_score] * 4 + [chance])
        assert np.count_nonzero(~_are_figures(quads, scores)) == remaining
    assert not _are_figures(np.zeros((3, 4, 2), np.float32), np.full(3, 0.5)).any()

"""Searches for a rectified view of the table that shows more tiles than a low camera's own image.

The shapes of the certain tiles show the camera's angle. Without certain tiles, a low camera may be guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Floats, Image, no_quads
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free, suppress_duplicates
from tilekeeper.vision.geometry.quads import as_quads, centres_px, distances_px, points_in_quads, sizes_wh_px
from tilekeeper.vision.geometry.rectification import (
    MIN_FIRM_RECTIFICATION_TILES,
    Rectification,
    fit_rectification,
    guess_rectification,
    is_foreshortened,
    most_are_foreshortened,
)
from tilekeeper.vision.tile_table import MIN_CONFIDENT_LABEL_PROB, TileTable
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile, TableReading

MAX_RECTIFIED_VIEW_COUNT = 3  # at most this many views are read, each fitted to the tiles of the view before
MAX_LOW_CAMERA_GUESS_TILES = 2  # with at most this many tiles read, a low camera is guessed even if none is doubtful
MIN_UNREAD_SCORE = 0.5  # a detection with at least this score that was not read may be a tile at a low angle


@dataclass(frozen=True, slots=True, eq=False)
class SceneReading:
    """The reading of a scene, in pixels of its image, before diagnostics are added."""

    reading: TableReading
    candidates: TileTable  # all candidates, in the order of their tracks
    in_hand: TileTable  # tiles of a stream that a hand over the table may hold
    weak_px: Floats | None  # weak detections (K, 4, 2); None if only a part of the image was searched
    colourless: bool  # whether the image shows no colours, so that inks can't be told apart
    view: Rectification | None  # how the image was rectified; None if it is the camera's own

    def in_camera_image(self) -> tuple[TableReading, Floats]:
        """Return the reading and the weak detections in pixels of the camera's image."""
        weak_px = no_quads() if self.weak_px is None else self.weak_px
        if self.view is None:
            return self.reading, weak_px
        return self.reading.map_points(self.view.to_image, self.view.image_wh), self.view.to_image(weak_px)

    def shows_more(self, before: TableReading) -> bool:
        """Return whether this reading extends `before`, which has at most `MAX_LOW_CAMERA_GUESS_TILES` tiles.

        This reading must have every tile of `before`, a certain tile with the same label. No new tile may be on an old
        one, because a stretched maker's name looks like a tile. If `before` has no tiles, each needs a likely label.
        """
        reading = self.in_camera_image()[0]
        tiles, tiles_px = _not_rejected(reading), _read_px(reading)
        before_px = as_quads(before.quads_px)
        is_more = len(before_px) < len(tiles_px) and len(before_px) <= MAX_LOW_CAMERA_GUESS_TILES
        if not is_more or self.count_missing(before_px):
            return False
        nearest = distances_px(centres_px(before_px), centres_px(tiles_px)).argmin(axis=1).tolist()
        labels = [tiles[at].label for at in nearest]
        if any(tile.label != label for tile, label in zip(before.tiles, labels, strict=True) if not tile.doubtful):
            return False
        if not len(before_px):
            return all(tile.confidence >= MIN_CONFIDENT_LABEL_PROB for tile in tiles)
        return bool((points_in_quads(centres_px(tiles_px), before_px).sum(axis=0) <= 1).all())

    def count_missing(self, quads_px: Floats) -> int:
        """Return the number of quads `(N, 4, 2)` of the camera's image at which this reading has no tile."""
        tiles_px = self.in_camera_image()[0].quads_px
        within_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(quads_px)[:, :1]
        return int(np.count_nonzero(are_free(centres_px(quads_px), centres_px(tiles_px), within_px)))


def find_better_view(
    read_view: Callable[[Rectification], SceneReading],
    image_bgr: Image,
    candidates: TileTable,
    reading: TableReading,
) -> SceneReading | None:
    """Return the reading of the best rectified view of an image; None if no view is better than the image itself.

    `read_view`: function that reads a view; `image_bgr`: the camera's image `(H, W, 3) uint8`; `reading`: its reading,
    made of these `candidates`.
    """
    best: SceneReading | None = None
    certain_at_first_px = certain_px(reading)
    view = fit_rectification(certain_at_first_px, image_bgr)
    if is_guess := view is None and may_be_low(reading, _count_unread(candidates, reading)):
        view = guess_rectification(image_bgr)
    for attempt in range(MAX_RECTIFIED_VIEW_COUNT):
        if view is None:
            break
        result, is_first_guess = read_view(view), is_guess and attempt == 0
        certain_in_view_px = certain_px(result.reading)
        # The tiles that a view adds may be false, so for each tile that it lacks it needs one more. A guessed view
        # needs another one, and one more if its doubtful tiles alone outnumber the tiles before.
        least = _count_places(view, certain_px(reading)) + result.count_missing(certain_at_first_px)
        if not view.firm or (is_guess and best is None):
            least += 1 + (len(result.reading.tiles) - len(certain_in_view_px) > len(_not_rejected(reading)))
        is_better = len(certain_in_view_px) >= least or result.shows_more(reading)
        # The guess of a low camera is wrong if most tiles are not foreshortened in the camera's image.
        if is_better and is_first_guess and not most_are_foreshortened(view.to_image(_read_px(result.reading))):
            break
        if is_better:
            best, reading = result, result.in_camera_image()[0]
        elif best or len(certain_in_view_px) < len(certain_px(reading)):
            break
        # The next view is fitted to this view's certain tiles, which are more, or better placed after a guess.
        view = fit_rectification(view.to_image(certain_in_view_px), image_bgr)
    return best


def needs_view(candidates: TileTable, reading: TableReading, is_rectified: bool) -> bool:
    """Return whether another view may show more than a reading, made of `candidates`, of this one."""
    is_wanted = not reading.tiles if is_rectified else may_be_low(reading, _count_unread(candidates, reading))
    return is_wanted or is_foreshortened(_read_px(reading))


def _read_px(reading: TableReading) -> Floats:
    """Return the quads `(N, 4, 2)` of a reading's tiles, certain or not, without tiles that a person rejected."""
    return as_quads([tile.sighting.quad_px for tile in _not_rejected(reading)])


def certain_px(reading: TableReading) -> Floats:
    """Return the quads `(N, 4, 2)` of a reading's tiles without doubts, except tiles that a person rejected."""
    return as_quads([tile.sighting.quad_px for tile in _not_rejected(reading) if not tile.doubtful])


def may_be_low(reading: TableReading, unread: int) -> bool:
    """Return whether the camera may be so low that most tiles cannot be read.

    `unread`: number of clear detections that were not read. The camera may be low if hardly any tile was read, or if
    fewer than `MIN_FIRM_RECTIFICATION_TILES` were read and some are doubtful or unread.
    """
    tiles = _not_rejected(reading)
    if not MAX_LOW_CAMERA_GUESS_TILES < len(tiles) < MIN_FIRM_RECTIFICATION_TILES:
        return len(tiles) <= MAX_LOW_CAMERA_GUESS_TILES
    return unread > 0 or any(tile.doubtful for tile in tiles)


def _count_unread(candidates: TileTable, reading: TableReading) -> int:
    """Return the number of candidates with a clear detection that are not tiles of the reading."""
    read = [tile.sighting.track for tile in reading.tiles]
    return int(np.count_nonzero((candidates.score >= MIN_UNREAD_SCORE) & ~np.isin(candidates.track, read)))


def _not_rejected(reading: TableReading) -> list[ReadTile]:
    """Return the tiles of a reading without those that a person rejected."""
    return [tile for tile in reading.tiles if tile.label != NO_TILE_LABEL]


def _count_places(view: Rectification, quads_px: Floats) -> int:
    """Return how many tiles N quads `(N, 4, 2)` of the camera's image can be; quads too close in the view are one.

    At a flat angle each digit of a number may be read as a tile, and then the image seems to show more than the view.
    """
    in_view_px = view.to_view(quads_px)
    within_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * np.median(sizes_wh_px(in_view_px)[:, 0]) if len(quads_px) else 0.0
    return len(suppress_duplicates(np.arange(len(quads_px)), centres_px(in_view_px), np.full(len(quads_px), within_px)))

"""The view in which a table is read: the camera's image itself or, from a low camera, a rectified view of it.

Tiles are read and followed in pixels of the view. A view stays until the scene is another, or another view is better.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.rectification import (
    MIN_FIRM_RECTIFICATION_TILES,
    Rectification,
    fit_rectification,
    is_foreshortened,
)
from tilekeeper.vision.low_camera import certain_px, count_unread, may_be_low, read_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import Rest, Scene
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.types import TableReading, TileSet


class TableView:
    """A view of the table in images of one size, for as long as the camera is not moved."""

    def __init__(self, image_wh: tuple[int, int], rectification: Rectification | None = None, next_at: int = 0) -> None:
        """Show images of that size, rectified or not; a better view is searched for from `next_at` tracks on."""
        self._image_wh, self._rectification, self._next_search_at = image_wh, rectification, next_at

    def scene(self, image_bgr: Image, rest: Rest, read_before_bgr: Image | None = None) -> Scene:
        """Return the view of a camera's image with what motion detection reports of it.

        The view that was read before counts only if the camera shows the same table from the same place.
        """
        shown_bgr = image_bgr if self._rectification is None else self._rectification.warp(image_bgr)
        if rest.changed_px is None or read_before_bgr is None or read_before_bgr.shape != shown_bgr.shape:
            read_before_bgr = None
        return Scene(shown_bgr, self.rest_in_view(rest), read_before_bgr, self._rectification)

    def rest_in_view(self, rest: Rest) -> Rest:
        """Return what motion detection reports of a camera's image in pixels of the view."""
        return rest if self._rectification is None else rest.in_view(self._rectification)

    def reading_in_image(self, reading: TableReading) -> TableReading:
        """Return a reading of the view in pixels of the camera's image."""
        return reading if self._rectification is None else reading.map_points(self.to_image, self._image_wh)

    def to_image(self, points_px: Floats) -> Floats:
        """Return points of the view `(..., 2)` in pixels of the camera's image."""
        return points_px if self._rectification is None else self._rectification.to_image(points_px)

    def to_view(self, other: TableView, points_px: Floats) -> Floats:
        """Return points of this view `(..., 2)` in pixels of another one, whose images may have another size."""
        points_px = self.to_image(points_px)
        if points_px.size and other._image_wh != self._image_wh:
            points_px = (points_px * (np.array(other._image_wh) / self._image_wh)).astype(np.float32)
        return points_px if other._rectification is None else other._rectification.to_view(points_px)

    def shows(self, changed_px: Floats | None, tracks: TileTable) -> bool:
        """Return whether the view certainly shows all changed boxes `(N, 4)` of the camera's image; None is all of it.

        With few `tracks` it is not known how the table lies far from them.
        """
        if changed_px is None or self._rectification is None:
            return changed_px is not None
        is_firm = np.count_nonzero(tracks.is_tile) >= MIN_FIRM_RECTIFICATION_TILES
        return bool(is_firm and self._rectification.shows(changed_px))

    def find_better(
        self, reader: Reader, image_bgr: Image, tracks: TileTable, reading: TableReading, tile_set: TileSet
    ) -> TableView | None:
        """Return a view that shows more than `reading`, made here of `tracks`; None if this one is to stay."""
        is_camera_image, unread = self._rectification is None, count_unread(tracks, reading)
        is_wanted = may_be_low(reading, unread) if is_camera_image else not reading.tiles
        if len(tracks) < self._next_search_at or not (is_wanted or is_foreshortened(read_px(reading))):
            return None
        # Each search costs whole readings; twice as many tiles show better how the table lies.
        self._next_search_at = 2 * len(tracks)
        reading = self.reading_in_image(reading)
        result = reader.search_views(image_bgr, reading, unread, tile_set)
        if result is not None:
            return TableView(self._image_wh, result.view, self._next_search_at)
        if is_camera_image:
            return None
        rectification = fit_rectification(certain_px(reading), image_bgr)
        is_low = rectification is not None and rectification.firm
        return None if is_low else TableView(self._image_wh, None, self._next_search_at)

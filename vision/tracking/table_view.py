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
    """A view of the table, rectified or not, for images of one size from a camera that is not moved."""

    def __init__(self, image_wh: tuple[int, int], rectification: Rectification | None = None, next_at: int = 0) -> None:
        """Create the view of images of the size `image_wh`; no better view is searched for below `next_at` tracks."""
        self._image_wh, self._rectification, self._next_search_at = image_wh, rectification, next_at

    def scene(self, image_bgr: Image, rest: Rest, read_before_bgr: Image | None = None) -> Scene:
        """Return the scene of a camera's image in this view, with the report `rest` in pixels of the view.

        `read_before_bgr`: the view that was read before; it is ignored if the whole image may have changed.
        """
        shown_bgr = image_bgr if self._rectification is None else self._rectification.warp(image_bgr)
        if rest.changed_px is None or read_before_bgr is None or read_before_bgr.shape != shown_bgr.shape:
            read_before_bgr = None
        return Scene(shown_bgr, self.rest_in_view(rest), read_before_bgr, self._rectification)

    def rest_in_view(self, rest: Rest) -> Rest:
        """Convert motion detection's report from pixels of the camera's image to pixels of the view."""
        return rest if self._rectification is None else rest.in_view(self._rectification)

    def reading_in_image(self, reading: TableReading) -> TableReading:
        """Convert a reading from pixels of the view to pixels of the camera's image."""
        return reading if self._rectification is None else reading.map_points(self.to_image, self._image_wh)

    def to_image(self, points_px: Floats) -> Floats:
        """Map points `(..., 2)` of the view to pixels of the camera's image."""
        return points_px if self._rectification is None else self._rectification.to_image(points_px)

    def to_view(self, other: TableView, points_px: Floats) -> Floats:
        """Map points `(..., 2)` of this view to pixels of another view, whose images may have another size."""
        points_px = self.to_image(points_px)
        if points_px.size and other._image_wh != self._image_wh:
            points_px = (points_px * (np.array(other._image_wh) / self._image_wh)).astype(np.float32)
        return points_px if other._rectification is None else other._rectification.to_view(points_px)

    def shows(self, changed_px: Floats | None, tracks: TileTable) -> bool:
        """Return whether the view certainly shows all changed boxes `(N, 4)` of the camera's image.

        False if `changed_px` is None (all may have changed), or if the view is rectified from few `tracks`.
        """
        if changed_px is None or self._rectification is None:
            return changed_px is not None
        is_firm = np.count_nonzero(tracks.is_tile) >= MIN_FIRM_RECTIFICATION_TILES
        return bool(is_firm and self._rectification.shows(changed_px))

    def find_better(
        self, reader: Reader, image_bgr: Image, tracks: TileTable, reading: TableReading, tile_set: TileSet
    ) -> TableView | None:
        """Return a view that shows more than this one's `reading` with candidates `tracks`; None if there is none."""
        is_camera_image, unread = self._rectification is None, count_unread(tracks, reading)
        is_wanted = may_be_low(reading, unread) if is_camera_image else not reading.tiles
        if len(tracks) < self._next_search_at or not (is_wanted or is_foreshortened(read_px(reading))):
            return None
        # Each search costs whole readings, so the next one waits until there are twice as many tiles.
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

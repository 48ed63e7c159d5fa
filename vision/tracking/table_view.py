"""Shows what is read of each picture: the picture itself or, before a low camera, the table as from straight above.

Tiles are read and followed in pixels of the view. A view stays until the scene is another, or another view is better.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.rectification import MIN_FIRM_RECTIFICATION_TILES, Rectification, fit_rectification
from tilekeeper.vision.pipeline import Reader, certain_px, looks_low, may_be_low, shown_by, unread
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.tracking.motion_detection import Rest
from tilekeeper.vision.types import TableReading, TileSet


class TableView:
    """One way to look at a table in pictures of one size, for as long as the camera stays where it is."""

    def __init__(
        self, picture_wh: tuple[int, int], from_above: Rectification | None = None, try_again_at: int = 0
    ) -> None:
        """Look at pictures of width and height `picture_wh` in pixels as they are, or `from_above`.

        A better view is looked for once so many tracks are followed as `try_again_at` says.
        """
        self._picture_wh, self._from_above, self._try_again_at = picture_wh, from_above, try_again_at
        self._newest: tuple[Image, Image] | None = None

    def of(self, picture_bgr: Image) -> Image:
        """Return what is read of a picture, both `(H, W, 3) uint8`: without a look from above the very same."""
        if self._from_above is None:
            return picture_bgr
        if self._newest is None or self._newest[0] is not picture_bgr:
            self._newest = picture_bgr, self._from_above.warp(picture_bgr)
        return self._newest[1]

    def in_view(self, rest: Rest) -> Rest:
        """Return what motion detection says of a picture in pixels of the view."""
        return rest if self._from_above is None else rest.in_view(self._from_above)

    def in_picture(self, reading: TableReading) -> TableReading:
        """Return what was read of the view in pixels of the picture."""
        return reading if self._from_above is None else reading.map_points(self.back, self._picture_wh)

    def back(self, points_px: Floats) -> Floats:
        """Return points of the view `(..., 2)` in pixels of the picture."""
        return points_px if self._from_above is None else self._from_above.to_image(points_px)

    def led_to(self, other: TableView, points_px: Floats) -> Floats:
        """Return points of this view `(..., 2)` in pixels of another one, whose pictures may have another size."""
        points_px = self.back(points_px)
        if points_px.size and other._picture_wh != self._picture_wh:
            points_px = (points_px * (np.array(other._picture_wh) / self._picture_wh)).astype(np.float32)
        return points_px if other._from_above is None else other._from_above.to_view(points_px)

    def uncut(self, found: TileTable) -> TileTable:
        """Return what was found in the view but for what from above shows only in part, where the picture ends."""
        return found if self._from_above is None else shown_by(self._from_above, found)

    def shows(self, changed_px: Floats | None, tracks: TileTable) -> bool:
        """Return whether all that changed shows for sure, in boxes `(N, 4)` of the picture; None is all of it.

        `tracks` are followed: where they are few, how the table lies is not known far from them.
        """
        if changed_px is None or self._from_above is None:
            return changed_px is not None
        firm = np.count_nonzero(tracks.is_tile) >= MIN_FIRM_RECTIFICATION_TILES
        return bool(firm and self._from_above.shows(changed_px))

    def better(
        self, reader: Reader, picture_bgr: Image, tracks: TileTable, reading: TableReading, tile_set: TileSet
    ) -> TableView | None:
        """Return a view in which more of a picture `(H, W, 3) uint8` is read, None where this one is to stay.

        `reading` was made of this view, of the `tracks` that are followed.
        """
        as_it_is, left = self._from_above is None, unread(tracks, reading)
        wanted = may_be_low(reading, left) if as_it_is else not reading.tiles
        if len(tracks) < self._try_again_at or not (wanted or looks_low(reading)):
            return None
        self._try_again_at = 2 * len(tracks)  # more tell it better, and each try is a whole reading
        reading = self.in_picture(reading)
        sight = reader.from_above(picture_bgr, reading, left, tile_set)
        if sight is not None:
            return TableView(self._picture_wh, sight.from_above, self._try_again_at)
        if as_it_is:
            return None
        told = fit_rectification(certain_px(reading), picture_bgr)
        is_low = told is not None and told.firm
        return None if is_low else TableView(self._picture_wh, try_again_at=self._try_again_at)

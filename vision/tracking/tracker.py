"""Reads a table from a stream: settled frames are read where they changed, and each tile keeps its track.

The table is read in the camera's image, or in a view of it that is rectified.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.proximity import filled_from
from tilekeeper.vision.geometry.rectification import MIN_FIRM_RECTIFICATION_TILES, Rectification, fit_rectification
from tilekeeper.vision.low_camera import certain_px, needs_view
from tilekeeper.vision.pipeline import Reader, assemble
from tilekeeper.vision.quality.diagnostics import add_diagnostics, troubles_in_the_way
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.scene import Rest, Scene, State
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.tracking.edge_tiles import are_tiles
from tilekeeper.vision.tracking.motion_detection import MotionDetector
from tilekeeper.vision.tracking.reclassification import are_waiting, examine_again
from tilekeeper.vision.tracking.tracks import InkWords, Tracks, divide_tracks
from tilekeeper.vision.types import TableReading, TileSet, Trouble, labels_of


class TimedFrame(Protocol):
    """Interface of a frame: an image `(H, W, 3) uint8` BGR and its time in seconds."""

    @property
    def image_bgr(self) -> np.ndarray: ...
    @property
    def time_s(self) -> float: ...


class FrameReader:
    """Takes the frames of a stream one by one, follows the tiles, and always has the newest reading."""

    rest: Rest
    """Motion detection's report on the newest frame."""
    is_done: bool
    """Whether the table is still and all work on it is done, so that only a change can bring a new reading."""
    _is_diagnosed: bool
    _scaled: tuple[TableReading, TableReading]  # the newest reading in pixels of the view, and in those of the frame

    def __init__(self, reader: Reader, still_after_s: float, tile_set: TileSet | None = None) -> None:
        """Read with the networks of `reader` once the table is still for `still_after_s` seconds."""
        self._reader, self._tile_set, self._tracks = reader, tile_set or TileSet(), Tracks.none()
        # The function uses the tracks and the view that are current when it is called.
        self._motion = MotionDetector(
            still_after_s, lambda image, outlines: are_tiles(reader, image, outlines, self._tracks.tiles, self._view)
        )
        self.forget()

    @property
    def reading(self) -> TableReading:
        """The newest reading, in pixels of the frame; it has no tiles until the table has settled once."""
        if self._scaled[0] is not self._reading:
            is_read = self._reading.image_wh != (0, 0)
            in_frame = self._in_camera_image.scale_to(self._frame_wh) if is_read else self._reading
            self._scaled = self._reading, in_frame
        return self._scaled[1]

    @property
    def _in_camera_image(self) -> TableReading:
        """The reading in pixels of the camera's image, which may be smaller than the frame."""
        tiles = self._tracks.tiles
        in_the_way = troubles_in_the_way(self.rest.hidden_px, self._view.to_image(tiles.quads_px[tiles.covered]))
        reading = self._view.reading_in_image(self._reading)
        return replace(reading, face_down=self._face_down, troubles=(*in_the_way, *self._troubles))

    def push(self, frame: TimedFrame) -> TableReading:
        """Take a frame and return the newest reading, the same object as before if nothing is new.

        The reading's `time_s` is the time of the frame that was read. Raises `ValueError` if the frame has no image.
        """
        image_bgr = self._reader.prepare(frame.image_bgr)
        self._frame_wh = frame.image_bgr.shape[1], frame.image_bgr.shape[0]
        self.rest = rest = self._motion.push(image_bgr, frame.time_s)
        self.is_done = False
        if rest.settled:
            self._settle(image_bgr, rest, frame.time_s)
        elif rest.state in (State.STILL, State.HIDDEN):
            if are_waiting(self._tracks.tiles).any():
                scene = self._view.scene(image_bgr, rest)
                self._tracks = replace(self._tracks, tiles=examine_again(self._reader, scene, self._tracks.tiles))
                self._assemble(scene, frame.time_s)
            elif not self._is_diagnosed:
                self._diagnose(image_bgr, self._view.scene(image_bgr, rest))
            else:
                self.is_done = rest.state is State.STILL
        return self.reading

    def correct(self, track: int, label: str) -> TableReading:
        """Set a person's label of the tile with this track, `no-tile` if it is not a tile; return the new reading.

        The label is kept as long as the track. Raises `KeyError` for an unknown track, `ValueError` for another label.
        """
        labels, tiles = labels_of(self._tile_set.inks), self._tracks.tiles
        if label not in labels:
            raise ValueError(f"no label: {label!r}")
        if not len(at := np.flatnonzero(tiles.track == track)):
            raise KeyError(track)
        tiles.person_label[at] = labels.index(label)
        self._ink_words.add(track, InkEvidence.of(tiles.at(at)), tiles.track.tolist())
        self._assemble_again()
        return self.reading

    @property
    def ink_words(self) -> tuple[InkEvidence, ...]:
        """The inks that people confirmed, each for one tile, the newest last."""
        return self._ink_words.newest

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Add inks that people confirmed earlier in this light, each for one tile."""
        self._ink_words.remember(words)
        self._assemble_again()

    def forget_inks(self) -> None:
        """Forget the inks that people confirmed; tiles on the table keep their labels."""
        self._ink_words = InkWords()
        self._assemble_again()

    def play_with(self, tile_set: TileSet) -> None:
        """Change the tile set; the tracks stay, and the reading is made again with the set's inks and copies."""
        if tile_set != self._tile_set:
            self._tile_set = tile_set
            self._assemble_again()

    def look_again(self) -> None:
        """Read the whole table again once it settles, for example after a gap in the stream; tracks are kept."""
        self._motion.forget()
        self.rest, self.is_done = Rest(State.MOVING), False

    def forget(self) -> None:
        """Forget the table, the tracks and the inks that people confirmed, and start again with another table."""
        self._motion.forget()
        self._tracks = Tracks.none(self._tracks.next_track)
        self.rest, self.is_done = Rest(State.MOVING), False
        self._reading, self._frame_wh = TableReading((), (), (0, 0)), (0, 0)
        self._view = TableView(self._frame_wh)
        self._scaled = self._reading, self._reading
        self._image_bgr: Image | None = None
        self._colourless = self._is_diagnosed = False
        self._weak_px: Floats | None = None
        self._ink_words = InkWords()
        self._troubles: tuple[Trouble, ...] = ()
        self._face_down = self._reading.face_down

    def _settle(self, image_bgr: Image, rest: Rest, time_s: float) -> None:
        """Read the changed parts, or the whole table if the view does not show the change or another view is better."""
        if not self._view.shows(rest.changed_px, self._tracks.tiles):
            # Another scene, or a camera that was moved, may need another view.
            self._change_view(TableView((image_bgr.shape[1], image_bgr.shape[0])))
            rest = replace(rest, changed_px=None)
        before = self._tracks
        scene = self._read(image_bgr, rest, time_s)
        better = self._view.find_better(self._reader, image_bgr, self._tracks.tiles, self._reading, self._tile_set)
        if better is not None:
            if rest.shift is None:  # the tracks before the first reading are used again
                self._tracks = replace(before, next_track=self._tracks.next_track)
            self._change_view(better)
            scene = self._read(image_bgr, replace(rest, changed_px=None, shift=None), time_s)
        if self._weak_px is not None:
            self._diagnose(image_bgr, scene)

    def _change_view(self, view: TableView) -> None:
        """Change to another view, and map the tracks to it."""
        before, self._view, parts = self._view, view, (self._tracks.tiles, self._tracks.in_hand)
        tiles, in_hand = (replace(part, quads_px=before.to_view(view, part.quads_px)) for part in parts)
        self._tracks = replace(self._tracks, tiles=tiles, in_hand=in_hand)

    def _read(self, image_bgr: Image, rest: Rest, time_s: float) -> Scene:
        """Read the changed parts of a settled frame; return the scene that was read."""
        scene = self._view.scene(image_bgr, rest, self._image_bgr)
        scene, tracks = divide_tracks(self._reader.classifier, scene, self._tracks, self._ink_words)
        result = self._reader.read_scene(scene, self._tile_set, tracks, time_s)
        self._tracks = self._tracks.with_tiles(result.candidates, result.in_hand)
        self._reading, self._colourless, self._weak_px = result.reading, result.colourless, result.weak_px
        self._keep_image(scene)
        self._is_diagnosed, self._troubles = False, ()
        return scene

    def _assemble(self, scene: Scene, time_s: float) -> None:
        """Make the reading again from the tracks, without detecting tiles."""
        self._keep_image(scene)
        tiles, calibration = self._tracks.tiles, self._reader.calibration
        inks = self._ink_words.of_other_tiles(tiles.track.tolist())
        self._reading, tiles = assemble(scene, tiles, self._tile_set, calibration, self._colourless, inks, time_s)
        self._tracks = replace(self._tracks, tiles=tiles)

    def _assemble_again(self) -> None:
        if self._image_bgr is not None:
            self._assemble(Scene(self._image_bgr), self._reading.time_s or 0.0)

    def _keep_image(self, scene: Scene) -> None:
        """Keep the image for comparison with the next image; under an occluder the older pixels stay."""
        hidden_px = self._view.rest_in_view(self.rest).hidden_px
        self._image_bgr = filled_from(self._image_bgr, scene.image_bgr, hidden_px)

    def _diagnose(self, image_bgr: Image, scene: Scene) -> None:
        """Find face-down tiles and troubles of the image, once for each rest, since no verdict depends on them."""
        if self._weak_px is None:
            self._weak_px = self._reader.detector.detect(scene).faint_px
        self._is_diagnosed = True
        camera_scene = scene if scene.view is None else Scene(image_bgr)
        reading = add_diagnostics(camera_scene, self._in_camera_image, self._view.to_image(self._weak_px))
        self._face_down, self._troubles = reading.face_down, reading.troubles
        self._reading = replace(self._reading)


class TableView:
    """The view in which a table is read: the camera's image itself or, from a low camera, a rectified view of it.

    It is for images of one size from a camera that is not moved. Tiles are read and followed in pixels of the view. A
    view stays until the scene is another, or another view is better.
    """

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
        is_rectified = self._rectification is not None
        if len(tracks) < self._next_search_at or not needs_view(tracks, reading, is_rectified):
            return None
        # Each search costs whole readings, so the next one waits until there are twice as many tiles.
        self._next_search_at = 2 * len(tracks)
        reading = self.reading_in_image(reading)
        result = reader.search_views(image_bgr, tracks, reading, tile_set)
        if result is not None:
            return TableView(self._image_wh, result.view, self._next_search_at)
        if not is_rectified:
            return None
        rectification = fit_rectification(certain_px(reading), image_bgr)
        is_low = rectification is not None and rectification.firm
        return None if is_low else TableView(self._image_wh, None, self._next_search_at)

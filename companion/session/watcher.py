"""The camera's thread: takes frames, reads the table when it is settled, and sends commands to the session."""

import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from tilekeeper.companion.capture.camera_controls import Tunable
from tilekeeper.companion.capture.camera_tuner import WHOLE
from tilekeeper.companion.capture.encoding import Picture, picture_of
from tilekeeper.companion.capture.play_area import PlayArea
from tilekeeper.companion.capture.recorded_table import RecordedTable
from tilekeeper.companion.capture.sources import Frame, Source, SourceUnavailable, ThrottledSource
from tilekeeper.companion.heap import HeapTrimmer
from tilekeeper.companion.observation.observed_table import tile_set_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.camera_updates import (
    PhotoRead,
    PhotoRequested,
    PhotoUnreadable,
    ReadingImproved,
    RecordingRestarted,
    SourceChanged,
    TableRead,
)
from tilekeeper.companion.session.demo_player import DemoPlayer
from tilekeeper.companion.session.ink_memory import InkMemory
from tilekeeper.companion.session.observer import Tracker
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.settings import Settings
from tilekeeper.companion.session.snapshot import PhotoFolder, WatchedSource
from tilekeeper.engine.language import gettext, lazy_gettext
from tilekeeper.vision.quality.diagnostics import TOO_BLURRED
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.scene import State
from tilekeeper.vision.types import TableReading

log = logging.getLogger(__name__)

WAITING_PREVIEW_EVERY_S = 1.0
"""The shortest interval of pictures for pages while a button waits, since encoding takes time from the reader."""
FRAME_EVERY_WAITING_S = 0.01
"""The interval of frames while a button waits for a settled table."""
READ_TIMEOUT_S = 0.5
"""The longest wait for a frame, in seconds; then the thread checks whether it must stop."""


class Watcher:
    """Takes frames from one source and reads the table, in a separate thread."""

    def __init__(self, settings: Settings, session: Session, ink_memory: InkMemory) -> None:
        """Use the source and the observer of the settings; nothing runs before `start`."""
        self._settings = settings
        self._frame_every_s = 1 / settings.user.frames_per_second
        self._preview_every_s = 1 / settings.user.previews_per_second
        self._session = session
        self._ink_memory = ink_memory
        self._stopping = threading.Event()
        self._changing = threading.Lock()
        self._play_area: PlayArea | None = None
        self._whole: np.ndarray | None = None
        self._newest: Frame | None = None
        self._take(settings.source)
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._pictures = 0
        self._heap = HeapTrimmer()
        self._shown_s = -self._preview_every_s

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, close the source, and wait for the thread for at most five seconds."""
        self._stopping.set()
        self._source.close()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)
        self._heap.note(False, time.monotonic())

    def step(self, by: int) -> None:
        """Show another photo of the folder, `by` photos further (back if negative).

        Raises:
            Refused: if the source is not a folder of photos.
        """
        source = self._source
        if not isinstance(source, PhotoFolder):
            raise Refused(gettext("You can go back and forth only in a folder of photos."))
        self._session.handle(PhotoRequested((source.index + by) % source.count))
        source.step(by)

    @property
    def source(self) -> Source:
        """The current source."""
        return self._source

    def watch(self, source: Source, watched: WatchedSource, play_area: PlayArea | None) -> None:
        """Close the current source and take frames from `source`, black outside `play_area`."""
        with self._changing:
            before = self._source
            self._play_area, self._whole, self._newest = play_area, None, None
            self._take(source)
            self._session.handle(SourceChanged(watched))
        before.close()

    @property
    def whole(self) -> np.ndarray | None:
        """The newest frame `(H, W, 3) uint8`, BGR, also outside the play area; None before the first frame."""
        return self._whole

    def show_newest(self) -> np.ndarray | None:
        """Publish the newest frame, although nothing has moved, for example after a change of light.

        Returns:
            The frame `(H, W, 3) uint8`, BGR, black outside the play area; None before the first frame.
        """
        with self._changing:
            if self._newest is None:
                return None
            self._session.show(self._picture(self._newest), settled=self._session.state.snapshot.settled)
            return self._newest.image_bgr

    @property
    def play_area(self) -> PlayArea | None:
        """The play area, the part of a frame that may be shown; None for the whole frame."""
        return self._play_area

    def limit_to(self, play_area: PlayArea | None) -> None:
        """Black out everything outside an area from the next frame on; None for the whole frame."""
        with self._changing:
            self._play_area = play_area
            self._aim()
            self._tracker.look_again()

    def refocus(self) -> None:
        """Ask the camera for a new focus search, since its frames are blurred; the search begins once nothing moves."""
        if isinstance(self._source, Tunable):
            self._source.refocus()

    def _aim(self) -> None:
        """Let the camera measure focus and light within the play area."""
        if isinstance(self._source, Tunable):
            self._source.look_at(WHOLE if self._play_area is None else self._play_area.bounds)

    def _take(self, source: Source) -> None:
        self._source = source
        self._aim()
        self._demo = DemoPlayer(source, self._session) if isinstance(source, RecordedTable) else None
        self._tracker: Tracker = self._settings.observer.tracker(self._settings.user.still_after_s)
        self._labels: Mapping[int, str] = {}  # the people's labels that were passed to the tracker, by track
        self._last_index = -1
        self._last_shape: tuple[int, ...] = ()
        self._remembered_for: str | None = None  # the game night whose confirmed inks the tracker has
        self._kept_words: tuple[InkEvidence, ...] = ()
        self._handled = self._tracker.reading
        self._shown_state: State | None = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.take_frame()
            except Exception:  # cameras, decoders and networks raise errors of many kinds
                # If this thread ended, pages would show the same picture for the rest of the game night. So the thread
                # continues with the next frame; the log has the traceback.
                log.exception("A picture could not be processed")
                self._session.report_trouble(lazy_gettext("This picture could not be read; the log says why."))
                with self._changing:
                    self._tracker.look_again()  # otherwise the page would show the trouble until something moves
                self._stopping.wait(1.0)

    def take_frame(self) -> None:
        """Take one frame from the source and process it; wait at most `READ_TIMEOUT_S` for a frame."""
        source = self._source
        try:
            frame = source.read(timeout_s=READ_TIMEOUT_S)
        except SourceUnavailable as error:
            if source is self._source:
                self._session.handle(PhotoUnreadable(str(error)))
            return
        begun_s = time.monotonic()
        with self._changing:
            if source is not self._source:
                return  # the source was changed meanwhile, so this frame is of the earlier one
            if frame is None:
                if source.trouble and not self._stopping.is_set():
                    self._session.report_trouble(source.trouble)
                    # After trouble the table is read with the first frame, even if it looks the same.
                    self._tracker.look_again()
                return
            self._newest = frame = self._masked(frame)
            if source.kind == "photos":
                self._heap.note(False, frame.time_s)
                self._read_photo(frame)
                return
            self._watch(frame)
            self._heap.note(self._tracker.is_done, frame.time_s)
            if isinstance(source, ThrottledSource):
                source.rest(self._tracker.is_done and not self._session.state.activity.waiting)
            if self._demo is not None:
                self._demo.go_on_if_due()
        every_s = FRAME_EVERY_WAITING_S if self._session.state.activity.waiting else self._frame_every_s
        self._stopping.wait(max(FRAME_EVERY_WAITING_S, begun_s + every_s - time.monotonic()))

    def _masked(self, frame: Frame) -> Frame:
        """Return the frame, black outside the play area; only `whole` keeps the complete frame."""
        self._whole = frame.image_bgr
        return frame if self._play_area is None else replace(frame, image_bgr=self._play_area.masked(frame.image_bgr))

    def _watch(self, frame: Frame) -> None:
        tracker = self._tracker
        if frame.index < self._last_index and self._source.kind == "video":
            self._forget_table()
            self._session.handle(RecordingRestarted())
        self._last_index = frame.index
        if frame.image_bgr.shape != self._last_shape:
            # In a frame of another size all tiles are at other pixels, where the tracker would not find them.
            self._forget_table()
            self._labels, self._last_shape = {}, frame.image_bgr.shape
        self._update_tracker()
        started_s = time.monotonic()
        reading = tracker.push(frame)
        readable = tracker.rest.state in (State.STILL, State.HIDDEN)
        if tracker.rest.settled and readable:
            log.debug("Read %d tiles in %.0f ms", len(reading.tiles), 1000 * (time.monotonic() - started_s))
            self._send_reading(frame, reading)
            if reading.status == TOO_BLURRED:
                self.refocus()
        elif not readable:
            every_s = self._preview_every_s
            if self._session.state.activity.waiting:
                every_s = max(every_s, WAITING_PREVIEW_EVERY_S)
            if tracker.rest.state is not self._shown_state or time.monotonic() - self._shown_s >= every_s:
                self._session.show(self._picture(frame), settled=False, frame_state=tracker.rest.state.value)
        elif reading is not self._handled:
            self._session.handle(ReadingImproved(reading))
            self._handled = reading
        self._shown_state = tracker.rest.state

    def _forget_table(self) -> None:
        """Let the tracker forget all tiles, but not the confirmed inks, since the light is the same."""
        words = self._tracker.ink_words
        self._tracker.forget()
        self._tracker.remember(words)

    def _update_tracker(self) -> None:
        """Pass the tile set, confirmed inks and new corrections to the tracker."""
        tracker, state = self._tracker, self._session.state
        tracker.play_with(tile_set_of(state.activity.rules))
        night = state.activity.game_night
        if night is not None and night.id != self._remembered_for:
            if self._remembered_for is not None:
                # These inks are of another game night; inks that were confirmed before the first game night stay.
                tracker.forget_inks()
            self._remembered_for = night.id
            self._kept_words = self._ink_memory.recall(state)
            tracker.remember(self._kept_words)
        labels = state.annotations.labels
        for track, label in labels.items():
            if self._labels.get(track) != label:
                # The tile is no longer tracked, or house rules have numbers that the networks do not know.
                with suppress(KeyError, ValueError):
                    tracker.correct(track, label)
        self._labels = labels
        if night is not None and tracker.ink_words != self._kept_words:
            self._kept_words = tracker.ink_words
            self._ink_memory.keep(state, self._kept_words)

    def _send_reading(self, frame: Frame, reading: TableReading) -> None:
        self._session.handle(TableRead(self._picture(frame), reading, self._tracker.rest.state.value))
        self._handled = reading

    def _read_photo(self, frame: Frame) -> None:
        """Read a photo on its own, without a tracker: each photo shows a separate table."""
        reading = self._settings.observer.read(frame.image_bgr, tile_set_of(self._session.state.activity.rules))
        self._session.handle(PhotoRead(self._picture(frame), reading))

    def _picture(self, frame: Frame) -> Picture:
        self._pictures += 1
        self._shown_s = time.monotonic()
        height_px, width_px = frame.image_bgr.shape[:2]
        box = None if self._play_area is None else self._play_area.box((width_px, height_px))
        user = self._settings.user
        return picture_of(
            frame.image_bgr, self._pictures, frame.name, user.picture_side_px, user.picture_quality_percent, box
        )

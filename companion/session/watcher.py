"""The thread that watches the table: takes frames, waits until it lies still, reads it and hands the reading on."""

import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from tilekeeper.companion.capture.encoding import Picture, picture_of
from tilekeeper.companion.capture.play_area import PlayArea
from tilekeeper.companion.capture.recorded_table import RecordedTable
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
from tilekeeper.companion.session.snapshot import PhotoSource, WatchedSource
from tilekeeper.engine.language import gettext, lazy_gettext
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.sources.camera import Frame, Source, SourceUnavailable, Sparing
from tilekeeper.vision.tracking.motion_detection import State
from tilekeeper.vision.types import TableReading

log = logging.getLogger(__name__)

# While something moves the page shows that it does, and no more than that.
PREVIEW_EVERY_S, WAITING_PREVIEW_EVERY_S = 0.25, 1.0
# Frames closer together than this are skipped: a hand is not that quick, and the reader needs the processor. Once
# somebody waits for the table to lie still, every frame counts; a little is left for those who answer pages.
FRAME_EVERY_S, FRAME_EVERY_WAITING_S = 0.06, 0.01
READ_TIMEOUT_S = 0.5


class Watcher:
    """Watches one source in a thread of its own."""

    def __init__(self, settings: Settings, session: Session, ink_memory: InkMemory) -> None:
        """Take the source and reader of the settings; nothing happens before `start`."""
        self._settings = settings
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
        self._shown_s = -PREVIEW_EVERY_S

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching and close the source; waits for the thread a moment."""
        self._stopping.set()
        self._source.close()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)
        self._heap.note(False, time.monotonic())

    def step(self, by: int) -> None:
        """Go to another photo of a folder; the present one no longer holds."""
        source = self._source
        if not isinstance(source, PhotoSource):
            raise Refused(gettext("You can step only through a folder of photos."))
        self._session.handle(PhotoRequested((source.index + by) % source.count))
        source.step(by)

    @property
    def source(self) -> Source:
        """What is watched now."""
        return self._source

    def watch(self, source: Source, watched: WatchedSource, play_area: PlayArea | None) -> None:
        """Watch something else from now on; the source before is closed."""
        with self._changing:
            before = self._source
            self._play_area, self._whole, self._newest = play_area, None, None
            self._take(source)
            self._session.handle(SourceChanged(watched))
        before.close()

    @property
    def whole(self) -> np.ndarray | None:
        """The newest picture with nothing blacked out (H, W, 3) uint8; None before the first."""
        return self._whole

    def show_newest(self) -> np.ndarray | None:
        """Show the newest picture even where nothing moved, as when a lamp was turned down.

        Returns:
            It (H, W, 3) uint8, as everybody may see it; None before the first.
        """
        with self._changing:
            if self._newest is None:
                return None
            self._session.show(self._picture(self._newest), settled=self._session.state.snapshot.settled)
            return self._newest.image_bgr

    @property
    def play_area(self) -> PlayArea | None:
        """What of the picture may be seen; None for all of it."""
        return self._play_area

    def limit_to(self, play_area: PlayArea | None) -> None:
        """Black out everything outside an area from the next picture on; None lets all of it be seen."""
        with self._changing:
            self._play_area = play_area
            self._tracker.look_again()

    def _take(self, source: Source) -> None:
        self._source = source
        self._demo = DemoPlayer(source, self._session) if isinstance(source, RecordedTable) else None
        self._tracker: Tracker = self._settings.observer.tracker(self._settings.still_after_s)
        self._labels: Mapping[int, str] = {}  # what people said of its tiles, as far as the tracker knows
        self._last_index = -1
        self._last_shape: tuple[int, ...] = ()
        self._remembered_for: str | None = None  # the evening whose words for inks the tracker knows
        self._kept_words: tuple[InksSeen, ...] = ()
        self._handled = self._tracker.reading
        self._shown_state: State | None = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.take_frame()
            except Exception:  # the last net of this thread, and not a silent one
                # Whatever one picture brings about, the next must still be watched: without this thread the page
                # would stand still all evening. The log has the whole story, the page says that there is one.
                log.exception("A picture could not be dealt with")
                self._session.report_trouble(lazy_gettext("This picture could not be read; the log says why."))
                with self._changing:
                    self._tracker.look_again()  # or, where nothing moves, no picture would be told of and end it
                self._stopping.wait(1.0)

    def take_frame(self) -> None:
        """Take one frame of the source and do with it what is to be done; waits a moment where none comes."""
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
                return  # the last breath of what was watched before
            if frame is None:
                if source.trouble and not self._stopping.is_set():
                    self._session.report_trouble(source.trouble)
                    # Whatever lies there when pictures come again is looked at anew, even if it is what lay there.
                    self._tracker.look_again()
                return
            self._newest = frame = self._masked(frame)
            if source.kind == "photos":
                self._heap.note(False, frame.time_s)
                self._read(frame)
                return
            self._watch(frame)
            self._heap.note(self._tracker.is_done, frame.time_s)
            if isinstance(source, Sparing):
                source.rest(self._tracker.is_done and not self._session.state.activity.waiting)
            if self._demo is not None:
                self._demo.press_due()
        every_s = FRAME_EVERY_WAITING_S if self._session.state.activity.waiting else FRAME_EVERY_S
        self._stopping.wait(max(FRAME_EVERY_WAITING_S, begun_s + every_s - time.monotonic()))

    def _masked(self, frame: Frame) -> Frame:
        """The frame as everybody may see it; from here on there is no other."""
        self._whole = frame.image_bgr
        return frame if self._play_area is None else replace(frame, image_bgr=self._play_area.masked(frame.image_bgr))

    def _watch(self, frame: Frame) -> None:
        tracker = self._tracker
        if frame.index < self._last_index and self._source.kind == "video":
            self._forget_table()
            self._session.handle(RecordingRestarted())
        self._last_index = frame.index
        if frame.image_bgr.shape != self._last_shape:
            # Its tiles lie at other pixels: what is known of those before would be looked for at wrong places.
            self._forget_table()
            self._labels, self._last_shape = {}, frame.image_bgr.shape
        self._tell_tracker()
        started_s = time.monotonic()
        reading = tracker.push(frame)
        readable = tracker.rest.state in (State.STILL, State.HIDDEN)
        if tracker.rest.settled and readable:
            log.debug("Read %d tiles in %.0f ms", len(reading.tiles), 1000 * (time.monotonic() - started_s))
            self._put(frame, reading)
        elif not readable:
            # Who waits for a verdict gets it sooner with fewer pictures of the hand that leaves.
            every_s = WAITING_PREVIEW_EVERY_S if self._session.state.activity.waiting else PREVIEW_EVERY_S
            if tracker.rest.state is not self._shown_state or time.monotonic() - self._shown_s >= every_s:
                self._session.show(self._picture(frame), settled=False, frame_state=tracker.rest.state.value)
        elif reading is not self._handled:
            self._session.handle(ReadingImproved(reading))
            self._handled = reading
        self._shown_state = tracker.rest.state

    def _forget_table(self) -> None:
        """Forget the tiles, and not what people called inks: the light is the same."""
        words = self._tracker.ink_words
        self._tracker.forget()
        self._tracker.remember(words)

    def _tell_tracker(self) -> None:
        """Tell the tracker which tiles are played with, and what people said of them since."""
        tracker, state = self._tracker, self._session.state
        tracker.play_with(tile_set_of(state.activity.rules))
        night = state.activity.game_night
        if night is not None and night.id != self._remembered_for:
            if self._remembered_for is not None:
                tracker.forget_inks()  # what was said in another evening; what was said before any is this one's
            self._remembered_for = night.id
            self._kept_words = self._ink_memory.recall(state)
            tracker.remember(self._kept_words)
        labels = state.annotations.labels
        for track, label in labels.items():
            if self._labels.get(track) != label:
                # the tile has gone meanwhile, or has a number that only rules of a house know
                with suppress(KeyError, ValueError):
                    tracker.correct(track, label)
        self._labels = labels
        if night is not None and tracker.ink_words != self._kept_words:
            self._kept_words = tracker.ink_words
            self._ink_memory.keep(state, self._kept_words)

    def _put(self, frame: Frame, reading: TableReading) -> None:
        self._session.handle(TableRead(self._picture(frame), reading, self._tracker.rest.state.value))
        self._handled = reading

    def _read(self, frame: Frame) -> None:
        """Read a photo: each is a table of its own."""
        reading = self._settings.observer.read(frame.image_bgr, tile_set_of(self._session.state.activity.rules))
        self._session.handle(PhotoRead(self._picture(frame), reading))

    def _picture(self, frame: Frame) -> Picture:
        self._pictures += 1
        self._shown_s = time.monotonic()
        height_px, width_px = frame.image_bgr.shape[:2]
        box = None if self._play_area is None else self._play_area.box((width_px, height_px))
        return picture_of(frame.image_bgr, self._pictures, frame.name, box)

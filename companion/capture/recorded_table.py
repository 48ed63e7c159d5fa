"""The demo source: the recorded table that ships with the project, a film that pauses where a player says "done".

`table.json` beside `table.mp4` has the frames at which the film pauses, and the table with which it begins. It has no
labels of other tiles: the networks read the film like a camera.
"""

import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilekeeper.companion.capture.sources import LAST_FRAME_HOLD_S, Frame, SourceUnavailable
from tilekeeper.companion.capture.video_capture import Capture, CaptureFailed, open_recording
from tilekeeper.engine.language import lazy_gettext

# A film that is more than this many seconds late continues at normal speed and does not catch up.
MOST_BEHIND_S = 0.3
REST_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Cue:
    """A frame at which the film pauses."""

    frame: int
    """The frame's number, from 0."""


class RecordedTable:
    """A `Source` that plays a film, and pauses at each of its cues until `go_on` is called."""

    kind = "video"
    trouble = ""

    def __init__(self, path: Path, cues: tuple[Cue, ...], name: str) -> None:
        """Open the film; `name` is the source's name for pages. Raises `SourceUnavailable` if it can't be played."""
        self.name = name
        self._path = path
        self._cues = {cue.frame: cue for cue in cues}
        self._closing = threading.Event()
        self._resting: Cue | None = None
        self._image: np.ndarray | None = None
        self._capture = self._open()
        self._begin()

    @property
    def resting(self) -> Cue | None:
        """The cue at which the film pauses; None while it plays."""
        return self._resting

    def go_on(self) -> None:
        """Continue a film that pauses at a cue."""
        self._resting = None
        self._start_s = time.monotonic() - self._index / self._capture.fps

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next frame at its time, or the same frame again while the film pauses; None after `close`."""
        if self._resting is not None and self._image is not None:
            self._closing.wait(min(REST_LOOK_S, timeout_s))
            return None if self._closing.is_set() else self._frame(self._image, self._index - 1)
        image = self._capture.read()
        if image is None:
            self._closing.wait(LAST_FRAME_HOLD_S)
            self._capture.close()
            if self._closing.is_set():
                return None
            self._capture = self._open()
            self._begin()
            image = self._capture.read()
        self._wait_until_due()
        if image is None or self._closing.is_set():
            return None
        self._image = image
        self._resting = self._cues.get(self._index)
        self._index += 1
        return self._frame(image, self._index - 1)

    def close(self) -> None:
        """Wake all threads that wait in `read`; the file is closed when this object is freed."""
        self._closing.set()

    def _begin(self) -> None:
        self._index = 0
        self._start_s = time.monotonic()

    def _wait_until_due(self) -> None:
        late_s = time.monotonic() - (self._start_s + self._index / self._capture.fps)
        if late_s > MOST_BEHIND_S:
            self._start_s += late_s
        else:
            self._closing.wait(max(0.0, -late_s))

    def _frame(self, image: np.ndarray, index: int) -> Frame:
        return Frame(image, time.monotonic(), self.name, index)

    def _open(self) -> Capture:
        try:
            return open_recording(self._path)
        except CaptureFailed as error:
            raise SourceUnavailable(
                lazy_gettext("{name} can't be played: {error}", name=self._path.name, error=error)
            ) from None


def cues_of(path: Path) -> tuple[Cue, ...]:
    """Return the cues of a film from the JSON file beside it; an empty tuple if there is no such file."""
    json_path = path.with_suffix(".json")
    if not json_path.is_file():
        return ()
    stills = json.loads(json_path.read_text(encoding="utf-8"))["stills"]
    return tuple(Cue(still["last_frame"]) for still in stills)


@dataclass(frozen=True, slots=True)
class FilmStart:
    """The state of the game at the start of a film."""

    table: str
    """The table, in the notation."""
    opened: frozenset[int]
    """The players who have opened before their first turn."""


def start_of(path: Path) -> FilmStart:
    """Return the start of a film from the JSON file beside it."""
    first, *later = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["stills"]
    first_turns = {turn["player"]: turn for turn in reversed([still["turn"] for still in later])}
    return FilmStart(first["table"], frozenset(player for player, turn in first_turns.items() if turn["opened"]))

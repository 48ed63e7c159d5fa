"""The eye of the watcher: takes every frame of a source and always has the newest reading of the table."""

from __future__ import annotations

from typing import Protocol

from tilekeeper.companion.session.settings import ReadsTables
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.sources.camera import Frame
from tilekeeper.vision.tracking.motion_gate import Rest, State, StillGate
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import INKS, TableReading

Inks = tuple[str, str, str, str]


class Eye(Protocol):
    """What watches a table frame by frame; `FrameReader` does, and is told of there."""

    @property
    def rest(self) -> Rest: ...
    @property
    def reading(self) -> TableReading: ...
    def push(self, frame: Frame) -> TableReading: ...
    def correct(self, track: int, label: str) -> TableReading: ...
    def play_with(self, inks: Inks, copies: int) -> None: ...
    def look_again(self) -> None: ...
    def forget(self) -> None: ...


class OneByOne:
    """Reads each still picture by itself, with a reader that knows of no frames: no tile is followed.

    While something covers the table it waits: there is no telling what lies beneath.
    """

    def __init__(self, reader: ReadsTables, still_after_s: float) -> None:
        """Read once nothing has moved for `still_after_s`."""
        self._reader = reader
        self._gate = StillGate(still_after_s)
        self._inks: Inks = INKS
        self.forget()

    @property
    def rest(self) -> Rest:
        """What the gate said of the newest frame."""
        return self._rest

    @property
    def reading(self) -> TableReading:
        """The newest reading."""
        return self._reading

    def push(self, frame: Frame) -> TableReading:
        """Take in a frame and return the newest reading."""
        self._rest = self._gate.push(frame.image_bgr, frame.time_s)
        if self._rest.settled and self._rest.state is State.STILL:
            self._reading = self._reader.read(frame.image_bgr, self._inks)
        return self._reading

    def correct(self, track: int, label: str) -> TableReading:
        """Nothing: what people say of tiles that nobody follows is for whoever asked them to remember."""
        return self._reading

    def play_with(self, inks: Inks, copies: int) -> None:
        """Use the words of an edition from the next reading on."""
        self._inks = inks

    def look_again(self) -> None:
        """Read what lies there once it lies still, even if it is what lay there before."""
        self._gate.forget()

    def forget(self) -> None:
        """Begin anew."""
        self._gate.forget()
        self._rest, self._reading = Rest(State.MOVING), TableReading((), (), (0, 0))


def eye_of(reader: ReadsTables, still_after_s: float) -> Eye:
    """Return what watches with a reader: one that follows every tile, where it has networks to look at parts with."""
    return FrameReader(reader, still_after_s) if isinstance(reader, Reader) else OneByOne(reader, still_after_s)

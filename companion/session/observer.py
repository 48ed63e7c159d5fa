"""The interface to vision: a tracker for cameras and films, and readings of single photos."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilekeeper.companion.capture.sources import Frame
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.scene import Rest
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading, TileSet


class Tracker(Protocol):
    """Tracks the tiles of one table from frame to frame; `FrameReader` implements and documents these methods."""

    @property
    def rest(self) -> Rest: ...
    @property
    def reading(self) -> TableReading: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def ink_words(self) -> tuple[InkEvidence, ...]: ...
    def remember(self, words: Iterable[InkEvidence]) -> None: ...
    def forget_inks(self) -> None: ...
    def push(self, frame: Frame) -> TableReading: ...
    def correct(self, track: int, label: str) -> TableReading: ...
    def play_with(self, tile_set: TileSet) -> None: ...
    def look_again(self) -> None: ...
    def forget(self) -> None: ...


class Observer(Protocol):
    """Reads tiles from photos and frames; an interface, so that tests need no networks."""

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        """Return the reading of one photo `(H, W, 3) uint8`, BGR; only tiles of `tile_set` are read."""
        ...

    def tracker(self, still_after_s: float) -> Tracker:
        """Return a new tracker, which reads the table when nothing has moved for `still_after_s` seconds."""
        ...


@dataclass(frozen=True, slots=True)
class NetworkObserver:
    """The `Observer` of the app, which reads with the networks of a `Reader`."""

    reader: Reader

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        """Return the reading of one photo `(H, W, 3) uint8`, BGR; only tiles of `tile_set` are read."""
        return self.reader.read(image_bgr, tile_set)

    def tracker(self, still_after_s: float) -> Tracker:
        """Return a new tracker, which reads the table when nothing has moved for `still_after_s` seconds."""
        return FrameReader(self.reader, still_after_s)

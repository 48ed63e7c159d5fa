"""Reads the pictures of the app: those of a camera or a film with a tracker, and single photos each by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.scene import Rest
from tilekeeper.vision.sources.camera import Frame
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading, TileSet


class Tracker(Protocol):
    """Follows the tiles of one table from frame to frame; `FrameReader` does, and says what each of these means."""

    @property
    def rest(self) -> Rest: ...
    @property
    def reading(self) -> TableReading: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def ink_words(self) -> tuple[InksSeen, ...]: ...
    def remember(self, words: Iterable[InksSeen]) -> None: ...
    def forget_inks(self) -> None: ...
    def push(self, frame: Frame) -> TableReading: ...
    def correct(self, track: int, label: str) -> TableReading: ...
    def play_with(self, tile_set: TileSet) -> None: ...
    def look_again(self) -> None: ...
    def forget(self) -> None: ...


class Observer(Protocol):
    """What reads the pictures of the app."""

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        """Return the tiles of a set on a photo `(H, W, 3) uint8`, which is a table that is seen once."""
        ...

    def tracker(self, still_after_s: float) -> Tracker:
        """Return what follows the tiles of a table that is watched, read once nothing has moved for `still_after_s`."""
        ...


@dataclass(frozen=True, slots=True)
class NetworkObserver:
    """Reads with the networks of a reader."""

    reader: Reader

    def read(self, image_bgr: np.ndarray, tile_set: TileSet) -> TableReading:
        """Return the tiles of a set on a photo `(H, W, 3) uint8`, which is a table that is seen once."""
        return self.reader.read(image_bgr, tile_set)

    def tracker(self, still_after_s: float) -> Tracker:
        """Return what follows the tiles of a table that is watched, read once nothing has moved for `still_after_s`."""
        return FrameReader(self.reader, still_after_s)

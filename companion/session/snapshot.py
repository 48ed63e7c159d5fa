"""Immutable values: the current source, its newest picture and reading, and the time of a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.capture.sources import Source
from tilekeeper.vision.types import TableReading


@runtime_checkable
class PhotoFolder(Source, Protocol):
    """A folder of photos, which shows one photo until `step` shows another."""

    @property
    def index(self) -> int:
        """The index of the shown photo, from 0."""
        ...

    @property
    def count(self) -> int:
        """The number of photos."""
        ...

    def step(self, by: int) -> int:
        """Show the photo `by` places further (back if negative), wrapping around; return its index."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedSource:
    """The current source of pictures, as pages show it.

    Attributes:
        kind: `camera`, `stream`, `phone`, `video`, `photos`, or `none` if everything is entered by hand.
        watched: the source's name on the page.
        notice: why this source was chosen, in a sentence for the page; empty if the user named it.
        index: the shown photo of a folder, from 0; None for other sources.
        count: the number of photos in the folder; None for other sources.
    """

    kind: str
    watched: str
    notice: str = ""
    index: int | None = None
    count: int | None = None

    @classmethod
    def of(cls, source: Source, watched: str, notice: str) -> WatchedSource:
        """Return the description of an opened source; `watched` and `notice` are stored as they are."""
        index, count = (source.index, source.count) if isinstance(source, PhotoFolder) else (None, None)
        return cls(source.kind, watched, notice, index, count)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The newest picture of the table and the newest reading of it.

    Attributes:
        picture: the newest picture; None before the first one.
        reading: the reading of the last settled table; None before the first one.
        reading_number: the number of the reading, from 1; a verdict keeps the number of the reading that was judged.
        settled: whether nothing moves and the reading is of the current picture.
        state: the motion in the newest frame: `still`, `moving`, `hidden` if something covers a part of the table,
            `lost` if the whole image moves; empty before the first frame, and for photos.
        trouble: why the source gives no picture, in one line; empty if it gives pictures.
    """

    picture: Picture | None = None
    reading: TableReading | None = None
    reading_number: int = 0
    settled: bool = False
    state: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a command.

    Attributes:
        now_s: seconds of a monotonic clock, used for all calculations.
        utc: the time of day as `2026-11-21T19:30:05Z`, only for the history.
    """

    now_s: float
    utc: str

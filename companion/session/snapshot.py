"""What the camera shows at one time: a picture, what was read on it, and how the source is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.vision.sources.camera import Source
from tilekeeper.vision.types import TableReading


@runtime_checkable
class PhotoSource(Source, Protocol):
    """A folder of photos, which shows one of them until it is asked for another."""

    @property
    def index(self) -> int:
        """Which photo is shown, from 0."""
        ...

    @property
    def count(self) -> int:
        """How many photos there are."""
        ...

    def step(self, by: int) -> int:
        """Show the photo that is so many further on, and return its index."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedSource:
    """What is watched.

    Attributes:
        kind: `camera`, `stream`, `phone`, `video`, `photos`, or `none` where everything is entered by hand.
        watched: what it is, in a few words for people.
        notice: why it is this one, in a sentence for the page; empty where there is no need to say so.
        index: which photo of a folder is shown, from 0; None for other sources.
        count: how many photos the folder has; None for other sources.
    """

    kind: str
    watched: str
    notice: str = ""
    index: int | None = None
    count: int | None = None

    @classmethod
    def of(cls, source: Source, watched: str, notice: str) -> WatchedSource:
        """Describe a source that was opened."""
        index, count = (source.index, source.count) if isinstance(source, PhotoSource) else (None, None)
        return cls(source.kind, watched, notice, index, count)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The newest picture of the table and the newest reading of it.

    Attributes:
        picture: the newest picture; None before the first.
        reading: what was read when the table last lay still; None before the first.
        reading_number: counts the readings from 1, so that a verdict knows whether it is of the present one.
        settled: whether the reading is of the present picture: nothing moves and nothing waits to be read.
        state: what the newest frame shows: `still`, `moving`, `hidden` where something covers a part of the table,
            `lost` where all of the picture moves; empty before the first frame, and for photos.
        trouble: why the source gives no picture, in one line; empty where all is well.
    """

    picture: Picture | None = None
    reading: TableReading | None = None
    reading_number: int = 0
    settled: bool = False
    state: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something is done.

    Attributes:
        now_s: seconds of a monotonic clock; everything is reckoned from these.
        utc: the time of day as `2026-11-21T19:30:05Z`; for people who read a history only.
    """

    now_s: float
    utc: str

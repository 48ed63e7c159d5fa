"""What the page shows at one moment: a picture, what was read on it, and how the source is."""

from dataclasses import dataclass

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.vision.types import TableReading


@dataclass(frozen=True, slots=True)
class Watching:
    """What is watched.

    Attributes:
        kind: `camera`, `stream`, `video`, `photos`, or `none` where everything is entered by hand.
        watched: what it is, in a few words for people.
        notice: why it is watched, where nobody chose it; else empty.
        index: which photo of a folder is shown, from 0; None for anything else.
        count: how many photos there are.
    """

    kind: str
    watched: str
    notice: str = ""
    index: int | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The newest state of the watched table.

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

"""What the page shows at one moment: a picture, what was read on it, and how the source is."""

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.types import TableReading

# Larger than any tablet shows it; a 12-megapixel photo would only make the page slow.
LONGEST_SIDE_PX = 1600
JPEG_QUALITY = 82


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the page gets it.

    Attributes:
        number: its number since the start; a page asks for it by that.
        jpeg: the picture, scaled so that no side is past `LONGEST_SIDE_PX`.
        image_wh: width and height in pixels before scaling: what a reading's corners are measured in.
        name: the name of the photo, or of the source that it came from.
    """

    number: int
    jpeg: bytes
    image_wh: tuple[int, int]
    name: str


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


def picture_of(image_bgr: np.ndarray, number: int, name: str) -> Picture:
    """Make the page's picture of an image (H, W, 3) uint8."""
    height_px, width_px = image_bgr.shape[:2]
    scale = LONGEST_SIDE_PX / max(height_px, width_px)
    if scale < 1:
        small_wh = (max(1, round(width_px * scale)), max(1, round(height_px * scale)))
        image_bgr = cv2.resize(image_bgr, small_wh, interpolation=cv2.INTER_AREA)
    _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return Picture(number, jpeg.tobytes(), (width_px, height_px), name)

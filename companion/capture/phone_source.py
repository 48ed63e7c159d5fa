"""A phone as the table camera: the phone's page sends JPEG frames, and this source decodes them."""

from __future__ import annotations

import threading
import time
from typing import Final

from tilekeeper.companion.capture.camera_controls import ControlStates
from tilekeeper.companion.capture.decoder import PictureDecoder
from tilekeeper.companion.capture.sources import Frame
from tilekeeper.companion.capture.upload import MOST_PX, decode_with
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext, lazy_gettext
from tilekeeper.vision.arrays import Image

PHONE: Final = "phone"
"""The value of `--source` for a phone."""
SILENT_AFTER_S: Final = 1.8
"""A phone that sends nothing for this many seconds is reported as silent; it should send four frames a second."""
LONGEST_DECODING_S: Final = 5.0


class PhoneSource:
    """A `Source` that holds the newest frame of a phone."""

    kind = PHONE

    def __init__(self) -> None:
        """Start the decoder, without a frame yet."""
        self.name: str = lazy_gettext("A phone")
        self._decoder = PictureDecoder(MOST_PX, LONGEST_DECODING_S)
        self._arrived = threading.Condition()
        self._taking = threading.Lock()
        self._newest: Frame | None = None
        self._count = 0
        self._newest_s: float | None = None
        self._newest_wh: tuple[int, int] | None = None
        self._closed = False
        self._needs_focus = False
        self._needs_photo = False
        self._photo: Image | None = None
        self.controls: ControlStates | None = None
        """The states of the phone's camera controls; None until its page has reported them."""

    def refocus(self) -> None:
        """Request a focus search; the phone gets the request with the answer to its next frame."""
        self._needs_focus = True

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        """Ignore the box: a phone focuses on the middle of its frames."""

    @property
    def needs_photo(self) -> bool:
        """Whether a thread waits for a photo in `request_photo`."""
        return self._needs_photo

    def take_focus_request(self) -> bool:
        """Return whether a focus search was requested, and clear the request."""
        needs_focus, self._needs_focus = self._needs_focus, False
        return needs_focus

    def request_photo(self, timeout_s: float) -> Image | None:
        """Return the next photo, `(H, W, 3) uint8` BGR, cropped to the view of a frame; None after `timeout_s`."""
        with self._arrived:
            if self._newest_wh is None or self.trouble:
                return None
            self._photo, self._needs_photo = None, True
            self._arrived.wait_for(lambda: self._photo is not None or self._closed, timeout_s)
            photo, self._photo, self._needs_photo = self._photo, None, False
        return None if photo is None else crop_to_shape(photo, self._newest_wh)

    def put_photo(self, jpeg: bytes) -> None:
        """Decode a photo for the thread that waits in `request_photo`; ignore the photo if no thread waits.

        Raises:
            Refused: if the photo can't be decoded.
        """
        if not self._needs_photo:
            return
        with self._taking:
            photo = decode_with(self._decoder, jpeg)
        with self._arrived:
            self._newest_s = time.monotonic()  # a phone sends no frames while it takes a photo
            self._photo = photo
            self._arrived.notify_all()

    @property
    def trouble(self) -> str:
        """Why no frames come now, in one line; empty if frames come."""
        if self._newest_s is None:
            return lazy_gettext("No phone sends pictures yet")
        silent = time.monotonic() - self._newest_s > SILENT_AFTER_S
        return lazy_gettext("The phone sends no pictures: wake it up and leave its page open") if silent else ""

    def put(self, jpeg: bytes) -> None:
        """Decode a JPEG under the limits for uploads, and make it the newest frame.

        Raises:
            Refused: if the JPEG can't be decoded, or an earlier frame or photo is still being decoded.
        """
        if not self._taking.acquire(blocking=False):
            raise Refused(gettext("One picture at a time."), "busy")
        try:
            image_bgr = decode_with(self._decoder, jpeg)
        finally:
            self._taking.release()
        with self._arrived:
            self._newest_s = time.monotonic()
            self._newest_wh = (image_bgr.shape[1], image_bgr.shape[0])
            self._newest = Frame(image_bgr, self._newest_s, self.name, self._count)
            self._count += 1
            self._arrived.notify_all()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the newest frame that was not returned yet; None after `timeout_s` seconds or `close`."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest is not None or self._closed, timeout_s)
            frame, self._newest = self._newest, None
            return None if self._closed else frame

    def close(self) -> None:
        """End the decoding process, and wake a thread that waits in `read`."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._decoder.close()


def crop_to_shape(photo_bgr: Image, wh: tuple[int, int]) -> Image:
    """Return the middle of a photo `(H, W, 3) uint8`, cropped to the aspect ratio of a frame of size `wh`.

    A phone films with the middle of its sensor, in 16:9, and takes photos with the whole sensor, in 4:3.
    """
    height_px, width_px = photo_bgr.shape[:2]
    part_width_px = min(width_px, round(height_px * wh[0] / wh[1]))
    part_height_px = min(height_px, round(width_px * wh[1] / wh[0]))
    left, top = (width_px - part_width_px) // 2, (height_px - part_height_px) // 2
    return photo_bgr[top : top + part_height_px, left : left + part_width_px]

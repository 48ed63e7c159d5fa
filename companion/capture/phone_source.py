"""A phone as the table camera: the phone's page sends pictures to this source."""

from __future__ import annotations

import threading
import time
from typing import Final

from tilekeeper.companion.capture.sources import Frame
from tilekeeper.companion.capture.upload import PictureDecoder
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext, lazy_gettext

PHONE: Final = "phone"
"""The value of `--source` for a phone."""
SILENT_AFTER_S: Final = 1.8
"""A phone that sends nothing for this long is in trouble; it sends four pictures a second."""
LONGEST_DECODING_S: Final = 5.0


class PhoneSource:
    """A source (see `tilekeeper.companion.capture.sources.Source`) that holds the newest picture of a phone."""

    kind = PHONE

    def __init__(self) -> None:
        """Wait for the first picture."""
        self.name: str = lazy_gettext("A phone")
        self._decoder = PictureDecoder(LONGEST_DECODING_S)
        self._arrived = threading.Condition()
        self._taking = threading.Lock()
        self._newest: Frame | None = None
        self._count = 0
        self._newest_s: float | None = None
        self._closed = False

    @property
    def trouble(self) -> str:
        """Why there are no pictures; empty if there are."""
        if self._newest_s is None:
            return lazy_gettext("No phone sends pictures yet")
        silent = time.monotonic() - self._newest_s > SILENT_AFTER_S
        return lazy_gettext("The phone sends no pictures: wake it up and leave its page open") if silent else ""

    def put(self, jpeg: bytes) -> None:
        """Decode a picture under the limits for uploads, and make it the newest frame.

        Raises:
            Refused: if it can't be read, or the one before is still being decoded.
        """
        if not self._taking.acquire(blocking=False):
            raise Refused(gettext("One picture at a time."), "busy")
        try:
            image_bgr = self._decoder.decode(jpeg)
        finally:
            self._taking.release()
        with self._arrived:
            self._newest_s = time.monotonic()
            self._newest = Frame(image_bgr, self._newest_s, self.name, self._count)
            self._count += 1
            self._arrived.notify_all()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """See `Source.read`."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest is not None or self._closed, timeout_s)
            frame, self._newest = self._newest, None
            return None if self._closed else frame

    def close(self) -> None:
        """End the decoding process, and wake a waiting reader."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._decoder.close()

"""A phone as the table's camera: phones ask, the host chooses one, and the chosen phone sends frames."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tilekeeper.companion.capture.camera_controls import ControlStates
from tilekeeper.companion.capture.phone_source import PHONE, PhoneSource
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import HOST, Device
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.sources import Sources
from tilekeeper.companion.session.watcher import Watcher
from tilekeeper.engine.language import gettext
from tilekeeper.vision.arrays import Image

MOVING_EVERY_MS: Final = 60
"""The interval of frames while something moves, or a button waits for a settled table."""
STILL_EVERY_MS: Final = 250
"""The interval of frames while the table is settled, short enough to see a hand before it has laid tiles."""
ASKS_FOR_S: Final = 10.0
"""The host can choose a phone only if its page has asked within this many seconds."""
MOST_ASKING: Final = 8
PHOTO_TIMEOUT_S: Final = 6.0
"""The longest wait for a full-resolution photo, which takes a phone up to three seconds; then the reading is used."""


@dataclass(frozen=True, slots=True)
class PhoneOrders:
    """The answer to a phone's frame: what the phone does next.

    Attributes:
        wait_ms: the milliseconds until the next frame.
        refocus: whether the phone must focus again, since the frame is blurred.
        photo: whether the phone must send a photo at full resolution before the next frame.
    """

    wait_ms: int
    refocus: bool
    photo: bool


@dataclass(frozen=True, slots=True)
class AskingPhone:
    """A phone that asks to be the camera."""

    id: str
    name: str
    asked_s: float


class PhoneCamera:
    """Knows which phone is the camera, and accepts only its frames; may be used by several threads."""

    def __init__(
        self, session: Session, sources: Sources, watcher: Watcher, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Start without a phone; `now` returns seconds of a monotonic clock."""
        self._session = session
        self._sources = sources
        self._watcher = watcher
        self._now = now
        self._lock = threading.Lock()
        self._asking: tuple[AskingPhone, ...] = ()
        self._chosen: str | None = None

    @property
    def chosen(self) -> str | None:
        """The id of the phone that is the camera; None if none was chosen, or another source is watched."""
        return self._chosen if isinstance(self._watcher.source, PhoneSource) else None

    @property
    def asking(self) -> tuple[AskingPhone, ...]:
        """The phones that ask to be the camera, first to last, without the one that is the camera."""
        since_s = self._now() - ASKS_FOR_S
        return tuple(phone for phone in self._asking if phone.asked_s >= since_s and phone.id != self.chosen)

    def ask(self, device: Device) -> bool:
        """Note that a phone asks to be the camera; return whether it is. The host's own device is chosen at once."""
        if device is HOST and self.chosen is None:
            self.choose(HOST.id)
        with self._lock:
            other_phones = [phone for phone in self._asking if phone.id != device.id]
            self._asking = (*other_phones[-MOST_ASKING + 1 :], AskingPhone(device.id, device.name, self._now()))
        return self.chosen == device.id

    def choose(self, device: str | None) -> None:
        """Make a phone the camera and the current source; None to have no phone as the camera.

        Raises:
            Refused: if the phone does not ask to be the camera.
        """
        if device is not None and device != HOST.id and device not in {phone.id for phone in self.asking}:
            raise Refused(gettext("That phone is no longer asking. Is its page still open?"), "not-found")
        self._chosen = device
        if device is not None and not isinstance(self._watcher.source, PhoneSource):
            self._sources.watch(PHONE)

    def take(self, device: Device, jpeg: bytes) -> PhoneOrders:
        """Accept a frame from the chosen phone, and return the phone's next steps.

        Raises:
            Refused: if the sender is not the chosen phone, the frame can't be decoded, or an earlier one is being
                decoded.
        """
        source = self._source_of(device)
        source.put(jpeg)
        state = self._session.state
        is_quiet = state.snapshot.settled and not state.activity.waiting
        wait_ms = STILL_EVERY_MS if is_quiet else MOVING_EVERY_MS
        return PhoneOrders(wait_ms, source.take_focus_request(), source.needs_photo)

    def take_photo(self, device: Device, jpeg: bytes) -> None:
        """Accept a photo at full resolution from the chosen phone.

        Raises:
            Refused: if the sender is not the chosen phone, or the photo can't be decoded.
        """
        self._source_of(device).put_photo(jpeg)

    def report_controls(self, device: Device, controls: ControlStates) -> None:
        """Store the camera settings that the chosen phone reports, including those that it refuses.

        Raises:
            Refused: if the sender is not the chosen phone.
        """
        self._source_of(device).controls = controls

    def request_photo(self) -> Image | None:
        """Return a photo of the table at full resolution, `(H, W, 3) uint8` BGR, black outside the play area.

        Return None if no phone is the camera, or the phone sends no photo within `PHOTO_TIMEOUT_S` seconds.
        """
        source, area = self._watcher.source, self._watcher.play_area
        photo = source.request_photo(PHOTO_TIMEOUT_S) if isinstance(source, PhoneSource) else None
        return photo if photo is None or area is None else area.masked(photo)

    def _source_of(self, device: Device) -> PhoneSource:
        source = self._watcher.source
        if device.id != self._chosen or not isinstance(source, PhoneSource):
            raise Refused(gettext("This phone is not the camera."), "no-control")
        return source

"""The controls of a camera: sets focus, exposure and white balance, and detects which of them the camera refuses.

OpenCV passes each property to the driver (V4L2 on Linux), and webcams differ: some lack a property, some accept a value
and ignore it, some round it. So every value is read back, and only the reported value counts.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

import cv2

from tilekeeper.companion.capture.devices import LINUX_BY_HAND, LINUX_BY_ITSELF, WINDOWS_BY_HAND, WINDOWS_BY_ITSELF

BEYOND_ANY_FOCUS: Final = 10_000
"""A focus value above the range of every camera: UVC drivers clamp it, and so report the end of their range."""
USUAL_FOCUS_END: Final = 250.0
"""The end of most webcams' focus range, which is assumed if a driver refuses values beyond its range."""
AUTO_TOLERANCE: Final = 0.1
"""An automatic switch counts as set if the reported value differs by at most this; on Windows on and off differ by
0.5."""


class Control(StrEnum):
    """A setting of a camera which the camera adjusts by itself, or which the app sets."""

    FOCUS = "focus"
    EXPOSURE = "exposure"
    WHITE_BALANCE = "white-balance"


class ControlState(StrEnum):
    """Who sets a control of the camera now, and whether its value is fixed."""

    SETTLING = "settling"
    """The camera or the app is still adjusting the control."""
    LOCKED = "locked"
    """The app has set a fixed value, and the camera keeps it."""
    AUTOMATIC = "automatic"
    """The camera adjusts the control all the time, since no fixed value was better."""
    REFUSED = "refused"
    """The camera does not let the app lock the control."""
    CHOSEN = "chosen"
    """A person has chosen the value on the page."""


@dataclass(frozen=True, slots=True)
class ControlStates:
    """The state of each control of a camera."""

    focus: ControlState = ControlState.SETTLING
    exposure: ControlState = ControlState.SETTLING
    white_balance: ControlState = ControlState.SETTLING

    def items(self) -> tuple[tuple[Control, ControlState], ...]:
        """Return each control with its state."""
        return (
            (Control.FOCUS, self.focus),
            (Control.EXPOSURE, self.exposure),
            (Control.WHITE_BALANCE, self.white_balance),
        )


class CameraControls(Protocol):
    """Reads and sets the controls of one opened camera."""

    def value(self, control: Control) -> float | None:
        """Return the current value in the camera's own unit; None if the camera does not report it."""
        ...

    def set_value(self, control: Control, value: float) -> float | None:
        """Set a value in the camera's own unit; return the value that the camera then reports, None if it refuses."""
        ...

    def set_automatic(self, control: Control, is_automatic: bool) -> bool:
        """Turn the camera's automatic adjustment of a control on or off; return whether the camera obeys."""
        ...

    def brighten(self, ev: float) -> bool:
        """Change a fixed exposure by `ev` stops (positive is brighter); return whether the camera obeys."""
        ...

    def focus_range(self) -> tuple[float, float] | None:
        """Return the ends of the lens's range; None if the lens can't be moved. This moves the lens."""
        ...


@runtime_checkable
class Tunable(Protocol):
    """A source whose camera has controls that the app sets and locks."""

    @property
    def controls(self) -> ControlStates | None:
        """The state of each control; None if the app does not set them, or before the states are known."""
        ...

    def refocus(self) -> None:
        """Request a new focus search, since frames are blurred; the search begins once nothing moves."""
        ...

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        """Measure focus and light only within a box of the frame: left, top, right and bottom, each 0 to 1."""
        ...


_VALUE: Final = {
    Control.FOCUS: cv2.CAP_PROP_FOCUS,
    Control.EXPOSURE: cv2.CAP_PROP_EXPOSURE,
    Control.WHITE_BALANCE: cv2.CAP_PROP_WB_TEMPERATURE,
}
_AUTO: Final = {
    Control.FOCUS: cv2.CAP_PROP_AUTOFOCUS,
    Control.EXPOSURE: cv2.CAP_PROP_AUTO_EXPOSURE,
    Control.WHITE_BALANCE: cv2.CAP_PROP_AUTO_WB,
}


class OpenCvControls:
    """Implements `CameraControls` for a camera that OpenCV has opened."""

    def __init__(self, capture: cv2.VideoCapture, platform: str = sys.platform) -> None:
        """Use an opened camera; `platform` as `sys.platform`."""
        self._capture = capture
        self._platform = platform

    def value(self, control: Control) -> float | None:
        """Return the value of a control's OpenCV property; None if OpenCV does not report it."""
        return self._read(_VALUE[control], control)

    def set_value(self, control: Control, value: float) -> float | None:
        """Set a control's OpenCV property, and return the value that is read back; None if the camera refuses it."""
        if not self._write(_VALUE[control], value):
            return None
        return self.value(control)

    def set_automatic(self, control: Control, is_automatic: bool) -> bool:
        """Set a control's automatic switch; return whether the camera then reports that value."""
        word = float(is_automatic)
        if control is Control.EXPOSURE and self._platform == "linux":
            word = LINUX_BY_ITSELF if is_automatic else LINUX_BY_HAND
        elif control is Control.EXPOSURE and self._platform == "win32":
            word = WINDOWS_BY_ITSELF if is_automatic else WINDOWS_BY_HAND
        if not self._write(_AUTO[control], word):
            return False
        reported = self._read(_AUTO[control], None)
        return reported is not None and abs(reported - word) <= AUTO_TOLERANCE

    def brighten(self, ev: float) -> bool:
        """Change the exposure by `ev` stops; return whether the reported exposure moved in this direction."""
        value = self.value(Control.EXPOSURE)
        if value is None:
            return False
        # Windows counts exposure in powers of two, Linux in tenths of a millisecond.
        wanted = round(value + ev) if self._platform == "win32" else max(1, round(value * 2.0**ev))
        reported = self.set_value(Control.EXPOSURE, wanted)
        return reported is not None and (reported - value) * ev > 0

    def focus_range(self) -> tuple[float, float] | None:
        """Move the lens to both ends of its range, and return the reported positions; None if it can't be moved."""
        least = self.set_value(Control.FOCUS, 0)
        if least is None:
            return None
        most = self.set_value(Control.FOCUS, BEYOND_ANY_FOCUS)
        if most is None or most >= BEYOND_ANY_FOCUS:
            most = self.set_value(Control.FOCUS, USUAL_FOCUS_END)
        return None if most is None or most <= least else (least, most)

    def _read(self, number: int, control: Control | None) -> float | None:
        try:
            value = self._capture.get(number)
        except cv2.error:
            return None
        # OpenCV returns -1 for an unknown property, and negative exposures only on Windows.
        if value < 0 and not (control is Control.EXPOSURE and self._platform == "win32"):
            return None
        return value

    def _write(self, number: int, value: float) -> bool:
        try:
            return bool(self._capture.set(number, value))
        except cv2.error:
            return False

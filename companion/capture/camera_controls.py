"""The controls of a camera: set focus, exposure and white balance, and detect which of them the camera refuses.

OpenCV passes each property to the driver (V4L2 on Linux), and webcams differ: some lack a property, some accept a value
and ignore it, some round it. So every value is read back, and only what the camera reports counts as set.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

import cv2

from tilekeeper.companion.capture.devices import LINUX_BY_HAND, LINUX_BY_ITSELF, WINDOWS_BY_HAND, WINDOWS_BY_ITSELF

BEYOND_ANY_FOCUS: Final = 10_000
"""A value above every range: UVC drivers clamp it, so the reported value is the end of the camera's range."""
USUAL_FOCUS_END: Final = 250.0
"""The end of the range of most webcams, assumed where a driver refuses values beyond it instead of clamping them."""
AUTO_TOLERANCE: Final = 0.1
"""A switch counts as set if the reported value is this close to the set one; on Windows the values differ by 0.5."""


class Control(StrEnum):
    """A setting that a camera adjusts by itself or lets the app set."""

    FOCUS = "focus"
    EXPOSURE = "exposure"
    WHITE_BALANCE = "white-balance"


class ControlState(StrEnum):
    """The state of a control."""

    SETTLING = "settling"
    """The camera or the app is still adjusting the control."""
    LOCKED = "locked"
    """The app has set a fixed value, and the camera keeps it."""
    AUTOMATIC = "automatic"
    """The camera keeps adjusting the control, since no fixed value was better."""
    REFUSED = "refused"
    """The camera does not let the app lock the control."""
    CHOSEN = "chosen"
    """A person has chosen the value on the page."""


@dataclass(frozen=True, slots=True)
class ControlStates:
    """The states of all controls of a camera."""

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
        """Set a value; return the value that the camera then reports, None if it refuses."""
        ...

    def set_automatic(self, control: Control, is_automatic: bool) -> bool:
        """Let the camera adjust a control by itself, or stop that; return whether the camera obeys."""
        ...

    def brighten(self, ev: float) -> bool:
        """Change a fixed exposure by `ev` stops (positive is brighter); return whether the camera obeys."""
        ...

    def focus_range(self) -> tuple[float, float] | None:
        """Return the ends of the lens's range; None if the lens can't be moved. Moves the lens."""
        ...


@runtime_checkable
class Tunable(Protocol):
    """A source whose camera controls are set and locked."""

    @property
    def controls(self) -> ControlStates | None:
        """The states of the controls; None if the app does not set them, or before they are known."""
        ...

    def refocus(self) -> None:
        """Ask for a new focus search, since frames are blurred; the search begins once nothing moves."""
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
        """Read a control's property; None if OpenCV does not report it."""
        return self._read(_VALUE[control], control)

    def set_value(self, control: Control, value: float) -> float | None:
        """Write a control's property, and return the value read back; None if the camera refuses it."""
        if not self._write(_VALUE[control], value):
            return None
        return self.value(control)

    def set_automatic(self, control: Control, is_automatic: bool) -> bool:
        """Write a control's automatic switch; return whether the camera then reports the written value."""
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
        """Move the lens to both ends, and return the reported positions; None if the lens can't be moved."""
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

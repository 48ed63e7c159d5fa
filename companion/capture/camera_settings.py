"""The settings that the app requests from a camera, and those that the camera reports: size, compression, exposure."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, runtime_checkable

import cv2

from tilekeeper.companion.capture.devices import exposure_s, set_exposure
from tilekeeper.companion.user_settings import UserSettings

MJPG = "MJPG"


@dataclass(frozen=True, slots=True)
class CameraWishes:
    """The settings that the app requests from a camera; the camera may refuse any of them."""

    width_px: int
    height_px: int
    mjpg: bool = True
    """Whether to request frames as JPEG, without which most cameras can't deliver full HD at full rate."""
    exposure_s: float | None = None
    """The exposure time of a frame, in seconds; None lets the camera choose."""
    sets_controls: bool = True
    """Whether the app sets and locks focus, exposure and white balance."""

    @classmethod
    def of(cls, user: UserSettings) -> CameraWishes:
        """Return the settings for a camera for which nobody has chosen other ones on the page."""
        return cls(user.camera_width_px, user.camera_height_px).allowed_by(user)

    def allowed_by(self, user: UserSettings) -> CameraWishes:
        """Return these settings, with `sets_controls` as the user decides it by option or settings file."""
        return replace(self, sets_controls=user.camera_controls == "on")

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain data for JSON, to store them for this camera."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CameraGives:
    """The settings that a camera reports after `CameraWishes` were requested."""

    width_px: int
    height_px: int
    mjpg: bool
    fps: float | None
    """Frames per second; None if the camera does not report it."""
    exposure_s: float | None
    """The exposure time of a frame, in seconds; None if the camera or this system does not report it."""


@runtime_checkable
class Adjustable(Protocol):
    """A source whose camera settings can be changed."""

    @property
    def wishes(self) -> CameraWishes:
        """The settings that were requested last."""
        ...

    @property
    def gives(self) -> CameraGives | None:
        """The settings that the camera reports; None before the camera is opened, and for other sources."""
        ...

    def ask(self, wishes: CameraWishes) -> None:
        """Request other settings; the camera is reopened if necessary."""
        ...


def prepare(capture: cv2.VideoCapture, wishes: CameraWishes, platform: str = sys.platform) -> CameraGives:
    """Request settings from an opened camera, before its first frame, and return those that it reports."""
    # The pixel format comes first, since the available sizes depend on it.
    if wishes.mjpg:
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*MJPG))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, wishes.width_px)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, wishes.height_px)
    set_exposure(capture, wishes.exposure_s, platform)
    fps = capture.get(cv2.CAP_PROP_FPS)
    return CameraGives(
        width_px=round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
        height_px=round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        mjpg=_letters(capture.get(cv2.CAP_PROP_FOURCC)) == MJPG,
        fps=fps if fps > 0 else None,
        exposure_s=exposure_s(capture, platform),
    )


def _letters(fourcc: float) -> str:
    code = max(0, int(fourcc))
    return "".join(chr(code >> shift & 0xFF) for shift in (0, 8, 16, 24))

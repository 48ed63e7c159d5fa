"""What a camera is asked for, and what it says that it gives: resolution, compressed pictures, exposure."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import cv2

from tilekeeper.companion.capture.devices import exposure_s, set_exposure
from tilekeeper.companion.user_settings import UserSettings

MJPG = "MJPG"


@dataclass(frozen=True, slots=True)
class CameraWishes:
    """What a camera is asked for; no camera gives all of it."""

    width_px: int
    height_px: int
    mjpg: bool = True
    """Pictures as JPEG: most cameras give full HD at full pace in no other way."""
    exposure_s: float | None = None
    """For how long each picture is exposed; none lets the camera choose."""

    @classmethod
    def of(cls, user: UserSettings) -> CameraWishes:
        """Return what a camera is asked for as long as the page has chosen nothing else."""
        return cls(user.camera_width_px, user.camera_height_px)

    def as_json(self) -> dict[str, Any]:
        """What is kept from evening to evening."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CameraGives:
    """What a camera says that it gives, read back from it once it was asked."""

    width_px: int
    height_px: int
    mjpg: bool
    fps: float | None
    """Pictures a second; none where it does not say."""
    exposure_s: float | None
    """None where it does not say, or can't be asked on this system."""


@runtime_checkable
class Adjustable(Protocol):
    """A source that is a camera, and can be asked for other pictures."""

    @property
    def wishes(self) -> CameraWishes:
        """What it was asked for last."""
        ...

    @property
    def gives(self) -> CameraGives | None:
        """What it says that it gives; none before it was opened, and for what is no camera."""
        ...

    def ask(self, wishes: CameraWishes) -> None:
        """Ask it for other pictures from now on."""
        ...


def prepare(capture: cv2.VideoCapture, wishes: CameraWishes, platform: str = sys.platform) -> CameraGives:
    """Ask an opened camera for what is wished, before its first picture, and read back what it gives."""
    # The format first: which sizes there are depends on it.
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

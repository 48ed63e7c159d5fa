"""What differs between operating systems: the list of cameras, and how to set an exposure time.

Linux has several device files for one camera, and only the first one delivers frames (`index` 0 in
`/sys/class/video4linux`).
Windows and macOS give cameras only numbers from 0; it takes a second to open a number without a camera.
macOS asks the user for permission once, at the first use, and only on the main thread of a program with a window or a
terminal.

Exposure: Linux counts in tenths of a millisecond and has a switch for automatic exposure (UVC: 1 manual, 3 automatic).
Windows takes the base-2 logarithm of the seconds; setting it turns automatic exposure off, and the value 0.75 of the
switch turns it on again. macOS has no such setting.
"""

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2

from tilekeeper.engine.language import lazy_gettext

MOST_CAMERAS = 4
SYSTEM_FOLDER = Path("/sys/class/video4linux")
LINUX_BY_HAND, LINUX_BY_ITSELF = 1, 3
LINUX_EXPOSURE_S = 1e-4
WINDOWS_BY_HAND, WINDOWS_BY_ITSELF = 0.25, 0.75


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera of this computer that the user can choose."""

    source: str
    """The value for `--source`, such as `0`."""
    name: str
    """The system's name for the camera, or `Camera 0` and so on if it has none."""


def cameras(folder: Path = SYSTEM_FOLDER, platform: str = sys.platform) -> tuple[Camera, ...]:
    """Return up to `MOST_CAMERAS` cameras to try, in the system's order; on Windows and macOS some may not exist."""
    if platform != "linux":
        return tuple(
            Camera(str(number), lazy_gettext("Camera {number}", number=number)) for number in range(MOST_CAMERAS)
        )
    found = []
    for entry in folder.iterdir() if folder.is_dir() else ():
        number = re.fullmatch(r"video(\d+)", entry.name)
        if number is not None and _text(entry / "index") in ("0", ""):
            found.append(
                (
                    int(number[1]),
                    Camera(number[1], _text(entry / "name") or lazy_gettext("Camera {number}", number=number[1])),
                )
            )
    return tuple(camera for _, camera in sorted(found, key=lambda pair: pair[0])[:MOST_CAMERAS])


def set_exposure(capture: cv2.VideoCapture, seconds: float | None, platform: str = sys.platform) -> None:
    """Request an exposure time in seconds from a camera; None for automatic exposure. macOS ignores it."""
    if platform == "linux":
        capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, LINUX_BY_ITSELF if seconds is None else LINUX_BY_HAND)
        if seconds is not None:
            capture.set(cv2.CAP_PROP_EXPOSURE, max(1, round(seconds / LINUX_EXPOSURE_S)))
    elif platform == "win32":
        if seconds is None:
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, WINDOWS_BY_ITSELF)
        else:
            capture.set(cv2.CAP_PROP_EXPOSURE, round(math.log2(seconds)))


def exposure_s(capture: cv2.VideoCapture, platform: str = sys.platform) -> float | None:
    """Return the exposure time that a camera reports, in seconds; None if it reports none."""
    number = capture.get(cv2.CAP_PROP_EXPOSURE)
    if platform == "linux":
        return number * LINUX_EXPOSURE_S if number > 0 else None
    return 2.0**number if platform == "win32" and number < 0 else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

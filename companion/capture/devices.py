"""The differences between systems in one file: which cameras there are, and what each system wants of us.

Linux has several device files for one camera, of which the first gives pictures and the others give data about them;
the system tells which is which below `/sys/class/video4linux`. Windows and macOS only count cameras from 0, and asking
for one that is not there takes them a second. macOS asks the user for permission at the first use, once, and only where
that happens on the main thread of a program with a window or a terminal: `tilekeeper run` opens its first camera
there, before it serves.

An exposure is asked for in its own way on each: Linux counts in tenths of a millisecond and has a switch of its own for
letting the camera choose (UVC's menu: 1 by hand, 3 by itself); Windows takes the logarithm of the seconds to the base
of 2, which turns the choosing off, and any number of three quarters turns it on again; macOS lets no program ask.
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
WINDOWS_BY_ITSELF = 0.75


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera that may be watched."""

    source: str
    """As it is named as a source: `0`."""
    name: str
    """What the system calls it, or `Camera 0` where it does not say."""


def cameras(folder: Path = SYSTEM_FOLDER, platform: str = sys.platform) -> tuple[Camera, ...]:
    """Return the cameras worth trying, in the system's own order; on some systems not all of them are there."""
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
    """Ask a camera to expose each picture for some seconds; none lets it choose."""
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
    """For how many seconds a camera says that it exposes; none where it does not say."""
    number = capture.get(cv2.CAP_PROP_EXPOSURE)
    if platform == "linux":
        return number * LINUX_EXPOSURE_S if number > 0 else None
    return 2.0**number if platform == "win32" and number < 0 else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

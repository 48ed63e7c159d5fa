"""`tilekeeper doctor`: checks camera, port, disk, clock, certificate and speed of this machine.

Nothing is changed or stored. Exit codes: 0 the app can run, 1 something keeps it from running, 2 wrong options.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

from tilekeeper import __version__
from tilekeeper.engine.language import gettext, translate

LEAST_FREE_BYTES: Final = 200_000_000
"""With less free disk space the check fails, since an evening's pictures may fill the disk."""
FEW_FREE_BYTES: Final = 2_000_000_000
"""With less free disk space the check warns."""
EARLIEST: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""No version with this command is older, so an earlier time on the clock is wrong."""
CLOCK_ERROR: Final = timedelta(days=1)
"""The clock may be behind the newest file by this time."""
SLOW_READING_S: Final = 1.0
"""If reading an image takes longer, the check warns, since players would wait for each verdict."""
_READINGS: Final = 3
_FIRST_PICTURE_S: Final = 8.0


class Status(StrEnum):
    """The result of a check."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of this machine: its name, its result, and a sentence about it."""

    name: str
    status: Status
    text: str


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "doctor",
        help=gettext("check the camera, port, disk, clock, https certificate and speed of this machine"),
        description=gettext(
            "Check the camera, port, disk, clock, https certificate and speed of this machine. Nothing is changed. "
            "When you report a problem, attach the output of --json; it has no pictures, no players and no passwords."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--data", metavar="FOLDER", type=Path, help=gettext("where game nights are kept"))
    parser.add_argument("--json", action="store_true", help=gettext("print the result as JSON"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from tilekeeper.companion.storage.folder import default_folder

    folder: Path = args.data or default_folder()
    checks: dict[str, Callable[[], Check]] = {
        "camera": check_camera,
        "port": check_port,
        "disk": lambda: check_disk(folder),
        "clock": lambda: check_clock(folder),
        "certificate": lambda: check_certificate(folder / "https"),
        "speed": check_speed,
    }
    found = []
    for name, check in checks.items():
        result = _complete(name, check)
        found.append(result)
        if not args.json:
            print(f"{_MARKS[result.status]} {result.text}", flush=True)
    if args.json:
        machine = {
            "version": __version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        }
        print(json.dumps(machine | {"checks": [asdict(check) for check in found]}, ensure_ascii=False, indent=2))
    return int(any(check.status is Status.FAULT for check in found))


_MARKS: Final = {Status.GOOD: "ok", Status.WARNING: " !", Status.FAULT: " X"}


def _complete(name: str, check: Callable[[], Check]) -> Check:
    """Return the result of a check; an unexpected exception becomes a fault, so that the other checks still run."""
    try:
        return check()
    except Exception as error:  # noqa: BLE001, any error may be the fault that the user is looking for
        reason = f"{type(error).__name__}: {' '.join(translate(str(error)).split())}"
        return Check(name, Status.FAULT, gettext("{check}: this check failed ({reason}).", check=name, reason=reason))


def check_camera() -> Check:
    """Check whether a camera delivers frames; without a camera the app shows a recorded table."""
    from tilekeeper.companion.capture.devices import cameras
    from tilekeeper.companion.capture.source_choice import open_source
    from tilekeeper.companion.capture.sources import SourceUnavailable

    refusals = []
    for camera in cameras():
        try:
            source = open_source(camera.source)
        except SourceUnavailable as error:
            refusals.append(f"{translate(camera.name)}: {translate(str(error))}")
            continue
        try:
            end_s = time.monotonic() + _FIRST_PICTURE_S
            while time.monotonic() < end_s:
                frame = source.read(timeout_s=1.0)
                if frame is not None:
                    height_px, width_px = frame.image_bgr.shape[:2]
                    text = gettext(
                        "Camera: {name} delivers pictures of {width} × {height} pixels.",
                        name=translate(source.name),
                        width=width_px,
                        height=height_px,
                    )
                    return Check("camera", Status.GOOD, text)
            refusals.append(f"{translate(camera.name)}: {translate(source.trouble)}")
        finally:
            source.close()
    if not refusals:
        return Check("camera", Status.WARNING, gettext("Camera: none found. The app shows a recorded table."))
    text = gettext("Camera: none delivers pictures ({reasons}).", reasons="; ".join(refusals))
    return Check("camera", Status.WARNING, text)


def check_port() -> Check:
    """Check whether the app finds a free port for its page."""
    from tilekeeper.companion.web.server import DEFAULT_PORT, CannotServe, find_port

    try:
        port = find_port("127.0.0.1", None)
    except CannotServe as error:
        return Check("port", Status.FAULT, gettext("Port: {reason}.", reason=str(error)))
    if port == DEFAULT_PORT:
        return Check("port", Status.GOOD, gettext("Port: {port} is free.", port=port))
    text = gettext(
        "Port: {first} is in use, perhaps by another Tilekeeper; the app would take {port} instead.",
        first=DEFAULT_PORT,
        port=port,
    )
    return Check("port", Status.WARNING, text)


def check_disk(folder: Path) -> Check:
    """Check whether the data folder, or its nearest existing parent, can be written to and has free space."""
    place = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x")
    except OSError as error:
        text = gettext("Disk: {folder} can't be written: {reason}.", folder=folder, reason=error.strerror)
        return Check("disk", Status.FAULT, text)
    free_bytes = shutil.disk_usage(place).free
    text = gettext("Disk: {free} GB free for {folder}.", free=f"{free_bytes / 1e9:.1f}", folder=folder)
    if free_bytes < LEAST_FREE_BYTES:
        return Check("disk", Status.FAULT, text)
    return Check("disk", Status.WARNING if free_bytes < FEW_FREE_BYTES else Status.GOOD, text)


def check_clock(folder: Path, now: datetime | None = None) -> Check:
    """Check whether the clock is plausible: not before `EARLIEST`, nor before the newest file in the data folder."""
    now = datetime.now(UTC) if now is None else now
    newest = max([EARLIEST, *_file_times(folder)])
    if now < newest - CLOCK_ERROR:
        text = gettext(
            "Clock: it shows {now}, but there are files from {newest}. Set it right: https needs the right time.",
            now=f"{now:%Y-%m-%d %H:%M} UTC",
            newest=f"{newest:%Y-%m-%d}",
        )
        return Check("clock", Status.FAULT, text)
    return Check("clock", Status.GOOD, gettext("Clock: it shows {now}.", now=f"{now:%Y-%m-%d %H:%M} UTC"))


def _file_times(folder: Path) -> Iterator[datetime]:
    for path in folder.iterdir() if folder.is_dir() else ():
        yield datetime.fromtimestamp(path.stat().st_mtime, UTC)


def check_certificate(folder: Path) -> Check:
    """Check whether the certificate authority for `--https` is valid now, if there is one."""
    from tilekeeper.companion.storage.certificates import stored_authority

    authority = stored_authority(folder)
    if authority is None:
        return Check("certificate", Status.GOOD, gettext("Certificate: none yet; --https makes one."))
    begins, ends = authority.not_valid_before_utc, authority.not_valid_after_utc
    if begins <= datetime.now(UTC) < ends:
        return Check("certificate", Status.GOOD, gettext("Certificate: valid until {date}.", date=f"{ends:%Y-%m-%d}"))
    text = gettext(
        "Certificate: valid only from {begin} to {end}. --https makes a new one; tablets must trust it again.",
        begin=f"{begins:%Y-%m-%d}",
        end=f"{ends:%Y-%m-%d}",
    )
    return Check("certificate", Status.WARNING, text)


def check_speed() -> Check:
    """Measure how long the reader takes for one frame of the recorded table (median of several runs)."""
    from tilekeeper.companion.capture.source_choice import choose_source
    from tilekeeper.companion.user_settings import UserSettings
    from tilekeeper.vision.shipped import load_reader

    user = UserSettings()
    source = choose_source("demo").source
    try:
        frame = source.read()
    finally:
        source.close()
    assert frame is not None  # the recorded table always has a first frame
    reader = load_reader(user.threads, working_px=user.working_px)
    times_s = []
    for _ in range(_READINGS):
        start_s = time.perf_counter()
        reader.read(frame.image_bgr)
        times_s.append(time.perf_counter() - start_s)
    median_s = statistics.median(times_s)
    text = gettext("Speed: a table is read in {ms} ms.", ms=round(1000 * median_s))
    return Check("speed", Status.GOOD if median_s < SLOW_READING_S else Status.WARNING, text)

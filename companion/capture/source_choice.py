"""Chooses the source: the one that the user named, or the first camera that works, or the recorded table."""

import re
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from tilekeeper.companion.capture.camera_settings import CameraWishes
from tilekeeper.companion.capture.camera_source import ProcessSource
from tilekeeper.companion.capture.devices import cameras
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.capture.phone_source import PHONE, PhoneSource
from tilekeeper.companion.capture.recorded_table import RecordedTable, cues_of
from tilekeeper.companion.capture.sources import Source, SourceUnavailable
from tilekeeper.companion.capture.sources import open_source as open_here
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.engine.language import lazy_gettext

NO_SOURCE = "none"
"""The value of `--source` to play without a camera and enter everything by hand."""
DEMO = "demo"
"""The value of `--source` for the recorded table."""
NO_CAMERA = lazy_gettext("No camera found. You see a recorded table.")


@dataclass(frozen=True, slots=True)
class ChosenSource:
    """An opened source, and how it is named.

    Attributes:
        source: the source.
        watched: the source's name on the page.
        notice: a sentence about why this source was chosen; empty if the user named it.
        named: the value of `--source` for this source: `0`, `demo`, `none`, an address or a path.
    """

    source: Source
    watched: str
    notice: str = ""
    named: str = ""


def choose_source(
    named: str | None,
    user: UserSettings = UserSettings(),  # noqa: B008, it is frozen
    wishes: CameraWishes | None = None,
) -> ChosenSource:
    """Open the source `named`; if None, the first camera that gives frames, or else the recorded table.

    A camera gets the settings `wishes`, or the user's settings if `wishes` is None.

    Raises:
        SourceUnavailable: if the source can't be opened, or there is neither a camera nor a recording.
    """
    if named == NO_SOURCE:
        return ChosenSource(NoSource(), NoSource.name, named=named)
    if named == PHONE:
        phone = PhoneSource()
        return ChosenSource(phone, phone.name, named=named)
    if named is not None and named != DEMO:
        source = open_source(named, user, wishes)
        return ChosenSource(source, source.name, named=named)
    for found in cameras() if named is None else ():
        try:
            camera = open_source(found.source, user, wishes)
        except SourceUnavailable:
            continue
        return ChosenSource(camera, camera.name, named=found.source)
    demo = demo_path()
    if demo is None:
        raise SourceUnavailable(
            lazy_gettext(
                "no camera found, and no recorded table is installed; plug in a camera or choose something else with "
                "--source"
            )
        )
    notice = NO_CAMERA if named is None else ""
    return ChosenSource(
        RecordedTable(demo, cues_of(demo), "recorded table"), lazy_gettext("Recorded table"), notice, DEMO
    )


def open_source(
    named: str,
    user: UserSettings = UserSettings(),  # noqa: B008, it is frozen
    wishes: CameraWishes | None = None,
) -> Source:
    """Open a source: cameras and streams in a process of their own, files and folders in this process.

    A camera gets the settings `wishes`, or the user's settings if `wishes` is None. Raises `SourceUnavailable` if the
    source can't be opened.
    """
    named = named.strip()
    if re.fullmatch(r"\d{1,4}", named) or "://" in named or named.startswith("/dev/video"):
        return ProcessSource(named, wishes or CameraWishes.of(user), user.reconnect_pause_s)
    return open_here(named, user.reconnect_pause_s)


def demo_path() -> Path | None:
    """Return the path of the recorded table; None if it is not installed."""
    with as_file(files("tilekeeper.companion.capture") / "demo") as folder:
        if not folder.is_dir():
            return None
        videos = sorted(folder.glob("*.mp4"))
        return videos[0] if videos else None

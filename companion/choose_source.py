"""Chooses what to watch: the source that was named, else a camera that is plugged in, else the recorded table."""

import sys
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from tilekeeper.companion.no_source import NoSource
from tilekeeper.companion.recorded_table import RecordedTable, cues_of
from tilekeeper.vision.source import Source, SourceUnavailable, open_source

MOST_CAMERAS = 4
NO_SOURCE = "none"
"""Named in the place of a source where everything is entered by hand."""
NO_CAMERA = "No camera found: this is a recorded table."


@dataclass(frozen=True, slots=True)
class Chosen:
    """An opened source.

    Attributes:
        source: the source.
        watched: what it is, in a few words for people.
        notice: why it is this one, where nobody asked for it; else empty.
    """

    source: Source
    watched: str
    notice: str = ""


def choose_source(named: str | None) -> Chosen:
    """Open the source that a person named; where none was, the first camera that gives pictures or the recording.

    Raises:
        SourceUnavailable: where it can't be opened, or there is neither a camera nor a recording.
    """
    if named == NO_SOURCE:
        return Chosen(NoSource(), NoSource.name)
    if named is not None:
        source = open_source(named)
        return Chosen(source, source.name)
    for index in _cameras():
        try:
            camera = open_source(str(index))
        except SourceUnavailable:
            continue
        return Chosen(camera, camera.name)
    demo = demo_path()
    if demo is None:
        raise SourceUnavailable(
            "no camera found, and no recorded table is installed; plug a camera in or name a --source"
        )
    return Chosen(RecordedTable(demo, cues_of(demo), "recorded table"), "Recorded table", NO_CAMERA)


def demo_path() -> Path | None:
    """Return the video of a table that ships with the project, or None where there is none."""
    with as_file(files("tilekeeper.companion") / "demo") as folder:
        if not folder.is_dir():
            return None
        videos = sorted(folder.glob("*.mp4"))
        return videos[0] if videos else None


def _cameras() -> list[int]:
    """Return the indices worth trying; asking for one that is not there takes some systems a second each."""
    if sys.platform == "linux":
        numbers = (path.name.removeprefix("video") for path in Path("/dev").glob("video*"))
        return sorted(int(number) for number in numbers if number.isdigit())[:MOST_CAMERAS]
    return list(range(MOST_CAMERAS))

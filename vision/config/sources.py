"""Limits of what gives pictures: cameras, streams, recordings and photo files."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class SourcesConfig(Limits):
    """Limits of what gives pictures: cameras, streams, recordings and photo files."""

    # sources/camera.py
    hold_last_s: float = limit(3.0, unit="s", least=0, most=600)
    """A recording rests on its last frame for so long before it starts again."""
    longest_pause_s: float = limit(5.0, unit="s", least=0.1, most=600)
    """The longest wait between two attempts to reach a camera or stream that was lost."""
    closing_s: float = limit(3.0, unit="s", least=0.1, most=60)
    """A source that is closed is waited for no longer: a driver may hang in a read for ever."""

    broken_most: int = limit(25, unit="frames", least=1, most=1000)
    """A camera or stream of which so many frames in a row can't be decoded is opened anew."""

    # sources/glances.py
    glance_every_s: float = limit(0.045, unit="s", least=0, most=1)
    """While nothing moves, a glance is taken at a picture this often: a hand is seen within 100 ms."""
    rest_every_s: float = limit(0.9, unit="s", least=0.1, most=5)
    """And with the first glance after this a whole picture is given, by which a table is held against what was read of
    it: at least once a second."""
    glance_levels: float = limit(6.0, unit="levels of 255", least=1, most=64)
    """A point of a glance differs where it is apart by more than this and some of the noise."""
    glance_noises: float = limit(6.0, unit="medians", least=1, most=32)
    """The noise in it: so many times what the middle point is apart."""
    glance_fewest: int = limit(3, unit="points", least=1, most=1000)
    """So many points that differ are a change: the tip of a finger at full HD has ten."""
    lively_pictures: int = limit(40, unit="pictures", least=2, most=1000)
    """So many pictures in a row differed from the one before: this camera has noise, and equal ones are no chance."""

    # sources/capture.py
    open_timeout_ms: int = limit(6000, unit="ms", least=100, most=60_000)
    """A stream that is opened gives a first picture within this, or is said to give none."""
    read_timeout_ms: int = limit(6000, unit="ms", least=100, most=60_000)
    """A stream that gives no further picture for so long is lost."""
    camera_wh: tuple[int, int] = limit((1920, 1080), unit="px", least=160, most=8192)
    """What cameras are asked for; they give what they have."""
    usual_fps: float = limit(25.0, unit="frames a second", least=1, most=240)
    """The pace of a recording that names none, or one that no camera has."""

    # sources/photos.py
    smallest_side_px: int = limit(64, unit="px", least=1, most=1024)
    """A picture with a side below this can't hold a tile that can be read."""
    largest_px: int = limit(64_000_000, unit="px", least=1_000_000, most=1_000_000_000)
    """Larger photos are read at a half, a quarter or an eighth of their size: 64 million pixels take 190 MB."""
    most_px: int = limit(1_000_000_000, unit="px", least=1_000_000, most=10_000_000_000)
    """A picture that says to have more is refused before anything of it is decoded."""
    most_bytes: int = limit(350_000_000, unit="bytes", least=1_000_000, most=10_000_000_000)
    """What decoding may take: a file of a few kilobytes can ask for gigabytes."""
    largest_file_bytes: int = limit(400_000_000, unit="bytes", least=1_000_000, most=10_000_000_000)
    """A larger file is refused unread."""
    strip_px: int = limit(256, unit="lines", least=1, most=8192)
    """Transparent pictures are laid on grey so many lines at a time: all at once takes much more room."""
    transparent_level: int = limit(128, unit="levels of 255", least=0, most=255)
    """What shows through where a picture is transparent: on white the edges of ivory tiles would be lost."""

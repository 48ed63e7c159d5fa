"""Makes a time-lapse film of a game night's pictures, an animated GIF, in a process with limits.

`python -m tilekeeper.companion.capture.time_lapse` reads a `Film` as JSON from standard input and writes the GIF to
standard output; exit code 1 if no picture can be read. Why a GIF: `docs/adr`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import cv2
import numpy as np
from pydantic import TypeAdapter

from tilekeeper.companion.systems.system import this_system
from tilekeeper.vision.photos import UnreadablePhoto, decode_photo, read_photo_file

_T = TypeVar("_T")
Colour: TypeAlias = tuple[int, int, int]

MOST_PICTURES: Final = 80
"""The most pictures of a film; if there are more turns, evenly spaced ones are shown, always with the last turn."""
LARGEST_BYTES: Final = 12_000_000
"""The size limit of messenger apps; a larger film is made again with half of its pictures."""
MORE_MEMORY_BYTES: Final = 600_000_000
"""The memory limit of the process in addition to its libraries; one picture in decoding takes half of it at most."""
MOST_PX: Final = 16_000_000
"""The most pixels of a picture; the app stores smaller ones, but those of a restored archive are anybody's."""
LONGEST_S: Final = 60.0
"""The time limit for one film, in seconds; 80 pictures take three seconds."""
_NONE_READ: Final = 1

WIDTH_PX: Final = 600
TALLEST_PX: Final = 600
STRIP_PX: Final = 92
"""Height of the caption below the picture."""
_MARGIN_PX: Final = 18
_BAR_PX: Final = 8
_NAME_PX, _WORDS_PX, _SMALLEST_PX = 30, 22, 12
_MARK_PX: Final = 24
"""Radius of the tick or the cross."""
_BOLD, _MEDIUM = 800, 500
_TURN_MS, _CARD_MS = 700, 2500
_DARK_LEVEL: Final = 24
"""Pixels that are darker than this on all pictures are outside the play area, where pictures are black."""

_PAPER, _INK, _SOFT = (255, 255, 255), (36, 28, 20), (92, 82, 72)
_LINE, _CLOTH, _ON_CLOTH = (222, 226, 228), (74, 87, 34), (245, 250, 242)
_LEGAL, _ILLEGAL = (66, 120, 20), (34, 32, 190)


@dataclass(frozen=True, slots=True)
class Shot:
    """One turn: its picture and its caption."""

    path: str
    name: str
    words: str
    legal: bool | None
    """True for a tick, false for a cross, None for neither."""
    colour_rgb: tuple[int, int, int]
    """The player's colour."""


@dataclass(frozen=True, slots=True)
class Film:
    """The description of a film: its cards and its turns."""

    opening: tuple[str, ...]
    """The lines of the card before the first turn; the first line is the largest."""
    shots: tuple[Shot, ...]
    closing: tuple[str, ...]
    """The lines of the card after the last turn."""


FILM: Final = TypeAdapter(Film)


def film_command() -> tuple[str, ...]:
    """Return the command of a process that reads a `Film` and writes the GIF."""
    return (sys.executable, "-P", "-m", __spec__.name)


def make_film(film: Film) -> bytes | None:
    """Return a film as GIF of at most `LARGEST_BYTES`; None if no picture can be read."""
    shots = select_evenly(film.shots, MOST_PICTURES)
    frames = [(shot, picture) for shot in shots if (picture := _read(shot.path)) is not None]
    if not frames:
        return None
    area = _lit_area([picture for _, picture in frames])
    while True:
        data = _encode(film, frames, area)
        if len(data) <= LARGEST_BYTES or len(frames) == 1:
            return data
        frames = list(select_evenly(frames, max(1, len(frames) // 2)))


def select_evenly(items: Sequence[_T], most: int) -> tuple[_T, ...]:
    """Return at most `most` evenly spaced items, always with the last."""
    if len(items) <= most:
        return tuple(items)
    return tuple(items[at] for at in np.linspace(len(items) - 1, 0, most).round().astype(int)[::-1])


def _read(path: str) -> np.ndarray | None:
    """Return a picture `(H, W, 3) uint8` BGR, at half its size or smaller; None if it can't be read."""
    try:
        image = decode_photo(read_photo_file(Path(path)), MOST_PX).image_bgr
    except (UnreadablePhoto, MemoryError):
        return None
    scale = min(0.5, 2 * WIDTH_PX / max(image.shape))
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _lit_area(pictures: Sequence[np.ndarray]) -> tuple[slice, slice]:
    """Return the rows and columns that are not black on all pictures of the first picture's size."""
    same_size = [picture for picture in pictures if picture.shape == pictures[0].shape]
    bright = np.maximum.reduce(same_size).max(axis=2) > _DARK_LEVEL
    rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    if rows.size == 0:
        return slice(None), slice(None)
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _encode(film: Film, frames: Sequence[tuple[Shot, np.ndarray]], area: tuple[slice, slice]) -> bytes:
    height_px = _height(frames[0][1][area].shape)
    turns = [_turn(shot, picture[area], height_px, (at + 1) / len(frames)) for at, (shot, picture) in enumerate(frames)]
    cards = [_card(lines, height_px + STRIP_PX) for lines in (film.opening, film.closing)]
    animation = cv2.Animation()
    animation.frames = [cards[0], *turns, cards[1]]
    animation.durations = [_CARD_MS, *[_TURN_MS] * len(turns), 2 * _CARD_MS]
    return bytes(cv2.imencodeanimation(".gif", animation)[1])


def _height(shape: tuple[int, ...]) -> int:
    return min(TALLEST_PX, max(1, round(WIDTH_PX * shape[0] / shape[1])))


def _turn(shot: Shot, picture: np.ndarray, height_px: int, share: float) -> np.ndarray:
    """Return a turn's picture with its caption; the progress bar fills `share` (0 to 1) of the width."""
    frame = np.full((height_px + STRIP_PX, WIDTH_PX, 3), _PAPER, np.uint8)
    _fit_into(frame[:height_px], picture)
    strip = frame[height_px:]
    strip[:_BAR_PX] = _LINE
    strip[:_BAR_PX, : round(WIDTH_PX * share)] = shot.colour_rgb[::-1]
    width_px = WIDTH_PX - 2 * _MARGIN_PX - (0 if shot.legal is None else 2 * _MARK_PX + _MARGIN_PX)
    _write(strip, shot.name, (_MARGIN_PX, 44), _NAME_PX, _BOLD, _INK, width_px)
    _write(strip, shot.words, (_MARGIN_PX, 76), _WORDS_PX, _MEDIUM, _SOFT, width_px)
    if shot.legal is not None:
        _mark(strip, shot.legal)
    return frame


def _fit_into(target: np.ndarray, picture: np.ndarray) -> None:
    """Scale a picture to fit into `target`, and centre it there."""
    high, wide = target.shape[:2]
    scale = min(wide / picture.shape[1], high / picture.shape[0])
    size_wh = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    left, top = (wide - size_wh[0]) // 2, (high - size_wh[1]) // 2
    resized = cv2.resize(picture, size_wh, interpolation=cv2.INTER_AREA)
    target[top : top + size_wh[1], left : left + size_wh[0]] = resized


def _card(lines: Sequence[str], height_px: int) -> np.ndarray:
    """Return a card with centred lines."""
    frame = np.full((height_px, WIDTH_PX, 3), _CLOTH, np.uint8)
    sizes = [44 if at == 0 else 26 for at in range(len(lines))]
    y = (height_px - sum(size * 3 // 2 for size in sizes)) // 2
    for line, size in zip(lines, sizes, strict=True):
        y += size * 3 // 2
        _write(frame, line, (_MARGIN_PX, y - size // 3), size, _BOLD, _ON_CLOTH, WIDTH_PX - 2 * _MARGIN_PX)
    return frame


def _write(
    frame: np.ndarray, text: str, at: tuple[int, int], size_px: int, weight: int, colour: Colour, width_px: int
) -> None:
    """Write a line of text; if it is wider than `width_px`, in a smaller font, and at last cut with an ellipsis."""
    font = cv2.FontFace("sans")

    def width(line: str, size: int) -> int:
        return int(cv2.getTextSize((0, 0), line, (0, 0), font, size, weight)[2])

    while size_px > _SMALLEST_PX and width(text, size_px) > width_px:
        size_px -= 1
    line = text
    while line and width(line, size_px) > width_px:
        line = f"{line.rstrip('…')[:-1]}…" if len(line) > 1 else ""
    cv2.putText(frame, line, at, colour, font, size_px, weight)


def _mark(strip: np.ndarray, legal: bool) -> None:
    """Draw a tick or a cross, which differ in shape and not only in colour."""
    x, y, r = WIDTH_PX - _MARGIN_PX - _MARK_PX, (STRIP_PX + _BAR_PX) // 2, _MARK_PX
    cv2.circle(strip, (x, y), r, _LEGAL if legal else _ILLEGAL, -1, cv2.LINE_AA)
    tick = [[(-11, 1), (-3, 9), (11, -8)]]
    cross = [[(-8, -8), (8, 8)], [(-8, 8), (8, -8)]]
    for points in tick if legal else cross:
        line = np.array([(x + dx, y + dy) for dx, dy in points], np.int32)
        cv2.polylines(strip, [line], False, _PAPER, 5, cv2.LINE_AA)


def _main() -> int:
    system = this_system()
    system.limit_memory(MORE_MEMORY_BYTES)
    system.lower_priority()  # the game goes first
    cv2.setNumThreads(1)
    data = make_film(FILM.validate_json(sys.stdin.buffer.read()))
    if data is None:
        return _NONE_READ
    sys.stdout.buffer.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(_main())

"""Change the whole camera image at once, and measure how soon the tracked reading is correct again.

A camera moves to another table, a laptop wakes in another room, a lamp goes on, somebody changes the tablecloth. A
tracker that compares frames may mistake any of these for the known table. Each sequence starts with a settled table and
changes it three times. After each change the tracked reading is compared with readings of the newest frame alone.
"""

from __future__ import annotations

import json
import pathlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from tests.support.frames import Frame
from tilekeeper.models.evaluation.harder import edge_colour
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import ReadTile, TableReading

SIZE_WH, OTHER_WH = (1280, 720), (960, 720)
"""Image sizes of the camera and of another camera."""
FPS, REST_S, LONGEST_S, AGREED_S = 8.0, 1.5, 8.0, 2.0
"""Frames per second; seconds of the first table; largest delay after a change; seconds for which a reading must stay
correct."""
STILL_AFTER_S = 0.35
CHANGES = 3
NOISE = 2.0
"""Standard deviation of the noise in each frame, in levels of 255."""
COMPARED_READINGS = 2
"""Number of independent readings of the newest frame for comparison."""
SAME_PLACE = 0.6
"""Largest distance of the centres of the same tile, in tile widths."""


TrueTiles = tuple[tuple[str, np.ndarray], ...]
"""Tiles on a table: label and outline `(K, 2)`; the label `UNTOLD` marks ignored areas, such as under a hand."""
UNTOLD = ""


@dataclass(frozen=True, slots=True, eq=False)
class MarkedImage:
    """An image `(H, W, 3) uint8` of a table, with the label and the outline `(K, 2)` of each tile."""

    image_bgr: np.ndarray
    tiles: TrueTiles

    def moved(self, image_bgr: np.ndarray, view: np.ndarray) -> MarkedImage:
        """Return another image with the tiles transformed by a homography `(3, 3)`."""
        corners = ((label, np.column_stack([px, np.ones(len(px))]) @ view.T) for label, px in self.tiles)
        return MarkedImage(
            np.ascontiguousarray(image_bgr), tuple((label, px[:, :2] / px[:, 2:]) for label, px in corners)
        )


Change = Callable[[MarkedImage, MarkedImage, np.random.Generator], MarkedImage]
"""Returns the next image from the current one and another table."""


def _warp(current: MarkedImage, view: np.ndarray) -> MarkedImage:
    height, width = current.image_bgr.shape[:2]
    # a mirrored border would turn a cut tile into a whole one
    image = cv2.warpPerspective(current.image_bgr, view, (width, height), borderValue=edge_colour(current.image_bgr))
    return current.moved(np.asarray(image, np.uint8), view)


def _about_middle(current: MarkedImage, degrees: float, factor: float) -> MarkedImage:
    height, width = current.image_bgr.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, factor)
    return _warp(current, np.vstack([move, [0, 0, 1]]))


def shift_image(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Shift the image: somebody bumps the camera."""
    by = rng.uniform(0.02, 0.12, 2) * rng.choice([-1, 1], 2) * current.image_bgr.shape[1::-1]
    return _warp(current, np.array([[1, 0, by[0]], [0, 1, by[1]], [0, 0, 1.0]]))


def rotate_image(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Rotate the image: somebody turns the camera or the table."""
    return _about_middle(current, float(rng.uniform(3, 20) * rng.choice([-1, 1])), 1.0)


def zoom_image(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Zoom the image: the camera moves closer or away."""
    return _about_middle(current, 0.0, float(np.exp(rng.uniform(0.05, 0.2) * rng.choice([-1, 1]))))


def relight_image(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Change the light to a third up to double: a dimmer lamp or a brighter one."""
    return _apply_gains(current, np.full(3, np.exp(rng.uniform(np.log(0.3), np.log(2.0)))))


def tint_image(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Tint the image: the light or the white balance becomes warm or cold."""
    warm = rng.uniform(0.15, 0.45) * rng.choice([-1, 1])
    return _apply_gains(current, np.exp(np.array([-warm, -0.2 * warm, 0.3 * warm])))


def _apply_gains(current: MarkedImage, gains: np.ndarray) -> MarkedImage:
    return MarkedImage(np.clip(current.image_bgr * gains, 0, 255).astype(np.uint8), current.tiles)


def replace_cloth(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Put the same tiles on the empty surface of another table."""
    ground = _crop_to_size(other, current.image_bgr.shape[1::-1])
    bare = _on_tiles(ground, 1.5)
    image = cv2.inpaint(ground.image_bgr, bare, 3, cv2.INPAINT_TELEA) if bare.any() else ground.image_bgr.copy()
    tiles = _on_tiles(current, 1.06)
    image[tiles > 0] = current.image_bgr[tiles > 0]
    return MarkedImage(np.asarray(image, np.uint8), current.tiles)


def _on_tiles(current: MarkedImage, factor: float) -> np.ndarray:
    """Return a mask `(H, W) uint8`, 255 on tiles enlarged by a factor."""
    mask = np.zeros(current.image_bgr.shape[:2], np.uint8)
    for outline in (px for label, px in current.tiles if label):
        grown = outline.mean(axis=0) * (1 - factor) + factor * outline
        # one by one: with all polygons in one call, overlaps would stay empty
        cv2.fillPoly(mask, [grown.round().astype(np.int32)], 255)
    return mask


def replace_table(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Show another table: the camera is carried away."""
    return other


def other_camera(current: MarkedImage, other: MarkedImage, rng: np.random.Generator) -> MarkedImage:
    """Show another table in another image size: another camera."""
    wh = current.image_bgr.shape[1::-1]
    return _crop_to_size(other, OTHER_WH if wh == SIZE_WH else SIZE_WH)


def _crop_to_size(current: MarkedImage, size_wh: tuple[int, int]) -> MarkedImage:
    """Return the middle of the image, cropped and scaled to a size."""
    height, width = current.image_bgr.shape[:2]
    if (width, height) == tuple(size_wh):
        return current
    factor = max(size_wh[0] / width, size_wh[1] / height)
    flags = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    image = cv2.resize(current.image_bgr, None, fx=factor, fy=factor, interpolation=flags)
    left, top = (round((have - want) / 2) for have, want in zip(image.shape[1::-1], size_wh, strict=True))
    image = image[top : top + size_wh[1], left : left + size_wh[0]]
    return current.moved(image, np.array([[factor, 0, -left], [0, factor, -top], [0, 0, 1.0]]))


KINDS: dict[str, Change] = {
    "shifted": shift_image,
    "turned": rotate_image,
    "zoomed": zoom_image,
    "lit": relight_image,
    "tinted": tint_image,
    "cloth": replace_cloth,
    "replaced": replace_table,
    "other camera": other_camera,
}
BLACK = "minutes of black", "minutes of black, another table"
"""Black images for minutes, then the same table, or another one."""


@dataclass(slots=True)
class Followed:
    """Delays after each change of a kind until the reading is correct, infinite if it never is.

    `phantoms` is the number of reported tiles at the end that no reader sees; `faults` describes all errors.
    """

    delays_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    phantoms: int = 0
    faults: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        """Return the figures for the page: seconds over all changes, and by kind."""
        all_delays_s = [delay for delays in self.delays_s.values() for delay in delays]
        return {
            "changes": len(all_delays_s),
            "p95_s": _quantile(all_delays_s, 0.95),
            "worst_s": _quantile(all_delays_s, 1.0),
            "never": sum(not np.isfinite(delay) for delay in all_delays_s),
            "phantoms": self.phantoms,
            **{f"p95_s, {kind}": _quantile(delays, 0.95) for kind, delays in sorted(self.delays_s.items())},
            **{
                f"never, {kind}": sum(not np.isfinite(delay) for delay in delays)
                for kind, delays in sorted(self.delays_s.items())
            },
            "faults": self.faults,
        }

    def add(self, other: Followed) -> None:
        """Add the results of other sequences."""
        for kind, delays in other.delays_s.items():
            self.delays_s[kind] += delays
        self.phantoms += other.phantoms
        self.faults += other.faults

    def as_line(self, number: int) -> str:
        """Return the results of a sequence as one line of JSON."""
        return json.dumps({"sequence": number, "s": self.delays_s, "phantoms": self.phantoms, "faults": self.faults})


def _followed_of(entry: dict[str, Any]) -> Followed:
    """Read a line of `as_line`."""
    return Followed(defaultdict(list, entry["s"]), entry["phantoms"], entry["faults"])


def _quantile(delays_s: Sequence[float], share: float) -> float:
    """Return a quantile of delays, with `LONGEST_S` for infinite ones."""
    ended = np.minimum(delays_s, LONGEST_S)
    return float(np.quantile(ended, share, method="higher")) if len(ended) else 0.0


def follow_changes(
    pictures: Sequence[Pictured], sequences: Iterable[int], reader: Reader, followed: Followed
) -> Followed:
    """Follow the sequences of these numbers; a number always gives the same sequence."""
    for number in sequences:
        rng = np.random.default_rng(number)
        tables = [_marked_image(pictures[at]) for at in rng.choice(len(pictures), CHANGES + 1)]
        _follow(f"sequence {number}", tables, reader, followed, rng)
    return followed


def follow_noted(
    pictures: Sequence[Pictured], sequences: Iterable[int], reader: Reader, notes: pathlib.Path
) -> Followed:
    """Follow the sequences of these numbers and note each in a file; sequences already in the file are not repeated."""
    lines = notes.read_text("utf-8").splitlines() if notes.is_file() else []
    recorded = {entry["sequence"]: _followed_of(entry) for entry in map(json.loads, lines)}
    total = Followed()
    notes.parent.mkdir(parents=True, exist_ok=True)
    for number in sequences:
        if number not in recorded:
            recorded[number] = follow_changes(pictures, [number], reader, Followed())
            with notes.open("a", encoding="utf-8") as file:
                file.write(recorded[number].as_line(number) + "\n")
        total.add(recorded[number])
    return total


def _marked_image(pictured: Pictured) -> MarkedImage:
    truth = pictured.truth
    true_tiles = tuple((label, np.asarray(px)) for label, px in zip(truth.labels, truth.outlines_px, strict=True))
    boxes = (np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) for x0, y0, x1, y1 in truth.ignored_px)
    true_tiles += tuple((UNTOLD, box) for box in boxes)
    return _crop_to_size(MarkedImage(pictured.load(), true_tiles), SIZE_WH)


def _follow(
    name: str, tables: Sequence[MarkedImage], reader: Reader, followed: Followed, rng: np.random.Generator
) -> None:
    frames, clock = FrameReader(reader, STILL_AFTER_S), _Clock(rng)
    current, later_tables = tables[0], list(tables[1:])
    for _ in range(round(REST_S * FPS)):
        frames.push(clock.frame(current))
    kinds = [*KINDS, *BLACK]
    for kind in rng.choice(kinds, CHANGES, replace=False).tolist():
        before = frames.reading
        other = later_tables.pop()
        if kind in BLACK:
            for _ in range(6):
                clock.wait(20.0)
                frames.push(clock.frame(MarkedImage(np.zeros_like(current.image_bgr), ())))
            current = current if kind == BLACK[0] else other
        else:
            current = KINDS[kind](current, other, rng)
        delay_s, faults = _until_correct(frames, clock, current, reader, before)
        followed.delays_s[kind].append(delay_s)
        followed.phantoms += sum(fault.startswith("phantom") for fault in faults)
        if faults:
            followed.faults.append(f"{name} {kind}: {', '.join(faults[:6])}")


class _Clock:
    """A camera with a fixed frame rate and new noise in each frame."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._time_s = rng, 100.0
        self._noise = rng.normal(0, NOISE, (SIZE_WH[1] + 64, SIZE_WH[0] + 64, 3)).round().astype(np.int16)

    def wait(self, seconds: float) -> None:
        self._time_s += seconds

    def frame(self, current: MarkedImage) -> Frame:
        self.wait(1 / FPS)
        height, width = current.image_bgr.shape[:2]
        top, left = self._rng.integers(0, 64, 2)
        noise = self._noise[top : top + height, left : left + width]
        return Frame(np.clip(current.image_bgr + noise, 0, 255).astype(np.uint8), self._time_s)


def _until_correct(
    frames: FrameReader, clock: _Clock, current: MarkedImage, reader: Reader, before: TableReading
) -> tuple[float, list[str]]:
    """Return the delay in seconds until the reading is correct and stays correct, and the errors at the end."""
    single_readings = [reader.read(clock.frame(current).image_bgr) for _ in range(COMPARED_READINGS)]
    right_since = None
    for at in range(round(LONGEST_S * FPS)):
        reading = frames.push(clock.frame(current))
        wrong = stale(reading, single_readings, before, current.tiles)
        right_since = None if wrong else (at + 1) / FPS if right_since is None else right_since
        if right_since is not None and (at + 1) / FPS - right_since >= AGREED_S:
            break
    return (np.inf if right_since is None else right_since), wrong


def stale(
    reading: TableReading, single_readings: Sequence[TableReading], before: TableReading, true_tiles: TrueTiles
) -> list[str]:
    """Return old tiles that are still reported but no longer visible, and visible tiles that are not reported.

    Flagged tiles do not count. A tile is visible if each of several independent readings (`single_readings`) has it; if
    only some have it, or the tracker has read it again, that is no error of tracking. A reported tile that is truly
    there is no phantom, and its true label is never wrong. A tile reported as covered is wrong if all independent
    readings have it without doubt.
    """
    if reading.image_wh != single_readings[0].image_wh:
        return ["phantom: all of another picture"] if reading.tiles else []
    old_labels = {tile.sighting.track: tile.label for tile in before.tiles}
    wrong = []
    for tile in _whole(reading):
        matches = [_at_place(tile, single_reading) for single_reading in single_readings]
        if not any(matches):
            is_certain = tile.sighting.hidden or not tile.doubtful
            if is_certain and tile.sighting.track in old_labels and _true_label(tile, true_tiles) is None:
                wrong.append(f"phantom {_describe(tile)}")
        elif tile.sighting.hidden:
            if _true_label(tile, true_tiles) and all(one is not None and not one.doubtful for one in matches):
                wrong.append(f"untold {_describe(tile)}")
        elif old_labels.get(tile.sighting.track) == tile.label != _true_label(
            tile, true_tiles
        ) and _has_certainly_another_label(tile, matches):
            wrong.append(f"not in the change report {_describe(matches[0] or tile)}, reported {tile.label}")
    for tile in _whole(single_readings[0]):
        is_clearly_visible = all(
            (one := _at_place(tile, single_reading)) and not one.doubtful for single_reading in single_readings
        )
        if is_clearly_visible and _true_label(tile, true_tiles) and _at_place(tile, reading) is None:
            wrong.append(f"untold {_describe(tile)}")
    return wrong


def _has_certainly_another_label(tile: ReadTile, matches: Sequence[ReadTile | None]) -> bool:
    """Return whether a tile is not flagged and all readings give it another label without doubt."""
    return not tile.doubtful and all(
        one is not None and not one.doubtful and one.label != tile.label for one in matches
    )


def _true_label(tile: ReadTile, true_tiles: TrueTiles) -> str | None:
    """Return the label of the true tile at the centre of this tile, None if there is none."""
    x, y = tile.sighting.quad_px.mean(axis=0).tolist()
    labels = (label for label, px in true_tiles if cv2.pointPolygonTest(px.astype(np.float32), (x, y), False) >= 0)
    return next(labels, None)


def _whole(reading: TableReading) -> list[ReadTile]:
    """Return the tiles with all corners inside the image; a cut tile may look different in each reading."""
    size = np.array(reading.image_wh)
    return [t for t in reading.tiles if ((t.sighting.quad_px > 0) & (t.sighting.quad_px < size - 1)).all()]


def _at_place(tile: ReadTile, reading: TableReading) -> ReadTile | None:
    """Return the tile of a reading at the place of this one."""
    if not reading.tiles:
        return None
    quad = tile.sighting.quad_px
    centres = np.array([one.sighting.quad_px.mean(axis=0) for one in reading.tiles])
    distances = np.linalg.norm(centres - quad.mean(axis=0), axis=1)
    nearest = int(distances.argmin())
    return reading.tiles[nearest] if distances[nearest] < SAME_PLACE * np.linalg.norm(quad[1] - quad[0]) else None


def _describe(tile: ReadTile) -> str:
    x, y = tile.sighting.quad_px.mean(axis=0)
    return f"{tile.label}{' (covered)' if tile.sighting.hidden else ''} at {x:.0f}, {y:.0f}"

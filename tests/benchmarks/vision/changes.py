"""Changes all that a camera sees at once, and measures how soon what is told is what is seen.

A camera is carried to another table, a laptop wakes in another room, a lamp goes on, a cloth is drawn from under the
tiles. A tracker that compares frames may take any of these for the table that it knows. Each sequence begins with a
table at rest and changes it three times; after each change what is told is held against what a reader sees who knows
nothing but the newest frame.
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

from tilekeeper.models.evaluation.harder import edge_colour
from tilekeeper.models.evaluation.measure import Pictured
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import ReadTile, TableReading

SIZE_WH, OTHER_WH = (1280, 720), (960, 720)
"""The camera's picture, and that of another camera."""
FPS, REST_S, LONGEST_S, AGREED_S = 8.0, 1.5, 8.0, 2.0
"""Pictures a second; how long the first table lies; how long a change is followed, and how long what is told must be
right for it to be believed that it stays so."""
CHANGES = 3
NOISE = 2.0
"""Spread of the noise in each frame, levels of 255."""
LOOKS = 2
"""So many looks by a reader who knows nothing else say what is seen."""
SAME_PLACE = 0.6
"""Middles nearer than this, in widths, are one tile's."""


Lying = tuple[tuple[str, np.ndarray], ...]
"""What lies on a table: the label of each tile and its outline `(K, 2)`, none (`UNTOLD`) where nobody says what lies
there, as under a hand: that counts neither way."""
UNTOLD = ""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture `(H, W, 3) uint8` of a table, with the label and the outline `(K, 2)` of each tile on it."""

    image_bgr: np.ndarray
    tiles: Lying

    def moved(self, image_bgr: np.ndarray, view: np.ndarray) -> Shown:
        """Another picture of it, to which a homography `(3, 3)` leads."""
        corners = ((label, np.column_stack([px, np.ones(len(px))]) @ view.T) for label, px in self.tiles)
        return Shown(np.ascontiguousarray(image_bgr), tuple((label, px[:, :2] / px[:, 2:]) for label, px in corners))


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture `(H, W, 3) uint8` and when it was taken, in seconds."""

    image_bgr: np.ndarray
    time_s: float


Change = Callable[[Shown, Shown, np.random.Generator], Shown]
"""Makes of what is shown, and of another table, what is shown next."""


def _warped(shown: Shown, view: np.ndarray) -> Shown:
    height, width = shown.image_bgr.shape[:2]
    # mirrored, a tile that the edge cuts would be another whole one
    image = cv2.warpPerspective(shown.image_bgr, view, (width, height), borderValue=edge_colour(shown.image_bgr))
    return shown.moved(np.asarray(image, np.uint8), view)


def _about_middle(shown: Shown, degrees: float, factor: float) -> Shown:
    height, width = shown.image_bgr.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, factor)
    return _warped(shown, np.vstack([move, [0, 0, 1]]))


def shifted(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The camera was bumped to one side."""
    by = rng.uniform(0.02, 0.12, 2) * rng.choice([-1, 1], 2) * shown.image_bgr.shape[1::-1]
    return _warped(shown, np.array([[1, 0, by[0]], [0, 1, by[1]], [0, 0, 1.0]]))


def turned(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The camera, or the table, was turned."""
    return _about_middle(shown, float(rng.uniform(3, 20) * rng.choice([-1, 1])), 1.0)


def zoomed(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The camera was brought nearer, or taken further off."""
    return _about_middle(shown, 0.0, float(np.exp(rng.uniform(0.05, 0.2) * rng.choice([-1, 1]))))


def lit(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """A lamp was turned down or up: a third to twice the light."""
    return _gained(shown, np.full(3, np.exp(rng.uniform(np.log(0.3), np.log(2.0)))))


def tinted(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The light, or the camera's white balance, became warm or cold."""
    warm = rng.uniform(0.15, 0.45) * rng.choice([-1, 1])
    return _gained(shown, np.exp(np.array([-warm, -0.2 * warm, 0.3 * warm])))


def _gained(shown: Shown, gains: np.ndarray) -> Shown:
    return Shown(np.clip(shown.image_bgr * gains, 0, 255).astype(np.uint8), shown.tiles)


def cloth(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The same tiles lie on another table: on what of the other one is no tile, brought to its usual look."""
    ground = _resized(other, shown.image_bgr.shape[1::-1])
    bare = _on_tiles(ground, 1.5)
    image = cv2.inpaint(ground.image_bgr, bare, 3, cv2.INPAINT_TELEA) if bare.any() else ground.image_bgr.copy()
    tiles = _on_tiles(shown, 1.06)
    image[tiles > 0] = shown.image_bgr[tiles > 0]
    return Shown(np.asarray(image, np.uint8), shown.tiles)


def _on_tiles(shown: Shown, factor: float) -> np.ndarray:
    """`(H, W) uint8`, 255 on tiles so many times as large."""
    mask = np.zeros(shown.image_bgr.shape[:2], np.uint8)
    for outline in (px for label, px in shown.tiles if label):
        grown = outline.mean(axis=0) * (1 - factor) + factor * outline
        # all at once, what two of them cover would stay out of it
        cv2.fillPoly(mask, [grown.round().astype(np.int32)], 255)
    return mask


def replaced(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """The camera was carried to another table."""
    return other


def other_camera(shown: Shown, other: Shown, rng: np.random.Generator) -> Shown:
    """Another camera, with another size of picture, sees another table."""
    wh = shown.image_bgr.shape[1::-1]
    return _resized(other, OTHER_WH if wh == SIZE_WH else SIZE_WH)


def _resized(shown: Shown, size_wh: tuple[int, int]) -> Shown:
    """The middle of the picture, of that shape, in that size."""
    height, width = shown.image_bgr.shape[:2]
    if (width, height) == tuple(size_wh):
        return shown
    factor = max(size_wh[0] / width, size_wh[1] / height)
    flags = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    image = cv2.resize(shown.image_bgr, None, fx=factor, fy=factor, interpolation=flags)
    left, top = (round((have - want) / 2) for have, want in zip(image.shape[1::-1], size_wh, strict=True))
    image = image[top : top + size_wh[1], left : left + size_wh[0]]
    return shown.moved(image, np.array([[factor, 0, -left], [0, factor, -top], [0, 0, 1.0]]))


KINDS: dict[str, Change] = {
    "shifted": shifted,
    "turned": turned,
    "zoomed": zoomed,
    "lit": lit,
    "tinted": tinted,
    "cloth": cloth,
    "replaced": replaced,
    "other camera": other_camera,
}
BLACK = "minutes of black", "minutes of black, another table"
"""Nothing is seen for minutes, then the same table, or another one."""


@dataclass(slots=True)
class Followed:
    """How long it took after each change of a kind until what was told was what was seen, infinite where it never was.

    `phantoms` are the tiles that were told at the end and that nobody sees, `faults` what they were.
    """

    delays_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    phantoms: int = 0
    faults: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        """The figures for the page: seconds over all changes, and by kind."""
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
        """Add what came of other sequences."""
        for kind, delays in other.delays_s.items():
            self.delays_s[kind] += delays
        self.phantoms += other.phantoms
        self.faults += other.faults

    def as_line(self, number: int) -> str:
        """One line of JSON of the sequence of a number."""
        return json.dumps({"sequence": number, "s": self.delays_s, "phantoms": self.phantoms, "faults": self.faults})


def _followed_of(noted: dict[str, Any]) -> Followed:
    """What `as_line` wrote."""
    return Followed(defaultdict(list, noted["s"]), noted["phantoms"], noted["faults"])


def _quantile(delays_s: Sequence[float], share: float) -> float:
    """The delay that so many are within; `LONGEST_S` for those that never ended."""
    ended = np.minimum(delays_s, LONGEST_S)
    return float(np.quantile(ended, share, method="higher")) if len(ended) else 0.0


def follow_changes(
    pictures: Sequence[Pictured], sequences: Iterable[int], reader: Reader, followed: Followed
) -> Followed:
    """Follow the sequences of these numbers over some of the pictures; the same number is the same sequence."""
    for number in sequences:
        rng = np.random.default_rng(number)
        tables = [_shown(pictures[at]) for at in rng.choice(len(pictures), CHANGES + 1)]
        _follow(f"sequence {number}", tables, reader, followed, rng)
    return followed


def follow_noted(
    pictures: Sequence[Pictured], sequences: Iterable[int], reader: Reader, notes: pathlib.Path
) -> Followed:
    """Follow the sequences of these numbers, each noted in a file as it ends, but for those that are noted there."""
    lines = notes.read_text("utf-8").splitlines() if notes.is_file() else []
    recorded = {noted["sequence"]: _followed_of(noted) for noted in map(json.loads, lines)}
    total = Followed()
    notes.parent.mkdir(parents=True, exist_ok=True)
    for number in sequences:
        if number not in recorded:
            recorded[number] = follow_changes(pictures, [number], reader, Followed())
            with notes.open("a", encoding="utf-8") as file:
                file.write(recorded[number].as_line(number) + "\n")
        total.add(recorded[number])
    return total


def _shown(pictured: Pictured) -> Shown:
    truth = pictured.truth
    lying = tuple((label, np.asarray(px)) for label, px in zip(truth.labels, truth.outlines_px, strict=True))
    boxes = (np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]) for x0, y0, x1, y1 in truth.ignored_px)
    lying += tuple((UNTOLD, box) for box in boxes)
    return _resized(Shown(pictured.load(), lying), SIZE_WH)


def _follow(name: str, tables: Sequence[Shown], reader: Reader, followed: Followed, rng: np.random.Generator) -> None:
    frames, clock = FrameReader(reader), _Clock(rng)
    shown, later_tables = tables[0], list(tables[1:])
    for _ in range(round(REST_S * FPS)):
        frames.push(clock.frame(shown))
    kinds = [*KINDS, *BLACK]
    for kind in rng.choice(kinds, CHANGES, replace=False).tolist():
        before = frames.reading
        other = later_tables.pop()
        if kind in BLACK:
            for _ in range(6):
                clock.wait(20.0)
                frames.push(clock.frame(Shown(np.zeros_like(shown.image_bgr), ())))
            shown = shown if kind == BLACK[0] else other
        else:
            shown = KINDS[kind](shown, other, rng)
        delay_s, faults = _until_told(frames, clock, shown, reader, before)
        followed.delays_s[kind].append(delay_s)
        followed.phantoms += sum(fault.startswith("phantom") for fault in faults)
        if faults:
            followed.faults.append(f"{name} {kind}: {', '.join(faults[:6])}")


class _Clock:
    """Takes pictures at the camera's pace, each with noise of its own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._time_s = rng, 100.0
        self._noise = rng.normal(0, NOISE, (SIZE_WH[1] + 64, SIZE_WH[0] + 64, 3)).round().astype(np.int16)

    def wait(self, seconds: float) -> None:
        self._time_s += seconds

    def frame(self, shown: Shown) -> Frame:
        self.wait(1 / FPS)
        height, width = shown.image_bgr.shape[:2]
        top, left = self._rng.integers(0, 64, 2)
        noise = self._noise[top : top + height, left : left + width]
        return Frame(np.clip(shown.image_bgr + noise, 0, 255).astype(np.uint8), self._time_s)


def _until_told(
    frames: FrameReader, clock: _Clock, shown: Shown, reader: Reader, before: TableReading
) -> tuple[float, list[str]]:
    """Return after how many seconds what is told is what is seen, and stays so, and what was still wrong at the end."""
    looks = [reader.read(clock.frame(shown).image_bgr) for _ in range(LOOKS)]
    right_since = None
    for at in range(round(LONGEST_S * FPS)):
        reading = frames.push(clock.frame(shown))
        wrong = stale(reading, looks, before, shown.tiles)
        right_since = None if wrong else (at + 1) / FPS if right_since is None else right_since
        if right_since is not None and (at + 1) / FPS - right_since >= AGREED_S:
            break
    return (np.inf if right_since is None else right_since), wrong


def stale(reading: TableReading, looks: Sequence[TableReading], before: TableReading, lying: Lying) -> list[str]:
    """Return what is told as `before` and not seen any more, and what is seen and not told; no doubt counts.

    Seen is what each of several `looks` at the same table says: what one of them sees and another does not is a matter
    of reading, and so is what was read anew. What is told and truly lies there, whether or not it is seen, is no
    phantom, and where it is told by its true name, nothing is; what is seen elsewhere is none. What is told as covered
    and surely seen by all of them is wrong by whatever name.
    """
    if reading.image_wh != looks[0].image_wh:
        return ["phantom: all of another picture"] if reading.tiles else []
    old_labels = {tile.sighting.track: tile.label for tile in before.tiles}
    wrong = []
    for tile in _whole(reading):
        matches = [_at_place(tile, look) for look in looks]
        if not any(matches):
            told_surely = tile.sighting.hidden or not tile.doubtful
            if told_surely and tile.sighting.track in old_labels and _true_label(tile, lying) is None:
                wrong.append(f"phantom {_named(tile)}")
        elif tile.sighting.hidden:
            if _true_label(tile, lying) and all(one is not None and not one.doubtful for one in matches):
                wrong.append(f"untold {_named(tile)}")
        elif old_labels.get(tile.sighting.track) == tile.label != _true_label(tile, lying) and _surely_otherwise(
            tile, matches
        ):
            wrong.append(f"untold {_named(matches[0] or tile)}, told {tile.label}")
    for tile in _whole(looks[0]):
        surely = all((one := _at_place(tile, look)) and not one.doubtful for look in looks)
        if surely and _true_label(tile, lying) and _at_place(tile, reading) is None:
            wrong.append(f"untold {_named(tile)}")
    return wrong


def _surely_otherwise(tile: ReadTile, matches: Sequence[ReadTile | None]) -> bool:
    """Whether it is told surely, and every look surely gives it another name."""
    return not tile.doubtful and all(
        one is not None and not one.doubtful and one.label != tile.label for one in matches
    )


def _true_label(tile: ReadTile, lying: Lying) -> str | None:
    """The label of the true tile on which the middle of this one lies, None where it surely lies on none."""
    x, y = tile.sighting.quad_px.mean(axis=0).tolist()
    labels = (label for label, px in lying if cv2.pointPolygonTest(px.astype(np.float32), (x, y), False) >= 0)
    return next(labels, None)


def _whole(reading: TableReading) -> list[ReadTile]:
    """The tiles that lie in the picture with all their corners: of others each look may show another part."""
    size = np.array(reading.image_wh)
    return [t for t in reading.tiles if ((t.sighting.quad_px > 0) & (t.sighting.quad_px < size - 1)).all()]


def _at_place(tile: ReadTile, reading: TableReading) -> ReadTile | None:
    """The tile of a reading that lies where this one does."""
    if not reading.tiles:
        return None
    quad = tile.sighting.quad_px
    middles = np.array([one.sighting.quad_px.mean(axis=0) for one in reading.tiles])
    apart = np.linalg.norm(middles - quad.mean(axis=0), axis=1)
    nearest = int(apart.argmin())
    return reading.tiles[nearest] if apart[nearest] < SAME_PLACE * np.linalg.norm(quad[1] - quad[0]) else None


def _named(tile: ReadTile) -> str:
    x, y = tile.sighting.quad_px.mean(axis=0)
    return f"{tile.label}{' (covered)' if tile.sighting.hidden else ''} at {x:.0f}, {y:.0f}"

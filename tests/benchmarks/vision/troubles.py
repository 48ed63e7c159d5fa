"""Count reported troubles, missed troubles and false alarms, on spoilt and on good images.

    python -m tests.benchmarks.vision.troubles TABLES --count 20 --photos FOLDER

takes rendered tables (`tilekeeper.datasets.synthesis.scene.tables`) from the folder TABLES, spoils each in one way,
reads it, and prints a line for each way. FOLDER has annotated photos, which are good: a trouble on them is a false
alarm, except for tiles that the edge cuts.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.clutter.catalogue import CLUTTER, hand
from tilekeeper.vision import types as kinds
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.types import TableReading


@dataclass(frozen=True, slots=True)
class Table:
    """An image `(H, W, 3) uint8` and its tiles: quads `(N, 4, 2)` and rows `(N,)`."""

    image_bgr: np.ndarray
    quads_px: np.ndarray
    rows: np.ndarray

    @property
    def width_px(self) -> float:
        """The median width of a tile in pixels."""
        return float(np.median(np.linalg.norm(self.quads_px[:, 1] - self.quads_px[:, 0], axis=1)))


Spoil = Callable[[np.random.Generator, Table], np.ndarray]


def as_it_is(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Return the image unchanged."""
    return table.image_bgr


def darkened(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Reduce the light to a twelfth and add noise."""
    dark = table.image_bgr / 12.0
    return np.clip(dark + rng.normal(0, 4, dark.shape), 0, 255).astype(np.uint8)


def shaken(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Add motion blur of a third of a tile's width."""
    length = max(3, round(table.width_px / 3))
    kernel = np.zeros((length, length), np.float32)
    turn = rng.uniform(0, np.pi)
    half = np.array([np.cos(turn), np.sin(turn)]) * (length - 1) / 2
    ends = [tuple(np.round((length - 1) / 2 + sign * half).astype(int).tolist()) for sign in (-1, 1)]
    cv2.line(kernel, *ends, 1.0)
    return cv2.filter2D(table.image_bgr, -1, kernel / kernel.sum())


def with_glare(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Add the reflection of a lamp that covers a tile and its surroundings."""
    tile = table.quads_px[int(rng.integers(len(table.quads_px)))]
    x, y = tile.mean(axis=0)
    ys, xs = np.mgrid[: table.image_bgr.shape[0], : table.image_bgr.shape[1]]
    size = 1.3 * table.width_px
    light = 900 * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * size**2 / 4))
    return np.clip(table.image_bgr + light[..., None], 0, 255).astype(np.uint8)


def from_afar(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Shrink the image until tiles are 11 pixels wide."""
    scale = 11 / table.width_px
    return cv2.resize(table.image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def cut_off(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Crop the image so that its edge cuts off a quarter of a tile."""
    quad = table.quads_px[int(rng.integers(len(table.quads_px)))]
    middle, right = quad[:, 0].mean(), quad[:, 0].max()
    image = table.image_bgr
    half = int((right - middle) / 2)
    image = image[:, : int(middle) + half] if middle > image.shape[1] / 2 else image[:, int(middle) - half :]
    return np.ascontiguousarray(image)


def covered(rng: np.random.Generator, table: Table) -> np.ndarray:
    """Cover the outer half of a row's last tile, and the table beyond it, by a hand or a cup."""
    at = int(rng.choice(np.flatnonzero(np.bincount(table.rows[table.rows >= 0]) >= 3)))
    row = table.quads_px[table.rows == at]
    along = row[-1].mean(axis=0) - row[-2].mean(axis=0)
    middle = row[-1].mean(axis=0)
    scale = table.width_px / 26
    thing = hand(rng, scale) if rng.random() < 0.5 else CLUTTER["cup"](rng, scale)
    turn = np.degrees(np.arctan2(along[1], along[0]))
    width = thing.shape[1]
    ys, _ = np.nonzero(thing[..., 3] > 128)
    # the top of the object points to the row and covers the middle of the outer tile
    view = cv2.getRotationMatrix2D((width / 2, float(ys.min())), 90 - turn - 180, 1.0)
    view[:, 2] += middle - np.array([width / 2, float(ys.min())])
    warped = cv2.warpAffine(thing, view, table.image_bgr.shape[1::-1], flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3:].astype(np.float32) / 255
    return (table.image_bgr * (1 - alpha) + warped[..., :3] * alpha).astype(np.uint8)


WAYS: dict[str, tuple[Spoil, str]] = {
    "good": (as_it_is, ""),
    "dark": (darkened, kinds.TOO_DARK),
    "shaken": (shaken, kinds.TOO_BLURRED),
    "glare": (with_glare, kinds.GLARE),
    "far": (from_afar, kinds.TOO_SMALL),
    "cut": (cut_off, kinds.CUT_OFF),
    "covered": (covered, kinds.IN_THE_WAY),
}
"""Functions that spoil an image, and the expected trouble."""


def tables(folder: pathlib.Path, count: int, seed: int) -> Iterator[Table]:
    """Yield `count` tables in rows without cut or covered tiles."""
    listed = json.loads((folder / "photos.json").read_text(encoding="utf-8"))["photos"]
    order = np.random.default_rng(seed).permutation(len(listed))
    for entry in (listed[at] for at in order):
        tiles = entry["tiles"]
        if entry["session"] not in ("melds", "shelves", "tight") or entry["ignore_px"]:
            continue
        rows = np.array([tile["row"] for tile in tiles])
        if any(tile["cut"] for tile in tiles) or np.bincount(rows[rows >= 0], minlength=1).max() < 3:
            continue
        image = cv2.imread(str(folder / "images" / entry["file"]))
        yield Table(image, np.array([tile["polygon_px"] for tile in tiles], np.float32), rows)
        count -= 1
        if not count:
            return


def _line(way: str, readings: list[TableReading], expected: str) -> str:
    reported_kinds = [{trouble.kind for trouble in reading.troubles} for reading in readings]
    named = (
        sum(expected in kinds_said for kinds_said in reported_kinds)
        if expected
        else sum(not kinds_said for kinds_said in reported_kinds)
    )
    other_kinds = Counter(kind for kinds_said in reported_kinds for kind in kinds_said if kind != expected)
    trusted = sum(reading.status == "ok" for reading in readings)
    return f"{way:10} {len(readings):8} {expected or 'nothing':16} {named:6} {trusted:7}  {dict(other_kinds) or ''}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", metavar="TABLES", type=pathlib.Path, help="a folder of rendered tables")
    parser.add_argument("--count", type=int, default=20, help="tables for each way (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=4, help="where the drawing begins (default: %(default)s)")
    parser.add_argument("--ways", nargs="*", choices=sorted(WAYS), default=list(WAYS), help="only these ways")
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of good photos, annotated")
    args = parser.parse_args()
    reader = load_reader(2)
    print(f"{'way':10} {'pictures':>8} {'should be said':16} {'is':>6} {'trusted':>7}  said besides")
    for way in args.ways:
        spoil, expected = WAYS[way]
        rng = np.random.default_rng([args.seed, *way.encode()])
        readings = [reader.read(spoil(rng, table)) for table in tables(args.tables, args.count, args.seed)]
        print(_line(way, readings, expected), flush=True)
    if args.photos:
        from tilekeeper.datasets.photos import load_annotated
        from tilekeeper.vision.photos import load_photo

        photos = load_annotated(args.photos)
        readings = [reader.read(load_photo(photo.path).image_bgr) for photo in photos]
        at_edge = [any(tile.cut for tile in photo.tiles) for photo in photos]
        for name, cut in (("cut photos", True), ("photos", False)):
            chosen = [reading for reading, at in zip(readings, at_edge, strict=True) if at is cut]
            print(_line(name, chosen, kinds.CUT_OFF if cut else ""))


if __name__ == "__main__":
    main()

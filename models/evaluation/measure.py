"""Read images with ground truth and count the errors: photos, rendered tables, and harder versions of both."""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tilekeeper.datasets.photos import AnnotatedPhoto, load_melds
from tilekeeper.datasets.synthesis.printings.printing import Pool
from tilekeeper.models.evaluation.score import Prediction, Tally, Truth, ignored, rows_right
from tilekeeper.models.training.sources import widths_px
from tilekeeper.vision.finetune.own_sets import build_classifier
from tilekeeper.vision.manifest import load_sessions
from tilekeeper.vision.photos import load_photo
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.quality.diagnostics import NO_TILES
from tilekeeper.vision.types import OK, DoubtReason, ReadTile, TableReading

MELD_LAYOUTS = ("melds", "tight", "shelves")
"""Layouts of rendered tables with melds; in all others the tiles are single or on a rack."""
MELDS_DIFFER = "melds differ"
WHOLE_GAP = 1.6
"""Largest distance between the centres of neighbours in a complete meld, in tile widths."""


class PictureReader(Protocol):
    """Interface of a reader of images `(H, W, 3) uint8` BGR, such as `Reader`."""

    def read(self, image_bgr: np.ndarray) -> TableReading: ...


@dataclass(frozen=True, slots=True)
class Pictured:
    """An image, loaded on demand, and its ground truth.

    `group`: a photo's session or a rendered table's layout; `rows`: the melds as indices of tiles, None if unknown;
    `load`: function that returns the image `(H, W, 3) uint8` BGR.
    """

    name: str
    group: str
    truth: Truth
    rows: tuple[tuple[int, ...], ...] | None
    load: Callable[[], np.ndarray]


@dataclass(frozen=True, slots=True)
class ScoredTile:
    """A read tile that counts in the score, with the true label; None if it is a false detection."""

    tile: ReadTile
    true_label: str | None

    @property
    def right(self) -> bool:
        """Whether the label is correct."""
        return self.tile.label == self.true_label


@dataclass(slots=True)
class Count:
    """Results over several images: the tally of errors, the images with all melds right, and all scored tiles."""

    tally: Tally = field(default_factory=Tally)
    melds_right: int = 0
    melds_of: int = 0
    scored: list[ScoredTile] = field(default_factory=list)
    reasons: Counter[DoubtReason] = field(default_factory=Counter)
    """Number of flagged tiles for each reason; a tile with two reasons counts for both."""
    silent_unreadable: int = 0
    """Number of silent errors on images whose status says that they are unreadable."""

    def add(self, pictured: Pictured, reading: TableReading) -> None:
        """Add the reading of one image."""
        truth, predictions = pictured.truth, predictions_of(reading)
        silent = self.tally.silent
        matches = self.tally.add(pictured.name, truth, predictions)
        if reading.status not in (OK, NO_TILES):
            self.silent_unreadable += self.tally.silent - silent
        self.scored += scored_tiles(truth, reading, matches)
        self.reasons.update(doubt.reason for tile in reading.tiles for doubt in tile.doubts)
        if pictured.rows:
            left_out = frozenset(i for i, tile_cut in enumerate(truth.cut) if tile_cut)
            whole = rows_right(pictured.rows, reading.rows, matches, left_out, ignored(truth, predictions))
            self.melds_of += 1
            self.melds_right += whole
            if not whole:
                self.tally.faults.append(f"{pictured.name}: {MELDS_DIFFER}")


def reader_of(folder: pathlib.Path | None, threads: int = 2) -> Reader:
    """Return a reader with the networks in `folder`, or with the shipped ones."""
    sessions = load_sessions(threads, folder=folder)
    return Reader.of(sessions, build_classifier(sessions))


def read_all(pictures: Iterable[Pictured], reader: PictureReader) -> Count:
    """Read images and count the results."""
    count = Count()
    for pictured in pictures:
        count.add(pictured, reader.read(pictured.load()))
    return count


def predictions_of(reading: TableReading) -> list[Prediction]:
    """Return the tiles of a reading as predictions to score."""
    return [Prediction(tile.label, tile.sighting.quad_px, tile.doubtful) for tile in reading.tiles]


def scored_tiles(truth: Truth, reading: TableReading, matches: Sequence[int | None]) -> list[ScoredTile]:
    """Return the read tiles that count: all except tiles that match cut tiles or are in ignored boxes.

    `matches`: for each true tile the index of the matching read tile, as from `match`.
    """
    true_index = {j: i for i, j in enumerate(matches) if j is not None}
    ignored_tiles = ignored(truth, predictions_of(reading))
    scored = []
    for j, tile in enumerate(reading.tiles):
        i = true_index.get(j)
        if (i is None and j in ignored_tiles) or (i is not None and truth.cut[i]):
            continue
        scored.append(ScoredTile(tile, None if i is None else truth.labels[i]))
    return scored


def truth_of_photo(photo: AnnotatedPhoto) -> Truth:
    """Return the ground truth of a photo, with the published outlines and not the quads fitted to these."""
    tiles = photo.tiles
    return Truth(
        tuple(t.label for t in tiles), tuple(t.polygon_px for t in tiles), tuple(t.cut for t in tiles), np.zeros((0, 4))
    )


def _load(path: pathlib.Path) -> np.ndarray:
    return load_photo(path).image_bgr


def photo_pictures(photos: Sequence[AnnotatedPhoto]) -> list[Pictured]:
    """Convert annotated photos to images with ground truth; the rows are the melds labelled by hand, else None."""
    melds = load_melds(photos)
    return [
        Pictured(p.file, p.session, truth_of_photo(p), melds.get(p.file), functools.partial(_load, p.path))
        for p in photos
    ]


def rendered_pictures(folder: pathlib.Path) -> list[Pictured]:
    """Return the images that `synthesis.scene.tables` or `rendering` wrote to `folder`.

    The rows of an image are unknown if one of its melds has a gap.
    """
    pictures = []
    for entry in json.loads((folder / "photos.json").read_text("utf-8"))["photos"]:
        path = folder / "images" / entry["file"]
        pictures.append(pictured_entry(entry, functools.partial(_load, path)))
    return pictures


def tables_in(folder: pathlib.Path, count: int, pool: Pool, seed: int, **options: object) -> list[Pictured]:
    """Return the rendered tables in a folder; if it has none, render `count` tables first."""
    if not (folder / "photos.json").is_file():
        from tilekeeper.datasets.synthesis.scene.tables import render_folder

        render_folder(folder, count, pool, seed, **options)  # type: ignore[arg-type]
    return rendered_pictures(folder)


def racks_in(folder: pathlib.Path, count: int, seed: int, pool: Pool = "kept-out") -> list[Pictured]:
    """Return the rendered racks in a folder; if it has none, render `count` first, which needs the extra `render`.

    `pool`: the designs and printings, by default those held out from training.
    """
    if not (folder / "photos.json").is_file():
        from tilekeeper.datasets.rendering.render import render_folder

        render_folder(folder, count, pool, seed)
    return rendered_pictures(folder)


def pictured_entry(entry: dict[str, Any], load: Callable[[], np.ndarray]) -> Pictured:
    """Convert an entry of `photos.json` of rendered tables or racks to an image with ground truth."""
    tiles = entry["tiles"]
    quads = np.array([t["polygon_px"] for t in tiles], np.float32).reshape(-1, 4, 2)
    cut = tuple(bool(t["cut"]) for t in tiles)
    boxes = np.array(entry["ignore_px"], float).reshape(-1, 4)
    truth = Truth(tuple(t["label"] for t in tiles), tuple(quads), cut, boxes, quads)
    rows = true_rows([t["row"] for t in tiles], quads) if entry["session"] in MELD_LAYOUTS else None
    if "rack_design" in entry and entry["session"] == "rack":
        rows = rack_rows([t["row"] for t in tiles])
    return Pictured(entry["file"], entry["session"], truth, rows, load)


def rack_rows(row_of_tile: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """Group tile indices by their row number, in order of appearance; return None if there are no tiles.

    On a rack the back row comes first, and a row may have gaps.
    """
    rows: dict[int, list[int]] = {}
    for i, row in enumerate(row_of_tile):
        rows.setdefault(row, []).append(i)
    return tuple(map(tuple, rows.values())) or None


def true_rows(row_of_tile: Sequence[int], quads_px: np.ndarray) -> tuple[tuple[int, ...], ...] | None:
    """Return the melds as rows of indices; None if one has a gap, because a tile is face down or under a hand.

    The remaining tiles of such a meld may count as one meld or two.
    """
    rows = rack_rows(row_of_tile)
    if rows is None:
        return None
    widths, middles = widths_px(quads_px), quads_px.mean(axis=1)
    pairs = [pair for row in rows for pair in itertools.pairwise(row)]
    distances = (np.linalg.norm(middles[a] - middles[b]) / (widths[a] + widths[b]) * 2 for a, b in pairs)
    return None if any(distance > WHOLE_GAP for distance in distances) else rows

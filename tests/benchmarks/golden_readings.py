"""Golden readings: record readings as data, and compare the readings of changed code with them.

    python -m tests.benchmarks.golden_readings record var/golden --photos ../shared/photos
    python -m tests.benchmarks.golden_readings compare var/golden --photos ../shared/photos --fewer

`--kept-out var/kept-out` and `--streams var/streams` add rendered tables and streams. They are rendered once, so that
old and new code read the same files:

    python -m tilekeeper.datasets.synthesis.scene.tables var/kept-out --count 100 --pool kept-out --seed 7
    python -m tests.benchmarks.golden_readings film var/streams

The shipped networks read everything. There is one gzipped file of JSON lines for each kind of image: the photos, the
photos made harder in each way of the vision bench, the tables, and every new reading of the streams. Equal readings
give equal bytes. `compare` returns 0 if all readings are equal, else 1; `--fewer` reads every tenth image and the first
stream.

`tests/benchmarks/golden` holds the last record; `make golden-readings` compares with it. 8-bit networks may round
differently on another kind of processor: record there first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.vision.photos import usual_width_px
from tests.support.frames import Frame
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.models.evaluation.harder import FAR_WAYS, WAYS, Harder
from tilekeeper.models.evaluation.measure import Pictured, photo_pictures, rendered_pictures
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader

STREAMS, STREAM_WH, STREAM_TURNS = 5, (1280, 720), 2
FPS, STILL_AFTER_S = 2.5, 0.3
"""Frames per second of the streams, and the pause after which a table is settled."""
FEWER = 10
SHOWN = 5
"""Number of different images to print, and of differences in each."""
STEP = 0.11
"""Largest difference of rounding: this many pixels for corners, and a thousandth of it for confidence."""

Record = dict[str, Any]
"""One reading as JSON; `source` is the name of its image, for a stream `stream#frame`."""
Load = Callable[[], np.ndarray]
"""Loads an image `(H, W, 3) uint8` BGR."""
Task = tuple[str, Callable[[], list[Record]]]
"""The name of an image or stream, and the function that reads it."""
Rows = list[list[int]]
Difference = tuple[str, str]
"""The kind of a difference, and the difference in words."""


def record_of(source: str, reading: Any) -> Record:
    """Return a reading as data: corners to 0.1 px, probabilities to four digits."""
    return {
        "source": source,
        "status": str(reading.status),
        "image_wh": [int(side) for side in reading.image_wh],
        "troubles": [[str(_first(trouble, "kind", "code")), _px(trouble.region_px)] for trouble in reading.troubles],
        "face_down": [_px(quad) for quad in reading.face_down],
        "rows": _rows(reading.rows),
        "other_rows": [{"rows": _rows(way.rows), "weight": round(float(way.weight), 4)} for way in reading.other_rows],
        "tiles": [_tile(tile) for tile in reading.tiles],
    }


def _tile(tile: Any) -> Record:
    sighting = getattr(tile, "sighting", tile)
    return {
        "label": str(tile.label),
        "corners": _px(sighting.quad_px),
        "doubtful": bool(_first(tile, "doubtful", "doubts")),
        "confidence": round(float(tile.confidence), 4),
        "runner_up": str(tile.runner_up),
        "track": int(sighting.track),
        "hidden": bool(sighting.hidden),
    }


def _first(thing: Any, *names: str) -> Any:
    """Return the first existing attribute, for attributes that have different names in older code."""
    name = next((name for name in names if hasattr(thing, name)), names[0])
    return getattr(thing, name)


def _px(points: Any) -> list[float]:
    # minus zero would have other bytes
    return [round(float(value), 1) + 0.0 for value in np.ravel(points)]


def _rows(rows: Any) -> Rows:
    return [[int(tile) for tile in row] for row in rows]


def tasks_of(
    reader: Reader, photos: Path | None, kept_out: Path | None, streams: Path | None, fewer: bool = False
) -> dict[str, list[Task]]:
    """Return the tasks of each kind, without folders that are None."""
    loads: dict[str, list[tuple[str, Load]]] = {}
    if photos:
        pictures = photo_pictures(load_annotated(photos))
        # without the degradations with small far tiles, because too many of these readings are wrong
        ways = {way: Harder(way, usual_width_px(pictures)) for way in WAYS if way not in FAR_WAYS}
        loads["photos"] = [(pictured.name, pictured.load) for pictured in pictures]
        loads["photos-hard"] = [
            (f"{way}/{pictured.name}", partial(_made_harder, harder, at, pictured))
            for way, harder in ways.items()
            for at, pictured in enumerate(pictures)
        ]
    if kept_out:
        loads["kept-out"] = [(pictured.name, pictured.load) for pictured in rendered_pictures(kept_out)]
    kinds: dict[str, list[Task]] = {
        kind: [(name, partial(_read, reader, name, load)) for name, load in loaders[:: FEWER if fewer else 1]]
        for kind, loaders in loads.items()
    }
    if streams:
        folders = sorted(path for path in streams.iterdir() if path.is_dir())[: 1 if fewer else None]
        kinds["streams"] = [(folder.name, partial(_follow, reader, folder)) for folder in folders]
    return kinds


def _made_harder(harder: Harder, at: int, pictured: Pictured) -> np.ndarray:
    return harder.apply(at, pictured)[0]


def _read(reader: Reader, name: str, load: Load) -> list[Record]:
    return [record_of(name, reader.read(load()))]


def _follow(reader: Reader, folder: Path) -> list[Record]:
    """Read a stream frame by frame and return each reading that differs from the previous one."""
    follower, records = FrameReader(reader, STILL_AFTER_S), list[Record]()
    for at, path in enumerate(sorted(folder.glob("*.jpg"))):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"{path} is no picture")
        record = record_of(f"{folder.name}#{path.stem}", follower.push(Frame(image, at / FPS)))
        if not records or record | {"source": ""} != records[-1] | {"source": ""}:
            records.append(record)
    return records


def film(folder: Path, count: int = STREAMS) -> None:
    """Render streams as the vision bench does: a folder of frames for each."""
    from tests.benchmarks.vision.frames import plans, streamed

    for plan in plans(count, "kept-out", STREAM_WH, STREAM_TURNS):
        frames = streamed(plan)[1]
        into = folder / str(plan.seed)
        into.mkdir(parents=True, exist_ok=True)
        for at, image in enumerate(frames):
            cv2.imwrite(str(into / f"{at:04d}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 94])


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write gzipped JSON lines, sorted by source; equal records give equal bytes."""
    ordered = sorted(records, key=lambda record: record["source"])
    text = "".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in ordered)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_records(path: Path) -> dict[str, Record]:
    """Read a file of `write_records`; return its records by source."""
    records = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    return {record["source"]: record for record in records}


def differences(before: Record, after: Record) -> Iterator[Difference]:
    """Yield the differences of two readings of one image; tiles are matched by place."""
    pairs = _pairs(before["tiles"], after["tiles"])
    for key in ("status", "image_wh", "troubles", "face_down"):
        if before[key] != after[key]:
            yield key.replace("_", " "), f"{key} was {before[key]}, is {after[key]}"
    for at, tile in enumerate(before["tiles"]):
        if at not in pairs:
            yield "tile gone", f"{_called(tile)} is gone"
        else:
            yield from _tile_differences(tile, after["tiles"][pairs[at]])
    for at, tile in enumerate(after["tiles"]):
        if at not in pairs.values():
            yield "tile new", f"{_called(tile)} is new"
    if list(pairs.values()) != sorted(pairs.values()):
        yield "order of tiles", "the tiles come in another order"
    yield from _row_differences(before, after, pairs)


def _row_differences(before: Record, after: Record, pairs: dict[int, int]) -> Iterator[Difference]:
    """Yield the differences of the rows and of their alternatives; `pairs` maps old tiles to new ones."""
    was_at = {new: old for old, new in pairs.items()}

    def renumbered(rows: Rows) -> Rows:
        return [[was_at.get(tile, -1 - tile) for tile in row] for row in rows]

    def row_labels(rows: Rows) -> str:
        labels = [tile["label"] for tile in before["tiles"]]
        return " / ".join(" ".join(labels[at] if at >= 0 else "new" for at in row) for row in rows) or "none"

    old, new = before["rows"], renumbered(after["rows"])
    if old != new:
        removed, added = ([row for row in these if row not in those] for these, those in ((old, new), (new, old)))
        words = f"rows {row_labels(removed)} became {row_labels(added)}"
        yield "rows", words if removed or added else "the rows come in another order"
    ways = [way | {"rows": renumbered(way["rows"])} for way in after["other_rows"]]
    if before["other_rows"] != ways:
        were, are = (
            " | ".join(f"{row_labels(way['rows'])} ({way['weight']})" for way in alternatives) or "none"
            for alternatives in (before["other_rows"], ways)
        )
        yield "other rows", f"other rows were {were}, are {are}"


def _tile_differences(before: Record, after: Record) -> Iterator[Difference]:
    distance_px = np.abs(np.subtract(before["corners"], after["corners"])).max()
    if distance_px > 0:
        kind = "corners by a step of rounding" if distance_px <= STEP else "corners"
        yield kind, f"{_called(before)}: a corner lies {distance_px:.1f} px off"
    for key in ("label", "doubtful", "confidence", "runner_up", "track", "hidden"):
        if before[key] != after[key]:
            near = key == "confidence" and abs(before[key] - after[key]) <= STEP / 1000
            words = f"{_called(before)}: {key} was {before[key]}, is {after[key]}"
            yield key.replace("_", " ") + " by a step of rounding" * near, words


def _pairs(before: Sequence[Record], after: Sequence[Record]) -> dict[int, int]:
    """Match old tiles to new ones by place, the nearest first, up to half a tile width apart."""
    if not before or not after:
        return {}
    quads, other_quads = (np.array([tile["corners"] for tile in tiles]).reshape(-1, 4, 2) for tiles in (before, after))
    distances = np.linalg.norm(quads.mean(axis=1)[:, None] - other_quads.mean(axis=1), axis=2)
    distances[distances > np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)[:, None] / 2] = np.inf
    pairs = {}
    while np.isfinite(distances.min()):
        at, other = np.unravel_index(distances.argmin(), distances.shape)
        pairs[int(at)] = int(other)
        distances[at], distances[:, other] = np.inf, np.inf
    return dict(sorted(pairs.items()))


def _called(tile: Record) -> str:
    x, y = np.reshape(tile["corners"], (4, 2)).mean(axis=0)
    return f"{tile['label']} at ({x:.0f}, {y:.0f})"


def compare(golden: dict[str, Record], tasks: Sequence[Task], fewer: bool = False) -> tuple[int, int, list[str]]:
    """Read again; return the number of compared and of different readings, and lines of text about the differences.

    A record without a task counts as missing, unless there are `fewer` tasks on purpose.
    """
    names = {name for name, _ in tasks}
    after = {record["source"]: record for _, read in _watched(tasks) for record in read()}
    before = {source: record for source, record in golden.items() if not fewer or source.split("#")[0] in names}
    differ: dict[str, list[Difference]] = {}
    for source in sorted(before.keys() | after.keys()):
        if source not in after:
            differ[source] = [("reading gone", "is not read any more")]
        elif source not in before:
            differ[source] = [("reading new", "was not recorded")]
        elif found := sorted(differences(before[source], after[source]), key=_is_slight):
            differ[source] = found
    lines = []
    for source in sorted(differ, key=lambda source: _is_slight(differ[source][0]))[:SHOWN]:
        lines += [f"  {source}: {words}" for _, words in differ[source][:SHOWN]]
        lines += [f"  {source}: and {len(differ[source]) - SHOWN} more"] * (len(differ[source]) > SHOWN)
    kinds = Counter(kind for found in differ.values() for kind, _ in found)
    totals = [f"  {kind}: {count}" for kind, count in sorted(kinds.items())]
    return len(before.keys() | after.keys()), len(differ), lines + totals


def _is_slight(difference: Difference) -> bool:
    """Return whether a difference is only in numbers that no player sees; these are printed last."""
    return difference[0] in ("confidence", "runner up") or difference[0].endswith("rounding")


def _watched(tasks: Sequence[Task]) -> Iterator[Task]:
    from rich.console import Console
    from rich.progress import track

    yield from track(tasks, "Reading", console=Console(stderr=True))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if a reading differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("record", "compare", "film"))
    parser.add_argument("folder", type=Path)
    for option in ("--photos", "--kept-out", "--streams"):
        parser.add_argument(option, type=Path, metavar="FOLDER")
    parser.add_argument("--fewer", action="store_true", help="every tenth picture and the first stream alone")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.verb == "film":
        film(options.folder)
        return 0
    if not (options.photos or options.kept_out or options.streams):
        parser.error("name what is to be read: --photos, --kept-out, --streams")
    cv2.setNumThreads(options.threads)
    reader = load_reader(options.threads)
    kinds = tasks_of(reader, options.photos, options.kept_out, options.streams, options.fewer)
    if options.verb == "record":
        options.folder.mkdir(parents=True, exist_ok=True)
        for kind, tasks in kinds.items():
            records = [record for _, read in _watched(tasks) for record in read()]
            write_records(options.folder / f"{kind}.jsonl.gz", records)
            print(f"{kind}: {len(records)} readings recorded", flush=True)
        return 0
    differ = 0
    for kind, tasks in kinds.items():
        golden = read_records(options.folder / f"{kind}.jsonl.gz")
        compared, different, lines = compare(golden, tasks, options.fewer)
        print(f"{kind}: {compared} compared, {different} differ", *lines, sep="\n", flush=True)
        differ += different
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())

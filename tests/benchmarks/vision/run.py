"""Run the whole vision bench and return every figure that `python -m tests.benchmarks vision` prints."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.progress import Watch, unwatched
from tests.benchmarks.vision.changes import Followed, follow_changes, follow_noted
from tests.benchmarks.vision.footprint import footprint
from tests.benchmarks.vision.fouls import read_fouls, tasks_of
from tests.benchmarks.vision.full_table import RUNS, full_table, full_table_bgr
from tests.benchmarks.vision.hidden import hide_each
from tests.benchmarks.vision.pace import TURNS as PACE_TURNS
from tests.benchmarks.vision.pace import measure_pace
from tests.benchmarks.vision.photos import SESSIONS, read_photos, readers_of
from tests.benchmarks.vision.streams import STREAMS, read_photo_streams, read_streams
from tilekeeper.datasets.photos import load_annotated
from tilekeeper.datasets.synthesis.recordings.foul_tables import LIST, render_foul_tables
from tilekeeper.models.evaluation.harder import WAYS, ignore_illegible
from tilekeeper.models.evaluation.measure import (
    MELDS_DIFFER,
    Count,
    Pictured,
    PictureReader,
    ScoredTile,
    photo_pictures,
    racks_in,
    read_all,
    reader_of,
    tables_in,
)
from tilekeeper.vision.layout.racks import read_as_rack
from tilekeeper.vision.manifest import digests_of_all, networks_of, read_manifest
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.types import TableReading

KEPT_OUT_COUNT, KEPT_OUT_SEED = 300, 7
OTHER_TABLES: dict[str, tuple[str, int, int, dict[str, Any]]] = {
    "few": ("Rendered tables with few tiles", 300, 31, {"layout": "few"}),
    "low": ("Rendered tables before low cameras", 150, 21, {"low": True}),
    "okey": ("Rendered tables of 101 Okey", 150, 101, {"okey": True}),
    "jokers": ("Rendered odd jokers", 300, 71, {"layout": "few", "jokers": 60, "lines": 0.5}),
}
"""Held-out tables of a kind: the progress text, their number, their seed, and the options of the renderer."""
RACKS_COUNT, RACKS_SEED = 300, 9
STRANGERS_COUNT = 60
"""Number of racks that are drawn anew for each run, so that nobody tunes to them."""
FOULS_COUNT, FOULS_SEED = 1000, 11
MOST_HIDDEN, HIDDEN_EVERY = 12, 3
"""Maximum number of hidden tiles per image, and the share of rendered tables: one in this number."""
SEQUENCES = 250
"""Number of sequences of changes on photos, and on rendered tables."""
QUICK = 11
"""A quick run reads every eleventh image; an odd number, so that it meets both alternating kinds of fouls."""


@dataclass(frozen=True, slots=True)
class Sets:
    """The folders to measure, None to skip one; all but photos are rendered if missing.

    `photos` are read by networks that held them out, those in `unseen` or else the shipped ones. `kept_out` are
    held-out rendered tables; `few` have one to three tiles; `low` a low camera; `okey` sets of 101 Okey; `jokers` one
    to three tiles, every third a joker; `fouls` a planted foul. `quick` reads every eleventh image.
    """

    photos: pathlib.Path | None = None
    unseen: pathlib.Path | None = None
    kept_out: pathlib.Path | None = None
    few: pathlib.Path | None = None
    fouls: pathlib.Path | None = None
    streams: bool = True
    speed: bool = True
    quick: bool = False
    hiding: tuple[pathlib.Path | None, pathlib.Path | None] = None, None
    """Photos and rendered tables for hiding each tile from the detector."""
    changing: tuple[pathlib.Path | None, pathlib.Path | None] = None, None
    """Photos and rendered tables for changes of the whole image."""
    okey: pathlib.Path | None = None
    low: pathlib.Path | None = None
    jokers: pathlib.Path | None = None
    racks: pathlib.Path | None = None
    """Racks of held-out designs and printings."""
    strangers: tuple[pathlib.Path, int] | None = None
    """A folder for racks that are new in each run, and their seed."""
    filmed: pathlib.Path | None = None
    """Photos whose tiles and empty tables become streams."""
    sequences: int = SEQUENCES
    keep: pathlib.Path | None = None
    """A folder for the results of finished sequences, which are not repeated."""

    def sample(self, things: Sequence[Any]) -> Sequence[Any]:
        """Return all items, or every eleventh in a quick run."""
        return things[::QUICK] if self.quick else things


@dataclass(slots=True)
class Measured:
    """All figures by topic, for JSON, and the scored tiles of the sets for calibration."""

    figures: dict[str, Any] = field(default_factory=dict)
    scored: dict[str, list[ScoredTile]] = field(default_factory=dict)
    doubtful_below: float = 0.0
    networks: dict[str, dict[str, str]] = field(default_factory=dict)
    """SHA-256 of the shipped networks and of those that held out the photos (of the first fold, if there are folds)."""


def measure(sets: Sets, watch: Watch = unwatched, announce: Callable[[str], None] = lambda words: None) -> Measured:
    """Measure all `sets`; `announce` gets a text at the start of steps without a progress bar."""
    measured = Measured()
    reader = reader_of(None)
    measured.networks["shipped"] = _digests(None)
    measured.doubtful_below = float(read_manifest().get("reader", {}).get("doubtful_below", 0.8))
    if sets.photos:
        _measure_photos(sets, sets.photos, sets.unseen, measured, watch)
    if sets.kept_out:
        _measure_kept_out(sets, sets.kept_out, reader, measured, watch)
    _measure_other_tables(sets, reader, measured, watch)
    _measure_racks(sets, reader, measured, watch)
    if sets.fouls:
        if not (sets.fouls / LIST).is_file():
            render_foul_tables(sets.fouls, FOULS_COUNT // (QUICK if sets.quick else 1), "kept-out", FOULS_SEED)
        pairs = tasks_of(sets.fouls)
        chosen = [task for i in sets.sample(range(0, len(pairs), 2)) for task in pairs[i : i + 2]]
        measured.figures["fouls"] = read_fouls(chosen, reader, watch).figures()
    _measure_hidden(sets, reader, measured, watch)
    _measure_changes(sets, reader, measured, watch)
    if sets.streams:
        count = max(1, STREAMS // (QUICK if sets.quick else 1))
        measured.figures |= read_streams(reader, count, watch)
    if sets.filmed:
        count = max(1, STREAMS // (QUICK if sets.quick else 1))
        photos = load_annotated(sets.filmed)
        measured.figures["streams of photos"] = read_photo_streams(photos, reader, count, watch)
    if sets.speed:
        announce("Timing a full table")
        _measure_speed(sets, reader, measured)
    return measured


def _measure_photos(
    sets: Sets, photos: pathlib.Path, unseen: pathlib.Path | None, measured: Measured, watch: Watch
) -> None:
    pictures = sets.sample(photo_pictures(load_annotated(photos)))
    readers = readers_of(unseen)
    by_fold = unseen and (unseen / SESSIONS[0]).is_dir()
    measured.networks["unseen"] = _digests(unseen / SESSIONS[0] if unseen and by_fold else unseen)
    by_session = read_photos(pictures, readers, None, watch)
    measured.figures["photos"] = _figures(by_session["pooled"])
    measured.figures["photos by session"] = {
        session: _figures(count, faults=False) for session, count in by_session.items() if session != "pooled"
    }
    hard: dict[str, dict[str, Any]] = {}
    for way in WAYS:
        pooled = read_photos(pictures, readers, way, watch)["pooled"]
        hard[way] = _figures(pooled)
        measured.scored.setdefault("photos made hard", []).extend(pooled.scored)
    measured.figures["hard photos"] = hard


def _measure_other_tables(sets: Sets, reader: Reader, measured: Measured, watch: Watch) -> None:
    for topic, folder in {"few": sets.few, "low": sets.low, "okey": sets.okey, "jokers": sets.jokers}.items():
        if folder:
            words, count, seed, options = OTHER_TABLES[topic]
            tables = sets.sample(tables_in(folder, count, "kept-out", seed, **options))
            if topic == "low":  # the same rule as for photos made low
                tables = [replace(one, truth=ignore_illegible(one.truth)) for one in tables]
            measured.figures[topic] = _figures(read_all(watch(tables, words), reader))


@dataclass(frozen=True, slots=True)
class RackReader:
    """Reads photos of racks, as the app does when a round is over."""

    reader: PictureReader

    def read(self, image_bgr: np.ndarray) -> TableReading:
        """Return the tiles in the rows of a rack."""
        return read_as_rack(self.reader.read(image_bgr))


def _measure_racks(sets: Sets, reader: PictureReader, measured: Measured, watch: Watch) -> None:
    if sets.racks:
        pictures = sets.sample(racks_in(sets.racks, RACKS_COUNT, RACKS_SEED))
        measured.figures["racks"] = _figures(read_all(watch(pictures, "Held-out racks"), RackReader(reader)))
    if sets.strangers:
        folder, seed = sets.strangers
        pictures = sets.sample(racks_in(folder / str(seed), STRANGERS_COUNT, seed))
        figures = _figures(read_all(watch(pictures, f"Racks of a stranger, seed {seed}"), RackReader(reader)))
        measured.figures["strangers"] = figures | {"seed": seed}


def _measure_hidden(sets: Sets, reader: Reader, measured: Measured, watch: Watch) -> None:
    photos, rendered = sets.hiding
    if photos:
        pictures = sets.sample(photo_pictures(load_annotated(photos)))
        on_photos = hide_each(watch(pictures, "Hiding tiles on photos"), reader, MOST_HIDDEN)
        measured.figures["hidden on photos"] = on_photos.figures()
    if rendered:
        tables = tables_in(rendered, KEPT_OUT_COUNT, "kept-out", KEPT_OUT_SEED)[::HIDDEN_EVERY]
        on_tables = hide_each(watch(sets.sample(tables), "Hiding tiles on rendered tables"), reader, MOST_HIDDEN)
        measured.figures["hidden on rendered tables"] = on_tables.figures()


def _measure_changes(sets: Sets, reader: Reader, measured: Measured, watch: Watch) -> None:
    photos, rendered = sets.changing
    sequences = sets.sample(range(sets.sequences))

    def follow(pictures: Sequence[Pictured], words: str, notes: str) -> dict[str, object]:
        numbers = watch(sequences, words)
        if sets.keep is None:
            return follow_changes(pictures, numbers, reader, Followed()).figures()
        return follow_noted(pictures, numbers, reader, sets.keep / notes).figures()

    if photos:
        pictures = photo_pictures(load_annotated(photos))
        measured.figures["changes on photos"] = follow(pictures, "Photos that change at once", "photos.jsonl")
    if rendered:
        tables = tables_in(rendered, KEPT_OUT_COUNT, "kept-out", KEPT_OUT_SEED)
        words = "Rendered tables that change at once"
        measured.figures["changes on rendered tables"] = follow(tables, words, "rendered.jsonl")


def _digests(folder: pathlib.Path | None) -> dict[str, str]:
    manifest = read_manifest(folder)
    return digests_of_all(manifest)


def _measure_kept_out(
    sets: Sets, folder: pathlib.Path, reader: PictureReader, measured: Measured, watch: Watch
) -> None:
    pictures = sets.sample(tables_in(folder, KEPT_OUT_COUNT, "kept-out", KEPT_OUT_SEED))
    count = read_all(watch(pictures, "Rendered tables kept out"), reader)
    figures = _figures(count)
    tight = {pictured.name for pictured in pictures if pictured.group == "tight" and pictured.rows}
    differ = {fault.split(":")[0] for fault in count.tally.faults if fault.endswith(MELDS_DIFFER)}
    if tight:
        figures["tight_melds_right"] = 1 - len(tight & differ) / len(tight)
        figures["tight_melds_of"] = len(tight)
    measured.figures["rendered"] = figures
    measured.scored["rendered tables, held out"] = count.scored


def _figures(count: Count, faults: bool = True) -> dict[str, Any]:
    figures: dict[str, Any] = dict(count.tally.figures())
    figures["silent_per_1000"] = 1000 * (count.tally.silent - count.silent_unreadable) / max(count.tally.tiles, 1)
    figures["silent_unreadable"] = count.silent_unreadable
    if count.melds_of:
        figures |= {"melds_right": count.melds_right / count.melds_of, "melds_of": count.melds_of}
    figures |= {f"doubted for {reason}": tiles for reason, tiles in sorted(count.reasons.items())}
    if faults:
        figures["faults"] = list(count.tally.faults)
    return figures


def _measure_speed(sets: Sets, reader: PictureReader, measured: Measured) -> None:
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder, "full.png")
        cv2.imwrite(str(picture), full_table_bgr())
        alone = footprint(picture)
    measured.figures["full table"] = full_table(reader, 3 if sets.quick else RUNS) | {
        "peak_memory_mb": alone["peak_memory_mb"],
        "read_alone_ms": 1000 * alone["read_s"],
    }
    models, shipped = pathlib.Path(__file__).parents[3] / "models", read_manifest()
    size = sum((models / shipped[name]["file"]).stat().st_size for name in networks_of(shipped))
    measured.figures["models"] = {
        "models_mb": size / 1e6,
        "import_s": alone["import_s"],
        "load_and_warm_s": alone["load_and_warm_s"],
    }
    measured.figures["pace"] = measure_pace(3 if sets.quick else PACE_TURNS)

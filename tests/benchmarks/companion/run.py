"""Measures the requested parts and returns every figure that `python -m tests.benchmarks companion` prints."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.companion import resting
from tests.benchmarks.companion.app_process import AppFailed, seconds_to_first_page
from tests.benchmarks.companion.busy_judge import time_actions
from tests.benchmarks.companion.evening_on_air import evening_on_air
from tests.benchmarks.companion.false_fouls import count_outcomes, judge_turns
from tests.benchmarks.companion.first_verdict import time_first_verdicts
from tests.benchmarks.companion.jpeg_stream import NoStream
from tests.benchmarks.companion.listeners import time_listeners
from tests.benchmarks.companion.memory import watch_memory
from tests.benchmarks.companion.on_air import FPS, Scene, render_scenes
from tests.benchmarks.companion.phone_verdicts import SIZE_WH, TILE_PX, time_phone_verdicts
from tests.benchmarks.companion.verdict_times import NoBrowser, time_verdicts
from tests.benchmarks.progress import Counting
from tilekeeper.vision.manifest import digests_of_all, read_manifest

LIVE = ("first", "verdict", "listeners", "rest", "memory")
SCENES_SEED, SCENES_FOULS = 1, 3
SPIN_S = 0.3


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """The parts to measure, and their amounts.

    Attributes:
        parts: some of `fouls`, `photo-fouls`, `verdict`, `phone`, `listeners`, `busy`, `done`, `start`, `first`,
            `rest`, `memory`.
        turns: turns for false fouls on rendered tiles, and as many with the photos' tiles.
        jobs: processes that judge them.
        keep: the folder for these turns and for images of errors.
        photos: the annotated photos whose tiles make games.
        resume: whether to continue with the recorded turns.
        verdicts: turns on a still table that are timed in a browser, and as many with a leaving hand.
        filmed: turns on a still table that are timed in a browser while a phone films it.
        events: events that the listeners receive.
        busy: seconds for timing another tablet's actions while the judge is busy.
        starts: number of starts of the app.
        rest: seconds of a still table.
        hour: turns for measuring memory; a turn of half a minute is played without its pauses.
    """

    parts: Sequence[str]
    turns: int
    jobs: int
    keep: Path
    photos: Path
    resume: bool
    verdicts: int
    filmed: int
    events: int
    busy: int
    starts: int
    rest: int
    hour: int


def measure(request: BenchRequest, counting: Counting, report_missing: Callable[[str], None]) -> dict[str, Any]:
    """Measure and return the figures by part; `report_missing` is called with the reason for a missing part."""
    measured: dict[str, Any] = {
        "machine": {"cores": os.cpu_count() or 1, "python": platform.python_version()},
        "networks": digests_of_all(read_manifest()),
    }
    if "start" in request.parts:
        with counting("Starting the app", request.starts) as on_progress:
            measured["start"] = _stretched(lambda: _starts(request.starts, on_progress))
    for part, done in {"busy": False, "done": True}.items():
        if part in request.parts:
            with counting("Pressing buttons while the judge is busy", request.busy) as on_progress:
                measured[part] = _stretched(lambda done=done: time_actions(request.busy, on_progress, done))
    live = [part for part in LIVE if part in request.parts]
    if "phone" in request.parts:
        try:
            with counting("Pressing Done while a phone films", request.filmed) as on_progress:
                filmed = render_scenes(SCENES_SEED, SCENES_FOULS, SIZE_WH, TILE_PX)
                measured["phone"] = _stretched(lambda: time_phone_verdicts(filmed, request.filmed, on_progress))
        except (NoBrowser, AppFailed) as error:
            report_missing(f"phone is left out: {error}")
    if live:
        with counting("Rendering a table for the stream", 1) as on_progress:
            scenes = render_scenes(SCENES_SEED, SCENES_FOULS)
            on_progress(1)
    for part in live:
        try:
            measured[part] = _stretched(lambda part=part: _live(part, request, scenes, counting))
        except (NoBrowser, NoStream, AppFailed) as error:
            report_missing(f"{part} is left out: {error}")
    return measured | _fouls(request, counting, report_missing)


def _fouls(request: BenchRequest, counting: Counting, report_missing: Callable[[str], None]) -> dict[str, Any]:
    """Return the figures on false fouls, with rendered tiles and with the photos' tiles."""
    measured = {}
    if "fouls" in request.parts:
        with counting("Judging rendered turns", request.turns) as heard:
            measured["fouls"] = count_outcomes(
                judge_turns(request.turns, request.jobs, request.keep, request.resume, heard)
            )
    if "photo-fouls" in request.parts and not (request.photos / "photos.json").is_file():
        report_missing(f"photo-fouls is left out: {request.photos} holds no annotated photos")
    elif "photo-fouls" in request.parts:
        keep = request.keep / "of-photos"
        with counting("Judging turns of the photos' tiles", request.turns) as heard:
            games = judge_turns(request.turns, request.jobs, keep, request.resume, heard, request.photos)
            measured["photo-fouls"] = count_outcomes(games)
    return measured


def _live(part: str, request: BenchRequest, scenes: Sequence[Scene], counting: Counting) -> dict[str, Any]:
    """Measure one part on a game night before a stream."""
    if part == "first":
        with counting("Starting the app on an evening that goes on", request.starts) as heard:
            return time_first_verdicts(scenes, request.starts, heard)
    with evening_on_air(scenes, resting.FPS if part == "rest" else FPS) as evening:
        match part:
            case "verdict":
                with counting("Pressing Done in a browser", 2 * request.verdicts) as heard:
                    return time_verdicts(evening, request.verdicts, heard)
            case "listeners":
                with counting("Telling the listeners", request.events) as heard:
                    return time_listeners(evening.app, request.events, heard)
            case "rest":
                with counting("Letting a table lie", request.rest) as heard:
                    return resting.watch_rest(evening, scenes, request.rest, heard)
            case _:
                with counting("Watching memory over an hour's turns", request.hour) as heard:
                    return watch_memory(evening, request.hour, heard)


def _stretched(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a measurement, with the load of the machine around it."""
    before = _stretch()
    figures = work()
    return figures | {"clock_over_processor_time": (before + _stretch()) / 2}


def _starts(count: int, on_progress: Callable[[int], None]) -> dict[str, Any]:
    clock_s, processor_s = [], []
    for _ in range(count):
        took_s, worked_s = seconds_to_first_page("--source", "demo")
        clock_s.append(took_s)
        processor_s.append(worked_s)
        on_progress(1)
    worked = [one for one in processor_s if one is not None]
    return {
        "starts": count,
        "median_s": statistics.median(clock_s),
        "longest_s": max(clock_s),
        **({"median_processor_s": statistics.median(worked)} if worked else {}),
    }


def _stretch() -> float:
    """Return the wall time of one second of work: 1 on an idle machine."""
    clock_s, processor_s = time.perf_counter(), time.process_time()
    while time.process_time() - processor_s < SPIN_S:
        pass
    return (time.perf_counter() - clock_s) / (time.process_time() - processor_s)

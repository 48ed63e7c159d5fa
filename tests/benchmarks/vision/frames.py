"""Measure the reading of rendered streams: `python -m tests.benchmarks.vision.frames --streams 20`.

Every stream is a recorded game in a held-out printing, surface and light, with a camera that is bumped now and then and
a lamp that drifts. The reading of every settled table is compared with the ground truth, for the first frame and
after fusion of all settled frames. The output has

* the number of wrong, flagged and upside-down tiles;
* the number of unmoved tiles with a new track;
* the time of motion detection for each frame, of a turn, and of a full reading of the same image in the same run, as
  wall time and as processor time (on a busy machine only the latter is meaningful).
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np

from tests.support.frames import Frame
from tilekeeper.datasets.synthesis.printings.printing import Pool
from tilekeeper.datasets.synthesis.recordings.recording import Plan, shoot
from tilekeeper.datasets.synthesis.recordings.studio import Looks
from tilekeeper.datasets.synthesis.recordings.truth import Recording, Still
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.models.evaluation.measure import predictions_of
from tilekeeper.models.evaluation.score import Tally, Truth
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.motion_detection import MotionDetector
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading

STILL_AFTER_S = 0.3
BUMP_PX, BUMP_DEGREES = 14.0, 0.8
"""Largest bump of the camera; there is one in every other pause."""
DRIFT = 0.12
"""Change of the light during a stream: one side of the table becomes brighter, the other darker."""


@dataclass(slots=True)
class Times:
    """Milliseconds of wall time and of processor time."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def record(self, work: Callable[[], TableReading]) -> TableReading:
        """Run a function, record its time and return its result."""
        clock, processor = time.perf_counter(), time.process_time()
        done = work()
        self.clock.append(1000 * (time.perf_counter() - clock))
        self.processor.append(1000 * (time.process_time() - processor))
        return done

    def figures(self, name: str) -> dict[str, float]:
        """Median and 95th percentile."""
        if not self.clock:
            return {}
        return {
            f"{name}_ms": statistics.median(self.clock),
            f"{name}_ms_p95": float(np.percentile(self.clock, 95)),
            f"{name}_processor_ms": statistics.median(self.processor),
        }


@dataclass(slots=True)
class Measured:
    """The results of all streams."""

    at_sight: Tally = field(default_factory=Tally)
    fused: Tally = field(default_factory=Tally)
    lay_still: int = 0
    lost_track: int = 0
    gate: Times = field(default_factory=Times)
    turn: Times = field(default_factory=Times)
    full: Times = field(default_factory=Times)

    def figures(self) -> dict[str, dict[str, float]]:
        """Return all figures by topic."""
        times = self.gate.figures("gate") | self.turn.figures("turn") | self.full.figures("full_reading")
        if self.turn.clock:
            times["full_reading_over_turn"] = times["full_reading_processor_ms"] / times["turn_processor_ms"]
        return {
            "at first sight": self.at_sight.figures(),
            "after fusion": self.fused.figures(),
            "tracks": {"tiles_that_lay_still": self.lay_still, "given_another_track": self.lost_track},
            "times": times,
        }


def streamed(
    plan: Plan, bumps: bool = True, drift: float = DRIFT, looks: Looks | None = None
) -> tuple[Recording, list[np.ndarray], list[np.ndarray]]:
    """Render a recording with bumps of the camera and drifting light.

    Returns the recording with its ground truth, the frames `(h, w, 3) uint8`, and for each frame the homography
    `(3, 3)` from pixels of the recording to pixels of the frame.
    """
    frames: list[np.ndarray] = []
    recording = shoot(plan, frames.append, looks=looks)
    rng = np.random.default_rng([plan.seed, 99])
    width, height = plan.wh
    view, views, shown = np.eye(3), [], []
    starts = {still.first_frame + 3: index for index, still in enumerate(recording.stills)}
    for at, frame in enumerate(frames):
        # in a pause, after the table has been read
        if bumps and starts.get(at, 0) % 2 == 1:
            turn = cv2.getRotationMatrix2D((width / 2, height / 2), rng.uniform(-1, 1) * BUMP_DEGREES, 1.0)
            turn[:, 2] += rng.uniform(-BUMP_PX, BUMP_PX, 2)
            view = np.vstack([turn, (0, 0, 1)])
        views.append(view)
        warped = cv2.warpPerspective(frame, view, plan.wh, borderMode=cv2.BORDER_REPLICATE)
        shown.append(drifted(warped, at / max(len(frames) - 1, 1), drift))
    return recording, shown, views


def drifted(image_bgr: np.ndarray, share: float, drift: float = DRIFT) -> np.ndarray:
    """Return the frame `(h, w, 3) uint8` in the light after a `share` of the stream, 0 to 1."""
    if not drift:
        return image_bgr
    slope = drift * np.linspace(-1, 1, image_bgr.shape[1], dtype=np.float32)[None, :, None]
    return np.clip(image_bgr * (1 + slope * np.float32(share)), 0, 255).astype(np.uint8)


def truth_of(still: Still, view: np.ndarray) -> Truth:
    """Return the true tiles at their places in a frame."""
    labels = tuple(tile.label for meld in parse_table(still.table).melds for tile in meld)
    quads_px = np.concatenate(still.quads_px)
    quads_px = cv2.perspectiveTransform(quads_px.astype(np.float64), view).astype(np.float32)
    return Truth(labels, tuple(quads_px), (False,) * len(labels), np.zeros((0, 4)), quads_px)


def follow(plan: Plan, reader: Reader, measured: Measured, looks: Looks | None = None) -> None:
    """Read one stream and add the results."""
    recording, frames, views = streamed(plan, looks=looks)
    gate, follower = MotionDetector(STILL_AFTER_S), FrameReader(reader, STILL_AFTER_S)
    by_place: dict[bytes, int] = {}
    ends = {still.last_frame: still for still in recording.stills}
    sights: dict[int, TableReading] = {}
    for at, image in enumerate(frames):
        frame = Frame(image, at / recording.fps)
        measured.gate.record(lambda frame=frame: gate.push(frame.image_bgr, frame.time_s))
        settles = Times()
        reading = settles.record(lambda frame=frame: follower.push(frame))
        rest = follower.rest
        if rest.settled:
            sights[at] = reading
            if rest.changed_px is not None and len(rest.changed_px) > 0:
                measured.turn.clock += settles.clock
                measured.turn.processor += settles.processor
                measured.full.record(lambda image=image: reader.read(image))
        still = ends.get(at)
        if still is None:
            continue
        name, truth = f"seed {plan.seed}, frame {at}", truth_of(still, views[at])
        sight = next((sighted for when, sighted in reversed(sights.items()) if when >= still.first_frame), reading)
        if sight is not None:
            when = max((when for when in sights if when >= still.first_frame), default=at)
            measured.at_sight.add(name, truth_of(still, views[when]), predictions_of(sight))
        matches = measured.fused.add(name, truth, predictions_of(reading))
        by_place = _tracked(measured, still, matches, reading, by_place)


def _tracked(
    measured: Measured, still: Still, matches: list[int | None], reading: TableReading, before: dict[bytes, int]
) -> dict[bytes, int]:
    """Count the unmoved tiles with a new track; return the tracks by place."""
    quads = np.concatenate(still.quads_px)
    after = {
        np.round(quad, 1).tobytes(): reading.tiles[j].sighting.track
        for quad, j in zip(quads, matches, strict=True)
        if j is not None
    }
    both = before.keys() & after.keys()
    measured.lay_still += len(both)
    measured.lost_track += sum(before[place] != after[place] for place in both)
    return after


def plans(count: int, pool: Pool, wh: tuple[int, int], turns: int) -> Iterator[Plan]:
    """Return the plans of a measurement, each with its own seed, camera, light, printing and surface."""
    for seed in range(count):
        tile_px = float(np.random.default_rng([seed, 7]).uniform(30, 46) * wh[0] / 1920)
        melds = 14 if wh[0] >= 1600 else 10
        options = {"fps": 2.5, "wh": wh, "tile_px": max(tile_px, 22.0), "still_s": 3.2}
        yield Plan(7000 + seed, turns=turns, fouls=0, melds=melds, players=2, pool=pool, **options)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    return int(width), int(height)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print a table and, if a file is named, write the figures as JSON; return 0."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--size", type=_size, default=(1280, 720), metavar="1280x720")
    parser.add_argument("--pool", choices=("train", "kept-out", "any"), default="kept-out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(options.threads)
    reader, measured = load_reader(options.threads), Measured()
    todo = list(plans(options.streams, options.pool, options.size, options.turns))
    for plan in track(todo, "Reading streams", console=Console(stderr=True)):
        try:
            follow(plan, reader, measured)
        except ValueError as error:  # the table is too small for the drawn game
            print(f"seed {plan.seed} left out: {error}", file=sys.stderr)
        if options.json:  # also after an interrupted measurement
            text = json.dumps({**measured.figures(), "faults": measured.fused.faults}, indent=2)
            options.json.write_text(text + "\n", encoding="utf-8")
    figures = measured.figures()
    for title, rows in figures.items():
        table = Table("figure", "value", title=title, title_justify="left")
        for name, value in rows.items():
            table.add_row(name, f"{value:.4g}")
        Console().print(table)
    for fault in measured.fused.faults:
        print(fault)
    return 0


if __name__ == "__main__":
    sys.exit(main())

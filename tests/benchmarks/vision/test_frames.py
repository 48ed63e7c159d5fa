"""Rendered streams in a held-out printing, read by the shipped networks: hands, a drifting lamp, a bump."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.vision.frames import Measured, follow, main, streamed, truth_of
from tests.support.frames import Frame
from tilekeeper.datasets.synthesis.recordings.recording import Plan
from tilekeeper.models.evaluation.measure import predictions_of
from tilekeeper.models.evaluation.score import Tally
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.scene import State
from tilekeeper.vision.shipped import load_reader
from tilekeeper.vision.tracking.tracker import FrameReader

PLAN = Plan(seed=12, turns=1, fouls=0, melds=3, fps=2.5, wh=(640, 360), tile_px=24, still_s=3.0)


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader with the shipped networks."""
    return load_reader(2)


def test_turn_and_bump_are_read_without_silent_errors(reader: Reader) -> None:
    """Each table is right or flagged, no unmoved tile gets a new track, and hands are never read."""
    recording, frames, views = streamed(PLAN)
    assert any(not np.allclose(view, np.eye(3)) for view in views)
    follower, tally = FrameReader(reader, 0.3), Tally()
    tracks: list[set[int]] = []
    for at, image in enumerate(frames):
        reading = follower.push(Frame(image, at / recording.fps))
        stills_at = [still for still in recording.stills if still.first_frame <= at <= still.last_frame]
        if follower.rest.settled and follower.rest.state is State.STILL:
            assert stills_at, f"frame {at} was read with a hand over it"
        if stills_at and at == stills_at[0].last_frame:
            tally.add(f"frame {at}", truth_of(stills_at[0], views[at]), predictions_of(reading))
            tracks.append({tile.sighting.track for tile in reading.tiles})
    assert tally.silent == 0, tally.faults
    assert tally.right >= 0.95 * tally.tiles
    assert tally.upright == tally.found
    assert len(tracks[0] - tracks[1]) <= 1  # a turn takes at most one joker
    assert len(tracks[1] - tracks[0]) <= 6


def test_measurement_counts_unmoved_tiles(reader: Reader) -> None:
    """Every table counts in the first frame and after fusion."""
    measured = Measured()
    follow(PLAN, reader, measured)
    figures = measured.figures()
    assert figures["after fusion"]["photos"] == figures["at first sight"]["photos"] == 2
    assert figures["tracks"]["tiles_that_lay_still"] > 5
    assert figures["tracks"]["given_another_track"] == 0
    assert figures["times"]["gate_processor_ms"] > 0


def test_command_prints_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It reads one short stream."""
    out = tmp_path / "frames.json"
    assert main(["--streams", "1", "--turns", "1", "--size", "480x270", "--json", str(out)]) == 0
    figures = json.loads(out.read_text("utf-8"))
    assert set(figures) == {"at first sight", "after fusion", "tracks", "times", "faults"}
    assert "after fusion" in capsys.readouterr().out

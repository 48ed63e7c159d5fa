"""Measurements on a running app before a real stream: verdicts in a browser, listeners, memory and start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.companion.app_process import AppFailed, running_app
from tests.benchmarks.companion.evening_on_air import EveningOnAir, evening_on_air
from tests.benchmarks.companion.first_verdict import time_first_verdicts
from tests.benchmarks.companion.listeners import time_listeners
from tests.benchmarks.companion.memory import watch_memory
from tests.benchmarks.companion.on_air import Scene, render_scenes
from tests.benchmarks.companion.phone_verdicts import time_phone_verdicts
from tests.benchmarks.companion.verdict_times import time_verdicts
from tests.support.browsing import BROWSERS


@pytest.fixture(scope="module", autouse=True)
def _no_other_browser() -> None:
    """The measurement starts its own browser, and a process can have only one Playwright at a time."""
    BROWSERS.end()


@pytest.fixture(scope="module")
def scenes() -> Sequence[Scene]:
    """Return small scenes: a beginning and three tables, one of them after a foul."""
    return render_scenes(1, 1, (960, 540), 26.0)


@pytest.fixture(scope="module")
def evening(ffmpeg_path: str, scenes: Sequence[Scene]) -> Iterator[EveningOnAir]:
    """Run a game night with these tables."""
    with evening_on_air(scenes) as playing:
        yield playing


def test_verdicts_in_a_browser_are_timed(evening: EveningOnAir, chromium_path: str) -> None:
    """Done is pressed in one turn on a still table, and in one as the hand leaves."""
    heard: list[int] = []
    figures = time_verdicts(evening, 1, heard.append)
    assert heard == [1, 1]
    assert figures["still_turns"] == figures["leaving_turns"] == 1
    assert 0 < figures["still_p50_ms"] < 20_000
    assert 100 < figures["leaving_p50_ms"] < 20_000  # the app must have noticed that it is still
    assert sum(figures["said"].values()) == 2


def test_verdicts_with_a_phone_as_camera_are_timed(chromium_path: str, scenes: Sequence[Scene]) -> None:
    """A browser's fake camera shows one turn of a small recording to the phone's page."""
    heard: list[int] = []
    figures = time_phone_verdicts(scenes, 1, heard.append)
    assert (heard, figures["still_turns"], sum(figures["said"].values())) == ([1], 1, 1)
    assert 0 < figures["still_p95_ms"] < 20_000


def test_listeners_receive_each_event(evening: EveningOnAir) -> None:
    figures = time_listeners(evening.app, 2, lambda more: None, count=5)
    assert (figures["listeners"], figures["events"]) == (5, 2)
    assert 0 < figures["p50_ms"] <= figures["p95_ms"] <= figures["longest_ms"] < 20_000


def test_memory_includes_app_and_camera_process(evening: EveningOnAir) -> None:
    """The game begins again after its last table."""
    heard: list[int] = []
    figures = watch_memory(evening, 2, heard.append, warm_up=1)
    assert (figures["warm_up_turns"], figures["turns"], sum(heard)) == (1, 2, 2)
    assert 50 < figures["own_last_tenth_mb"] < figures["most_mb"] < 1500
    assert abs(figures["grown_share"]) < 1


def test_restarted_app_judges_the_turn_on_the_table(ffmpeg_path: str, scenes: Sequence[Scene]) -> None:
    """The table is read before the verdict."""
    heard: list[int] = []
    figures = time_first_verdicts(scenes, 1, heard.append)
    assert heard == [1]
    assert 0.2 < figures["read_median_s"] < figures["median_s"] == figures["longest_s"] < 90


def test_app_that_cannot_start_reports_the_reason() -> None:
    with (
        pytest.raises(AppFailed, match=r"did not start: tilekeeper run: .*no-such-folder"),
        running_app("--source", "no-such-folder/"),
    ):
        pass


def test_command_measures_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the table of figures, writes the pages, and reports the missing parts."""
    docs = tmp_path / "docs"
    assert main(["companion", "--only", "start", "--starts", "1", "--docs", str(docs)]) == 0
    assert "not measured" in capsys.readouterr().out
    document = json.loads((docs / "bench-companion.json").read_text("utf-8"))
    start = document["parts"]["start"]
    assert 0.2 < start["median_s"] < 60
    # the app starts in several threads, so on several cores the processor time exceeds the wall time
    assert 0.2 < start["median_processor_s"] < 60
    assert start["clock_over_processor_time"] > 0.9
    assert start["command"] == "python -m tests.benchmarks companion --starts 1 --only start"


@pytest.mark.parametrize("words", [["--turns", "0"], ["--jobs", "two"], ["--only", "everything"]])
def test_invalid_counts_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["companion", *words]) == 2
    assert words[0] in capsys.readouterr().err

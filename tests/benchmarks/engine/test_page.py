"""The page of the engine's figures: a bench is recorded with its command, and the page shows its headline rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks.engine import judge_times
from tests.benchmarks.engine.page import main


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace the bench of the judge by one that prints three rows and fails; return its arguments."""
    given: list[list[str]] = []

    def printing(words: Sequence[str]) -> int:
        given.append([*words])
        print("edition turn median ms\ntravel usual 0.2\ntravel swapped 9.8\nall 1.4")
        return 1

    monkeypatch.setattr(judge_times, "main", printing)
    return given


def test_recorded_bench_shows_its_headline_rows_on_the_page(tmp_path: Path, bench: list[list[str]]) -> None:
    """The JSON has every row, and the exit code is that of the bench."""
    (tmp_path / "bench-engine.json").write_text(
        json.dumps({"peers": {"commands": ["old"], "machine": "m", "printed": ["x"]}})
    )
    assert main(["--docs", str(tmp_path), "--machine", "one core", "judge", "--count", "25", "--cpu"]) == 1
    assert bench == [["--count", "25", "--cpu"]]
    recorded = json.loads((tmp_path / "bench-engine.json").read_text())
    assert recorded["judge"]["printed"][2] == "travel swapped 9.8"
    page = (tmp_path / "bench-engine.md").read_text()
    assert "    python -m tests.benchmarks.engine.judge_times --count 25 --cpu\n\none core:" in page
    assert "```\nedition turn median ms\ntravel usual 0.2\nall 1.4\n```" in page
    assert "    old\n" in page


def test_option_without_a_bench_is_refused(tmp_path: Path) -> None:
    """Nothing is written."""
    with pytest.raises(SystemExit):
        main(["--docs", str(tmp_path), "--count", "3"])
    assert list(tmp_path.iterdir()) == []

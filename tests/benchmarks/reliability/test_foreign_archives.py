"""Archives of strangers: none gets out of the data folder or into the app."""

import os
import sys
from pathlib import Path

import pytest

from tests.benchmarks.reliability import foreign_archives
from tests.benchmarks.reliability.foreign_archives import KINDS, measure

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each archive")]


def test_archives_of_strangers_stay_in_the_data_folder_and_let_nobody_in() -> None:
    outcome = measure(len(KINDS) + 10)
    assert outcome.troubles == []
    assert set(outcome.cases) == set(KINDS)
    assert outcome.counts["taken"] > 5
    assert outcome.counts["refused"] > 5


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory in kilobytes")
def test_bench_reports_files_outside_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(_archive: Path, folder: Path) -> None:
        folder.parent.mkdir()
        (folder.parent / "outside.jpg").write_bytes(b"x")
        assert len(b"x" * 400_000_000)

    monkeypatch.setattr(foreign_archives, "read_archive", careless)
    (outside, memory) = measure(1).troubles
    assert "outside.jpg" in outside
    assert " MB" in memory

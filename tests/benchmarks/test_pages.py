"""The pages of measured figures in docs/ are generated from the recorded figures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.companion.page import bench_page as companion_page
from tests.benchmarks.engine.page import page as engine_page
from tests.benchmarks.vision.page import bench_page as vision_page

PAGES = {"vision": vision_page, "engine": engine_page, "companion": companion_page}


@pytest.mark.parametrize("room", PAGES)
def test_page_of_figures_equals_its_generator(repository: Path, room: str) -> None:
    """`python -m tests.benchmarks pages` writes the page; nobody edits a figure by hand."""
    recorded = json.loads((repository / "docs" / f"bench-{room}.json").read_text("utf-8"))
    make: Callable[[Mapping[str, Any]], str] = PAGES[room]
    assert (repository / "docs" / f"bench-{room}.md").read_text("utf-8") == make(recorded)


def test_pages_are_written_without_measuring(repository: Path, tmp_path: Path) -> None:
    """The command writes the page of each recorded part, and fails in a folder without figures."""
    assert main(["pages", "--docs", str(tmp_path)]) == 1
    shutil.copy(repository / "docs" / "bench-engine.json", tmp_path)
    assert main(["pages", "--docs", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"bench-engine.json", "bench-engine.md"}
    assert (tmp_path / "bench-engine.md").read_text() == (repository / "docs" / "bench-engine.md").read_text()

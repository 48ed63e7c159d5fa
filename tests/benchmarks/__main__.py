"""`make bench-vision`, `make bench-companion`: measures the project against its targets and prints the figures.

`python -m tests.benchmarks vision` measures the reader, `companion` the app; `pages` measures nothing and writes the
pages of docs/ from the recorded figures. Exit codes: 0 for a complete run, even if it misses a target, 1 if something
to measure is missing, 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.companion.command import add_companion, run_companion
from tests.benchmarks.vision.command import add_vision, run_vision


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of this process, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure the project against its targets; each topic prints a table of figures.",
        allow_abbrev=False,
    )
    topics = parser.add_subparsers(dest="topic", metavar="TOPIC", required=True, title="topics")
    add_vision(topics)
    add_companion(topics)
    pages = topics.add_parser("pages", help="write the pages of figures from their JSON, without measuring")
    pages.add_argument("--docs", metavar="DIR", type=Path, default=Path("docs"), help="default: %(default)s")
    try:
        args = parser.parse_args(argv)
    except SystemExit as exit_:  # argparse exits after --help (0) and after a usage error (2)
        return int(exit_.code or 0)
    if args.topic == "pages":
        return write_pages(args.docs)
    return run_companion(args) if args.topic == "companion" else run_vision(args)


def write_pages(folder: Path) -> int:
    """Write each page whose figures are recorded in a folder; 0, or 1 if there are none."""
    from tests.benchmarks.companion.page import bench_page as companion_page
    from tests.benchmarks.engine.page import page as engine_page
    from tests.benchmarks.vision.page import bench_page as vision_page

    written = 0
    for name, make in (("vision", vision_page), ("engine", engine_page), ("companion", companion_page)):
        file = folder / f"bench-{name}.json"
        if file.is_file():
            page = make(json.loads(file.read_text("utf-8")))
            file.with_suffix(".md").write_text(page, "utf-8")
            written += 1
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())

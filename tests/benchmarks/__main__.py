"""`make bench-vision`, `make bench-companion`: measures the project against what it must reach, and prints the figures.

`python -m tests.benchmarks vision` measures the eye, `companion` the app. Exit codes: 0 measured, whether or not every
target was met, 1 something to measure is missing, 2 the words on the command line could not be understood.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.benchmarks.companion.command import add_companion, run_companion
from tests.benchmarks.vision.command import add_vision, run_vision


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what the words ask for, by default those of this process, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure the project against its targets; each topic prints a table of figures.",
        allow_abbrev=False,
    )
    topics = parser.add_subparsers(dest="topic", metavar="TOPIC", required=True, title="topics")
    add_vision(topics)
    add_companion(topics)
    try:
        args = parser.parse_args(argv)
    except SystemExit as leaving:  # argparse leaves by itself after --help (0) and after a usage error (2)
        return int(leaving.code or 0)
    return run_companion(args) if args.topic == "companion" else run_vision(args)


if __name__ == "__main__":
    sys.exit(main())

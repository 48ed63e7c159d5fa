"""Attacks on an evening, one after the other or by name: `python -m tests.benchmarks.reliability [ROW...] [--count N]`.

Each row prints what it did and what must not be; the exit code is 1 where any row found something that must not be.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from tests.benchmarks.reliability.report import Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """An attack."""

    module: str
    """Its module, beside this one, whose `measure(count, seed)` makes it."""
    count: int
    """How many cases it has in full."""
    what: str
    """What it attacks, for people."""


ROWS = {
    "kills": Row("kills", 500, "kills under three clients"),
    "writes": Row("failing_writes", 0, "calls to the disk that fail, and a full disk (0: every call)"),
    "camera": Row("camera_faults", 1000, "a camera that does what bad cameras do"),
    "api": Row("api_cases", 20_000, "every endpoint of the document, in every role"),
    "fuzz": Row("fuzzing", 200_000, "bytes that a fuzzer makes up"),
    "crowd": Row("crowd", 400, "actions while 200 tablets listen, 100 drip and 60 never read"),
    "evening": Row("long_evening", 400, "turns of an evening, with tablets that come and go"),
    "files": Row("damaged_files", 2000, "damaged files"),
}


def run(name: str, count: int | None, seed: int) -> Outcome:
    """Make an attack in full, or with another number of cases, and print what became of it."""
    row = ROWS[name]
    measure: Callable[[int, int], Outcome] = import_module(f"tests.benchmarks.reliability.{row.module}").measure
    begun_s = time.monotonic()
    print(f"{name}: {row.what}", flush=True)
    outcome = measure(row.count if count is None else count, seed)
    for line in outcome.lines():
        print(line)
    print(f"{time.monotonic() - begun_s:8.0f} s\n", flush=True)
    return outcome


def main(argv: Sequence[str] | None = None) -> int:
    """Make the attacks; the exit code is as the file's head says."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.reliability", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which: {', '.join(ROWS)} (default: all)")
    parser.add_argument("--count", type=int, help="so many cases of each, in the place of the full number")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    unknown = set(args.rows) - set(ROWS)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    outcomes = [run(name, args.count, args.seed) for name in args.rows or ROWS]
    return int(any(outcome.troubles for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())

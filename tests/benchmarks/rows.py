"""Benches with several rows: run them by name, or all in turn; each prints its cases and its failures."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from tests.benchmarks.reliability.report import Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a bench."""

    module: str
    """The module next to the bench with the row's `measure(count, seed)`."""
    count: int
    """Number of cases of a full run."""
    what: str
    """Description for people."""


def run(package: str, name: str, row: Row, count: int | None, seed: int) -> Outcome:
    """Run a row, fully or with `count` cases, and print its outcome."""
    measure: Callable[[int, int], Outcome] = import_module(f"{package}.{row.module}").measure
    start_s = time.monotonic()
    print(f"{name}: {row.what}", flush=True)
    outcome = measure(row.count if count is None else count, seed)
    for line in outcome.lines():
        print(line)
    print(f"{time.monotonic() - start_s:8.0f} s\n", flush=True)
    return outcome


def main(package: str, rows: Mapping[str, Row], description: str | None, argv: Sequence[str] | None = None) -> int:
    """Run rows; return 1 if any of them has a failure.

    Args:
        package: the package of the rows' modules.
        rows: all rows by name.
        description: the text of `--help`.
        argv: the command-line arguments.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=description)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which: {', '.join(rows)} (default: all)")
    parser.add_argument("--count", type=int, help="number of cases of each row (default: its full number)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    unknown = set(args.rows) - set(rows)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    outcomes = [run(package, name, rows[name], args.count, args.seed) for name in args.rows or rows]
    return int(any(outcome.troubles for outcome in outcomes))

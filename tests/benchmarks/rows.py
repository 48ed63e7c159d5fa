"""Benches of several rows: each is measured by name, or all in turn, and prints what it did and what must not be."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from tests.benchmarks.reliability.report import Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One of them."""

    module: str
    """Its module, beside that of the bench, whose `measure(count, seed)` makes it."""
    count: int
    """How many cases it has in full."""
    what: str
    """What it does, for people."""


def run(package: str, name: str, row: Row, count: int | None, seed: int) -> Outcome:
    """Make a row in full, or with another number of cases, and print what became of it."""
    measure: Callable[[int, int], Outcome] = import_module(f"{package}.{row.module}").measure
    begun_s = time.monotonic()
    print(f"{name}: {row.what}", flush=True)
    outcome = measure(row.count if count is None else count, seed)
    for line in outcome.lines():
        print(line)
    print(f"{time.monotonic() - begun_s:8.0f} s\n", flush=True)
    return outcome


def main(package: str, rows: Mapping[str, Row], description: str | None, argv: Sequence[str] | None = None) -> int:
    """Make rows; the exit code is 1 where any of them found something that must not be.

    Args:
        package: where the rows' modules lie.
        rows: all there are, by name.
        description: what `--help` says.
        argv: the words after the program's name.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=description)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which: {', '.join(rows)} (default: all)")
    parser.add_argument("--count", type=int, help="so many cases of each, in the place of the full number")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    unknown = set(args.rows) - set(rows)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    outcomes = [run(package, name, rows[name], args.count, args.seed) for name in args.rows or rows]
    return int(any(outcome.troubles for outcome in outcomes))

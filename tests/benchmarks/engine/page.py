"""The page of the engine's measured figures: `bench-engine.md`, made of the tables that the benches print.

    python -m tests.benchmarks.engine.page judge --count 25 --cpu

runs a bench with its options, records its table in `bench-engine.json` and writes the page. Without a bench it only
writes the page.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
JSON_FILE, PAGE_FILE = "bench-engine.json", "bench-engine.md"


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench and its section of the page; the page shows the recorded lines that match `headline`."""

    module: str
    title: str
    how: str
    headline: str = ""


BENCHES = {
    "peers": Bench(
        "best_play_times",
        "The best play beside other solvers",
        "Random legal tables of `large-numbers`, jokers among them, with a rack of 14 go to `best_play` "
        "(*sweep*), to the package rummikub-solver 1.0.0 with HiGHS, and as integer programs to CP-SAT 9.15 and "
        "HiGHS (highspy 1.15). Each solver has one thread; all answer the same questions in one run "
        "(`make bench-solver`). Ours includes the judge.",
    ),
    "best-play": Bench(
        "best_play_times",
        "The best play alone",
        "The same for 200 tables of each size, without others.",
    ),
    "proofs": Bench(
        "proofs",
        "Proved best plays",
        "A play is proved if no legal turn lays more. The search gives up after a number of steps, not by the clock.",
    ),
    "play-oracle": Bench(
        "play_oracle",
        "The best play against brute force",
        "On small tables brute force lays every choice of the rack's tiles in every way. *Wrong*: it lays more "
        "than the best play, or the best play is not legal.",
    ),
    "arrange": Bench(
        "arrange_times",
        "Tangled tables",
        "All tiles of 200 random tables are mixed (`make bench-arrange`). `arrangements` reports a first "
        "arrangement and then nearer ones, for two seconds at most.",
    ),
    "judge": Bench(
        "judge_times",
        "The judge",
        "Turns on full tables in all five editions, usual ones and 13 kinds made to be hard (`make bench-judge`).",
        r"usual|^all",
    ),
    "oracle": Bench(
        "oracle",
        "The judge against an independent referee",
        "Pairs of tables go to the judge and to a referee that tries every single move and shares no code with "
        "the judge but rules, tables and tiles (`make bench-oracle`).",
        r" all ",
    ),
}
HEAD = """\
# Measured: the engine

Times are processor time unless a command lacks `--cpu`. A table is shown as the bench printed it.
`python -m tests.benchmarks.engine.page BENCH` runs a bench and records it anew.
"""


class _Tee(io.StringIO):
    """Text that is kept and shown at the same time."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        return super().write(text)


def record(folder: Path, name: str, words: Sequence[str], machine: str) -> int:
    """Run a bench, put what it printed into the JSON and return its exit code."""
    module = f"tests.benchmarks.engine.{BENCHES[name].module}"
    measure: Callable[[Sequence[str]], int] = import_module(module).main
    with redirect_stdout(_Tee()) as printed:
        code = measure(words)
    file = folder / JSON_FILE
    recorded: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    recorded[name] = {
        "commands": [shlex.join(["python", "-m", module, *words])],
        "machine": machine,
        "printed": printed.getvalue().splitlines(),
    }
    file.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return code


def page(recorded: Mapping[str, Any]) -> str:
    """Return the page: for each recorded bench how it measures, its command and its table."""
    lines = [HEAD]
    for name, bench in BENCHES.items():
        if name in recorded:
            run = recorded[name]
            commands = [f"    {command}" for command in run["commands"]]
            lines += [f"## {bench.title}", "", textwrap.fill(bench.how, 120, break_on_hyphens=False), "", *commands, ""]
            lines += [f"{run['machine']}:", "", "```", *_shown(run["printed"], bench.headline), "```", ""]
    return "\n".join(lines)


def _shown(printed: Sequence[str], headline: str) -> list[str]:
    """Return the head of a printed table and the rows that match."""
    return [printed[0], *(line for line in printed[1:] if re.search(headline, line))]


def main(argv: Sequence[str] | None = None) -> int:
    """Record a bench, if one is named, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.engine.page", description=__doc__)
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page and its JSON are (docs/)")
    parser.add_argument("--machine", default=f"{os.cpu_count()} cores", help="the machine, in words")
    parser.add_argument("bench", nargs="?", choices=BENCHES, help="the bench to run (default: none)")
    args, words = parser.parse_known_args(argv)
    if words and not args.bench:
        parser.error(f"unknown option {words[0]}")
    code = record(args.docs, args.bench, words, args.machine) if args.bench else 0
    recorded = json.loads((args.docs / JSON_FILE).read_text("utf-8"))
    (args.docs / PAGE_FILE).write_text(page(recorded), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())

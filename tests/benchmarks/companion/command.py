"""`make bench-companion`: false fouls, time to the verdict, number of tablets, start-up time and memory."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from tests.benchmarks.progress import counting
from tests.benchmarks.report import print_missing, print_table

PARTS = ("fouls", "photo-fouls", "verdict", "phone", "listeners", "busy", "done", "start", "first", "rest", "memory")
COUNTS = {
    "turns": (1000, "turns for false fouls, rendered ones, and as many of the photos' tiles"),
    "jobs": (2, "processes that judge them"),
    "verdicts": (30, "turns timed in a browser, on a still table and with the hand leaving"),
    "filmed": (30, "turns timed in a browser that a phone films, on a still table"),
    "events": (60, "events that 50 listeners hear of"),
    "busy": (40, "seconds over which another tablet's actions are timed while the judge is busy"),
    "starts": (5, "times that the app is started"),
    "rest": (60, "seconds over which a table lies still"),
    "hour": (120, "turns over which memory is watched"),
}


def add_companion(topics: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of the topic."""
    app = topics.add_parser(
        "companion",
        help="false fouls of the whole app, how soon a verdict is there, starting, memory",
        description="Measure the app: rendered turns judged by eye and judge together, Done to verdict in a browser, "
        "events to fifty listeners, starting, memory.",
        epilog="What needs ffmpeg, Chromium or Playwright is left out where they are not installed, and said to be.",
        allow_abbrev=False,
    )
    app.add_argument("--only", metavar="PART", action="append", choices=PARTS, help=f"one of {', '.join(PARTS)}")
    for name, (count, words) in COUNTS.items():
        app.add_argument(f"--{name}", metavar="N", type=_count, default=count, help=f"{words} (default: %(default)s)")
    app.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        default=Path("var/bench-companion"),
        help="note those turns there, with pictures of those to look at (default: %(default)s)",
    )
    app.add_argument(
        "--photos",
        metavar="DIR",
        type=Path,
        default=Path("../shared/photos"),
        help="the annotated photos of whose tiles games are put together (default: %(default)s)",
    )
    app.add_argument("--resume", action="store_true", help="go on with the turns that are noted there")
    app.add_argument("--json", metavar="FILE", type=Path, help="write every figure there")
    app.add_argument(
        "--docs", metavar="DIR", type=Path, help="write bench-companion.md and .json there; other parts stay"
    )


def run_companion(args: argparse.Namespace) -> int:
    """Measure the sets in `args` and print the figures; return 0, or 1 if something is missing."""
    from tests.benchmarks.companion.false_fouls import OtherNetworks
    from tests.benchmarks.companion.figures import figures_of
    from tests.benchmarks.companion.page import as_document, with_earlier, write_docs
    from tests.benchmarks.companion.run import BenchRequest, measure
    from tilekeeper.vision.manifest import ModelsMissing

    counts = {name: getattr(args, name) for name in COUNTS}
    request = BenchRequest(parts=args.only or PARTS, keep=args.keep, resume=args.resume, photos=args.photos, **counts)
    try:
        measured = measure(request, counting, print_missing)
    except (ModelsMissing, OtherNetworks, OSError) as error:
        print_missing(str(error))
        return 1
    print_table(figures_of(measured))
    document = as_document(measured, _command(args))
    if args.json:
        args.json.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    if args.docs:
        write_docs(args.docs, with_earlier(document, args.docs))
    return 0


def _count(word: str) -> int:
    if not word.isascii() or not word.isdigit() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"{word!r} is no count; give a number from 1 on")
    return int(word)


def _command(args: argparse.Namespace) -> str:
    """Return the command line that repeats this run."""
    words = ["python", "-m", "tests.benchmarks", "companion"]
    for name, (usual, _) in COUNTS.items():
        if getattr(args, name) != usual:
            words += [f"--{name}", str(getattr(args, name))]
    for part in args.only or ():
        words += ["--only", part]
    if "photo-fouls" in (args.only or PARTS):
        words += ["--photos", str(args.photos)]
    return shlex.join(words)

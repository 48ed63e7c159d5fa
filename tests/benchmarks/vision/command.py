"""`make bench-vision`: accuracy, silent errors and speed of reading."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.progress import watched
from tests.benchmarks.report import print_missing, print_table

MEASURED, MISSING = 0, 1
BESIDE = Path("../shared/photos")
KEPT_OUT, FEW, FOULS = Path("var/kept-out"), Path("var/kept-out-few"), Path("var/fouls")
LOW, OKEY, JOKERS = Path("var/kept-out-low"), Path("var/kept-out-okey"), Path("var/kept-out-jokers")
RACKS, STRANGERS = Path("var/kept-out-racks"), Path("var/strangers")
SETS = (
    *("photos", "kept-out", "few", "low", "okey", "jokers", "racks", "strangers"),
    *("fouls", "hidden", "changes", "streams", "photo-streams", "speed"),
)


def add_vision(topics: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of the topic."""
    parser = topics.add_parser(
        "vision",
        help="what the eye reads right, what it gets wrong in silence, and how fast it is",
        description="Measure the eye: photos as they are and made harder, rendered tables, fouls, streams, speed.",
        epilog="What is given no folder and lies in none of the usual ones is left out and said to be.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--photos", metavar="DIR", type=Path, help=f"the annotated photos (default: {BESIDE}, if there)"
    )
    parser.add_argument(
        "--unseen",
        metavar="DIR",
        type=Path,
        help="networks that saw no photo, or a folder for each session left out (default: those that ship)",
    )
    parser.add_argument(
        "--kept-out",
        metavar="DIR",
        type=Path,
        default=KEPT_OUT,
        help="rendered tables in held-out printings, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--few",
        metavar="DIR",
        type=Path,
        default=FEW,
        help="such tables with one to three tiles, as games begin, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--low",
        metavar="DIR",
        type=Path,
        default=LOW,
        help="such tables seen from 18 to 40 degrees above, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--okey",
        metavar="DIR",
        type=Path,
        default=OKEY,
        help="such tables with sets of 101 Okey, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--jokers",
        metavar="DIR",
        type=Path,
        default=JOKERS,
        help="one to three tiles with odd jokers among them, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--racks",
        metavar="DIR",
        type=Path,
        default=RACKS,
        help="racks of held-out designs and printings, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--strangers-seed",
        metavar="N",
        type=int,
        help="the seed of the racks of a stranger, to repeat a run (default: another one each time)",
    )
    parser.add_argument(
        "--fouls",
        metavar="DIR",
        type=Path,
        default=FOULS,
        help="tables with a planted foul, rendered where missing (default: %(default)s)",
    )
    parser.add_argument(
        "--only", metavar="SET", action="append", choices=SETS, help=f"only this, one of {', '.join(SETS)}"
    )
    parser.add_argument(
        "--sequences",
        metavar="N",
        type=int,
        help="sequences of changes, on photos and as many on rendered tables (default: 250)",
    )
    parser.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        help="note each sequence of changes there, and go on with those that are noted; of one state of the code",
    )
    parser.add_argument("--quick", action="store_true", help="every eleventh picture of each kind")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure there")
    parser.add_argument(
        "--docs",
        metavar="DIR",
        type=Path,
        help="write bench-vision.md and its .json there and keep the other sets; unless the run is quick, write the"
        " figures of the shipped networks into their manifest too",
    )


def run_vision(args: argparse.Namespace) -> int:
    """Measure the sets in `args` and print the figures; return 0, or 1 if something is missing."""
    from tests.benchmarks.vision.figures import figures_of
    from tests.benchmarks.vision.page import as_document, with_earlier, write_docs
    from tests.benchmarks.vision.photos import PhotosSeen
    from tests.benchmarks.vision.run import SEQUENCES, Sets, measure
    from tests.benchmarks.vision.scores import record_scores
    from tilekeeper.vision.manifest import ModelsMissing

    topics = args.only or SETS
    photos = (args.photos or _if_there(BESIDE)) if "photos" in topics else None
    unseen = args.unseen if "photos" in topics else None
    for folder in (photos, unseen):
        if folder is not None and not folder.is_dir():
            return _missing(f"{folder} is no folder")
    sets = Sets(
        photos=photos,
        unseen=unseen,
        kept_out=args.kept_out if "kept-out" in topics else None,
        few=args.few if "few" in topics else None,
        low=args.low if "low" in topics else None,
        okey=args.okey if "okey" in topics else None,
        jokers=args.jokers if "jokers" in topics else None,
        racks=args.racks if "racks" in topics else None,
        strangers=(STRANGERS, _strangers_seed(args)) if "strangers" in topics else None,
        fouls=args.fouls if "fouls" in topics else None,
        streams="streams" in topics,
        speed="speed" in topics,
        quick=args.quick,
        hiding=_photos_and_tables(args, topics, "hidden"),
        changing=_photos_and_tables(args, topics, "changes"),
        filmed=(args.photos or _if_there(BESIDE)) if "photo-streams" in topics else None,
        sequences=args.sequences or SEQUENCES,
        keep=args.keep,
    )
    if "photos" in topics and not photos:
        print("bench: no photos; they are left out", file=sys.stderr)
    try:
        measured = measure(sets, watched, lambda words: print(words, file=sys.stderr, flush=True))
    except (ModelsMissing, PhotosSeen, OSError) as error:
        return _missing(str(error))
    print_table(figures_of(measured.figures))
    document = as_document(measured, _command(args))
    if args.json:
        args.json.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    if args.docs:
        write_docs(args.docs, with_earlier(document, args.docs))
    if args.docs and not args.quick:
        try:
            record_scores(measured)
        except (OSError, ValueError) as error:
            print_missing(f"no scores written into the manifest: {error}")
    return MEASURED


def _photos_and_tables(args: argparse.Namespace, topics: Sequence[str], topic: str) -> tuple[Path | None, Path | None]:
    """Return the photos and the rendered tables of a topic, None if it is not selected or there are none."""
    if topic not in topics:
        return None, None
    return args.photos or _if_there(BESIDE), args.kept_out


def _strangers_seed(args: argparse.Namespace) -> int:
    return secrets.randbelow(2**31) if args.strangers_seed is None else int(args.strangers_seed)


def _if_there(folder: Path) -> Path | None:
    return folder if folder.is_dir() else None


def _missing(what: str) -> int:
    print_missing(what)
    return MISSING


_USUAL = {
    **dict.fromkeys(("photos", "unseen", "sequences", "keep")),
    "kept_out": KEPT_OUT,
    "few": FEW,
    "low": LOW,
    "okey": OKEY,
    "jokers": JOKERS,
    "racks": RACKS,
    "fouls": FOULS,
}
"""The default of each option that a command line repeats."""


def _command(args: argparse.Namespace) -> str:
    """Return the command line that repeats this run."""
    words = ["python -m tests.benchmarks vision"]
    for name, usual in _USUAL.items():
        if getattr(args, name) != usual:
            words.append(f"--{name.replace('_', '-')} {getattr(args, name)}")
    words += [f"--only {name}" for name in args.only or ()]
    return " ".join([*words, *(["--quick"] if args.quick else [])])

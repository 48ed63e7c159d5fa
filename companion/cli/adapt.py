"""`tilekeeper adapt`: refits the namer's last layer to your own set of tiles, from tiles that you corrected.

Exit codes: 0 done, 1 refused (too few tiles, or something would get worse) or something can't be read, 2 the words on
the command line could not be understood.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # vision brings OpenCV and ONNX Runtime, which nobody who asks for --help should wait for
    from tilekeeper.companion.storage.examples import Examples
    from tilekeeper.vision.finetune.labelled_crops import Lessons
    from tilekeeper.vision.finetune.procedure import Measured, Tell
    from tilekeeper.vision.manifest import Sessions

DONE, REFUSED = 0, 1

_EPILOG = """\
Tiles that you correct on the page are kept only if you agree: tilekeeper adapt --keep yes (or on the page).

  tilekeeper adapt                          fit "our set" to what was kept, and say what it does
  tilekeeper read --set "our set" photo.jpg
  tilekeeper read FOLDER > FOLDER/labels.txt, put the wrong tiles right in it, and then
  tilekeeper adapt --photos FOLDER --name "the old set"

Exit code: 0 done, 1 refused or something can't be read, 2 options not understood."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command's options."""
    parser = subparsers.add_parser(
        "adapt",
        help="refit the reader to your own set of tiles, from tiles that you corrected",
        description="Refit the reader to your own set of tiles, from tiles that you corrected. Nothing leaves this "
        "computer.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--name", metavar="NAME", help='which set of tiles (default: "our set")')
    parser.add_argument("--photos", metavar="FOLDER", type=Path, help="photos with a labels.txt, to learn from as well")
    parser.add_argument("--dry-run", action="store_true", help="fit and measure, and change nothing")
    parser.add_argument("--anyway", action="store_true", help="keep the result even if something gets worse")
    parser.add_argument("--json", action="store_true", help="print one JSON document, for scripts")
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="the data folder (default: this user's own)")
    other = parser.add_argument_group("instead of fitting").add_mutually_exclusive_group()
    other.add_argument("--list", action="store_true", help="list the kept tiles and the sets that were fitted")
    other.add_argument("--forget", metavar="ID", nargs="+", help='delete kept tiles by their ids; "all" deletes all')
    other.add_argument("--reset", action="store_true", help="read this set with the shipped reader again")
    other.add_argument("--keep", choices=("yes", "no"), help="whether corrected tiles are kept from now on")


def run(args: argparse.Namespace) -> int:
    """Do what `args` ask for and return the exit code that says how it went."""
    from tilekeeper.companion.cli.labelled_photos import LabelsRefused
    from tilekeeper.companion.storage.examples import OUR_SET, Examples
    from tilekeeper.companion.storage.folder import default_folder
    from tilekeeper.vision.finetune.own_sets import OwnSetRefused, remove_own_set
    from tilekeeper.vision.manifest import ModelsMissing

    args.name = OUR_SET if args.name is None else args.name
    data_folder = default_folder() if args.data is None else args.data
    try:
        examples = Examples(data_folder, args.name)
        if args.keep is not None:
            examples.answer(args.keep == "yes")
            return _say(args, {"keeping": args.keep == "yes"}, [_keeping(examples)])
        if args.list:
            return _list(args, data_folder, examples)
        if args.forget is not None:
            count = examples.forget(None if args.forget == ["all"] else args.forget)
            code = _say(args, {"forgotten": count}, [f"{count} {'tile' if count == 1 else 'tiles'} deleted."])
            return code if count or args.forget == ["all"] else REFUSED
        if args.reset:
            gone = remove_own_set(data_folder, args.name)
            words = "is read by the shipped reader again" if gone else "had not been fitted"
            return _say(args, {"reset": gone}, [f'"{args.name}" {words}.'])
        return _adapt(args, data_folder, examples)
    except (OwnSetRefused, LabelsRefused, ModelsMissing) as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename or data_folder}: {error.strerror or error}")


def _adapt(args: argparse.Namespace, data_folder: Path, examples: Examples) -> int:
    from tilekeeper.vision.finetune.classifier import require_features
    from tilekeeper.vision.finetune.guard_crops import load_shipped_crops
    from tilekeeper.vision.finetune.labelled_crops import features_with
    from tilekeeper.vision.finetune.layer import namer_sha256, shipped_layer
    from tilekeeper.vision.finetune.own_sets import OwnSet, save_own_set
    from tilekeeper.vision.finetune.procedure import FEWEST, adapt
    from tilekeeper.vision.manifest import load_sessions

    begun = time.perf_counter()
    sessions = load_sessions()
    require_features(sessions.namer)
    shipped, crops = shipped_layer(sessions.manifest), load_shipped_crops()
    lessons = _lessons(args, examples, sessions)
    if len(lessons) < FEWEST:
        return _complain(
            f'{len(lessons)} tiles of "{args.name}" are kept, at least {FEWEST} are needed. {_how(examples)}'
        )
    with _progress(args) as tell:
        layer, measured = adapt(lessons, features_with(sessions.namer), shipped, crops, tell=tell)
    worse = measured.shipped_worse or measured.own_worse
    kept = not args.dry_run and (args.anyway or not worse)
    if kept:
        own = OwnSet(
            " ".join(args.name.split()),
            layer,
            namer_sha256(sessions.manifest),
            len(lessons),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        save_own_set(data_folder, own)
    seconds = time.perf_counter() - begun
    _say(args, as_json(args.name, measured, kept, seconds), as_lines(args.name, measured, kept, args.dry_run, seconds))
    return REFUSED if worse and not args.anyway else DONE


def _lessons(args: argparse.Namespace, examples: Examples, sessions: Sessions) -> Lessons:
    """What is kept of the set, and what the photos show of it."""
    from tilekeeper.companion.cli.labelled_photos import labelled_tiles
    from tilekeeper.vision.finetune.labelled_crops import Lessons
    from tilekeeper.vision.pipeline import Reader

    crops, labels = [], []
    for example in examples.all():
        crops.append(example.crop())
        labels.append(example.label)
    if args.photos is not None:
        for tile in labelled_tiles(args.photos, Reader.shipped()):
            crops.append(tile.crop)
            labels.append(tile.label)
    return Lessons.of_labels(crops, labels)


def as_json(name: str, measured: Measured, kept: bool, seconds: float) -> dict[str, object]:
    """What came of it, for scripts: counts of crops that are named rightly."""
    return {
        "name": name,
        "own": {"tiles": measured.own, "before": measured.own_before, "after": measured.own_after},
        "shipped": {"tiles": measured.shipped, "before": measured.shipped_before, "after": measured.shipped_after},
        "worse": measured.shipped_worse or measured.own_worse,
        "kept": kept,
        "seconds": round(seconds, 1),
    }


def as_lines(name: str, measured: Measured, kept: bool, dry_run: bool, seconds: float) -> list[str]:
    """What came of it, for people."""
    from tilekeeper.vision.finetune.procedure import MARGIN

    lines = [
        "named rightly                              before   after      of",
        f"your tiles, each by a fit without it     {measured.own_before:8d}{measured.own_after:8d}{measured.own:8d}",
        f"the shipped test tiles of other sets     {measured.shipped_before:8d}{measured.shipped_after:8d}"
        f"{measured.shipped:8d}",
    ]
    if measured.shipped_worse:
        lines.append(f"Other sets would be read worse, by more than {MARGIN:.1%} of the test tiles.")
    if measured.own_worse:
        lines.append("Your own tiles would be read worse.")
    if kept:
        lines.append(f'"{name}" is fitted, in {seconds:.0f} s. Read it with: tilekeeper read --set "{name}" PHOTO')
    elif dry_run:
        lines.append("Nothing was changed (--dry-run).")
    else:
        lines.append("Nothing was changed; --anyway keeps it all the same.")
    return lines


def _list(args: argparse.Namespace, data_folder: Path, examples: Examples) -> int:
    from tilekeeper.vision.finetune.own_sets import own_sets

    kept, sets = examples.all(), own_sets(data_folder)
    document = {
        "keeping": examples.agreed,
        "examples": [
            {"id": one.id, "label": one.label, "read_as": one.read_as, "kept_at": one.kept_at, "file": str(one.path)}
            for one in kept
        ],
        "sets": [{"name": own.name, "tiles": own.examples, "fitted_at": own.fitted_at} for own in sets],
    }
    lines = [_keeping(examples), f'Kept tiles of "{args.name}": {len(kept)}']
    lines += [f"  {one.id}  {one.label}, read as {one.read_as}  {one.path}" for one in kept]
    lines += [f'Fitted: "{own.name}", from {own.examples} tiles, {own.fitted_at}' for own in sets]
    return _say(args, document, lines)


def _keeping(examples: Examples) -> str:
    return "Tiles that you correct are kept." if examples.agreed else "Tiles that you correct are not kept."


def _how(examples: Examples) -> str:
    if examples.agreed:
        return "Correct more tiles on the page, or give --photos."
    return 'Give --photos, or let corrected tiles be kept: "tilekeeper adapt --keep yes".'


@contextmanager
def _progress(args: argparse.Namespace) -> Iterator[Tell]:
    """A bar on standard error, where somebody is there to see it."""
    if args.json or not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Fitting", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


def _say(args: argparse.Namespace, document: Mapping[str, object], lines: list[str]) -> int:
    print(json.dumps(document, indent=1, ensure_ascii=False) if args.json else "\n".join(lines))
    return DONE


def _complain(message: str) -> int:
    print(f"tilekeeper adapt: {message}", file=sys.stderr, flush=True)
    return REFUSED

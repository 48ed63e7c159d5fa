"""`tilekeeper adapt`: fine-tunes the classifier's last layer to the user's set of tiles, from corrected tiles.

Exit codes: 0 done, 1 refused (too few tiles, or worse results) or something can't be read, 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.engine.language import gettext, gettext_noop, ngettext, translate

if TYPE_CHECKING:  # vision imports OpenCV and ONNX Runtime, which would slow --help down
    from tilekeeper.companion.storage.examples import Examples
    from tilekeeper.vision.finetune.labelled_crops import LabelledCrops
    from tilekeeper.vision.finetune.procedure import AdaptationResult, ReportProgress
    from tilekeeper.vision.manifest import Sessions

DONE, REFUSED = 0, 1

_EPILOG = gettext_noop("""\
Tiles that you correct on the page are kept only if you agree: tilekeeper adapt --keep yes (or on the page).

  tilekeeper adapt                          adapt to the kept tiles as "our set", and say what it brings
  tilekeeper read --set "our set" photo.jpg
  tilekeeper read FOLDER > FOLDER/labels.txt, correct the wrong tiles in it, then
  tilekeeper adapt --photos FOLDER --name "the old set"

Exit code: 0 done, 1 refused or something can't be read, 2 options not understood.""")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "adapt",
        help=gettext("adapt the reader to your own tiles, with tiles that you corrected"),
        description=gettext(
            "Adapt the reader to your own tiles, with tiles that you corrected. Nothing leaves this computer."
        ),
        epilog=gettext(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--name", metavar="NAME", help=gettext('which set of tiles (default: "our set")'))
    parser.add_argument(
        "--photos",
        metavar="FOLDER",
        type=Path,
        help=gettext("a folder of photos with a labels.txt, to learn from as well"),
    )
    parser.add_argument("--dry-run", action="store_true", help=gettext("adapt and measure, but change nothing"))
    parser.add_argument("--anyway", action="store_true", help=gettext("keep the result even if tiles are read worse"))
    parser.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))
    parser.add_argument("--data", metavar="FOLDER", type=Path, help=gettext("the data folder (default: your own)"))
    other = parser.add_argument_group(gettext("instead of adapting")).add_mutually_exclusive_group()
    other.add_argument("--list", action="store_true", help=gettext("list the kept tiles and the adapted sets"))
    other.add_argument(
        "--forget", metavar="ID", nargs="+", help=gettext('delete kept tiles by their ids; "all" deletes all')
    )
    other.add_argument("--reset", action="store_true", help=gettext("read this set with the original reader again"))
    other.add_argument("--keep", choices=("yes", "no"), help=gettext("whether corrected tiles are kept from now on"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
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
            return _report(args, {"keeping": args.keep == "yes"}, [_keeping_words(examples)])
        if args.list:
            return _list(args, data_folder, examples)
        if args.forget is not None:
            count = examples.forget(None if args.forget == ["all"] else args.forget)
            code = _report(
                args, {"forgotten": count}, [ngettext("{count} tile deleted.", "{count} tiles deleted.", count)]
            )
            return code if count or args.forget == ["all"] else REFUSED
        if args.reset:
            removed = remove_own_set(data_folder, args.name)
            words = (
                gettext('"{name}" is read by the original reader again.', name=args.name)
                if removed
                else gettext('"{name}" was not adapted.', name=args.name)
            )
            return _report(args, {"reset": removed}, [words])
        return _adapt(args, data_folder, examples)
    except (OwnSetRefused, LabelsRefused, ModelsMissing) as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename or data_folder}: {error.strerror or error}")


def _adapt(args: argparse.Namespace, data_folder: Path, examples: Examples) -> int:
    from tilekeeper.companion.user_settings import UserSettings
    from tilekeeper.vision.finetune.labelled_crops import feature_extractor, load_shipped_crops
    from tilekeeper.vision.finetune.own_sets import (
        OwnSet,
        classifier_sha256,
        load_shipped_layer,
        require_features,
        save_own_set,
    )
    from tilekeeper.vision.finetune.procedure import MIN_FINETUNE_CROPS, adapt
    from tilekeeper.vision.manifest import load_sessions

    start = time.perf_counter()
    sessions = load_sessions(UserSettings().threads)
    require_features(sessions.classifier)
    shipped, guard_crops = load_shipped_layer(sessions.manifest), load_shipped_crops()
    labelled_crops = _labelled_crops(args, examples, sessions)
    if len(labelled_crops) < MIN_FINETUNE_CROPS:
        return _complain(
            gettext(
                '{count} tiles of "{name}" are kept; at least {fewest} are needed. {how}',
                count=len(labelled_crops),
                how=_how_to_get_more(examples),
                name=args.name,
                fewest=MIN_FINETUNE_CROPS,
            )
        )
    with _progress(args) as report_progress:
        layer, measured = adapt(
            labelled_crops,
            feature_extractor(sessions.classifier),
            shipped,
            guard_crops,
            report_progress=report_progress,
        )
    worse = measured.shipped_worse or measured.own_worse
    kept = not args.dry_run and (args.anyway or not worse)
    if kept:
        own_set = OwnSet(
            " ".join(args.name.split()),
            layer,
            classifier_sha256(sessions.manifest),
            len(labelled_crops),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        save_own_set(data_folder, own_set)
    seconds = time.perf_counter() - start
    _report(
        args, as_json(args.name, measured, kept, seconds), as_lines(args.name, measured, kept, args.dry_run, seconds)
    )
    return REFUSED if worse and not args.anyway else DONE


def _labelled_crops(args: argparse.Namespace, examples: Examples, sessions: Sessions) -> LabelledCrops:
    """Return the labelled crops: all stored `examples`, and the tiles on labelled photos if `--photos` is given."""
    from tilekeeper.companion.cli.labelled_photos import labelled_tiles
    from tilekeeper.companion.user_settings import UserSettings
    from tilekeeper.vision.finetune.labelled_crops import LabelledCrops
    from tilekeeper.vision.shipped import load_reader

    user = UserSettings()
    crops, labels = [], []
    for example in examples.all():
        crops.append(example.crop())
        labels.append(example.label)
    if args.photos is not None:
        for tile in labelled_tiles(args.photos, load_reader(user.threads, working_px=user.working_px)):
            crops.append(tile.crop)
            labels.append(tile.label)
    return LabelledCrops.from_labels(crops, labels)


def as_json(name: str, measured: AdaptationResult, kept: bool, seconds: float) -> dict[str, object]:
    """Return the result as JSON for `--json`; the counts are of correctly classified crops."""
    return {
        "name": name,
        "own": {"tiles": measured.own, "before": measured.own_before, "after": measured.own_after},
        "shipped": {"tiles": measured.shipped, "before": measured.shipped_before, "after": measured.shipped_after},
        "worse": measured.shipped_worse or measured.own_worse,
        "kept": kept,
        "seconds": round(seconds, 1),
    }


def as_lines(name: str, measured: AdaptationResult, kept: bool, dry_run: bool, seconds: float) -> list[str]:
    """Return the result as lines of text."""
    from tilekeeper.vision.finetune.procedure import MAX_GUARD_ACCURACY_LOSS_SHARE

    own_tiles = (measured.own_before, measured.own_after, measured.own)
    shipped_tiles = (measured.shipped_before, measured.shipped_after, measured.shipped)
    head = (gettext("before"), gettext("after"), gettext("of"))
    rows: list[tuple[str, Sequence[object]]] = [
        (gettext("read correctly"), head),
        (gettext("your tiles (each read without learning from it)"), own_tiles),
        (gettext("the shipped test tiles of other sets"), shipped_tiles),
    ]
    width = max(41, *(len(name) + 1 for name, _ in rows))
    lines = [f"{name:{width}}{''.join(f'{cell!s:>8}' for cell in cells)}" for name, cells in rows]
    if measured.shipped_worse:
        lines.append(
            gettext(
                "Other sets of tiles would be read worse: more than {margin} % of the test tiles.",
                margin=round(100 * MAX_GUARD_ACCURACY_LOSS_SHARE, 1),
            )
        )
    if measured.own_worse:
        lines.append(gettext("Your own tiles would be read worse."))
    if kept:
        lines.append(
            gettext(
                '"{name}" is adapted, in {seconds} s. Read it with: tilekeeper read --set "{name}" PHOTO',
                name=name,
                seconds=round(seconds),
            )
        )
    elif dry_run:
        lines.append(gettext("Nothing was changed (--dry-run)."))
    else:
        lines.append(gettext("Nothing was changed. To keep it anyway, add --anyway."))
    return lines


def _list(args: argparse.Namespace, data_folder: Path, examples: Examples) -> int:
    from tilekeeper.vision.finetune.own_sets import list_own_sets

    kept, sets = examples.all(), list_own_sets(data_folder)
    document = {
        "keeping": examples.agreed,
        "examples": [
            {
                "id": example.id,
                "label": example.label,
                "read_as": example.read_as,
                "kept_at": example.kept_at,
                "file": str(example.path),
            }
            for example in kept
        ],
        "sets": [{"name": own_set.name, "tiles": own_set.examples, "fitted_at": own_set.fitted_at} for own_set in sets],
    }
    lines = [_keeping_words(examples), gettext('Kept tiles of "{name}": {count}', name=args.name, count=len(kept))]
    lines += [
        f"  {one.id}  {gettext('{label}, read as {read_as}', label=one.label, read_as=one.read_as)}  {one.path}"
        for one in kept
    ]
    lines += [
        gettext('Adapted: "{name}", with {count} tiles, {at}', name=each.name, count=each.examples, at=each.fitted_at)
        for each in sets
    ]
    return _report(args, document, lines)


def _keeping_words(examples: Examples) -> str:
    return (
        gettext("Tiles that you correct are kept.")
        if examples.agreed
        else gettext("Tiles that you correct are not kept.")
    )


def _how_to_get_more(examples: Examples) -> str:
    if examples.agreed:
        return gettext("Correct more tiles on the page, or give --photos.")
    return gettext('Give --photos, or keep corrected tiles: "tilekeeper adapt --keep yes".')


@contextmanager
def _progress(args: argparse.Namespace) -> Iterator[ReportProgress]:
    """Yield a function that reports progress: by a bar if standard error is a terminal, else not at all."""
    if args.json or not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(gettext("Adapting"), total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


def _report(args: argparse.Namespace, document: Mapping[str, object], lines: list[str]) -> int:
    print(json.dumps(document, indent=1, ensure_ascii=False) if args.json else "\n".join(lines))
    return DONE


def _complain(message: str) -> int:
    print(f"tilekeeper adapt: {translate(message)}", file=sys.stderr, flush=True)
    return REFUSED

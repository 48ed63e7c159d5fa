"""`tilekeeper read PHOTO...`: reads photos of a table and prints each tile, its place and the melds.

Exit codes: 0 all photos were read, 1 some photo could not be read or not be trusted (a line on standard error says
which, why and what to do; the other photos are read), 2 wrong arguments.
"""

import argparse
import json
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.companion.cli.read_output import (
    as_json_entry,
    as_json_rack,
    as_lines,
    as_rack_lines,
    unread_entry,
)
from tilekeeper.companion.cli.rules_options import add_house_option, rules_named
from tilekeeper.companion.cli.set_option import add_set_option, own_set_of
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS
from tilekeeper.engine.rules.ruleset import Scoring

if TYPE_CHECKING:  # vision imports OpenCV and ONNX Runtime, which would slow --help down
    from tilekeeper.vision.pipeline import Reader
    from tilekeeper.vision.types import TileSet

PICTURE_SUFFIXES = frozenset({".bmp", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".webp"})


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "read",
        help=gettext("read photos of a table: every tile, its place and the sets"),
        description=gettext(
            "Read photos of a table. Sets are separated by ' | '; a '?' marks a tile that is hard to read."
        ),
        epilog=gettext("Exit code: 0 all photos read, 1 a photo could not be read, 2 options not understood."),
        allow_abbrev=False,
    )
    parser.add_argument(
        "photos", metavar="PHOTO", nargs="+", type=_photo, help=gettext("a picture, or a folder of pictures")
    )
    parser.add_argument(
        "--rules",
        metavar="EDITION",
        default=DEFAULT_EDITION,
        help=gettext(
            "the edition in play, which sets the colours: {editions} (default: %(default)s)",
            editions=", ".join(RULE_SETS),
        ),
    )
    add_house_option(parser)
    add_set_option(parser)
    parser.add_argument(
        "--rack",
        action="store_true",
        help=gettext("the photos show racks: print rows, number of tiles and points instead of sets"),
    )
    parser.add_argument("--json", action="store_true", help=gettext("print one JSON document, for scripts"))


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    rules = rules_named("read", "--rules", args.rules, args.house)
    if rules is None:
        return 2
    from tilekeeper.companion.observation.observed_table import tile_set_of
    from tilekeeper.companion.user_settings import UserSettings
    from tilekeeper.vision.finetune.own_sets import OwnSetRefused
    from tilekeeper.vision.manifest import ModelsMissing
    from tilekeeper.vision.shipped import load_reader

    try:
        user = UserSettings()
        reader = load_reader(user.threads, own_set_of(args.own_set), user.working_px)
    except (ModelsMissing, OwnSetRefused) as error:
        _complain(str(error))
        return 1
    rack = rules.scoring if args.rack else None
    return read_photos(args.photos, reader, tile_set_of(rules), json_wanted=args.json, rack=rack)


def read_photos(
    paths: Sequence[Path],
    reader: "Reader",
    tile_set: "TileSet",
    *,
    json_wanted: bool,
    rack: Scoring | None = None,
) -> int:
    """Read all photos and print their tiles; return 0, or 1 if a photo could not be read or trusted.

    Args:
        paths: photos and folders of photos.
        reader: the reader of single photos.
        tile_set: the set of tiles in play.
        json_wanted: whether to print one JSON document at the end, instead of lines after each photo.
        rack: the scoring for photos of racks; None for photos of tables.
    """
    from tilekeeper.companion.capture.decoder import PictureDecoder
    from tilekeeper.vision.layout.racks import read_as_rack
    from tilekeeper.vision.photos import UnreadablePhoto

    entries: list[dict[str, object]] = []
    all_well = True
    with closing(_progress(list(_pictures(paths)), json_wanted)) as photos, closing(PictureDecoder()) as decoder:
        for path in photos:
            try:
                if path.is_dir():
                    raise UnreadablePhoto("no pictures in this folder; give one that holds some, or a picture")
                photo = decoder.load(path)
                reading = reader.read(photo.image_bgr, tile_set).scale_to(photo.full_wh)
            except (UnreadablePhoto, OSError) as error:
                status = _one_line(translate(getattr(error, "strerror", None) or str(error)))
                entries.append(unread_entry(path, status))
            else:
                status = reading.status
                if json_wanted:
                    entries.append(
                        as_json_entry(path, reading)
                        if rack is None
                        else as_json_rack(path, read_as_rack(reading), rack)
                    )
                elif reading.tiles:
                    lines = (
                        as_lines(path, reading) if rack is None else as_rack_lines(path, read_as_rack(reading), rack)
                    )
                    print("\n".join(lines), flush=True)
            if status != "ok":
                all_well = False
                _complain(f"{path}: {status}")
    if json_wanted:
        print(json.dumps({"photos": entries}, indent=1, allow_nan=False))
    return 0 if all_well else 1


def _photo(word: str) -> Path:
    if not word:  # Path("") would be the current folder, which an empty shell variable does not mean
        raise argparse.ArgumentTypeError(gettext("the name is empty; give the name of a picture or folder"))
    return Path(word)


def _pictures(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the photos, those of a folder in natural order; a folder without photos is yielded itself."""
    from tilekeeper.companion.capture.sources import SourceUnavailable, sorted_photos

    for path in paths:
        photos: tuple[Path, ...] = ()
        if path.is_dir():
            # an unreadable folder counts as one without photos
            with suppress(OSError, SourceUnavailable):
                photos = sorted_photos(path)
        yield from photos or (path,)


def _progress(photos: list[Path], json_wanted: bool) -> Generator[Path, None, None]:
    """Yield the photos, and show a progress bar if there are several and standard error is a terminal.

    There is no bar if the output lines appear on the same terminal.
    """
    if len(photos) < 2 or not sys.stderr.isatty() or (sys.stdout.isatty() and not json_wanted):
        yield from photos
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as progress:
        yield from progress.track(photos, description=gettext("Reading"))


def _complain(message: str) -> None:
    print(f"tilekeeper read: {translate(message)}", file=sys.stderr, flush=True)


def _one_line(message: str) -> str:
    return " ".join(message.split())

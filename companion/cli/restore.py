"""`tilekeeper restore`: restores game nights from a file of `tilekeeper backup`.

Exit codes: 0 restored, 1 the file can't be read or the folder is in use, 2 wrong options.
"""

import argparse
import sqlite3
import sys
from pathlib import Path

from tilekeeper.engine.language import gettext, translate


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "restore",
        help=gettext("read game nights from a file that `tilekeeper backup` wrote"),
        description=gettext(
            "Replace the game nights in the data folder with those in a file from `tilekeeper backup`. The old ones "
            "are moved aside, not deleted. The join code, the tablets and the cameras stay. The app must not be "
            "running."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help=gettext("the file that `tilekeeper backup` wrote"))
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=Path,
        help=gettext("where game nights are kept (default: your own data folder)"),
    )


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from tilekeeper.companion.storage.archive import ArchiveUnusable, read_archive
    from tilekeeper.companion.storage.folder import StoreUnusable, default_folder
    from tilekeeper.companion.storage.private_files import keep_others_out

    keep_others_out()
    folder: Path = args.data or default_folder()
    try:
        restored = read_archive(args.file, folder)
    except (ArchiveUnusable, StoreUnusable, OSError, sqlite3.Error) as error:
        print(f"tilekeeper restore: {translate(str(error))}", file=sys.stderr)
        return 1
    print(gettext("The game nights of {file} are now in {folder}.", file=args.file, folder=folder))
    if restored.incomplete:
        counts = {"incomplete": restored.incomplete, "found": restored.found}
        print(gettext("Game nights that can't be read in full: {incomplete} of {found}.", **counts))
    if restored.aside is not None:
        print(gettext("The earlier ones are in {before}.", before=restored.aside))
    return 0

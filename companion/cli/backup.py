"""`tilekeeper backup`: writes all game nights and their pictures to one file.

Exit codes: 0 written, 1 nothing to write or it can't be written, 2 wrong options.
"""

import argparse
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path

from tilekeeper.engine.language import gettext, ngettext, translate


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its options to the parser of the command line."""
    parser = subparsers.add_parser(
        "backup",
        help=gettext("write all game nights and their pictures to one file"),
        description=gettext(
            "Write all game nights and their pictures to one ZIP file. The app may be running. "
            "`tilekeeper restore` reads the file. The app also copies the game nights by itself "
            "after every round, into the folder backups."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        help=gettext("the file to write (default: tilekeeper-DATE.zip in this folder)"),
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=Path,
        help=gettext("where game nights are kept (default: your own data folder)"),
    )


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from tilekeeper.companion.storage.archive import ArchiveUnusable, write_archive
    from tilekeeper.companion.storage.folder import default_folder

    file: Path = args.file or Path(f"tilekeeper-{datetime.now(UTC):%Y-%m-%d}.zip")
    try:
        pictures = write_archive(args.data or default_folder(), file)
    except (ArchiveUnusable, OSError, sqlite3.Error) as error:
        print(f"tilekeeper backup: {translate(str(error))}", file=sys.stderr)
        return 1
    print(
        ngettext(
            "{file} holds all game nights and {count} picture.",
            "{file} holds all game nights and {count} pictures.",
            pictures,
            file=file,
        )
    )
    return 0

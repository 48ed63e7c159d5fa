"""The option `--set`, by which a command reads with what `tilekeeper adapt` fitted to one set of tiles."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.engine.language import gettext

if TYPE_CHECKING:  # vision brings OpenCV, which nobody who asks for --help should wait for
    from tilekeeper.vision.finetune.own_sets import OwnSet


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--set NAME`."""
    parser.add_argument(
        "--set",
        metavar="NAME",
        dest="own_set",
        help=gettext('read with what "tilekeeper adapt" fitted to this set of tiles, such as "our set"'),
    )


def own_set_of(name: str | None, data_folder: Path | None = None) -> OwnSet | None:
    """The own set of that name, or None where none is named; raises `OwnSetRefused`.

    Args:
        name: what `--set` says.
        data_folder: where own sets are kept, by default in this user's own folder.
    """
    from tilekeeper.companion.storage.folder import default_folder
    from tilekeeper.vision.finetune.own_sets import load_own_set

    return None if name is None else load_own_set(data_folder or default_folder(), name)

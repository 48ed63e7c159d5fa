"""The option `--set`, which selects a set of tiles to which `tilekeeper adapt` has adapted the classifier."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilekeeper.engine.language import gettext

if TYPE_CHECKING:  # vision imports OpenCV, which would slow --help down
    from tilekeeper.vision.finetune.own_sets import OwnSet


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--set NAME`."""
    parser.add_argument(
        "--set",
        metavar="NAME",
        dest="own_set",
        help=gettext('the set of tiles to which "tilekeeper adapt" has adapted the reader, such as "our set"'),
    )


def own_set_of(name: str | None, data_folder: Path | None = None) -> OwnSet | None:
    """Return the adapted set of tiles with this name; None if `name` is None.

    Args:
        name: the value of `--set`.
        data_folder: the data folder with the user's sets; None for the default data folder.

    Raises:
        OwnSetRefused: if there is no such set, or it was adapted for another network.
    """
    from tilekeeper.companion.storage.folder import default_folder
    from tilekeeper.vision.finetune.own_sets import load_own_set

    return None if name is None else load_own_set(data_folder or default_folder(), name)

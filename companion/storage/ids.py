"""Validation of the ids that become names of files and folders."""

import re
from typing import Final

EVENING_ID: Final = re.compile(r"[a-z0-9-]{1,64}")
"""The pattern of game nights' ids and of pictures' names."""


def path_part(id_: str) -> str:
    """Return an id that may become a part of a path.

    Raises:
        ValueError: if the id does not match `EVENING_ID`, so that the path could lead to another folder.
    """
    if not EVENING_ID.fullmatch(id_):
        raise ValueError(f"{id_[:40]!r} is no id")
    return id_

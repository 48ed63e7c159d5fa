"""The form of the ids by which files and folders are named."""

import re
from typing import Final

EVENING_ID: Final = re.compile(r"[a-z0-9-]{1,64}")
"""The form of ids of game nights and of names of pictures."""


def path_part(id_: str) -> str:
    """Return an id of which a path is made.

    Raises:
        ValueError: if it has another form, so that the path could lead elsewhere.
    """
    if not EVENING_ID.fullmatch(id_):
        raise ValueError(f"{id_[:40]!r} is no id")
    return id_

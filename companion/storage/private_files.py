"""Files that only the user who runs the app can read, and the app's own key in one of them."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

KEY_FILE: Final = "host-key"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A key of 256 bits in base64 for addresses."""
_ACCESS_OF_OTHERS: Final = 0o077
"""The rights of group and others in a file's mode."""


def write_private(path: Path, data: bytes) -> None:
    """Write a file atomically that only this user can read."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def keep_others_out() -> None:
    """Let this process make only files and folders that no other user of the computer can read."""
    os.umask(_ACCESS_OF_OTHERS)


def make_private(paths: Iterable[Path]) -> None:
    """Take all rights of other users to existing files and folders away, as far as this user may do so."""
    for path in paths:
        with suppress(OSError):
            mode = path.stat().st_mode
            if mode & _ACCESS_OF_OTHERS:
                path.chmod(mode & 0o7700)


def own_key(folder: Path) -> str:
    """Return the key of a data folder, a random one if it has none yet or if others know it.

    A new key is stored for the next start. If the disk refuses that, the key is valid until this process ends.
    """
    path = folder / KEY_FILE
    with suppress(OSError, UnicodeDecodeError):
        if path.is_file() and _is_private(path.stat()) and _KEY.fullmatch(stored := path.read_text("ascii")):
            return stored
    key = secrets.token_urlsafe(32)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_private(path, key.encode())
    return key


def _is_private(file: os.stat_result) -> bool:
    """Return whether a file belongs to this user, and nobody else may read it."""
    if sys.platform == "win32":
        return True  # Windows has no such rights: there the folder is in the user's profile
    return file.st_uid == os.getuid() and not file.st_mode & _ACCESS_OF_OTHERS

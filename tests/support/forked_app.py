"""Runs `tilekeeper run` in forked processes that have all modules loaded, so that hundreds can be started and killed.

The app is the real one with its server, disk and camera process; only the networks are left out.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tests.support.known_tables import MarkedTables, table_reading
from tilekeeper.companion.cli import main
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.session import observer
from tilekeeper.companion.web import app, server  # noqa: F401, loaded before the fork, and not after each one
from tilekeeper.vision import shipped

STARTS_WITHIN_S = 60.0
TABLES = ("R3 R4 R5", "R3 R4 R5 R6", "R3 R4 R5 | K7 B7 O7")
"""The tables that the reader knows by the mark in a picture's corner, in this order."""


class ForkedApp:
    """A running app; `kill` acts like a power cut or the out-of-memory killer."""

    def __init__(
        self,
        data: Path,
        source: str = "none",
        prepare: Callable[[], None] | None = None,
        more: Sequence[str] = (),
    ) -> None:
        """Start the app on a folder and a free port, and wait until it prints its address.

        Args:
            data: the data folder.
            source: as for `tilekeeper run --source`.
            prepare: a function of a module, called in the app's process before the app starts.
            more: further command line arguments.
        """
        ours, theirs = multiprocessing.Pipe(duplex=False)
        forks = multiprocessing.get_context("forkserver")
        forks.set_forkserver_preload([__name__])
        words = ["run", "--source", source, "--data", str(data), "--port", "0", *more]
        self.process: ForkServerProcess = forks.Process(target=_serve, args=(theirs, words, prepare))
        self.process.start()
        theirs.close()
        self.greeting = _greeting(ours)
        ours.close()

    @property
    def port(self) -> int:
        """The port; 0 if the process ended before it listened."""
        for line in self.greeting:
            if line.startswith("Tilekeeper is at "):
                return urlsplit(line.split()[-1]).port or 0
        return 0

    def kill(self) -> None:
        """End the app at once with SIGKILL."""
        with suppress(ProcessLookupError, ValueError):  # it has ended, or was killed before
            self.process.kill()
            self.process.join(STARTS_WITHIN_S)
            self.process.close()

    def end(self) -> None:
        """End the app with SIGTERM, as a service manager does."""
        self.process.terminate()
        self.process.join(STARTS_WITHIN_S)
        self.process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def _greeting(pipe: Connection) -> list[str]:
    text, end_s = b"", time.monotonic() + STARTS_WITHIN_S
    with suppress(EOFError, OSError):
        while b"Press Ctrl+C" not in text and pipe.poll(max(0.0, end_s - time.monotonic())):
            text += os.read(pipe.fileno(), 4096) or _ended()
    return text.decode().splitlines()


def _ended() -> bytes:
    raise EOFError


def _serve(pipe: Connection, words: Sequence[str], prepare: Callable[[], None] | None) -> None:
    os.dup2(pipe.fileno(), 1)
    sys.stdout = os.fdopen(1, "w", buffering=1)
    pipe.close()
    tables = MarkedTables([table_reading(table) for table in TABLES])
    shipped.load_reader = lambda *_, **__: None  # type: ignore[assignment,return-value]
    observer.NetworkObserver = lambda _: tables  # type: ignore[assignment,misc]
    HostKey.is_shown_by = lambda *_: True  # type: ignore[method-assign]  # every client of this machine is the host's
    if prepare is not None:
        prepare()
    sys.exit(main(list(words)))


def runs(pid: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

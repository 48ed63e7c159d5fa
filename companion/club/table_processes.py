"""Tables of this machine, a process each: started again when one ends, and found again by a later hub."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.notices import Notice, NoticeKind, note
from tilekeeper.companion.text.kept import kept
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)

FIRST_PORT: Final = 8661
"""Table 1 is found here, table 2 at the next, so that tablets find them again."""
_LOOKS_EVERY_S: Final = 0.5
_AGAIN_S: Final = (1.0, 2.0, 5.0, 15.0, 30.0)
"""So long it waits before a table is started again that keeps ending."""
_NAMED_AFTER_S: Final = 0.02
"""A process that was started has its command line by then."""
_WELL_AFTER_S: Final = 60.0
_LONGEST: Final = 400
_ENDS_WITHIN_S: Final = 6.0
_CAMERA: Final = re.compile(r"camera-(\d{1,3})")


class TableProcess:
    """The process of one table."""

    def __init__(self, name: str, source: str, folder: Path, hall: str, options: Sequence[str]) -> None:
        """Take what it is started with; nothing runs before `look`.

        Args:
            name: of the table.
            source: as `tilekeeper run --source` takes it, or `camera-1` for the first camera.
            folder: where its data lies.
            hall: the address of the hub.
            options: of `tilekeeper run`, besides.
        """
        self.name = name
        self.folder = folder
        camera = _CAMERA.fullmatch(source)
        watched = str(int(camera[1]) - 1) if camera else source
        self.command = [
            *(sys.executable, "-m", "tilekeeper", "run", "--source", watched, "--hall", hall),
            *("--table-id", name, "--data", str(folder), *options),
        ]
        self._pid_file = folder / "pid"
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = float("-inf")
        self._fell = 0
        self.ended: int | None = None
        """With which code it ended last."""

    @property
    def pid(self) -> int | None:
        """The process, this hub's own or one that an earlier hub has started; none where it does not run."""
        if self._process is not None:
            return self._process.pid if self._process.poll() is None else None
        with suppress(OSError, ValueError):
            pid = int(self._pid_file.read_text())
            command = Path(f"/proc/{pid}/cmdline")
            if not command.read_bytes():  # it is being started this very moment, or has ended
                time.sleep(_NAMED_AFTER_S)
            if str(self.folder).encode() in command.read_bytes():
                return pid
        return None

    def look(self) -> bool:
        """Start it where it does not run and it is time; returns whether it had ended by itself."""
        if self.pid is not None:
            if time.monotonic() - self._started_s > _WELL_AFTER_S:
                self._fell = 0
            return False
        fell = self._process is not None
        if fell:
            assert self._process is not None
            self.ended, self._process = self._process.returncode, None
            self._fell += 1
        if self._fell and time.monotonic() - self._started_s < _AGAIN_S[min(self._fell, len(_AGAIN_S)) - 1]:
            return fell
        self._start()
        return fell

    def _start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log.txt").open("ab") as out:
            # A group of its own: Ctrl+C reaches the hub alone, which then ends its tables in order.
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )
        self._pid_file.write_text(str(self._process.pid))
        self._started_s = time.monotonic()

    def end(self) -> None:
        """Ask it to end."""
        pid = self.pid
        if pid is not None:
            with suppress(OSError):
                os.kill(pid, signal.SIGTERM)

    def wait(self, until_s: float) -> None:
        """Wait until it has ended; past a moment of the monotonic clock it is ended at once."""
        while (pid := self.pid) is not None:
            if time.monotonic() > until_s:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                until_s = float("inf")
            time.sleep(0.05)
        self._pid_file.unlink(missing_ok=True)


class TableProcesses:
    """All tables of this machine, and a thread that looks after them."""

    def __init__(self, tables: Sequence[TableProcess], database: Database) -> None:
        """Take the tables, and where it is noted that one had ended."""
        self.tables = tables
        self._database = database
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tables", daemon=True)

    def start(self) -> None:
        """Start all, and look after them."""
        self._thread.start()

    def close(self) -> None:
        """End all."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        for table in self.tables:
            table.end()
        until_s = time.monotonic() + _ENDS_WITHIN_S
        for table in self.tables:
            table.wait(until_s)

    def _watch(self) -> None:
        while True:
            for table in self.tables:
                try:
                    if table.look():
                        self._tell(table)
                except Exception:  # of one table, which the others are not to suffer from
                    log.warning("Table %s can't be started", table.name, exc_info=True)
            if self._ended.wait(_LOOKS_EVERY_S):
                return

    def _tell(self, table: TableProcess) -> None:
        log_file = str(table.folder / "log.txt")
        why = kept(lazy_gettext("it stopped with code {code}; see {log}", code=table.ended, log=log_file), _LONGEST)
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.PROCESS, table.name, why))

"""Supervises the tables on this machine, each a process: restarts ended ones, and finds running ones again."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note
from tilekeeper.companion.messaging.shared_key import HUB_KEY
from tilekeeper.companion.systems.system import this_system
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)

FIRST_PORT: Final = 8661
"""The port of table 1; table 2 has the next one, and so on. Fixed ports let tablets reconnect after a restart."""
_CHECK_EVERY_S: Final = 0.5
_RESTART_AFTER_S: Final = (1.0, 2.0, 5.0, 15.0, 30.0)
"""The delays before the first, second, … restart of a table that keeps ending; the last one repeats."""
_STABLE_AFTER_S: Final = 60.0
"""After a table has run for this time, its delays begin again with the first."""
_LONGEST: Final = 400
_ENDS_WITHIN_S: Final = 6.0
_CAMERA: Final = re.compile(r"camera-(\d{1,3})")


class TableProcess:
    """The operating system's process of one table, which is restarted with growing delays if it ends."""

    def __init__(
        self, name: str, source: str, folder: Path, hall: str, options: Sequence[str], hub_key: str = ""
    ) -> None:
        """Prepare a process; nothing runs before `ensure_running`.

        Args:
            name: the table's name.
            source: a value for `tilekeeper run --source`, or `camera-1` for the first camera.
            folder: the table's data folder.
            hall: the address of the hub.
            options: further options of `tilekeeper run`.
            hub_key: the hub's key, without which it takes no messages of this table.
        """
        self.name = name
        self.folder = folder
        camera = _CAMERA.fullmatch(source)
        watched = str(int(camera[1]) - 1) if camera else source
        self.command = [
            *(sys.executable, "-m", "tilekeeper", "run", "--source", watched, "--hall", hall),
            *("--table-id", name, "--data", str(folder), *options),
        ]
        self._environment = os.environ | {HUB_KEY: hub_key}
        self._system = this_system()
        self._pid_file = folder / "pid"
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = float("-inf")
        self._failures = 0
        self.ended: int | None = None
        """The exit code with which the process last ended; None if it has not ended."""

    @property
    def pid(self) -> int | None:
        """The id of the running process, which this hub or an earlier one has started; None if none runs."""
        if self._process is not None:
            return self._process.pid if self._process.poll() is None else None
        with suppress(OSError, ValueError):
            number, _, birth = self._pid_file.read_text().partition(" ")
            # The system reuses ids of ended processes, so the start time is compared too.
            if birth and birth == self._system.start_time_of(int(number)):
                return int(number)
        return None

    def ensure_running(self) -> bool:
        """Start the process unless it runs or a delay is not over; return whether it has ended since the last call."""
        if self.pid is not None:
            if time.monotonic() - self._started_s > _STABLE_AFTER_S:
                self._failures = 0
            return False
        has_ended = self._process is not None
        if has_ended:
            assert self._process is not None
            self.ended, self._process = self._process.returncode, None
            self._failures += 1
        if (
            self._failures
            and time.monotonic() - self._started_s < _RESTART_AFTER_S[min(self._failures, len(_RESTART_AFTER_S)) - 1]
        ):
            return has_ended
        self._start()
        return has_ended

    def _start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log.txt", "ab", opener=_open_private) as out:  # it holds the link of the host's page
            # Ctrl+C reaches only the hub, which then ends its tables in order.
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=self._environment,
                **self._system.options_of_own_group(),
            )
        self._pid_file.write_text(f"{self._process.pid} {self._system.start_time_of(self._process.pid)}")
        self._started_s = time.monotonic()

    def end(self) -> None:
        """Ask the process to end, without waiting for it."""
        pid = self.pid
        if pid is not None:
            with suppress(OSError):
                self._system.ask_to_end(pid)

    def wait(self, until_s: float) -> None:
        """Wait until the process has ended; kill it once the monotonic clock passes `until_s`."""
        while (pid := self.pid) is not None:
            if time.monotonic() > until_s:
                with suppress(OSError):
                    self._system.kill(pid)
                until_s = float("inf")
            time.sleep(0.05)
        self._pid_file.unlink(missing_ok=True)


def _open_private(path: str, flags: int) -> int:
    """Open a file and restrict it to this user, even if an earlier version of the app let others read it."""
    opened = os.open(path, flags, 0o600)
    os.chmod(path, 0o600)
    return opened


class TableProcesses:
    """All tables of this machine, and a thread that restarts ended ones."""

    def __init__(self, tables: Sequence[TableProcess], database: Database) -> None:
        """Prepare the tables; a notice is stored in `database` whenever one has ended."""
        self.tables = tables
        self._database = database
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tables", daemon=True)

    def start(self) -> None:
        """Start the thread, which starts and watches all tables."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and end all tables; a table that does not end within six seconds is killed."""
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
                    if table.ensure_running():
                        self._add_notice(table)
                except Exception:  # a problem of one table must not stop the others
                    log.warning("Table %s can't be started", table.name, exc_info=True)
            if self._ended.wait(_CHECK_EVERY_S):
                return

    def _add_notice(self, table: TableProcess) -> None:
        log_file = str(table.folder / "log.txt")
        why = to_stored(
            lazy_gettext("it stopped with code {code}; see {log}", code=table.ended, log=log_file), _LONGEST
        )
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.PROCESS, table.name, why))

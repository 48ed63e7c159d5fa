"""A real PostgreSQL on loopback for the tests, which can be killed and started again with its data."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.mosquitto import free_port
from tests.support.scratch import IN_MEMORY

_FOUND = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
_USER = "postgres"


def needs_postgres() -> pytest.MarkDecorator:
    """Skip if Debian's `postgresql` or the driver is not installed."""
    return pytest.mark.skipif(not _FOUND, reason="PostgreSQL is not installed (Debian: postgresql)")


class Postgres:
    """A server with a folder and a port; it can be started and killed any number of times."""

    def __init__(self) -> None:
        """Create the data folder of a server."""
        # Not in pytest's folder: started by root, the server changes to a user who can't read that. Each database has
        # 300 files, which a disk deletes slowly.
        self.folder = Path(tempfile.mkdtemp(prefix="tilekeeper-postgres-", dir=IN_MEMORY))
        self.port = free_port()
        as_user = ["setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups"]
        self._as_user = as_user if os.getuid() == 0 else []
        if self._as_user:
            shutil.chown(self.folder, pwd.getpwnam(_USER).pw_uid)
        makes = [f"{_FOUND[-1]}/initdb", "-D", str(self.folder / "data"), "-U", "club", "--auth=trust", "--no-sync"]
        subprocess.run([*self._as_user, *makes, "-E", "UTF8"], check=True, capture_output=True, cwd="/")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for SQLAlchemy."""
        return f"postgresql+psycopg://club@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """The id of the server's main process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> Postgres:
        """Start the server, and wait until it answers."""
        # fsync is only needed against power cuts: data of a killed process is safe without it.
        options = ["-h", "127.0.0.1", "-p", str(self.port), "-k", "", "-c", "max_connections=200", "-c", "fsync=off"]
        options += ["-c", "dynamic_shared_memory_type=mmap"]  # a killed server would leave the other kind behind
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._as_user, f"{_FOUND[-1]}/postgres", "-D", self.folder / "data", *options],
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd="/",
            )
        asks = [f"{_FOUND[-1]}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        until_s = time.monotonic() + 60
        while subprocess.run(asks, check=False).returncode:
            assert time.monotonic() < until_s, (self.folder / "log").read_text()
            time.sleep(0.05)
        return self

    def kill(self) -> None:
        """Kill the server and its children at once, like a power cut."""
        assert self._process is not None
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        for child in map(int, children):  # otherwise they end only after a while
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Stop the server, and delete its folder."""
        if self._process is not None and self._process.poll() is None:
            self.kill()  # asked to stop, it would wait five seconds for its children
        shutil.rmtree(self.folder, ignore_errors=True)

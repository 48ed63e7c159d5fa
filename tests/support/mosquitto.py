"""A real Mosquitto on loopback for one test, which can be killed and started again with its data."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tilekeeper.companion.messaging.broker import MOST_ON_THE_WAY

FOUND = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def needs_mosquitto() -> pytest.MarkDecorator:
    """Skip if Debian's `mosquitto` is not installed."""
    return pytest.mark.skipif(FOUND is None, reason="Mosquitto is not installed (Debian: mosquitto)")


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A broker with a folder and a port; it can be started and killed any number of times."""

    def __init__(self, folder: Path, lines: Sequence[str] | None = None, port: int | None = None) -> None:
        """Write the configuration of a broker.

        Args:
            folder: the folder of its database and log.
            lines: lines of its configuration, which come before the defaults; by default an open listener.
            port: its port; a free one by default.
        """
        self.port = free_port() if port is None else port
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777)  # started by root, it changes to its own user
        given = [f"listener {self.port} 127.0.0.1", "allow_anonymous true"] if lines is None else list(lines)
        names = {line.split()[0] for line in given}
        defaults = [
            "max_queued_messages 1000000",
            f"max_inflight_messages {MOST_ON_THE_WAY}",
            "set_tcp_nodelay true",
            "persistence true",
            f"persistence_location {folder}/",
            "user root",
        ]
        self._config = folder / "test.conf"
        self._config.write_text(
            "\n".join([*given, *(line for line in defaults if line.split()[0] not in names)]) + "\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process."""
        assert self._process is not None
        return self._process

    def start(self) -> Mosquitto:
        """Start the broker, and wait until it listens."""
        assert FOUND is not None
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([FOUND, "-c", self._config], stdout=log, stderr=log)
        until_s = time.monotonic() + 20
        while time.monotonic() < until_s:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return self
        raise AssertionError("Mosquitto does not listen")

    def kill(self) -> None:
        """Kill the broker like a power cut: data that it had not written is lost."""
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> None:
        """Stop the broker, which first writes its data."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(10)

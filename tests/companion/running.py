"""Starts the app as a process of its own, as a person does, and ends it again by its id."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
STARTS_WITHIN_S = 20
KNOWN_TABLES = "tests.companion.run_with_known_tables"


class Running:
    """A running app: its address, and what it says."""

    def __init__(self, process: subprocess.Popen[str], address: str, greeting: list[str]) -> None:
        self.process, self.address, self.greeting = process, address, greeting

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def state(self) -> dict:
        with urllib.request.urlopen(f"{self.address}api/state", timeout=10) as answer:
            return json.load(answer)

    def press(self, what: str, **body: object) -> dict:
        request = urllib.request.Request(
            f"{self.address}api/{what}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def until(self, holds: Callable[[dict], object], timeout_s: float = 90.0) -> dict:
        """Wait until the state holds something, and return that state."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            state = self.state()
            if holds(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f"still waiting in {state}")


@contextmanager
def running(*words: str, module: str = KNOWN_TABLES, data: Path | None = None) -> Iterator[Running]:
    """Start the app on some free port and wait for its address; end it with the signal that a service manager sends.

    Its evenings are kept in the folder `data`, or in one that is gone afterwards.
    """
    command = [sys.executable, "-W", "error", "-m", module, *(["run"] if module == "tilekeeper" else []), *words]
    folder = tempfile.TemporaryDirectory() if data is None else None
    command += ["--data", str(data or (folder and folder.name))]
    process = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        greeting: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            greeting.append(line.rstrip())
            if line.startswith("Press Ctrl+C"):
                break
        found = re.search(r"http://\S+", greeting[0]) if greeting else None
        if found is None:
            process.wait(timeout=10)
            assert process.stderr is not None
            raise AssertionError(f"it did not start: {greeting} {process.stderr.read()}")
        yield Running(process, found[0], greeting)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        if folder is not None:
            folder.cleanup()


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port: int) -> None:
    """Wait until somebody listens, without connecting: ffmpeg serves the first who does and no other."""
    end_s = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < end_s:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return
        time.sleep(0.05)
    raise AssertionError("the stream did not start")

"""The app as a process of its own, as a person starts it: its address, its buttons, its memory, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ANSWERS_WITHIN_S = 30.0
ENDS_WITHIN_S = 15.0
LOOK_EVERY_S = 0.03


class AppFailed(Exception):  # noqa: N818, the name says it
    """The app did not start, or did not do what was waited for; the message says in one line what."""


class AppProcess:
    """A running app; every method does what a page does."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        """Take a process that has said its address."""
        self.process, self.address = process, address

    @property
    def state(self) -> dict[str, Any]:
        """The state as a page gets it."""
        with urllib.request.urlopen(f"{self.address}api/state", timeout=ANSWERS_WITHIN_S) as answer:
            return json.load(answer)

    def post(self, path: str, **body: object) -> dict[str, Any]:
        """Send an action; the state after it.

        Raises:
            AppFailed: where it is refused.
        """
        request = urllib.request.Request(
            f"{self.address}api/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AppFailed(f"{path} was refused: {error.read().decode()[:200]}") from None

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """An action of the evening, on a page that is up to date; the state after it."""
        return self.post(f"evening/{what}", revision=self.state["evening"]["revision"], **body)

    def until(self, holds: Callable[[dict[str, Any]], object], timeout_s: float = 60.0) -> dict[str, Any]:
        """Wait until the state holds something; that state.

        Raises:
            AppFailed: where it never does.
        """
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            state = self.state
            if holds(state):
                return state
            time.sleep(LOOK_EVERY_S)
        raise AppFailed(f"the app did not come so far within {timeout_s:.0f} s")

    def memory_mb(self) -> float | None:
        """What the app and its children hold in memory (their proportional shares); None where the system can't tell.

        Memory that they share, such as the newest frame and libraries, counts once.
        """
        try:
            return sum(_share_bytes(pid) for pid in _family(self.process.pid)) / 1e6
        except OSError:
            return None


@contextmanager
def running_app(*words: str) -> Iterator[AppProcess]:
    """Start the app with an empty data folder on some free port; end it as a service manager does.

    Raises:
        AppFailed: where it does not start.
    """
    with tempfile.TemporaryDirectory() as folder, _started(*words, "--data", folder) as process:
        yield AppProcess(process, _address_of(process))


@contextmanager
def _started(*words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", "-m", "tilekeeper", "run", "--port", "0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None  # it was opened so
    for line in process.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    process.wait(timeout=ENDS_WITHIN_S)
    said = process.stderr.read().strip().splitlines() if process.stderr is not None else []
    raise AppFailed(f"the app did not start: {said[-1] if said else 'it said nothing'}")


def seconds_to_first_page(*words: str) -> tuple[float, float | None]:
    """From starting the process, with a data folder that is not there yet, to the whole first page in hand.

    Returns seconds by the clock, and of the processor (None where the system can't tell).

    Raises:
        AppFailed: where it does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        begun_s = time.perf_counter()
        with _started(*words, "--data", str(Path(folder, "evenings"))) as process:
            address = _address_of(process)
            with urllib.request.urlopen(address, timeout=ANSWERS_WITHIN_S) as page:
                page.read()
            return time.perf_counter() - begun_s, _processor_s(process.pid)


def _processor_s(pid: int) -> float | None:
    """How long a process and all that come from it have been at work."""
    try:
        # The name of a process may hold anything, so that what follows it is counted from its closing bracket.
        fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in _family(pid)]
        return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError):
        return None


def _family(pid: int) -> list[int]:
    """A process and all that come from it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _share_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/smaps_rollup").is_file():
            return 0  # a child that has ended since
        raise
    return 1024 * int(next(line for line in lines if line.startswith("Pss:")).split()[1])

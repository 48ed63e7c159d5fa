"""The app as a process of its own, as a person starts it: its address, its buttons, its memory, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWERS_WITHIN_S = 30.0
ENDS_WITHIN_S = 15.0
"""An app that takes longer is killed: it should end in `cli.run.LONGEST_END_S`."""
RUN = (sys.executable, "-u", "-m", "tilekeeper", "run")
LOOK_EVERY_S = 0.03
MOST_TOLD = 2000
"""So many characters of a state are told where it is not the one that was waited for."""


class AppFailed(Exception):  # noqa: N818, the name says it
    """The app did not start, or did not do what was waited for; the message says in one line what."""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """What processes hold in memory.

    Attributes:
        all_mb: everything; what they share, with each other or with whatever else runs, such as libraries, counts once
            and in full, so that other programs neither add to it nor take from it.
        own_mb: of that what no file holds as well: pages of libraries come and go as the system has room for them.
    """

    all_mb: float
    own_mb: float


class AppProcess:
    """A running app; every method does what a page does."""

    def __init__(self, process: subprocess.Popen[str], greeting: list[str]) -> None:
        """Take a process that has greeted whoever started it, with its address in the first line."""
        self.process, self.greeting = process, greeting
        self.address = greeting[0].rpartition(" ")[2]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.address.rstrip("/").rpartition(":")[2])

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
        raise AppFailed(f"the app did not come so far within {timeout_s:.0f} s: {json.dumps(state)[:MOST_TOLD]}")

    def memory_mb(self) -> HeldMemory | None:
        """What the app and its children hold in memory; None where the system can't tell."""
        try:
            held = [_held_bytes(pid) for pid in family_of(self.process.pid)]
        except OSError:
            return None
        alone, shared, private = zip(*held, strict=True)
        return HeldMemory((sum(alone) + max(shared)) / 1e6, sum(private) / 1e6)


@contextmanager
def running_app(
    *words: str, command: Sequence[str] = RUN, data: Path | None = None, cwd: Path | None = None
) -> Iterator[AppProcess]:
    """Start the app on some free port; end it as a service manager does.

    Args:
        words: the options it is started with.
        command: what starts it.
        data: the folder where evenings are kept; without it an empty one that is gone afterwards.
        cwd: the folder in which the command is given.

    Raises:
        AppFailed: where it does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = (*words, "--port", "0", "--data", str(data or folder))
        with _started([*command, *words], cwd) as process:
            yield AppProcess(process, _greeting_of(process))


@contextmanager
def _started(command: Sequence[str], cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _greeting_of(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None  # it was opened so
    greeting: list[str] = []
    for line in process.stdout:
        greeting.append(line.rstrip())
        if line.startswith("Press Ctrl+C"):
            return greeting
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
        with _started([*RUN, *words, "--port", "0", "--data", str(Path(folder, "evenings"))]) as process:
            address = AppProcess(process, _greeting_of(process)).address
            with urllib.request.urlopen(address, timeout=ANSWERS_WITHIN_S) as page:
                page.read()
            return time.perf_counter() - begun_s, _processor_s(process.pid)


def _processor_s(pid: int) -> float | None:
    """How long a process and all that come from it have been at work."""
    try:
        # The name of a process may hold anything, so that what follows it is counted from its closing bracket.
        fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family_of(pid)]
        return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError):
        return None


def family_of(pid: int) -> list[int]:
    """A process and all that come from it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _held_bytes(pid: int) -> tuple[int, int, int]:
    """What a process holds alone, what others hold as well, and what of all that no file holds."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/smaps_rollup").is_file():
            return 0, 0, 0  # a child that has ended since
        raise
    kilobytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines[1:])}
    alone, shared = (kilobytes[f"{kind}_Clean"] + kilobytes[f"{kind}_Dirty"] for kind in ("Private", "Shared"))
    return 1024 * alone, 1024 * shared, 1024 * kilobytes["Anonymous"]

"""The app in its own process, as a person starts it: its address, actions, memory and end."""

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
from typing import TYPE_CHECKING, Any

from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ANSWERS_WITHIN_S = 30.0
ENDS_WITHIN_S = 15.0
"""An app that needs longer to end is killed; it should end within `cli.process_end.LONGEST_END_S`."""
RUN = (sys.executable, "-u", "-m", "tilekeeper", "run")
LOOK_EVERY_S = 0.03
MOST_TOLD = 2000
"""Number of characters of the state in the message of a failed wait."""


class AppFailed(Exception):  # noqa: N818, the name says it
    """The app did not start, or did not reach an expected state; the message is one line."""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """The memory of processes.

    Attributes:
        all_mb: all memory; shared memory, such as libraries, counts once and in full, so that other programs do not
            change the figure.
        own_mb: the part that no file backs; the system loads and drops pages of libraries as it likes.
    """

    all_mb: float
    own_mb: float


class AppProcess:
    """A running app; its methods send the requests of a page."""

    def __init__(self, process: subprocess.Popen[str], greeting: list[str]) -> None:
        """Take a process that has printed its address, or the host's link, in its first line."""
        self.process, self.greeting = process, greeting
        self.address, _, self._key = greeting[0].rpartition(" ")[2].partition("host/")

    @property
    def port(self) -> int:
        """Return its port."""
        return int(self.address.rstrip("/").rpartition(":")[2])

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers by which the app knows the host."""
        return {"Cookie": f"{HOST_COOKIE}-{self.port}={self._key}"} if self._key else {}

    def let_in(self, context: BrowserContext) -> None:
        """Let a browser be the host's."""
        if self._key:
            context.add_cookies([{"name": f"{HOST_COOKIE}-{self.port}", "value": self._key, "url": self.address}])

    def request(self, path: str, body: object = None) -> urllib.request.Request:
        """Return a request of the host."""
        data = None if body is None else json.dumps(body).encode()
        return urllib.request.Request(
            f"{self.address}{path}", data, {"Content-Type": "application/json", **self.headers}
        )

    @property
    def state(self) -> dict[str, Any]:
        """Return the state as a page gets it."""
        with urllib.request.urlopen(self.request("api/state"), timeout=ANSWERS_WITHIN_S) as answer:
            return json.load(answer)

    def post(self, path: str, **body: object) -> dict[str, Any]:
        """Send an action; return the state after it.

        Raises:
            AppFailed: if it is refused.
        """
        try:
            with urllib.request.urlopen(self.request(f"api/{path}", body), timeout=ANSWERS_WITHIN_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AppFailed(f"{path} was refused: {error.read().decode()[:200]}") from None

    def act(self, what: str, **body: object) -> dict[str, Any]:
        """Send an action of the game night with the current revision; return the state after it."""
        return self.post(f"evening/{what}", revision=self.state["evening"]["revision"], **body)

    def until(self, holds: Callable[[dict[str, Any]], object], timeout_s: float = 60.0) -> dict[str, Any]:
        """Wait until the state meets a condition; return that state.

        Raises:
            AppFailed: if it never does.
        """
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            state = self.state
            if holds(state):
                return state
            time.sleep(LOOK_EVERY_S)
        raise AppFailed(f"the app did not come so far within {timeout_s:.0f} s: {json.dumps(state)[:MOST_TOLD]}")

    def memory_mb(self) -> HeldMemory | None:
        """Return the memory of the app and its children, or None if the system does not report it."""
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
    """Start the app on a free port; end it like a service manager.

    Args:
        words: its options.
        command: the command that starts it.
        data: the folder of its game nights; by default a temporary one.
        cwd: the working folder of the command.

    Raises:
        AppFailed: if it does not start.
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
    assert process.stdout is not None  # it is a pipe
    greeting: list[str] = []
    for line in process.stdout:
        greeting.append(line.rstrip())
        if line.startswith("Press Ctrl+C"):
            return greeting
    process.wait(timeout=ENDS_WITHIN_S)
    errors = process.stderr.read().strip().splitlines() if process.stderr is not None else []
    raise AppFailed(f"the app did not start: {errors[-1] if errors else 'it said nothing'}")


def seconds_to_first_page(*words: str) -> tuple[float, float | None]:
    """Measure the time from the start of the process, without a data folder, to the complete first page.

    Returns seconds of wall time and of processor time (None if the system does not report it).

    Raises:
        AppFailed: if it does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        begun_s = time.perf_counter()
        with _started([*RUN, *words, "--port", "0", "--data", str(Path(folder, "evenings"))]) as process:
            request = AppProcess(process, _greeting_of(process)).request("")
            with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN_S) as page:
                page.read()
            return time.perf_counter() - begun_s, _processor_s(process.pid)


def _processor_s(pid: int) -> float | None:
    """Return the processor time of a process and all its children."""
    try:
        # the name of a process may contain spaces, so the fields are counted from its closing bracket
        fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family_of(pid)]
        return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError):
        return None


def family_of(pid: int) -> list[int]:
    """Return a process and all its children."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _held_bytes(pid: int) -> tuple[int, int, int]:
    """Return the private memory, the shared memory, and the memory without a file of a process."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/smaps_rollup").is_file():
            return 0, 0, 0  # the child has ended meanwhile
        raise
    kilobytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines[1:])}
    alone, shared = (kilobytes[f"{kind}_Clean"] + kilobytes[f"{kind}_Dirty"] for kind in ("Private", "Shared"))
    return 1024 * alone, 1024 * shared, 1024 * kilobytes["Anonymous"]

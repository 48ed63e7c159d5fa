"""Linux and macOS: memory limits by `setrlimit` or a watchdog thread, signals, and start times of processes."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

assert sys.platform != "win32"  # so the type checker for Windows skips the rest of this file

_DATA_SIZE: Final = re.compile(r"^VmData:\s+(\d+) kB$", re.MULTILINE)
_ENDED_STATES: Final = ("Z", "X")
_START_FIELD: Final = 18
"""The index of the start time among the fields after the state in `/proc/PID/stat` (proc(5), field 22)."""
_LOOKS_EVERY_S: Final = 0.02
"""The interval of the memory watchdog; a decoder fills about 20 MB in this time."""
_OUT_OF_MEMORY: Final = 137
"""The exit code of the watchdog, the same as of a process that the system kills for its memory."""
_NICENESS: Final = 10
_PS_TIMEOUT_S: Final = 5.0


class _Posix:
    """The implementation that Linux and macOS share."""

    shares_ports: Final = False

    def lower_priority(self) -> None:
        """Raise the niceness of this process, if the system allows it."""
        with suppress(OSError):
            os.nice(_NICENESS)

    def options_of_own_group(self) -> dict[str, Any]:
        """Return options that start the process in a session of its own, which Ctrl+C doesn't reach."""
        return {"start_new_session": True}

    def ask_to_end(self, pid: int) -> None:
        """Send SIGTERM; raise `OSError` if there is no such process."""
        os.kill(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        """Send SIGKILL; raise `OSError` if there is no such process."""
        os.kill(pid, signal.SIGKILL)


class Linux(_Posix):
    """Linux: memory limits by `setrlimit`, and start times of processes from `/proc`."""

    def limit_memory(self, more_bytes: int) -> None:
        """Limit the size of the data segment; an allocation beyond the limit fails."""
        with suppress(OSError, ValueError):
            in_use = _DATA_SIZE.search(Path("/proc/self/status").read_text())
            if in_use is not None:
                most_bytes = int(in_use[1]) * 1024 + more_bytes
                resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))

    def start_time_of(self, pid: int) -> str:
        """Return the boot's id and the process's start time in ticks since the boot; empty if it doesn't run."""
        try:
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if state in _ENDED_STATES else f"{boot} {fields[_START_FIELD]}"


class MacOs(_Posix):
    """macOS: the system accepts memory limits but does not enforce them, so a thread watches the memory in use."""

    def limit_memory(self, more_bytes: int) -> None:
        """Start a watchdog thread, which ends this process if its memory exceeds the limit."""
        watch_memory(_most_used_bytes, _most_used_bytes() + more_bytes, lambda: os._exit(_OUT_OF_MEMORY))

    def start_time_of(self, pid: int) -> str:
        """Return the start time that `ps` prints; empty if the process doesn't run."""
        command = ("ps", "-o", "lstart=", "-p", str(pid))
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=_PS_TIMEOUT_S, check=False)
        except (OSError, subprocess.SubprocessError):
            return ""
        return answer.stdout.strip()


def watch_memory(in_use_bytes: Callable[[], int], most_bytes: int, end: Callable[[], None]) -> threading.Thread:
    """Start and return a thread that calls `end` once `in_use_bytes()` exceeds `most_bytes`."""

    def watch() -> None:
        while in_use_bytes() <= most_bytes:
            time.sleep(_LOOKS_EVERY_S)
        end()

    thread = threading.Thread(target=watch, name="memory", daemon=True)
    thread.start()
    return thread


def _most_used_bytes() -> int:
    """Return the peak memory of this process, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024  # macOS counts bytes, others kilobytes

"""Linux and macOS: `setrlimit` where it works, a watchdog thread elsewhere, signals, and the start of a process."""

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

assert sys.platform != "win32"  # the type checker for Windows leaves out what follows

_DATA_SIZE: Final = re.compile(r"^VmData:\s+(\d+) kB$", re.MULTILINE)
_ENDED_STATES: Final = ("Z", "X")
_START_FIELD: Final = 18
"""The place of a process's start time after its state in `/proc/PID/stat` (proc(5), field 22)."""
_LOOKS_EVERY_S: Final = 0.02
"""A decoder fills some 20 MB in this time."""
_OUT_OF_MEMORY: Final = 137
"""The exit code of a process that the system has killed for its memory."""
_NICENESS: Final = 10
_PS_TIMEOUT_S: Final = 5.0


class _Posix:
    """What all systems with POSIX's signals do alike."""

    shares_ports: Final = False

    def lower_priority(self) -> None:
        """See `System`."""
        with suppress(OSError):
            os.nice(_NICENESS)

    def options_of_own_group(self) -> dict[str, Any]:
        """See `System`."""
        return {"start_new_session": True}

    def ask_to_end(self, pid: int) -> None:
        """See `System`."""
        os.kill(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        """See `System`."""
        os.kill(pid, signal.SIGKILL)


class Linux(_Posix):
    """The system limits memory and tells the start of each process in `/proc`."""

    def limit_memory(self, more_bytes: int) -> None:
        """See `System`; an allocation beyond the limit fails."""
        with suppress(OSError, ValueError):
            in_use = _DATA_SIZE.search(Path("/proc/self/status").read_text())
            if in_use is not None:
                most_bytes = int(in_use[1]) * 1024 + more_bytes
                resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))

    def birth_of(self, pid: int) -> str:
        """See `System`: the start of the system, and that of the process in it."""
        try:
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if state in _ENDED_STATES else f"{boot} {fields[_START_FIELD]}"


class MacOs(_Posix):
    """The system takes limits of memory but doesn't keep them, so a thread looks at the memory in use."""

    def limit_memory(self, more_bytes: int) -> None:
        """See `System`; the process ends beyond the limit."""
        watch_memory(_most_used_bytes, _most_used_bytes() + more_bytes, lambda: os._exit(_OUT_OF_MEMORY))

    def birth_of(self, pid: int) -> str:
        """See `System`: the date that `ps` tells."""
        command = ("ps", "-o", "lstart=", "-p", str(pid))
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=_PS_TIMEOUT_S, check=False)
        except (OSError, subprocess.SubprocessError):
            return ""
        return answer.stdout.strip()


def watch_memory(in_use_bytes: Callable[[], int], most_bytes: int, end: Callable[[], None]) -> threading.Thread:
    """Start a thread that calls `end` once more than `most_bytes` are in use, and return it."""

    def watch() -> None:
        while in_use_bytes() <= most_bytes:
            time.sleep(_LOOKS_EVERY_S)
        end()

    thread = threading.Thread(target=watch, name="memory", daemon=True)
    thread.start()
    return thread


def _most_used_bytes() -> int:
    """Return the most memory that this process has had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024  # macOS counts bytes, others kilobytes

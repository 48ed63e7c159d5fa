"""The interface to the operating system for processes: memory limit, priority, start, end and identity."""

from __future__ import annotations

import sys
from typing import Any, Protocol


class System(Protocol):
    """The functions of an operating system that Python's standard library does not offer on all systems alike.

    If the system refuses a limit, nothing is raised; callers have time limits as well.
    """

    @property
    def shares_ports(self) -> bool:
        """Whether SO_REUSEADDR lets two programs listen on the same port."""

    def limit_memory(self, more_bytes: int) -> None:
        """Limit the memory that this process may use in addition; beyond it an allocation fails or the process ends."""

    def lower_priority(self) -> None:
        """Lower the scheduling priority of this process."""

    def options_of_own_group(self) -> dict[str, Any]:
        """Return options of `subprocess.Popen` by which Ctrl+C in the terminal doesn't reach the new process."""

    def ask_to_end(self, pid: int) -> None:
        """Ask a process to shut down.

        Raises:
            OSError: if there is no such process.
        """

    def kill(self, pid: int) -> None:
        """End a process at once.

        Raises:
            OSError: if there is no such process.
        """

    def start_time_of(self, pid: int) -> str:
        """Return a process's start time as a text that no other process with its id has; empty if it doesn't run."""


def this_system() -> System:
    """Return the implementation for the operating system on which this process runs."""
    if sys.platform == "win32":
        from tilekeeper.companion.systems.windows import Windows, kernel32

        return Windows(kernel32())
    else:  # noqa: RET505, otherwise the type checker for Windows checks this branch
        from tilekeeper.companion.systems.posix import Linux, MacOs

        return MacOs() if sys.platform == "darwin" else Linux()

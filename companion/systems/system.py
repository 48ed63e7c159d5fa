"""The interface to the operating system for processes: limits, priority, start, end and identity."""

from __future__ import annotations

import sys
from typing import Any, Protocol


class System(Protocol):
    """What Tilekeeper needs of an operating system beyond Python's own library.

    A limit that the system refuses is left out: the time limits of the caller remain.
    """

    @property
    def shares_ports(self) -> bool:
        """Return whether SO_REUSEADDR lets two programs listen on one port."""

    def limit_memory(self, more_bytes: int) -> None:
        """Let this process take only this much memory more; beyond it an allocation fails or the process ends."""

    def lower_priority(self) -> None:
        """Let other processes go first."""

    def options_of_own_group(self) -> dict[str, Any]:
        """Return options for `subprocess.Popen`, so that Ctrl+C in the terminal doesn't reach the new process."""

    def ask_to_end(self, pid: int) -> None:
        """Ask a process to end in order.

        Raises:
            OSError: if there is no such process.
        """

    def kill(self, pid: int) -> None:
        """End a process at once.

        Raises:
            OSError: if there is no such process.
        """

    def birth_of(self, pid: int) -> str:
        """Return when a process began, in a form that no other process with its id has; empty if it doesn't run."""


def this_system() -> System:
    """Return the system on which this process runs."""
    if sys.platform == "win32":
        from tilekeeper.companion.systems.windows import Windows, kernel32

        return Windows(kernel32())
    else:  # noqa: RET505, else the type checker for Windows looks at what follows
        from tilekeeper.companion.systems.posix import Linux, MacOs

        return MacOs() if sys.platform == "darwin" else Linux()

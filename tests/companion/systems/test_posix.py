"""Linux as it is, and macOS simulated: limits of memory, priority, and the start of a process."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from tilekeeper.companion.systems import posix
from tilekeeper.companion.systems.posix import Linux, MacOs, watch_memory

ALLOCATES = """
from tilekeeper.companion.systems.posix import {system}
system = {system}()
system.lower_priority()
system.limit_memory(100_000_000)
held = []
try:
    for _ in range(60):
        held.append(bytearray(10_000_000))
        import time; time.sleep(0.05)
except MemoryError:
    print("refused at", len(held) * 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of Linux")
def test_linux_refuses_memory_beyond_the_limit() -> None:
    program = ALLOCATES.format(system="Linux")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout in ("refused at 80\n", "refused at 90\n", "refused at 100\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own limit")
def test_watchdog_ends_a_process_beyond_the_limit() -> None:
    """macOS takes the limit of Linux without keeping it."""
    program = ALLOCATES.format(system="MacOs")
    # The peak of a process includes that of the process that started it, and this one is large.
    small_parent = ["sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, program]
    done = subprocess.run(small_parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (137, "")


def test_watchdog_waits_until_the_memory_is_used() -> None:
    used, ended = iter((1, 5, 10, 11)), threading.Event()
    watch_memory(lambda: next(used), 10, ended.set).join(5)
    assert ended.is_set()


@pytest.mark.parametrize("system", [Linux(), MacOs()])
def test_process_is_known_by_its_start_while_it_runs(system: Linux | MacOs) -> None:
    if isinstance(system, Linux) and sys.platform != "linux":
        pytest.skip("looks into /proc")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, **system.options_of_own_group())
    born = system.start_time_of(child.pid)
    assert born
    assert os.getsid(child.pid) == child.pid  # Ctrl+C in this terminal does not reach it
    assert system.start_time_of(child.pid) == born
    system.kill(child.pid)
    child.communicate()
    assert child.returncode == -9
    assert system.start_time_of(child.pid) == ""


def test_process_counts_as_unknown_where_ps_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_arguments: object, **_options: object) -> None:
        raise FileNotFoundError("ps")

    monkeypatch.setattr(posix, "subprocess", SimpleNamespace(run=missing, SubprocessError=subprocess.SubprocessError))
    assert MacOs().start_time_of(1) == ""

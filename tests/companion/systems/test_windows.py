"""Windows simulated: what its library is asked for, and what follows from its answers."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from tilekeeper.companion.systems.windows import Windows, _Limits, _MemoryCounters

IN_USE_BYTES = 90_000_000
BORN = 133_700_000_000_000_000
THIS_PROCESS = -1


class Kernel32:
    """Answers as the library does, for a process with the id 7 that runs."""

    def __init__(self) -> None:
        self.limits = _Limits()
        self.limited: list[tuple[int, int]] = []
        self.priority = 0
        self.open_handles = 0
        self.exit_code = 259

    def GetCurrentProcess(self) -> int:  # noqa: N802
        return THIS_PROCESS

    def CreateJobObjectW(self, _security: None, _name: None) -> int:  # noqa: N802
        return 50

    def K32GetProcessMemoryInfo(self, _process: int, counters: Any, size: int) -> int:  # noqa: N802
        assert size == ctypes.sizeof(_MemoryCounters)
        counters._obj.pagefile_usage = IN_USE_BYTES
        return 1

    def SetInformationJobObject(self, _job: int, _kind: int, limits: Any, _size: int) -> int:  # noqa: N802
        self.limits = limits._obj
        return 1

    def AssignProcessToJobObject(self, job: int, process: int) -> int:  # noqa: N802
        self.limited.append((job, process))
        return 1

    def SetPriorityClass(self, _process: int, kind: int) -> int:  # noqa: N802
        self.priority = kind
        return 1

    def OpenProcess(self, _access: int, _inherits: bool, pid: int) -> int:  # noqa: N802
        self.open_handles += pid == 7
        return 70 if pid == 7 else 0

    def GetExitCodeProcess(self, _process: int, code: Any) -> int:  # noqa: N802
        code._obj.value = self.exit_code
        return 1

    def GetProcessTimes(self, _process: int, created: Any, *_others: Any) -> int:  # noqa: N802
        created._obj.value = BORN
        return 1

    def CloseHandle(self, _handle: int) -> int:  # noqa: N802
        self.open_handles -= 1
        return 1


def test_memory_is_limited_by_a_job_object_beyond_what_is_in_use() -> None:
    library = Kernel32()
    Windows(library).limit_memory(500_000_000)
    assert library.limits.process_memory_limit == IN_USE_BYTES + 500_000_000
    assert library.limits.limit_flags == 0x100
    assert library.limited == [(50, THIS_PROCESS)]


def test_memory_stays_without_a_limit_where_the_system_refuses_one() -> None:
    library = Kernel32()
    library.SetInformationJobObject = lambda *_: 0  # type: ignore[method-assign]
    Windows(library).limit_memory(1)
    assert library.limited == []


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes are those of 64 bits")
def test_structures_have_the_sizes_of_the_windows_headers() -> None:
    assert (ctypes.sizeof(_Limits), ctypes.sizeof(_MemoryCounters)) == (144, 72)


def test_process_is_known_by_its_creation_time_while_it_runs() -> None:
    library = Kernel32()
    system = Windows(library)
    assert (system.start_time_of(7), system.start_time_of(8)) == (str(BORN), "")
    library.exit_code = 0
    assert system.start_time_of(7) == ""
    assert library.open_handles == 0


def test_signals_are_those_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+Break asks the process's own group; any other signal ends a process at once."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr("os.kill", lambda pid, number: sent.append((pid, number)))
    system = Windows(library := Kernel32())
    system.ask_to_end(7)
    system.kill(7)
    system.lower_priority()
    assert (sent, library.priority) == ([(7, 1), (7, 15)], 0x4000)
    assert system.options_of_own_group() == {"creationflags": 0x200}


def test_port_of_another_program_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows the option that other systems need after a restart would let two apps listen on one port."""
    from tilekeeper.companion.web import server

    options: list[int] = []
    probe = SimpleNamespace(setsockopt=lambda _level, name, _value: options.append(name), bind=lambda _address: None)

    class Probe:
        def __enter__(self) -> SimpleNamespace:
            return probe

        def __exit__(self, *_error: object) -> None:
            pass

    monkeypatch.setattr(server.socket, "socket", lambda *_kind: Probe())
    assert server._bind_error("127.0.0.1", 8645) == 0
    with_posix = len(options)
    monkeypatch.setattr(server, "this_system", lambda: Windows(Kernel32()))
    assert server._bind_error("127.0.0.1", 8645) == 0
    assert (with_posix, len(options)) == (1, 1)

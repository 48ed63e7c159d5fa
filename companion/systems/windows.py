"""Windows: memory limits by a job object, Ctrl+Break as signal, and creation times of processes."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any, Final

_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_LIMIT_PROCESS_MEMORY: Final = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
_BELOW_NORMAL: Final = 0x4000  # BELOW_NORMAL_PRIORITY_CLASS
_NEW_GROUP: Final = 0x200  # CREATE_NEW_PROCESS_GROUP
_QUERY: Final = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_STILL_ACTIVE: Final = 259
_BREAK: Final = 1  # CTRL_BREAK_EVENT


class _Limits(ctypes.Structure):
    """The structure JOBOBJECT_EXTENDED_LIMIT_INFORMATION, flattened: with the fields of its inner structures."""

    _fields_ = (
        ("per_process_user_time_limit", ctypes.c_int64),
        ("per_job_user_time_limit", ctypes.c_int64),
        ("limit_flags", ctypes.c_uint32),
        ("minimum_working_set_size", ctypes.c_size_t),
        ("maximum_working_set_size", ctypes.c_size_t),
        ("active_process_limit", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory_limit", ctypes.c_size_t),
        ("job_memory_limit", ctypes.c_size_t),
        ("peak_process_memory_used", ctypes.c_size_t),
        ("peak_job_memory_used", ctypes.c_size_t),
    )


class _MemoryCounters(ctypes.Structure):
    """The structure PROCESS_MEMORY_COUNTERS; `pagefile_usage` is the memory that the process has committed."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("page_fault_count", ctypes.c_uint32),
        ("peak_working_set_size", ctypes.c_size_t),
        ("working_set_size", ctypes.c_size_t),
        ("quotas", ctypes.c_size_t * 4),
        ("pagefile_usage", ctypes.c_size_t),
        ("peak_pagefile_usage", ctypes.c_size_t),
    )


class Windows:
    """Windows: the interface `System` by calls of `kernel32.dll`."""

    shares_ports: Final = True

    def __init__(self, kernel32: Any) -> None:
        """Use the library `kernel32.dll`, or a substitute with its functions."""
        self._kernel32 = kernel32

    def limit_memory(self, more_bytes: int) -> None:
        """Put this process into a job object with a memory limit; an allocation beyond the limit fails."""
        this_process = self._kernel32.GetCurrentProcess()
        counters = _MemoryCounters(size=ctypes.sizeof(_MemoryCounters))
        job = self._kernel32.CreateJobObjectW(None, None)
        if not job or not self._kernel32.K32GetProcessMemoryInfo(this_process, ctypes.byref(counters), counters.size):
            return
        limits = _Limits(limit_flags=_LIMIT_PROCESS_MEMORY, process_memory_limit=counters.pagefile_usage + more_bytes)
        if self._kernel32.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)):
            self._kernel32.AssignProcessToJobObject(job, this_process)

    def lower_priority(self) -> None:
        """Set the priority class of this process to below normal."""
        self._kernel32.SetPriorityClass(self._kernel32.GetCurrentProcess(), _BELOW_NORMAL)

    def options_of_own_group(self) -> dict[str, Any]:
        """Return options that start the process in a process group of its own, which Ctrl+C doesn't reach."""
        return {"creationflags": _NEW_GROUP}

    def ask_to_end(self, pid: int) -> None:
        """Send Ctrl+Break to the process's group; a process of another console doesn't receive it.

        Raises:
            OSError: if there is no such process.
        """
        os.kill(pid, _BREAK)

    def kill(self, pid: int) -> None:
        """Terminate the process, which `os.kill` does on Windows for every signal except Ctrl+C and Ctrl+Break.

        Raises:
            OSError: if there is no such process.
        """
        os.kill(pid, signal.SIGTERM)

    def start_time_of(self, pid: int) -> str:
        """Return the creation time, in tenths of a microsecond since 1601; empty if the process doesn't run."""
        process = self._kernel32.OpenProcess(_QUERY, False, pid)
        if not process:
            return ""
        try:
            code, created, other_times = ctypes.c_uint32(), ctypes.c_uint64(), [ctypes.c_uint64() for _ in range(3)]
            is_known = self._kernel32.GetExitCodeProcess(process, ctypes.byref(code)) and (
                self._kernel32.GetProcessTimes(process, ctypes.byref(created), *map(ctypes.byref, other_times))
            )
            return str(created.value) if is_known and code.value == _STILL_ACTIVE else ""
        finally:
            self._kernel32.CloseHandle(process)


def kernel32() -> Any:
    """Return `kernel32.dll` with declared argument types, since handles are as wide as a pointer.

    Raises:
        OSError: on another system.
    """
    if sys.platform != "win32":
        raise OSError("only Windows has kernel32")
    library = ctypes.WinDLL("kernel32", use_last_error=True)
    for function in (library.GetCurrentProcess, library.CreateJobObjectW, library.OpenProcess):
        function.restype = ctypes.c_void_p
    handle, pointer, number = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32
    for function, takes in (
        (library.CreateJobObjectW, (pointer, pointer)),
        (library.OpenProcess, (number, ctypes.c_int, number)),
        (library.K32GetProcessMemoryInfo, (handle, pointer, number)),
        (library.SetInformationJobObject, (handle, ctypes.c_int, pointer, number)),
        (library.AssignProcessToJobObject, (handle, handle)),
        (library.SetPriorityClass, (handle, number)),
        (library.GetExitCodeProcess, (handle, pointer)),
        (library.GetProcessTimes, (handle, pointer, pointer, pointer, pointer)),
        (library.CloseHandle, (handle,)),
    ):
        function.argtypes = takes
    return library

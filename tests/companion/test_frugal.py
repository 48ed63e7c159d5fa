"""Threads share a few arenas of the C library, and libraries are no garbage to be looked through."""

import subprocess
import sys

import pytest

ARENAS_OF_EIGHT_THREADS = """
import ctypes, sys, tempfile, threading
from tilekeeper.companion import frugal

if "share" in sys.argv:
    frugal.hand_memory_back()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
together = threading.Barrier(8)

def take():
    for _ in range(200):
        together.wait()
        libc.free(libc.malloc(50_000))

threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.fopen.restype, libc.fclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
with tempfile.NamedTemporaryFile() as told:
    file = libc.fopen(told.name.encode(), b"w")
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(told.read().count(b"<heap nr"))
"""
FREEZES = """
import gc
from tilekeeper.companion import frugal

libraries = len(gc.get_objects())
frugal.leave_libraries_alone()
print(gc.get_freeze_count() >= libraries > 1000, len(gc.get_objects()) < 1000)
"""


def run(program: str, *words: str) -> str:
    """What a program of its own prints."""
    return subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="arenas are a matter of the GNU C library")
def test_threads_share_two_arenas():
    """Each thread that takes memory beside others would have one of its own, and keep there what was freed."""
    assert int(run(ARENAS_OF_EIGHT_THREADS)) > 2
    assert int(run(ARENAS_OF_EIGHT_THREADS, "share")) <= 2


def test_only_what_is_made_later_is_looked_through():
    assert run(FREEZES).split() == ["True", "True"]

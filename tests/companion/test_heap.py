"""Freed memory is returned to the system; other systems are left alone."""

from __future__ import annotations

import platform
import sys
import time

import numpy as np
import pytest

from tests.support.known_tables import Player, table_reading
from tilekeeper.companion import heap
from tilekeeper.companion.heap import (
    READY_BYTES,
    THRIFTY_BYTES,
    TRIM_AFTER_S,
    TRIM_EVERY_S,
    HeapTrimmer,
    keep_freed,
    trim_heap,
)
from tilekeeper.companion.web.api.extensions import parts


@pytest.fixture(autouse=True)
def asked_anew() -> None:
    """Forget the kind of system that another test found."""
    heap._of_glibc.cache_clear()


def own_mb() -> float:
    """Return the memory of this process without mapped files, in MB."""
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library of Linux")
def test_gaps_between_live_blocks_are_returned_to_the_system() -> None:
    """After all blocks but every fiftieth are freed, most of the memory goes back to the system."""
    trim_heap()  # otherwise memory freed by other tests would be used first
    before = own_mb()
    pieces = [bytearray(60_000) for _ in range(1500)]
    kept = pieces[::50]
    full = own_mb()
    del pieces
    trim_heap()
    assert full - before > 60
    assert own_mb() - before < 0.4 * (full - before)
    assert len(kept) == 30


def test_trim_does_nothing_on_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """No C library is looked up, and nothing is returned."""
    monkeypatch.setattr(sys, "platform", "win32")
    assert trim_heap() is False
    assert keep_freed(1) is False


def test_trim_does_nothing_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some Linux systems have another C library."""
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda name: object())
    assert trim_heap() is False
    assert keep_freed(1) is False


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks the C library of Linux")
def test_mallopt_accepts_both_thresholds() -> None:
    """It refuses values beyond its limits."""
    assert keep_freed(THRIFTY_BYTES)
    assert keep_freed(READY_BYTES)


def test_heap_is_trimmed_repeatedly_while_the_table_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at once, since a reading may still be awaited, and not while something moves, which would need the memory."""
    trims: list[float] = []
    kept: list[tuple[float, int]] = []
    monkeypatch.setattr(heap, "trim_heap", lambda: trims.append(now_s))
    monkeypatch.setattr(heap, "keep_freed", lambda below_bytes: kept.append((now_s, below_bytes)))
    trimmer = HeapTrimmer()
    for now_s in np.arange(0, 60, 0.25):
        trimmer.note(now_s % 20 >= 8, now_s)  # eight seconds of movement, then twelve settled
    begun = [8 + TRIM_AFTER_S - 0.25 + 20 * rest for rest in range(3)]
    assert trims == [one for begin in begun for one in np.arange(begin, begin + 7.25, TRIM_EVERY_S)]
    assert kept == [
        *((begun[0], THRIFTY_BYTES), (20, READY_BYTES)),
        *((begun[1], THRIFTY_BYTES), (40, READY_BYTES)),
        (begun[2], THRIFTY_BYTES),
    ]


def test_heap_is_trimmed_while_a_table_is_watched(app, camera, tables, monkeypatch) -> None:
    """The reading is published before that."""
    tiles: list[int] = []
    monkeypatch.setattr(heap, "TRIM_AFTER_S", 0.1)
    monkeypatch.setattr(heap, "trim_heap", lambda: tiles.append(len(parts(app).session.state.snapshot.reading.tiles)))
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    Player(app.test_client()).sees("R3 R4 R5")
    until = time.monotonic() + 10
    while 3 not in tiles and time.monotonic() < until:
        time.sleep(0.02)
    assert 3 in tiles

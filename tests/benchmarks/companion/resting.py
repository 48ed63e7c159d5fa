"""Processor time and memory of the app while a table is still, and the time until it notices a change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, family_of
from tests.benchmarks.companion.evening_on_air import EveningOnAir
from tests.benchmarks.companion.on_air import Scene

FPS = 15
QUIET_S = 5.0
"""After this time the work on the settled table is finished."""
WAKES = 10
WOKEN_WITHIN_S = 5.0
LOOK_EVERY_S = 0.005


def watch_rest(
    evening: EveningOnAir, scenes: Sequence[Scene], seconds: int, on_progress: Callable[[int], None]
) -> dict[str, Any]:
    """Show a still table for this time, then change it several times at once.

    Returns the share of a core of app and camera process together, their megabytes, and the milliseconds from a changed
    frame until the app reports "moving".

    Raises:
        AppFailed: if the app does not wake, or the system does not report the time of a process.
    """
    evening.app.until(lambda state: state["settled"])
    time.sleep(QUIET_S)
    begun_s, worked_s = time.monotonic(), _processor_s(evening.app.process.pid)
    for _ in range(seconds):
        time.sleep(1.0)
        on_progress(1)
    share = (_processor_s(evening.app.process.pid) - worked_s) / (time.monotonic() - begun_s)
    memory = evening.app.memory_mb()
    if memory is None:
        raise AppFailed("this system does not tell what memory a process holds")
    woke_ms = [_wake_ms(evening, scenes[turn % 2]) for turn in range(1, WAKES + 1)]
    return {
        "seconds": seconds,
        "cores": share,
        "mb": memory.all_mb,
        "wakes": WAKES,
        "wake_p50_ms": float(np.percentile(woke_ms, 50)),
        "wake_p95_ms": float(np.percentile(woke_ms, 95)),
    }


def _wake_ms(evening: EveningOnAir, scene: Scene) -> float:
    """Replace the table within one frame, after the previous one has been still."""
    evening.app.until(lambda state: state["settled"])
    time.sleep(QUIET_S)
    read = evening.reading_number
    evening.air.lay(Scene((), scene.still))
    shown_s = evening.air.hand_gone_s()
    end_s = shown_s + WOKEN_WITHIN_S
    while time.time() < end_s:
        state = evening.app.state
        # on a busy machine, the table may have been read between two answers
        if not state["settled"] or state["reading"]["number"] > read:
            return 1000 * (time.time() - shown_s)
        time.sleep(LOOK_EVERY_S)  # requests without a pause would take processor time from the camera
    raise AppFailed(f"the app did not see another table within {WOKEN_WITHIN_S:.0f} s")


def _processor_s(pid: int) -> float:
    """Return the processor time of a process and its children."""
    ticks = 0
    for one in family_of(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")

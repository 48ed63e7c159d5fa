"""Memory of the app and its camera process over the turns of an hour, played without pauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, HeldMemory
from tests.benchmarks.companion.evening_on_air import EveningOnAir

WARM_UP = 20
"""Turns for warming up, ten minutes of a game night: every network gets its largest batch, and every cache fills.
Afterwards neither the reserved memory nor the number of objects grows; the used memory slowly approaches the reserved
memory."""


def watch_memory(
    evening: EveningOnAir, turns: int, on_progress: Callable[[int], None], warm_up: int = WARM_UP
) -> dict[str, Any]:
    """Play turns after some to warm up, press Done in each, and measure the memory after each.

    Returns megabytes: the peak, including the warm-up; and for memory without a file the means over the first and the
    last tenth of the turns, and its relative growth.

    Raises:
        AppFailed: if the system does not report the memory of a process.
    """
    taken: list[HeldMemory] = []
    for turn in range(warm_up + turns):
        number = evening.reading_number
        evening.lay_next()()
        evening.wait_until_read(number)
        evening.app.act("done")
        evening.note_verdict()
        now = evening.app.memory_mb()
        if now is None:
            raise AppFailed("this system does not tell what memory a process holds")
        taken.append(now)
        on_progress(int(turn >= warm_up))
    tenth = max(1, turns // 10)
    own_mb = [one.own_mb for one in taken[warm_up:]]
    first_mb, last_mb = float(np.mean(own_mb[:tenth])), float(np.mean(own_mb[-tenth:]))
    return {
        "warm_up_turns": warm_up,
        "turns": turns,
        "most_mb": max(one.all_mb for one in taken),
        "own_first_tenth_mb": first_mb,
        "own_last_tenth_mb": last_mb,
        "grown_share": last_mb / first_mb - 1,
    }

"""What the app and its camera process hold in memory over as many turns as an hour has, played without the pauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, HeldMemory
from tests.benchmarks.companion.evening_on_air import EveningOnAir

WARM_UP = 20
"""Turns, ten minutes of an evening, in which every network sees its largest batch and every cache fills. Buffers are
reserved at the start and filled bit by bit: afterwards neither what is reserved grows any more nor how many objects
live, and what is held comes nearer to what is reserved, ever more slowly."""


def watch_memory(
    evening: EveningOnAir, turns: int, heard: Callable[[int], None], warm_up: int = WARM_UP
) -> dict[str, Any]:
    """Play so many turns after some to warm up, press Done in each, and take the memory after every one.

    Returns megabytes: the most that was ever held, also while it warms up; and of what no file holds as well the mean
    over the first and over the last tenth of the turns after that, and by which share it has grown.

    Raises:
        AppFailed: where the system does not tell a process's memory.
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
        heard(int(turn >= warm_up))
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

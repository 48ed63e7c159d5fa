"""What the app and its camera process hold in memory over as many turns as an hour has, played without the pauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tilekeeper.companion.bench.app_process import AppFailed
from tilekeeper.companion.bench.evening_on_air import EveningOnAir

WARM_UP = 20
"""Turns, ten minutes of an evening, in which every network sees its largest batch and every cache fills. Buffers are
reserved at the start and filled bit by bit: afterwards neither what is reserved grows any more nor how many objects
live, and what is held comes nearer to what is reserved, ever more slowly."""


def watch_memory(
    evening: EveningOnAir, turns: int, heard: Callable[[int], None], warm_up: int = WARM_UP
) -> dict[str, Any]:
    """Play so many turns after some to warm up, press Done in each, and take the memory after every one.

    Returns megabytes: the most of all, also while it warms up; after that the mean over the first and over the last
    tenth of the turns, and by which share the one is larger than the other.

    Raises:
        AppFailed: where the system does not tell a process's memory.
    """
    taken_mb: list[float] = []
    for turn in range(warm_up + turns):
        number = evening.reading_number
        evening.lay_next()()
        evening.wait_until_read(number)
        evening.app.act("done")
        evening.note_verdict()
        now_mb = evening.app.memory_mb()
        if now_mb is None:
            raise AppFailed("this system does not tell what memory a process holds")
        taken_mb.append(now_mb)
        heard(int(turn >= warm_up))
    tenth = max(1, turns // 10)
    first_mb = float(np.mean(taken_mb[warm_up : warm_up + tenth]))
    last_mb = float(np.mean(taken_mb[-tenth:]))
    return {
        "warm_up_turns": warm_up,
        "turns": turns,
        "most_mb": max(taken_mb),
        "first_tenth_mb": first_mb,
        "last_tenth_mb": last_mb,
        "grown_share": last_mb / first_mb - 1,
    }

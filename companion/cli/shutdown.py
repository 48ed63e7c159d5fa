"""Ends the process within a bounded time, whatever hangs: a driver, a reading that takes long, a tablet that sleeps."""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import time

log = logging.getLogger(__name__)

LONGEST_END_S = 3.0


def end_at_latest(within_s: float = LONGEST_END_S) -> None:
    """End this process after so many seconds at the latest, and the processes of cameras with it.

    What the evening needs is on the disk by then: every action is kept before it is shown.
    """
    threading.Thread(target=_end, args=(within_s,), name="end", daemon=True).start()


def _end(within_s: float) -> None:
    time.sleep(within_s)
    log.warning("Something hangs: the app ends without it.")
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)

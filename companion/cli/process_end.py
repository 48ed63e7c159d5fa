"""The end of the app's or the hub's process: when the system asks for it, and within a limited time."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

log = logging.getLogger(__name__)

LONGEST_END_S = 3.0
"""The app ends within this time, even if a driver hangs, a reading takes long or a tablet sleeps."""
_TELLS_WITHIN_S = 1.0


def until_asked_to_end() -> threading.Event:
    """Return an event that is set when the system asks this process to end, for example if its terminal is closed."""
    ending = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        ending.set()

    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), ask)
    return ending


def end_within(longest_s: float) -> None:
    """End this process and its child processes after `longest_s` seconds, if they still run then.

    No data is lost, because every action is stored before it is shown.
    """

    def end() -> None:
        time.sleep(longest_s)
        # In a thread of its own, since nobody may read what the app writes, and a full pipe would stop this one.
        logging_thread = threading.Thread(
            target=log.warning, args=("Something hangs: the app ends without it.",), daemon=True
        )
        logging_thread.start()
        logging_thread.join(_TELLS_WITHIN_S)
        _exit()

    threading.Thread(target=end, name="end", daemon=True).start()


def leave() -> NoReturn:
    """End this process once everything is stored and closed; call it while the time limit of `end_within` runs.

    Python's own end would free each object, which takes a second, and half a minute on a busy machine. No thread runs
    meanwhile, so `end_within` could not end it.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    _exit()


def _exit() -> NoReturn:
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)

"""Processes that make training batches while the network learns. No torch here: it and OpenCV 5 must not share one."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import cv2
import numpy as np

Batch = tuple[np.ndarray, ...]


def _pump(make: Callable[..., Iterator[Batch]], words: Sequence[Any], out: Any) -> None:
    """Make batches until the parent is gone, however it went."""
    cv2.setNumThreads(1)
    parent = multiprocessing.parent_process()
    for batch in make(*words):
        while True:
            try:
                out.put(batch, timeout=5)
                break
            except queue.Full:
                if parent is not None and not parent.is_alive():
                    out.cancel_join_thread()
                    return


class Feeder:
    """Spawns one process for each tuple of `words` that runs `make(*words)`; iterate over the batches, then `close`."""

    def __init__(self, make: Callable[..., Iterator[Batch]], words: Sequence[Sequence[Any]], ahead: int = 6) -> None:
        context = multiprocessing.get_context("spawn")
        self._batches = context.Queue(maxsize=ahead)
        self._processes = [context.Process(target=_pump, args=(make, one, self._batches), daemon=True) for one in words]
        for process in self._processes:
            process.start()

    def __iter__(self) -> Feeder:
        return self

    def __next__(self) -> Batch:
        """The next batch; raises `RuntimeError` where no process is left to make one."""
        while True:
            try:
                batch: Batch = self._batches.get(timeout=30)
            except queue.Empty:
                if not any(process.is_alive() for process in self._processes):
                    raise RuntimeError("the processes that make samples have ended; see their message above") from None
            else:
                return batch

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.terminate()
            process.join(5)

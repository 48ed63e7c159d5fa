"""Worker processes that make training batches. No PyTorch here: it and OpenCV 5 must not share a process."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import cv2
import numpy as np

Batch = tuple[np.ndarray, ...]


def _pump(make: Callable[..., Iterator[Batch]], arguments: Sequence[Any], out: Any) -> None:
    """Put the batches of `make(*arguments)` into the queue `out` until the parent process has ended."""
    cv2.setNumThreads(1)
    parent = multiprocessing.parent_process()
    for batch in make(*arguments):
        while True:
            try:
                out.put(batch, timeout=5)
                break
            except queue.Full:
                if parent is not None and not parent.is_alive():
                    out.cancel_join_thread()
                    return


class Feeder:
    """Iterator over batches that worker processes make, one process for each element of `arguments`.

    Each runs `make(*arguments)`; at most `ahead` batches wait in the queue. Call `close` at the end.
    """

    def __init__(
        self, make: Callable[..., Iterator[Batch]], arguments: Sequence[Sequence[Any]], ahead: int = 6
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._batches = context.Queue(maxsize=ahead)
        self._processes = [
            context.Process(target=_pump, args=(make, one, self._batches), daemon=True) for one in arguments
        ]
        for process in self._processes:
            process.start()

    def __iter__(self) -> Feeder:
        return self

    def __next__(self) -> Batch:
        """Return the next batch; raise `RuntimeError` if all processes have ended."""
        while True:
            try:
                batch: Batch = self._batches.get(timeout=30)
            except queue.Empty:
                if not any(process.is_alive() for process in self._processes):
                    raise RuntimeError("the processes that make samples have ended; see their message above") from None
            else:
                return batch

    def close(self) -> None:
        """Terminate the worker processes."""
        for process in self._processes:
            process.terminate()
            process.join(5)

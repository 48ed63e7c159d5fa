"""The source for given frames: no frame is lost, times are those of a camera, and it reports when it is idle."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.benchmarks.companion.feed import Feed

PICTURES = [np.full((4, 6, 3), level, np.uint8) for level in (10, 20, 30)]


def test_every_frame_is_delivered_once_in_order_with_its_time() -> None:
    feed = Feed(fps=4.0)
    taken = []

    def watch() -> None:
        while (frame := feed.read(5.0)) is not None:
            taken.append(frame)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for picture in PICTURES:
        feed.put(picture)
    feed.wait_until_taken()
    assert [int(frame.image_bgr[0, 0, 0]) for frame in taken] == [10, 20, 30]
    assert [frame.time_s for frame in taken] == [0.0, 0.25, 0.5]
    assert [frame.index for frame in taken] == [0, 1, 2]
    feed.close()
    watcher.join(timeout=5)
    assert not watcher.is_alive()


def test_frame_counts_as_processed_when_the_next_is_requested() -> None:
    """Until then the watcher may still be working on the frame."""
    feed = Feed(fps=4.0)
    feed.put(PICTURES[0])
    watched = threading.Event()

    def wait() -> None:
        feed.wait_until_taken()
        watched.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert feed.read(1.0) is not None
    assert not watched.wait(0.1)
    assert feed.read(0.01) is None
    assert watched.wait(5)
    waiting.join()


def test_closed_feed_wakes_a_waiting_thread() -> None:
    feed = Feed(fps=4.0)
    feed.put(PICTURES[0])
    feed.close()
    with pytest.raises(TimeoutError):
        feed.put(PICTURES[1])

"""Pictures that lie about their size, sent to a running app."""

import random
import sys

import pytest

from tests.benchmarks.reliability.lying_pictures import MADE, STREAMS_PER_PICTURE, measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of processes"),
]


def test_pictures_and_streams_that_lie_take_little_memory_and_time() -> None:
    outcome = measure(len(MADE))
    assert outcome.troubles == []
    assert outcome.counts["answers 400"] > len(MADE) // 2
    streams = sum(number for kind, number in outcome.cases.items() if kind.startswith("stream"))
    assert streams == round(len(MADE) * STREAMS_PER_PICTURE)


def test_pictures_with_changed_bytes_are_made_from_any_seed() -> None:
    """Each seed changes another kind of picture."""
    assert all(MADE["changed bytes"](random.Random(seed)) for seed in range(8))

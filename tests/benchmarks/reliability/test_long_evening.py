"""A long game night without its pauses: the app holds no more resources at the end than after warming up."""

import sys

import pytest

from tests.benchmarks.reliability.long_evening import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells what a process holds"),
]


def test_long_evening_leaves_nothing_open():
    outcome = measure(16)
    assert outcome.troubles == []
    assert outcome.cases == {"legal": 8, "illegal": 8}

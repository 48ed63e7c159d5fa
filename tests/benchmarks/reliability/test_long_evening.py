"""An evening without its pauses: at the end nothing is held that was not held once it was warm."""

import sys

import pytest

from tests.benchmarks.reliability.long_evening import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells what a process holds"),
]


def test_an_evening_leaves_nothing_open():
    outcome = measure(16)
    assert outcome.troubles == []
    assert outcome.cases == {"legal": 8, "illegal": 8}

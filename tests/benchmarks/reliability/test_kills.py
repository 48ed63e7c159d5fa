"""Processes that are killed in the middle of an evening: what was acknowledged is there once, and all goes on."""

import sys

import pytest

from tests.benchmarks.reliability.kills import measure

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process's children"),
]


def test_nothing_that_was_acknowledged_is_lost_or_doubled():
    outcome = measure(25)
    assert outcome.troubles == []
    assert outcome.cases.total() == 25
    assert outcome.cases["a migration"] > 0
    assert outcome.counts["actions acknowledged"] > 25

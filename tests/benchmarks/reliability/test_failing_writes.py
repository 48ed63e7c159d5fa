"""Calls to the disk that fail, and a disk that is full: nothing is lost, and the page says what is wrong."""

import pytest

from tests.benchmarks.reliability.failing_writes import NoCompiler, measure


@pytest.mark.slow
def test_whatever_call_fails_no_evening_is_lost():
    try:
        outcome = measure(50)
    except NoCompiler as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert {"write fails", "fsync fails", "open fails"} <= set(outcome.cases)
    assert outcome.counts["told to the people"] > 10

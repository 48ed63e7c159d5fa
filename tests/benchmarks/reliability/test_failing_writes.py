"""Calls to the disk that fail, and a disk that is full: nothing is lost, and the page says what is wrong."""

import pytest

from tests.benchmarks.reliability.failing_writes import NoCompiler, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [24, pytest.param(50, marks=pytest.mark.long)])
def test_whatever_call_fails_no_evening_is_lost(count):
    try:
        outcome = measure(count)
    except NoCompiler as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert {"write fails", "fsync fails", "open fails"} <= set(outcome.cases)
    assert outcome.counts["told to the people"] > count // 5

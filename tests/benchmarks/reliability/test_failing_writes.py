"""Failing disk calls and a full disk: nothing is lost, and the page shows the error."""

import pytest

from tests.benchmarks.reliability.failing_writes import NoCompiler, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [24, pytest.param(50, marks=pytest.mark.long)])
def test_failing_disk_calls_lose_no_evening(count):
    try:
        outcome = measure(count)
    except NoCompiler as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert {"write fails", "fsync fails", "open fails"} <= set(outcome.cases)
    assert outcome.counts["told to the people"] > count // 5

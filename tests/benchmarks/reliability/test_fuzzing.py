"""Bytes that a fuzzer makes up: nothing crashes, hangs or takes much memory."""

import pytest

from tests.benchmarks.reliability.fuzzing import SHARES, NoFuzzer, measure


@pytest.mark.slow
def test_nothing_that_is_made_up_crashes_the_app():
    try:
        outcome = measure(2000)
    except NoFuzzer as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert set(outcome.cases) == set(SHARES)
    assert outcome.cases.total() >= 2000

"""Bytes that a fuzzer makes up: nothing crashes, hangs or takes much memory."""

import pytest

from tests.benchmarks.reliability.fuzzing import SHARES, NoFuzzer, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [600, pytest.param(2000, marks=pytest.mark.long)])
def test_nothing_that_is_made_up_crashes_the_app(count):
    try:
        outcome = measure(count)
    except NoFuzzer as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert set(outcome.cases) == set(SHARES)
    assert outcome.cases.total() >= count

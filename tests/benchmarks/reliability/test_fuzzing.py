"""Fuzzed input causes no crash, no hang and no high memory use."""

import pytest

from tests.benchmarks.reliability.fuzzing import SHARES, NoFuzzer, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [600, pytest.param(2000, marks=pytest.mark.long)])
def test_fuzzed_input_crashes_nothing(count):
    try:
        outcome = measure(count)
    except NoFuzzer as why:
        pytest.skip(str(why))
    assert outcome.troubles == []
    assert set(outcome.cases) == set(SHARES)
    assert outcome.cases.total() >= count

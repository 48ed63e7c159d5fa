"""The walk through all routes, in one state; the test of permissions walks through all."""

import pytest

from tests.benchmarks.reliability.routes import measure


@pytest.mark.slow
def test_walk_counts_the_requests_of_a_state() -> None:
    outcome = measure(1)
    assert outcome.troubles == []
    assert outcome.counts["requests"] > 400

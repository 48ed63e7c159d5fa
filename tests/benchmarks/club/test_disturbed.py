"""A short club night with random failures."""

import pytest

from tests.benchmarks.club import disturbed
from tests.support.mosquitto import needs_mosquitto
from tests.support.postgres import needs_postgres


@pytest.mark.slow
@needs_mosquitto()
@needs_postgres()
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [6, pytest.param(10, marks=pytest.mark.long)])
def test_ten_failures_lose_no_entry_and_change_no_standings(count: int) -> None:
    """Every log is complete at the hub, and the standings equal those of undisturbed games."""
    outcome = disturbed.measure(count, seed=3)
    assert outcome.troubles == []
    assert outcome.counts["buttons pressed"] > 0
    assert outcome.counts["entries at the hub"] >= outcome.counts["buttons pressed"]

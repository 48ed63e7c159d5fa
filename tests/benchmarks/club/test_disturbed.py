"""The attack on a club night in its short form."""

import pytest

from tests.benchmarks.club import disturbed
from tests.support.mosquitto import needs_mosquitto
from tests.support.postgres import needs_postgres


@pytest.mark.slow
@needs_mosquitto()
@needs_postgres()
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [6, pytest.param(10, marks=pytest.mark.long)])
def test_nothing_is_lost(count: int) -> None:
    """Ten things are killed or cut: every log comes whole, and the standings are those of an undisturbed night."""
    outcome = disturbed.measure(count, seed=3)
    assert outcome.troubles == []
    assert outcome.counts["buttons pressed"] > 0
    assert outcome.counts["entries at the hub"] >= outcome.counts["buttons pressed"]

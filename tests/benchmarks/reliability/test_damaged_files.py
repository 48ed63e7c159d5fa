"""Damaged files of game nights: the app starts, and untouched game nights are complete."""

import pytest

from tests.benchmarks.reliability.damaged_files import DAMAGES, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, pytest.param(100, marks=pytest.mark.long)])
def test_damaged_files_open_with_all_readable_evenings(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert set(outcome.cases) == set(DAMAGES)
    whole, unread = "evenings opened whole", "evenings of which nothing could be read"
    assert outcome.counts[whole] > outcome.counts[unread]

"""Files of evenings that were damaged in every way: the app starts, and what was not touched is whole."""

import pytest

from tests.benchmarks.reliability.damaged_files import DAMAGES, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, pytest.param(100, marks=pytest.mark.long)])
def test_damaged_files_open_as_far_as_they_can_be_read(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert set(outcome.cases) == set(DAMAGES)
    whole, unread = "evenings opened whole", "evenings of which nothing could be read"
    assert outcome.counts[whole] > outcome.counts[unread]

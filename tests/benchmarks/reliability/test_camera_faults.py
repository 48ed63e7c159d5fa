"""A camera that does what bad cameras do: it is told soon, nothing is misjudged, and all is well soon after."""

import pytest

from tests.benchmarks.reliability.camera_faults import FAULTS, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [24, pytest.param(50, marks=pytest.mark.long)])
def test_whatever_a_camera_does_nothing_is_misjudged(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert set(outcome.cases) == set(FAULTS)
    assert outcome.cases.total() == count

"""Faults of a bad camera are reported soon, cause no wrong verdict, and leave nothing behind."""

import pytest

from tests.benchmarks.reliability.camera_faults import FAULTS, measure


@pytest.mark.slow
@pytest.mark.parametrize("count", [24, pytest.param(50, marks=pytest.mark.long)])
def test_camera_faults_cause_no_wrong_verdict(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert set(outcome.cases) == set(FAULTS)
    assert outcome.cases.total() == count

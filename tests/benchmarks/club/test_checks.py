"""A short run of the checks: no difference in random events, and each planted error is found."""

import pytest

from tests.benchmarks.club.checks import measure

pytestmark = [pytest.mark.bench]


def test_checks_have_no_difference_and_planted_errors_are_found():
    outcome = measure(5)
    assert outcome.troubles == []
    assert outcome.cases["planted: swapped seat"] == 5

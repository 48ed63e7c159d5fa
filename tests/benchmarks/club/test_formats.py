"""A short run of the formats: no difference, and each planted error is found."""

import pytest

from tests.benchmarks.club.formats import measure

pytestmark = [pytest.mark.bench]


def test_formats_have_no_difference_and_planted_errors_are_found():
    """The times depend on what else the machine does, so they are left out."""
    outcome = measure(20)
    assert [trouble for trouble in outcome.troubles if "took" not in trouble] == []
    assert outcome.cases["planted: swapped seat"] == 20

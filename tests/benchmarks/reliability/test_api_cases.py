"""Generated requests get no server error and no undocumented answer."""

import pytest

from tests.benchmarks.reliability.api_cases import ROLES, measure


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("count", [250, pytest.param(500, marks=pytest.mark.long)])
def test_generated_requests_get_only_documented_answers(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert outcome.cases.total() >= count
    assert set(outcome.cases) == {f"as {role}" for role in ROLES}

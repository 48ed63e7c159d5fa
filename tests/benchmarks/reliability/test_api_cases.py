"""What is made up from the served document: no answer is a failure of the server or one that is not promised."""

import pytest

from tests.benchmarks.reliability.api_cases import ROLES, measure


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("count", [250, pytest.param(500, marks=pytest.mark.long)])
def test_every_endpoint_answers_as_the_document_promises(count):
    outcome = measure(count)
    assert outcome.troubles == []
    assert outcome.cases.total() >= count
    assert set(outcome.cases) == {f"as {role}" for role in ROLES}

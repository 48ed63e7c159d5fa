"""Messages of hostile tables: the hub runs on, and no other table's result changes."""

import pytest

from tests.benchmarks.reliability.hostile_tables import measure
from tests.support.mosquitto import needs_mosquitto
from tests.support.postgres import needs_postgres

pytestmark = [pytest.mark.slow, needs_mosquitto(), needs_postgres()]


def test_hostile_tables_stop_nothing_and_change_no_other_result() -> None:
    outcome = measure(400)
    assert outcome.troubles == []
    assert outcome.cases.total() == 400

"""Events of a few tables through a real broker into a real database: none lost, doubled or changed."""

import pytest

from tests.benchmarks.club.intake import Measured, measure_tables, plot, simulated
from tests.support.mosquitto import needs_mosquitto
from tests.support.postgres import needs_postgres

pytestmark = [pytest.mark.slow, needs_mosquitto(), needs_postgres()]


def test_events_of_a_few_tables_are_stored() -> None:
    measured = measure_tables(5, 300, 1)
    assert (measured.wrong, measured.events) == ([], 300)
    assert measured.a_second > 0


def test_table_repeats_games_until_it_has_sent_its_share() -> None:
    sent_logs = simulated(3, 600, 1)
    assert [len(one) for one in sent_logs] == [200, 200, 200]


def test_plot_shows_every_measurement() -> None:
    drawn = plot([Measured(10, 100, 0.1, 0, 0, []), Measured(50, 100, 0.01, 0, 0, [])])
    assert ">1000<" in drawn
    assert ">10000<" in drawn

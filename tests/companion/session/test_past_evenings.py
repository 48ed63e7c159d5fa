"""Past evenings are told from their results; those without one are read once, and what is damaged is told of."""

import time

import pytest
from sqlalchemy import text

from tests.support.past_evenings import evening, keep, keep_many
from tilekeeper.companion.game_night.evening_result import result_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session import past_evenings
from tilekeeper.companion.session.past_evenings import PastEvenings
from tilekeeper.companion.storage.store import Store

MOST_S = 0.2


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    yield store
    store.close()


def spoil(store: Store, statement: str) -> None:
    with store.engine.begin() as connection:
        connection.execute(text(statement))


def test_evenings_are_told_from_their_results_without_being_read(store, monkeypatch):
    keep(store, "a", evening(0))
    keep(store, "b", evening(1))
    monkeypatch.setattr(store, "lines", lambda _: pytest.fail("it was read"))
    found, unread = PastEvenings(store).all()
    assert [one.id for one in found] == ["b", "a"]
    assert unread == 0
    assert [one.result for one in found] == [result_of(evening(1)), result_of(evening(0))]


def test_evenings_without_a_result_get_theirs_once(store, monkeypatch):
    keep(store, "a", evening(0), with_result=False)
    past = PastEvenings(store)
    assert past.all()[0][0].result == result_of(evening(0))
    monkeypatch.setattr(store, "lines", lambda _: pytest.fail("it was read again"))
    assert past.all()[0][0].result == result_of(evening(0))


@pytest.mark.slow
def test_many_evenings_without_a_result_are_read_in_several_goes(store):
    keep_many(store, 5, with_result=False)
    moments = iter(range(1000))
    past = PastEvenings(store, lambda: next(moments) * past_evenings.READING_S / 2)
    left = [past.all()[1] for _ in range(6)]
    assert left[0] > left[1] > 0
    assert left[-1] == 0


def test_a_damaged_evening_is_told_of_and_hides_no_other(store):
    keep(store, "whole", evening(0))
    keep(store, "cut", evening(1), with_result=False)
    keep(store, "gone", evening(2), with_result=False)
    spoil(store, "UPDATE records SET event = 'no such event' WHERE evening = 'cut' AND place = 40")
    spoil(store, "UPDATE records SET event = 'no such event' WHERE evening = 'gone' AND place = 0")
    past = PastEvenings(store)
    found = {one.id: one for one in past.all()[0]}
    assert found["whole"].trouble == ""
    assert "damaged after entry 40" in found["cut"].trouble
    assert found["cut"].result is not None
    assert "damaged from its first entry" in found["gone"].trouble
    assert found["gone"].result is None
    assert found["gone"].names == evening(2).state.players
    assert {one.id: one.trouble for one in past.all()[0]} == {one.id: one.trouble for one in found.values()}
    with pytest.raises(Refused, match="can’t be read"):
        past.recorded("gone")


def test_a_result_that_is_damaged_is_worked_out_anew(store):
    keep(store, "a", evening(0))
    spoil(store, "UPDATE evenings SET result = '{\"players\": 5'")
    assert PastEvenings(store).one("a").result == result_of(evening(0))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.players[0].seconds", "1.7e308"),
        ("$.players[0].turns", "-1"),
        ("$.players[0].laid", "1e300"),
        ("$.rounds[0].points[0]", "1" + 4200 * "0"),
        ("$.rounds[0].winners[0]", "7"),
    ],
)
def test_a_result_that_no_standings_could_be_made_of_is_worked_out_anew(store, path, value):
    keep(store, "a", evening(0))
    spoil(store, f"UPDATE evenings SET result = json_set(result, '{path}', json('{value}'))")
    assert PastEvenings(store).one("a").result == result_of(evening(0))


def test_there_is_no_evening_of_another_name(store):
    with pytest.raises(Refused):
        PastEvenings(store).one("x")


@pytest.mark.slow
def test_two_hundred_evenings_are_told_at_once(store):
    keep_many(store, 200)
    past = PastEvenings(store)
    quickest_s = float("inf")
    for _ in range(3):
        begun_s = time.perf_counter()
        found, unread = past.all()
        quickest_s = min(quickest_s, time.perf_counter() - begun_s)
    assert (len(found), unread) == (200, 0)
    print(f"200 evenings in {1000 * quickest_s:.0f} ms")
    assert quickest_s < MOST_S

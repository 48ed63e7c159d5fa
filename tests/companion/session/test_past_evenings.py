"""Past game nights are listed from stored results; missing results are computed once, damage is reported."""

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


def test_game_nights_with_results_are_listed_without_reading_their_logs(store, monkeypatch):
    keep(store, "a", evening(0))
    keep(store, "b", evening(1))
    monkeypatch.setattr(store, "lines", lambda _: pytest.fail("it was read"))
    found, unread = PastEvenings(store).all()
    assert [one.id for one in found] == ["b", "a"]
    assert unread == 0
    assert [one.result for one in found] == [result_of(evening(1)), result_of(evening(0))]


def test_missing_result_is_computed_once(store, monkeypatch):
    keep(store, "a", evening(0), with_result=False)
    past = PastEvenings(store)
    assert past.all()[0][0].result == result_of(evening(0))
    monkeypatch.setattr(store, "lines", lambda _: pytest.fail("it was read again"))
    assert past.all()[0][0].result == result_of(evening(0))


@pytest.mark.slow
def test_many_missing_results_are_computed_in_several_steps(store):
    keep_many(store, 5, with_result=False)
    moments = iter(range(1000))
    past = PastEvenings(store, lambda: next(moments) * past_evenings.READING_S / 2)
    remaining = [past.all()[1] for _ in range(6)]
    assert remaining[0] > remaining[1] > 0
    assert remaining[-1] == 0


def test_damaged_game_night_is_reported_and_the_others_are_listed(store):
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
    with pytest.raises(Refused, match="can't be read"):
        past.recorded("gone")


def test_damaged_result_is_computed_again(store):
    keep(store, "a", evening(0))
    spoil(store, "UPDATE evenings SET result = '{\"players\": 5'")
    assert PastEvenings(store).get("a").result == result_of(evening(0))


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
def test_result_with_impossible_values_is_computed_again(store, path, value):
    keep(store, "a", evening(0))
    spoil(store, f"UPDATE evenings SET result = json_set(result, '{path}', json('{value}'))")
    assert PastEvenings(store).get("a").result == result_of(evening(0))


def test_unknown_id_has_no_game_night(store):
    with pytest.raises(Refused):
        PastEvenings(store).get("x")


@pytest.mark.slow
def test_two_hundred_game_nights_are_listed_at_once(store):
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

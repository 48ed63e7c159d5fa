"""The record of a player: streaks, places, head to head, longest run and fastest turn."""

from tests.companion.game_night.test_standings import result, won
from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.evening_result import EveningResult, PlayerResult, result_of
from tilekeeper.companion.game_night.player_record import DatedResult, Rival, record_of


def player(name: str, longest_run: int = 0, fastest_s: float | None = None) -> PlayerResult:
    return PlayerResult(name, 1, 3, 3, 1, 10.0, longest_run=longest_run, fastest_s=fastest_s)


def dated(*results: EveningResult) -> list[DatedResult]:
    """Return game nights, one a day, the oldest first."""
    return [DatedResult(f"{day:02}", f"2026-11-{day:02}T19:00:00Z", one) for day, one in enumerate(results, start=1)]


ADA_WINS = result(won(20, -20), players=(player("Ada", 4, 12.5), player("Bo", 9)))
BO_WINS = result(won(-5, 5, by=1), players=(player("Ada", 6), player("Bo")))
THREE = result(won(7, -10, 3), players=(player("Ada", 5, 8.0), player("Bo"), player("Cleo")))
LEVEL = result(won(5, 5), players=(player("Ada"), player("Cleo")))


def test_streaks_history_and_head_to_head():
    record = record_of("Ada", dated(ADA_WINS, THREE, BO_WINS, ADA_WINS, LEVEL))
    assert [(one.id, one.place, one.players, one.won) for one in record.evenings] == [
        ("05", 1, 2, True),
        ("04", 1, 2, True),
        ("03", 2, 2, False),
        ("02", 1, 3, True),
        ("01", 1, 2, True),
    ]
    assert (record.streak, record.longest_streak) == (2, 2)
    assert record.rivals == (Rival("Bo", 4, ahead=3, behind=1), Rival("Cleo", 2, ahead=1, behind=0))
    assert (record.longest_run, record.fastest_s) == (6, 8.0)
    assert (record.totals.evenings, record.totals.evenings_won) == (5, 4)


def test_order_of_the_results_does_not_matter():
    results = dated(ADA_WINS, BO_WINS, THREE)
    assert record_of("Bo", results) == record_of("Bo", results[::-1])


def test_stranger_has_an_empty_record():
    record = record_of("Zoë", dated(ADA_WINS))
    assert (record.evenings, record.rivals, record.streak, record.longest_streak) == ((), (), 0, 0)
    assert (record.totals.evenings, record.longest_run, record.fastest_s) == (0, 0, None)


def test_longest_run_and_fastest_turn_come_from_the_turns_of_a_real_game():
    found = result_of(evening(1))
    assert max(one.longest_run for one in found.players) >= 3
    times = [one.fastest_s for one in found.players if one.fastest_s is not None]
    assert times
    assert all(4 <= time <= 90 for time in times)

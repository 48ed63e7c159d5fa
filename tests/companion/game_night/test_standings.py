"""Standings add up the results of game nights, and a result survives a round trip through JSON."""

import json
from fractions import Fraction

from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.evening_result import EveningResult, PlayerResult, result_from_json, result_of
from tilekeeper.companion.game_night.played_turns import played_turns
from tilekeeper.companion.game_night.standings import standings
from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.rules.policies import Totals


def player(name: str, best: int = 0, timed: int = 0, seconds: float = 0.0) -> PlayerResult:
    return PlayerResult(name, timed, laid=best, best=best, timed=timed, seconds=seconds, longest_run=0, fastest_s=None)


def result(
    *rounds: RoundScore, players: tuple[PlayerResult, ...], counts: Totals = Totals.HIGHEST_TOTAL
) -> EveningResult:
    return EveningResult("large-numbers", counts, players, rounds)


def won(*points: int | Fraction, by: int = 0) -> RoundScore:
    return RoundScore(points, (by,), zero_sum=True)


def test_totals_of_several_game_nights_are_added_by_name():
    first = result(won(20, -20), won(5, -5), players=(player("Ada", 7, 2, 30.0), player("Bo")))
    second = result(won(-9, 9, by=1), players=(player("Cleo", 3), player("Ada", 4, 1, 60.0)))
    ada, cleo, bo = standings([first, second])
    assert (ada.name, ada.evenings, ada.evenings_won, ada.rounds, ada.rounds_won) == ("Ada", 2, 2, 3, 3)
    assert (ada.points, ada.best, ada.laid, ada.average_s) == (34, 7, 11, 30.0)
    assert (bo.name, bo.points, bo.average_s) == ("Bo", -25, None)
    assert (cleo.name, cleo.evenings, cleo.evenings_won, cleo.points) == ("Cleo", 1, 0, -9)


def test_name_in_another_spelling_is_another_player():
    one = result(won(1, -1), players=(player("Ann"), player("ann")))
    assert [found.name for found in standings([one])] == ["Ann", "ann"]


def test_shared_points_stay_exact():
    half = RoundScore((Fraction(15, 2), Fraction(15, 2), -15), (0, 1), zero_sum=True)
    shared = result(half, half, players=(player("Ada"), player("Bo"), player("Cleo")))
    parsed = result_from_json(json.loads(json.dumps(shared.as_json())))
    assert parsed == shared
    assert [found.points for found in standings([shared, shared])] == [30, 30, -60]


def test_game_night_with_stars_adds_no_points():
    stars = result(won(3, 1), players=(player("Ada"), player("Bo")), counts=Totals.ROUNDS_WON)
    ada, bo = standings([stars])
    assert (ada.evenings_won, ada.rounds_won, ada.points, bo.points) == (1, 1, 0, 0)


def test_game_night_without_a_scored_round_is_not_in_the_standings():
    assert standings([result(players=(player("Ada", 5), player("Bo")))]) == ()


def test_result_of_a_game_night_equals_the_sums_of_its_turns():
    recorded = evening(1)
    found = result_of(recorded)
    assert found.sheet == recorded.state.sheet
    turns = [turn for turn in played_turns(recorded) if turn.settled]
    for seat, one in enumerate(found.players):
        turns_of_seat = [turn for turn in turns if turn.player == seat]
        assert (one.turns, one.laid) == (len(turns_of_seat), sum(len(turn.placed) for turn in turns_of_seat))
        assert one.best == max(len(turn.placed) for turn in turns_of_seat) > 0
    assert result_from_json(json.loads(json.dumps(found.as_json()))) == found


def test_invalid_json_gives_no_result():
    sound = result(won(1, -1), players=(player("Ada"), player("Bo"))).as_json()
    broken = sound | {"rounds": [{"points": [1], "winners": [0], "zero_sum": True}]}
    for kept in (None, 5, "x", [], {}, sound | {"players": []}, broken, sound | {"counts": "most"}):
        assert result_from_json(kept) is None

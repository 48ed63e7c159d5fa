"""What games, byes and penalties count, with the numbers worked out by hand."""

from fractions import Fraction

import pytest

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import (
    ArbiterPenalty,
    Bye,
    ByeKind,
    GameResult,
    PairedRound,
    TournamentRecord,
)
from tilekeeper.companion.tournament.scoring import TournamentScoring, score_game, score_players


def scored(record: TournamentRecord, scoring: TournamentScoring, score: Criterion, games_per_round: int = 1):
    games = [score_game(result, scoring) for result in record.games]
    return score_players(record, games, scoring, score, games_per_round)


TABLE = GameResult(1, {"A": 45, "B": -10, "C": -10, "D": -25}, frozenset("A"))


def tile_points(scoring: TournamentScoring, result: GameResult = TABLE) -> dict[str, object]:
    return {player: score.tile_points for player, score in score_game(result, scoring).items()}


def placement(scoring: TournamentScoring, result: GameResult = TABLE) -> dict[str, object]:
    return {player: score.placement_points for player, score in score_game(result, scoring).items()}


def test_equal_players_share_the_placement_points_of_their_places():
    """Second and third place have 3 and 1, so each gets 2."""
    assert placement(TournamentScoring()) == {"A": 4, "B": 2, "C": 2, "D": 0}


def test_winner_is_first_even_if_another_has_as_many_points():
    """With an empty pool the lowest rack wins; an equal sum with more tiles is second."""
    drawn = GameResult(1, {"A": -3, "B": -3, "C": -9}, frozenset("B"))
    assert placement(TournamentScoring(), drawn) == {"B": 4, "A": 3, "C": 1}


def test_smaller_table_leaves_out_the_last_placement_points():
    pair = GameResult(1, {"A": 20, "B": -20}, frozenset("A"))
    assert placement(TournamentScoring(), pair) == {"A": 4, "B": 3}
    assert placement(TournamentScoring(placement=(1,)), pair) == {"A": 1, "B": 0}


def test_loss_is_capped_and_win_gets_a_bonus():
    """The bonus of 30 is shared by two winners."""
    assert tile_points(TournamentScoring(loss_cap=20, win_bonus=30)) == {"A": 75, "B": -10, "C": -10, "D": -20}
    shared = GameResult(1, {"A": 5, "B": 5, "C": -10}, frozenset("AB"))
    assert tile_points(TournamentScoring(win_bonus=30), shared) == {"A": 20, "B": 20, "C": -10}


def test_loser_who_never_opened_pays_a_fixed_sum_to_the_winner():
    """D pays 100 in place of 25, so the winner gets 75 more, and the sum stays 0."""
    result = GameResult(1, TABLE.points, TABLE.won, frozenset("D"))
    assert tile_points(TournamentScoring(unopened_points=100), result) == {"A": 120, "B": -10, "C": -10, "D": -100}
    assert tile_points(TournamentScoring(), result) == {"A": 45, "B": -10, "C": -10, "D": -25}


def test_place_of_a_loser_who_never_opened_follows_the_fixed_sum():
    """B has 10 on the rack and pays 100, so B is behind D, who pays 25."""
    result = GameResult(1, TABLE.points, TABLE.won, frozenset("B"))
    assert placement(TournamentScoring(unopened_points=100), result) == {"A": 4, "C": 3, "D": 1, "B": 0}
    assert placement(TournamentScoring(loss_cap=20, unopened_points=100), result) == {"A": 4, "C": 3, "D": 1, "B": 0}


def test_winner_who_never_opened_pays_nothing():
    """Somebody may win a blocked game without an opening."""
    result = GameResult(1, {"A": 4, "B": -4}, frozenset("A"), frozenset("AB"))
    assert tile_points(TournamentScoring(unopened_points=100), result) == {"A": 100, "B": -100}


@pytest.mark.parametrize(
    ("kind", "worth"),
    [
        (ByeKind.ALLOCATED, (50, 4, 1)),
        (ByeKind.FULL, (50, 4, 1)),
        (ByeKind.HALF, (25, 2, Fraction(1, 2))),
        (ByeKind.ZERO, (0, 0, 0)),
    ],
)
def test_bye_counts_its_share_of_a_win_in_each_game_of_the_round(kind: ByeKind, worth: tuple[object, ...]) -> None:
    """A round of two games counts it twice."""
    record = TournamentRecord(("A",), (PairedRound((), (Bye("A", kind),)),))
    games = scored(record, TournamentScoring(), Criterion.TILE_POINTS, games_per_round=2)["A"].counted
    assert [(game.tile_points, game.placement_points, game.wins) for game in games] == [worth, worth]


def test_each_kind_of_bye_has_its_own_mark():
    assert [kind.mark for kind in ByeKind] == ["U", "F", "H", "Z"]


def test_only_the_best_games_count():
    """Of 10, -5, 30 and -5 the best two are 10 and 30; by placement points they are the two wins."""
    games = tuple(
        GameResult(number, {"A": points, "B": -points}, frozenset("A" if points > 0 else "B"))
        for number, points in enumerate((10, -5, 30, -5), start=1)
    )
    record = TournamentRecord(("A", "B"), games=games)
    scores = scored(record, TournamentScoring(best_games=2), Criterion.TILE_POINTS)
    assert [game.tile_points for game in scores["A"].counted] == [10, 30]
    assert [game.tile_points for game in scores["B"].counted] == [5, 5]


def test_penalties_of_one_round_add_up():
    record = TournamentRecord(
        ("A",), penalties=(ArbiterPenalty("A", 2, 10), ArbiterPenalty("A", 2, 5), ArbiterPenalty("A", 3, 1))
    )
    assert scored(record, TournamentScoring(), Criterion.WINS)["A"].penalties == {2: 15, 3: 1}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"bye_points": -1}, "points are numbers"),
        ({"placement": (1, 2)}, "largest first"),
        ({"placement": (5, 4, 3, 2, 1)}, "up to four"),
        ({"best_games": 0}, "at least one game"),
    ],
)
def test_impossible_scoring_is_refused(wrong: dict[str, object], words: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=words):
        TournamentScoring(**wrong)  # type: ignore[arg-type]


def test_result_of_an_unknown_player_is_refused():
    with pytest.raises(KeyError):
        scored(TournamentRecord(("A",), games=(TABLE,)), TournamentScoring(), Criterion.WINS)

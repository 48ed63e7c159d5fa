"""Standings add up, break ties by the stated rules, and keep the sum of zero-sum rounds."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.random_games import random_game
from tilekeeper.engine.game.scoring import RackLeft, RoundScore, score_round
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.policies import Totals
from tilekeeper.engine.tournament.pairing import PairedRound, Pairing, pair, repeated_meetings
from tilekeeper.engine.tournament.standings import Standing, TableResult, standings


def result(points: dict[str, int | Fraction], *won: str) -> TableResult:
    return TableResult(points, frozenset(won))


def noted(table: tuple[str, ...], score: RoundScore) -> TableResult:
    return TableResult(dict(zip(table, score.points, strict=True)), frozenset(table[at] for at in score.winners))


EIGHT = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hanna")
ROUNDS = [
    [
        result({"Ada": 24, "Bo": -5, "Cleo": -16, "Dan": -3}, "Ada"),
        result({"Eve": -6, "Finn": -11, "Gus": 22, "Hanna": -5}, "Gus"),
    ],
    [
        result({"Ada": -32, "Gus": -13, "Dan": -2, "Eve": 47}, "Eve"),
        result({"Bo": 15, "Cleo": 15, "Finn": -10, "Hanna": -20}, "Bo", "Cleo"),
    ],
    [
        result({"Eve": -9, "Gus": -1, "Bo": 18, "Finn": -8}, "Bo"),
        result({"Cleo": -7, "Dan": 21, "Ada": -4, "Hanna": -10}, "Dan"),
    ],
]
"""A championship of eight, its tables scored as the rulebooks score theirs."""


def test_standings_of_three_rounds_agree_with_figures_by_hand():
    """Every figure of three rounds was added up by hand."""
    lines = standings(EIGHT, [table for each in ROUNDS for table in each])
    assert [(line.place, line.player, line.total, line.won, line.best) for line in lines] == [
        (1, "Eve", 32, 1, 47),
        (2, "Bo", 28, 2, 18),
        (3, "Dan", 16, 1, 21),
        (4, "Gus", 8, 1, 22),
        (5, "Cleo", -8, 1, 15),
        (6, "Ada", -12, 1, 24),
        (7, "Finn", -29, 0, -8),
        (8, "Hanna", -35, 0, -5),
    ]
    assert sum(line.total for line in lines) == 0
    # Eve sat with Finn, Gus, Hanna; Ada, Gus, Dan; Gus, Bo, Finn: -29 + 8 - 35 - 12 + 8 + 16 + 8 + 28 - 29.
    assert lines[0].opposition == -37
    assert {line.played for line in lines} == {3}


def test_rounds_won_decide_in_an_edition_that_counts_them():
    """Whatever the totals."""
    lines = standings("ABCDEFGH", [], Totals.ROUNDS_WON)
    assert {line.place for line in lines} == {1}
    lines = standings(EIGHT, [table for each in ROUNDS for table in each], Totals.ROUNDS_WON)
    assert [line.player for line in lines[:2]] == ["Bo", "Eve"]


@pytest.mark.parametrize(
    ("results", "order"),
    [
        pytest.param(
            [result({"A": 10, "C": -10}, "A"), result({"B": 5, "D": -5}, "B"), result({"B": 5, "E": -5}, "B")],
            {"B": 1, "A": 2},
            id="rounds won",
        ),
        pytest.param(
            [result({"A": 10, "C": -10}, "A"), result({"B": 10, "D": -10}, "B"), result({"D": 4, "E": -4}, "D")],
            {"B": 1, "A": 2},
            id="stronger tables",
        ),
        pytest.param(
            [
                result({"A": 10, "C": -10}, "A"),
                result({"A": 4, "D": -4}, "A"),
                result({"B": 7, "C": -7}, "B"),
                result({"B": 7, "D": -7}, "B"),
            ],
            {"A": 1, "B": 2},
            id="best round",
        ),
        pytest.param(
            [result({"A": 10, "C": -10}, "A"), result({"B": 10, "D": -10}, "B")], {"A": 1, "B": 1}, id="shared"
        ),
    ],
)
def test_tie_is_broken_by_the_first_rule_that_differs(results: list[TableResult], order: dict[str, int]) -> None:
    """Players equal in all rules share a place."""
    lines = {line.player: line for line in standings("ABCDE", results)}
    assert lines["A"].total == lines["B"].total
    assert {player: lines[player].place for player in order} == order


def test_place_after_a_shared_one_is_skipped():
    """Two firsts, then a third."""
    lines = standings("ABCD", [result({"A": 3, "B": 3, "C": -2, "D": -4}, "A", "B")])
    assert [line.place for line in lines] == [1, 1, 3, 4]


def test_bye_counts_no_points_wins_or_meetings():
    """A bye adds no points, no win and no meeting."""
    lines = standings("ABCDE", [result({"A": 9, "B": -2, "C": -3, "D": -4}, "A")])
    assert lines[1] == Standing(2, "E", 0, 0, 0, 0, 0)


def test_result_of_an_unknown_player_is_refused():
    with pytest.raises(KeyError):
        standings("AB", [result({"A": 1, "Z": -1}, "A")])


RACKS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 14)), min_size=2, max_size=4)


@given(st.lists(st.tuples(RACKS, st.booleans(), st.randoms(use_true_random=False)), max_size=12), st.data())
def test_totals_of_zero_sum_rounds_add_up_to_zero(
    rounds: list[tuple[list[tuple[int, int]], bool, random.Random]], data: st.DataObject
) -> None:
    """With shared wins too."""
    edition = data.draw(st.sampled_from(sorted(RULE_SETS)))
    rules = rule_set(edition)
    players = [f"p{number}" for number in range(9)]
    results, expected = [], dict.fromkeys(players, Fraction(0))
    for racks, goes_out, rng in rounds:
        table = tuple(rng.sample(players, len(racks)))
        racks_left = [RackLeft(*rack) for rack in racks]
        if goes_out:
            racks_left[0] = RackLeft(0, 0)
        score = score_round(racks_left, 0 if goes_out else None, rules)
        if not score.zero_sum:
            continue
        results.append(noted(table, score))
        assert results[-1].balance == 0
        for player, points in zip(table, score.points, strict=True):
            expected[player] += points
    lines = standings(players, results)
    assert sum(line.total for line in lines) == 0
    assert {line.player: line.total for line in lines} == expected
    assert [line.total for line in lines] == sorted(expected.values(), reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("way", Pairing)
def test_played_championship_adds_up(way: Pairing) -> None:
    """Twelve random players, three rounds, tile by tile."""
    players, rng = [f"p{number:02}" for number in range(12)], random.Random(12)
    past: list[PairedRound] = []
    results: list[TableResult] = []
    for number in range(3):
        ranking = [line.player for line in standings(players, results)]
        past.append(pair(way, players, past, rng, ranking))
        for table in past[-1].tables:
            *_, (game, _) = random_game(random.Random(f"{number} {table}"), "finnish", players=table)
            results.append(noted(table, game.state.sheet.rounds[0]))
    lines = standings(players, results)
    assert sum(line.total for line in lines) == sum(result.balance for result in results)
    assert repeated_meetings(past[:1]) == 0
    assert {line.played for line in lines} == {3}

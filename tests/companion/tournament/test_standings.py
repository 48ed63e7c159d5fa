"""Standings: places, reasons, and an independent recount of random tournaments."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.companion.tournament.test_tie_breaks import EIGHT, GAMES, game
from tests.support.random_tournaments import EVERY_FORMAT, random_tournament
from tilekeeper.companion.tournament.criteria import TIE_BREAKS, Criterion
from tilekeeper.companion.tournament.formats import Format, default_criteria
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import HandDecision, TournamentRecord
from tilekeeper.companion.tournament.recount import find_faults
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.standings import Lead, Ranking, lead_over, standings
from tilekeeper.engine.rules.policies import Totals

BY_POINTS = Ranking(default_criteria(Totals.HIGHEST_TOTAL))


def test_standings_of_three_rounds_agree_with_figures_by_hand():
    """Every figure of three rounds was added up by hand."""
    lines = standings(TournamentRecord(EIGHT, games=GAMES), BY_POINTS)
    figures = [
        (line.place, line.player, line.score, line.values[Criterion.WINS], line.values[Criterion.BEST_GAME])
        for line in lines
    ]
    assert figures == [
        (1, "Eve", 32, 1, 47),
        (2, "Bo", 28, 2, 18),
        (3, "Dan", 16, 1, 21),
        (4, "Gus", 8, 1, 22),
        (5, "Cleo", -8, 1, 15),
        (6, "Ada", -12, 1, 24),
        (7, "Finn", -29, 0, -8),
        (8, "Hanna", -35, 0, -5),
    ]
    assert sum(line.score for line in lines) == 0
    assert {line.played for line in lines} == {3}
    assert {line.lead and line.lead.criterion for line in lines[:-1]} == {Criterion.TILE_POINTS}


def test_rounds_won_come_first_in_a_box_that_counts_them():
    """Bo has won two, whatever the totals."""
    lines = standings(TournamentRecord(EIGHT, games=GAMES), Ranking(default_criteria(Totals.ROUNDS_WON)))
    assert [line.player for line in lines[:2]] == ["Bo", "Eve"]


def test_lead_over_a_line_further_down_is_the_first_criterion_that_differs():
    """A and C are equal on points; between them B, too, has 10. A has two wins, B and C one; B has the better game."""
    games = (
        game(1, {"A": 4, "D": -4}),
        game(2, {"A": 6, "D": -6}),
        game(1, {"B": 12, "E": -12}),
        game(2, {"B": -2, "F": 2}),
        game(1, {"C": 10, "G": -10}),
    )
    ranking = Ranking((Criterion.TILE_POINTS, Criterion.WINS, Criterion.BEST_GAME))
    lines = standings(TournamentRecord(tuple("ABCDEFG"), games=games), ranking)
    assert [line.player for line in lines[:3]] == ["A", "B", "C"]
    assert lead_over(lines, 0, 2, ranking.criteria) == Lead(Criterion.WINS, 2, 1)
    assert lead_over(lines, 1, 2, ranking.criteria) == lines[1].lead == Lead(Criterion.BEST_GAME, 12, 10)
    assert lead_over(lines, 0, 6, ranking.criteria) == Lead(Criterion.TILE_POINTS, 10, lines[6].score)
    assert lead_over(lines, 2, 2, ranking.criteria) is None


def test_line_names_the_criterion_that_puts_it_ahead():
    """A and B are equal on points; B has won twice."""
    games = (game(1, {"A": 10, "C": -10}), game(1, {"B": 5, "D": -5}), game(2, {"B": 5, "E": -5}))
    first, second, *_ = standings(TournamentRecord(tuple("ABCDE"), games=games), BY_POINTS)
    assert (first.player, second.player) == ("B", "A")
    assert (first.lead and first.lead.criterion, first.values[Criterion.WINS], second.values[Criterion.WINS]) == (
        Criterion.WINS,
        2,
        1,
    )


def test_place_after_a_shared_one_is_skipped():
    """Two firsts, then a third; the shared place has no criterion that decides."""
    lines = standings(TournamentRecord(tuple("ABCD"), games=(game(1, {"A": 3, "B": 3, "C": -2, "D": -4}),)), BY_POINTS)
    assert [line.place for line in lines] == [1, 1, 3, 4]
    assert lines[0].lead is None
    assert lines[1].lead == Lead(Criterion.TILE_POINTS, 3, -2)


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ((), "must count first"),
        ((Criterion.LOT,), "must count first"),
        ((Criterion.WINS, Criterion.WINS), "chosen once"),
    ],
)
def test_impossible_criteria_are_refused(criteria: tuple[Criterion, ...], words: str) -> None:
    """The score comes first, and nothing twice."""
    with pytest.raises(ValueError, match=words):
        Ranking(criteria)


SCORINGS = st.builds(
    TournamentScoring,
    bye_points=st.integers(0, 80),
    loss_cap=st.none() | st.integers(0, 60),
    win_bonus=st.integers(0, 30),
    unopened_points=st.none() | st.just(100),
    best_games=st.none() | st.integers(1, 6),
)
CRITERIA = st.sampled_from(TIE_BREAKS[:3]).flatmap(
    lambda score: st.permutations([one for one in TIE_BREAKS if one is not score]).map(
        lambda others: (score, *others[:6])
    )
)


SIZES = st.tuples(st.integers(2, 16), st.integers(1, 5), st.integers(1, 3), st.integers(2, 4))
"""Numbers of players, rounds, games in a round, and players at a table."""
WAYS = st.sampled_from([(way, 0) for way in Pairing] + [(Pairing.SWISS, 4)])
"""Ways of pairing, each with the number of finalists."""


@given(SIZES, WAYS, SCORINGS, CRITERIA, st.integers(0, 99))
def test_standings_of_random_tournaments_equal_the_recount(
    sizes: tuple[int, int, int, int],
    way: tuple[Pairing, int],
    scoring: TournamentScoring,
    criteria: tuple[Criterion, ...],
    seed: int,
) -> None:
    """With byes of each kind, penalties, late players, players who leave, and ties decided by hand."""
    players, rounds, games, table_size = sizes
    pairing, finalists = way
    chosen = Format(table_size, games, rounds, pairing, 1, finalists, criteria, scoring)
    record = random_tournament(players, chosen, random.Random(seed))
    ranking = chosen.ranking(Totals.HIGHEST_TOTAL)
    lines = standings(record, ranking)
    assert find_faults(record, ranking, lines) == ()
    assert sorted(line.player for line in lines) == sorted(record.players)
    # Entering the players in another order changes the order of equal players only.
    other = standings(replace(record, players=record.players[::-1]), ranking)
    assert {line.player: line.place for line in other} == {line.player: line.place for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_FORMAT)
def test_two_hundred_players_in_seven_rounds_equal_the_recount(name: str) -> None:
    """Each ready-made format and way of pairing, with random results; a final comes after them."""
    chosen = replace(EVERY_FORMAT[name], rounds=7)
    record = random_tournament(200, chosen, random.Random(name))
    ranking = chosen.ranking(Totals.HIGHEST_TOTAL)
    assert len(record.rounds) >= 6  # players who leave can end a knock-out a round earlier
    assert find_faults(record, ranking, standings(record, ranking)) == ()


def test_recount_finds_each_planted_fault():
    """A doubled result, a player at two tables, and wrong standings are found, each as its own kind."""
    chosen = Format(rounds=3, criteria=BY_POINTS.criteria)
    record = random_tournament(12, chosen, random.Random(5))
    ranking = chosen.ranking(Totals.HIGHEST_TOTAL)
    lines = standings(record, ranking)
    doubled = replace(record, games=(*record.games, record.games[0]))
    assert "wrong-games" in {fault.kind for fault in find_faults(doubled, ranking, standings(doubled, ranking))}
    first = record.rounds[0]
    (one, *rest), (other, *others) = first.tables[0], first.tables[1]
    swapped = replace(first, tables=((other, *rest), (one, *others), *first.tables[2:]))
    moved = replace(record, rounds=(swapped, *record.rounds[1:]))
    assert "other-players" in {fault.kind for fault in find_faults(moved, ranking, standings(moved, ranking))}
    twice = replace(first, tables=(first.tables[0], (one, *others), *first.tables[2:]))
    seated = replace(record, rounds=(twice, *record.rounds[1:]))
    assert "two-places" in {fault.kind for fault in find_faults(seated, ranking, standings(seated, ranking))}
    assert "wrong-order" in {fault.kind for fault in find_faults(record, ranking, lines[::-1])}
    wrong = (replace(lines[0], values={**lines[0].values, Criterion.TILE_POINTS: 999}), *lines[1:])
    assert [fault.kind for fault in find_faults(record, ranking, wrong)] == ["wrong-value"]
    for misplaced in (lines[1:], (replace(lines[0], place=2), *lines[1:])):
        (fault,) = find_faults(record, ranking, misplaced)
        assert (fault.kind, fault.players) == ("wrong-place", (lines[0].player,))


@pytest.mark.parametrize(
    "criterion", [Criterion.DIRECT_ENCOUNTER, Criterion.LOT, Criterion.BY_HAND, Criterion.PROGRESSIVE]
)
def test_recount_finds_equal_players_in_the_wrong_order(criterion: Criterion) -> None:
    """A and B are equal on wins; B beat A, has the higher lot, the arbiter's favour, and the better first round."""
    games = (game(1, {"A": -9, "B": 9}), game(2, {"A": 9, "C": -9}))
    record = TournamentRecord(tuple("ABC"), games=games, decisions=(HandDecision(tuple("BAC")),), lot_seed="7")
    ranking = Ranking((Criterion.WINS, criterion))
    lines = standings(record, ranking)
    assert find_faults(record, ranking, lines) == ()
    wrong = standings(record, replace(ranking, criteria=(Criterion.WINS,)))
    found = [(fault.kind.value, fault.players) for fault in find_faults(record, ranking, wrong)]
    assert found == [("wrong-place", ("A",)), ("wrong-order", ("A", "B"))]

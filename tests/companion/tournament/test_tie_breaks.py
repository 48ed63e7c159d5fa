"""Each tie-break on a small tournament whose numbers were worked out by hand."""

import pytest

from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import (
    ArbiterPenalty,
    Bye,
    ByeKind,
    GameResult,
    HandDecision,
    PairedRound,
    TournamentRecord,
)
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.standings import Lead, Ranking, standings
from tilekeeper.companion.tournament.tie_breaks import TieBreaks

POINTS, WINS, ENCOUNTER = Criterion.TILE_POINTS, Criterion.WINS, Criterion.DIRECT_ENCOUNTER


def game(round_: int, points: dict[str, int]) -> GameResult:
    """Return a game that the highest points win."""
    return GameResult(round_, points, frozenset(one for one, noted in points.items() if noted == max(points.values())))


EIGHT = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hanna")
GAMES = (
    game(1, {"Ada": 24, "Bo": -5, "Cleo": -16, "Dan": -3}),
    game(1, {"Eve": -6, "Finn": -11, "Gus": 22, "Hanna": -5}),
    game(2, {"Ada": -32, "Gus": -13, "Dan": -2, "Eve": 47}),
    game(2, {"Bo": 15, "Cleo": 15, "Finn": -10, "Hanna": -20}),
    game(3, {"Eve": -9, "Gus": -1, "Bo": 18, "Finn": -8}),
    game(3, {"Cleo": -7, "Dan": 21, "Ada": -4, "Hanna": -10}),
)
"""The totals are Eve 32, Bo 28, Dan 16, Gus 8, Cleo -8, Ada -12, Finn -29, Hanna -35."""


@pytest.mark.parametrize(
    ("criterion", "value"),
    [
        (Criterion.TILE_POINTS, 32),  # -6 + 47 - 9
        (Criterion.PLACEMENT_POINTS, 5),  # third, first, last: 1 + 4 + 0
        (Criterion.WINS, 1),
        (Criterion.BEST_GAME, 47),
        # Finn, Gus, Hanna; Ada, Gus, Dan; Gus, Bo, Finn: -29 + 8 - 35, -12 + 8 + 16, 8 + 28 - 29
        (Criterion.BUCHHOLZ, -37),
        (Criterion.BUCHHOLZ_CUT_1, -2),  # without Hanna's -35
        (Criterion.BUCHHOLZ_MEDIAN, -30),  # without Bo's 28 either
        (Criterion.PROGRESSIVE, 67),  # -6, 41, 32
    ],
)
def test_value_of_a_criterion_is_the_one_worked_out_by_hand(criterion: Criterion, value: int) -> None:
    """Eve's values after three rounds of eight players."""
    tie_breaks = TieBreaks(TournamentRecord(EIGHT, games=GAMES), TournamentScoring(), POINTS)
    assert tie_breaks.values(criterion)["Eve"] == value


def test_bye_and_missing_opponent_count_the_own_score_in_buchholz():
    """A has a bye (50) and then 10 at a table of three: 3 dummies of 60, two opponents of -5 and one dummy of 60."""
    rounds = (PairedRound((), (Bye("A", ByeKind.FULL),)), PairedRound((("A", "B", "C"),)))
    record = TournamentRecord(("A", "B", "C"), rounds, (game(2, {"A": 10, "B": -5, "C": -5}),))
    assert TieBreaks(record, TournamentScoring(), POINTS).values(Criterion.BUCHHOLZ)["A"] == 4 * 60 - 2 * 5


def test_penalty_lowers_the_score_from_its_round_on():
    """A has 10, 20 after two rounds; a penalty of 5 in round 2 leaves 15, and 10 + 15 in the progressive score."""
    games = (game(1, {"A": 10, "B": -10}), game(2, {"A": 10, "B": -10}))
    tie_breaks = TieBreaks(
        TournamentRecord(("A", "B"), games=games, penalties=(ArbiterPenalty("A", 2, 5),)), TournamentScoring(), POINTS
    )
    assert (tie_breaks.scores["A"], tie_breaks.values(Criterion.PROGRESSIVE)["A"]) == (15, 25)
    assert tie_breaks.values(WINS)["A"] == 2


def order(games: tuple[GameResult, ...], *criteria: Criterion, **record: object) -> list[tuple[str, int]]:
    players = tuple(sorted({player for result in games for player in result.points}))
    lines = standings(TournamentRecord(players, games=games, **record), Ranking(criteria))  # type: ignore[arg-type]
    return [(line.player, line.place) for line in lines]


def test_direct_encounter_of_two_is_their_common_game():
    """A and B have 5 points; in their game B had more."""
    games = (game(1, {"A": -4, "B": 2, "C": 2}), game(2, {"A": 9, "C": -9}), game(2, {"B": 3, "D": -3}))
    assert order(games, POINTS, ENCOUNTER)[:2] == [("B", 1), ("A", 2)]


def test_direct_encounter_of_three_in_a_circle_decides_nothing():
    """A beat B, B beat C, C beat A: each has one point, so the next criterion decides."""
    games = (
        game(1, {"A": 1, "B": -1}),
        game(2, {"B": 1, "C": -1}),
        game(3, {"C": 1, "A": -1}),
        game(4, {"C": 0, "D": 0}),
    )
    assert [place for _, place in order(games, POINTS, ENCOUNTER)[:3]] == [1, 1, 1]
    assert order(games, POINTS, ENCOUNTER, WINS)[0] == ("C", 1)


def test_direct_encounter_is_applied_again_to_those_who_stay_equal():
    """Among four with 1 point, A and B have two encounters each, C and D one; then A beat B, and C beat D."""
    encounters = ("AB", "AC", "DA", "BC", "BD", "CD")
    games = tuple(game(number, {one: 1, other: -1}) for number, (one, other) in enumerate(encounters, start=1))
    games += (game(7, {"C": 2, "E": -2}), game(8, {"D": 2, "F": -2}))
    assert order(games, POINTS, ENCOUNTER)[:4] == [("A", 1), ("B", 2), ("C", 3), ("D", 4)]
    lines = standings(TournamentRecord(tuple("ABCDEF"), games=games), Ranking((POINTS, ENCOUNTER)))
    assert [line.lead for line in lines[:3]] == [Lead(ENCOUNTER, *two) for two in ((1, 0), (2, 1), (1, 0))]


def test_direct_encounter_without_all_meetings_counts_only_if_nobody_can_overtake():
    """A beat B and C, who never met: A is first whatever they would have done, and they stay equal."""
    games = (
        game(1, {"A": 2, "B": -2}),
        game(2, {"A": 2, "C": -2}),
        game(3, {"A": -2, "D": 2}),
        game(4, {"D": -1, "F": 1}),
        game(3, {"B": 4, "E": -4}),
        game(4, {"C": 4, "E": -4}),
    )
    assert order(games, POINTS, ENCOUNTER)[:3] == [("A", 1), ("B", 2), ("C", 2)]


def test_direct_encounter_of_players_who_never_met_decides_nothing():
    games = (game(1, {"A": 3, "C": -3}), game(1, {"B": 3, "D": -3}))
    assert order(games, POINTS, ENCOUNTER) == [("A", 1), ("B", 1), ("C", 3), ("D", 3)]


def test_lot_is_the_first_part_of_the_digest_of_seed_and_player():
    """`printf "7 A" | sha256sum` begins with 14bd3cb07f9e3, that of B with 92e76, and that of C with add77."""
    record = TournamentRecord(tuple("ABC"), lot_seed="7")
    lots = TieBreaks(record, TournamentScoring(), POINTS).values(Criterion.LOT)
    assert lots == {"A": 0x14BD3CB07F9E3, "B": 0x92E761ED67FE7, "C": 0xADD773459B9D8}
    assert [line.player for line in standings(record, Ranking((POINTS, Criterion.LOT)))] == ["C", "B", "A"]


def test_lot_is_the_same_for_the_same_seed():
    """Ten equal players are in some order, another one with another seed."""
    players = tuple("ABCDEFGHIJ")

    def draw(seed: str) -> list[str]:
        record = TournamentRecord(players, lot_seed=seed)
        return [line.player for line in standings(record, Ranking((POINTS, Criterion.LOT)))]

    assert draw("1") == draw("1") != draw("2")
    assert draw("1") != list(players)


def test_arbiter_orders_equal_players_by_hand():
    """The later decision counts, and only between players who are equal."""
    games = (game(1, {"A": 3, "C": -3}), game(1, {"B": 3, "D": -3}))
    decisions = (HandDecision(("A", "B")), HandDecision(("D", "B", "A")))
    lines = standings(
        TournamentRecord(tuple("ABCD"), games=games, decisions=decisions), Ranking((POINTS, Criterion.BY_HAND))
    )
    assert [(line.player, line.place) for line in lines] == [("B", 1), ("A", 2), ("C", 3), ("D", 3)]
    assert lines[0].lead == Lead(Criterion.BY_HAND, 2, 1)

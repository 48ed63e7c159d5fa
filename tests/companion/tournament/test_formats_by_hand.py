"""Each ready-made format on a small event whose standings were worked out by hand; finals are in `test_knock_out`."""

from fractions import Fraction

from tests.companion.tournament.test_tie_breaks import game
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import FORMATS
from tilekeeper.companion.tournament.record import Bye, ByeKind, GameResult, PairedRound, TournamentRecord
from tilekeeper.companion.tournament.standings import Lead, Standing, standings
from tilekeeper.engine.rules.policies import Totals

POINTS, PLACEMENT, WINS = Criterion.TILE_POINTS, Criterion.PLACEMENT_POINTS, Criterion.WINS


def lines_of(name: str, record: TournamentRecord) -> tuple[Standing, ...]:
    return standings(record, FORMATS[name].ranking(Totals.HIGHEST_TOTAL))


def test_german_round_of_four_games_counts_placement_points_then_points() -> None:
    """Two tables, four games each; 4, 3, 1 and 0 for the places, and equal players share theirs.

    A: 4 + 2 + 3 + 3 and 45 - 5 - 4 - 3. E: 4 + 4 + 3 + 1 and 50 + 30 - 3 - 3. G: 1/2 + 1 + 1 + 3.
    """
    games = (
        game(1, {"A": 45, "B": -10, "C": -15, "D": -20}),
        game(1, {"A": -5, "B": 30, "C": -5, "D": -20}),
        game(1, {"A": -4, "B": -8, "C": 24, "D": -12}),
        game(1, {"A": -3, "B": -6, "C": -9, "D": 18}),
        game(1, {"E": 50, "F": -10, "G": -20, "H": -20}),
        game(1, {"E": 30, "F": -5, "G": -10, "H": -15}),
        game(1, {"E": -3, "F": 12, "G": -4, "H": -5}),
        game(1, {"E": -3, "F": -5, "G": -1, "H": 9}),
    )
    lines = lines_of(
        "german", TournamentRecord(tuple("ABCDEFGH"), (PairedRound((tuple("ABCD"), tuple("EFGH"))),), games)
    )
    assert [(line.place, line.player, line.score, line.values[POINTS]) for line in lines] == [
        (1, "E", 12, 74),
        (2, "A", 12, 33),
        (3, "F", 10, -8),
        (4, "B", 9, 6),
        (5, "C", 7, -5),
        (6, "G", Fraction(11, 2), -35),
        (7, "H", Fraction(9, 2), -31),
        (8, "D", 4, -34),
    ]
    assert lines[0].lead == Lead(POINTS, 74, 33)


def test_olympiad_counts_wins_and_a_player_who_never_opened_pays_a_hundred() -> None:
    """A beat B, B beat C and C beat A, so direct encounter decides nothing, and points do.

    C gets 100 from D, who never opened with 42 on the rack: 100 + 20 - 25.
    """
    rounds = (
        PairedRound((("A", "B"), ("C", "D"))),
        PairedRound((("A", "C"), ("B", "D"))),
        PairedRound((("A", "D"), ("B", "C"))),
    )
    games = (
        game(1, {"A": 30, "B": -30}),
        GameResult(1, {"C": 42, "D": -42}, frozenset("C"), frozenset("D")),
        game(2, {"C": 20, "A": -20}),
        game(2, {"B": 15, "D": -15}),
        game(3, {"A": 10, "D": -10}),
        game(3, {"B": 25, "C": -25}),
    )
    lines = lines_of("mso", TournamentRecord(tuple("ABCD"), rounds, games))
    assert [
        (line.player, line.score, line.values[POINTS], line.values[Criterion.BUCHHOLZ_CUT_1]) for line in lines
    ] == [
        ("C", 2, 95, 4),  # the scores of D, A and B are 0, 2 and 2, without the lowest
        ("A", 2, 20, 4),
        ("B", 2, 10, 4),
        ("D", 0, -125, 4),  # 2, 2 and 2, without one of them
    ]
    assert lines[0].lead == Lead(POINTS, 95, 20)


def test_league_counts_the_best_nine_of_twelve_games_with_cap_and_bonus() -> None:
    """A loss costs at most 100, and a win gives 20 more.

    A has 150, -40, -100 | 30, -5, -60 | 45, 25, -15 | -1, -2, 70, of which -100, -60 and -40 do not count.
    B has -100, 60, 140 | -10, 25, 80 | -25, -5, 35 | 21, 22, -50, of which -100, -50 and -25 do not count.
    """
    of_a = ((130, -40, -120), (10, -5, -60), (25, 5, -15), (-1, -2, 50))
    games = tuple(game(number, {"A": one, "B": -one}) for number, each in enumerate(of_a, start=1) for one in each)
    rounds = (PairedRound((("A", "B"),)),) * 4
    lines = lines_of("league", TournamentRecord(("A", "B"), rounds, games))
    criteria = (POINTS, WINS, Criterion.BEST_GAME, Criterion.PROGRESSIVE)
    assert {line.player: [line.values[one] for one in criteria] for line in lines} == {
        "A": [297, 5, 150, 852],  # 150, 175, 230 and 297 after the rounds
        "B": [368, 7, 140, 1188],  # 200, 295, 325 and 368
    }
    assert [line.player for line in lines] == ["B", "A"]


def test_club_evening_with_a_bye_for_each_winner_has_two_firsts() -> None:
    """A and E win by 30 at a table of four and have a bye of 50.

    Their Buchholz is equal as well: B, C and D with -7, -20 and -33, and three times their own 80 for the bye.
    """
    rounds = (
        PairedRound((tuple("ABCD"),), (Bye("E", ByeKind.ALLOCATED),)),
        PairedRound((tuple("BCDE"),), (Bye("A", ByeKind.ALLOCATED),)),
    )
    games = (game(1, {"A": 30, "B": -5, "C": -10, "D": -15}), game(2, {"B": -2, "C": -10, "D": -18, "E": 30}))
    lines = lines_of("club", TournamentRecord(tuple("ABCDE"), rounds, games))
    assert [
        (line.place, line.player, line.score, line.values[WINS], line.values[Criterion.BUCHHOLZ]) for line in lines
    ] == [
        (1, "A", 80, 2, 180),
        (1, "E", 80, 2, 180),
        (3, "B", -7, 0, 54),  # 80 - 20 - 33 in each round
        (4, "C", -20, 0, 80),
        (5, "D", -33, 0, 106),
    ]

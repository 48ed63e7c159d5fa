"""Finals: who qualifies, who goes on after each round, and the final standings, with the numbers by hand."""

import random

from tests.companion.tournament.test_tie_breaks import game
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.formats import Format
from tilekeeper.companion.tournament.knock_out import advance, qualify
from tilekeeper.companion.tournament.pairing import Pairing, pair
from tilekeeper.companion.tournament.record import Bye, ByeKind, PairedRound, TournamentRecord
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.tournament.standings import Lead, standings
from tilekeeper.engine.rules.policies import Totals

POINTS = Criterion.TILE_POINTS


def test_best_of_each_table_go_on_in_the_order_of_the_standings():
    """B and C are equal at their table; C stands higher. From a table of two only one goes on."""
    paired = PairedRound((("A", "B", "C"), ("D", "E")), (Bye("F", ByeKind.ALLOCATED), Bye("G", ByeKind.ZERO)))
    scores = {"A": 9, "B": 2, "C": 2, "D": -1, "E": 1}
    assert advance(paired, scores, tuple("FEDCBAG"), 2) == ("F", "E", "C", "A")


def test_full_bye_goes_on_as_one_by_the_pairing_and_half_a_bye_does_not():
    """F did not play for a good reason; G asked for half a point, which is no way into the next round."""
    paired = PairedRound((("A", "B"), ("C", "D")), (Bye("F", ByeKind.FULL), Bye("G", ByeKind.HALF)))
    assert advance(paired, {"A": 1, "B": 0, "C": 1, "D": 0}, tuple("ABCDFG"), 1) == ("A", "C", "F")


def test_round_of_a_knock_out_counts_all_its_games_although_only_the_best_count_in_all():
    """A has -40 and +30 in the final: the loss counts there, so B wins it, although A's best game is the better one."""
    chosen = Format(2, 2, 1, advancing=1, finalists=2, criteria=(POINTS,), scoring=TournamentScoring(best_games=1))
    games = (game(1, {"A": 50, "C": -50}), game(1, {"B": 40, "D": -40}))
    final = (game(2, {"A": -40, "B": 40}), game(2, {"A": 30, "B": -30}))
    rounds = (PairedRound((("A", "C"), ("B", "D"))), PairedRound((("A", "B"),)))
    record = TournamentRecord(tuple("ABCD"), rounds, (*games, *final))
    lines = standings(record, chosen.ranking(Totals.HIGHEST_TOTAL))
    assert [line.player for line in lines[:2]] == ["B", "A"]
    assert lines[0].lead == Lead(Criterion.KNOCK_OUT_RESULT, 10, -10)


def test_last_table_ends_the_knock_out():
    """Nobody goes on after a round with one table and no bye; with a bye there is one more round."""
    assert advance(PairedRound((("A", "B"),)), {"A": 1, "B": 0}, ("A", "B"), 1) == ()
    with_bye = PairedRound((("A", "B"),), (Bye("C", ByeKind.ALLOCATED),))
    assert advance(with_bye, {"A": 1, "B": 0}, ("C", "A", "B"), 1) == ("C", "A")


def test_best_eight_of_forty_play_two_semi_finals_and_a_final_in_the_seats_of_their_places():
    """The semi-finals are a serpentine of the places: 1, 4, 5, 8 and 2, 3, 6, 7. Two of each table go on."""
    ranking = tuple(str(place) for place in range(1, 41))
    rounds = [PairedRound(tuple(ranking[index : index + 4] for index in range(0, 40, 4)))]
    eight = qualify(ranking, 8)
    semi_finals = pair(Pairing.KNOCK_OUT, eight, rounds, random.Random(1), ranking)
    assert semi_finals == PairedRound((("1", "4", "5", "8"), ("2", "3", "6", "7")))
    scores = {"1": -3, "4": 9, "5": -4, "8": -2, "2": 8, "3": -1, "6": -5, "7": -2}
    four = advance(semi_finals, scores, ranking, 2)
    assert four == ("2", "3", "4", "8")
    final = pair(Pairing.KNOCK_OUT, four, [*rounds, semi_finals], random.Random(1), ranking)
    assert final == PairedRound((("2", "3", "4", "8"),))


def test_final_decides_the_first_places_and_the_rounds_before_the_others():
    """After one round the best four of eight play the final: its result comes first, whatever the totals."""
    chosen = Format(rounds=1, finalists=4, criteria=(Criterion.TILE_POINTS,))
    players = tuple("ABCDEFGH")
    games = (
        game(1, {"A": 60, "B": -10, "C": -20, "D": -30}),
        game(1, {"E": 12, "F": -2, "G": -4, "H": -6}),
    )
    record = TournamentRecord(players, (PairedRound((tuple("ABCD"), tuple("EFGH"))),), games)
    ranking = chosen.ranking(Totals.HIGHEST_TOTAL)
    order = [line.player for line in standings(record, ranking)]
    assert order == list("AEFGHBCD")
    finalists = qualify(order, chosen.finalists)
    final = pair(Pairing.KNOCK_OUT, finalists, record.rounds, random.Random(1), order)
    assert final.tables == (("A", "E", "F", "G"),), "the seats are in the order of qualification"
    played = TournamentRecord(players, (*record.rounds, final), (*games, game(2, {"G": 9, "F": -2, "E": -3, "A": -4})))
    lines = standings(played, ranking)
    assert [line.player for line in lines] == list("GFEAHBCD")
    assert [line.lead and line.lead.criterion for line in lines[:5]] == [Criterion.KNOCK_OUT_RESULT] * 3 + [
        Criterion.KNOCK_OUT_ROUND,
        Criterion.TILE_POINTS,
    ]

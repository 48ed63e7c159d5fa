"""The score sheet: the example of the rulebooks, totals, leaders, rounds won, and rounds that do not add up."""

from fractions import Fraction

import pytest

from tilekeeper.engine.game.score_sheet import ScoreSheet, score_from_notes
from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.rules.policies import Totals

PRINTED = [(24, -5, -16, -3), (-6, -11, 22, -5), (-32, -13, -2, 47)]


def sheet(*rounds: RoundScore, counts: Totals = Totals.HIGHEST_TOTAL, players: str = "ABCD") -> ScoreSheet:
    empty = ScoreSheet(tuple(players), counts)
    for score in rounds:
        empty = empty.with_round(score)
    return empty


def test_score_sheet_of_the_rulebooks_adds_up() -> None:
    """Three rounds, their totals, and 0 in every round."""
    printed = sheet(*map(score_from_notes, PRINTED))
    assert printed.totals == (-14, -29, 4, 39)
    assert printed.leaders == (3,)
    assert printed.unbalanced_rounds == ()
    assert printed.imbalance == 0
    assert [score.winners for score in printed.rounds] == [(0,), (2,), (3,)]


def test_empty_sheet_has_no_leader() -> None:
    """Nobody leads before the first round."""
    assert sheet().totals == (0, 0, 0, 0)
    assert sheet().leaders == ()
    assert sheet().imbalance == 0


def test_round_that_does_not_add_up_is_listed() -> None:
    """The imbalance is its sum."""
    wrong = sheet(score_from_notes((24, -5, -16, -3)), score_from_notes((10, -5, -4, -3)))
    assert wrong.unbalanced_rounds == (1,)
    assert wrong.imbalance == -2
    assert sheet(score_from_notes((24, -5, -16, -1))).unbalanced_rounds == (0,)


def test_round_with_only_minus_points_is_not_checked() -> None:
    """It counts in the totals."""
    minus = sheet(score_from_notes((5, -5)), RoundScore((-3, -4), (0,), zero_sum=False), players="AB")
    assert minus.totals == (2, -9)
    assert minus.unbalanced_rounds == ()
    assert minus.imbalance == 0


def test_equal_totals_share_the_lead() -> None:
    """Fractions and whole numbers alike."""
    half = Fraction(15, 2)
    shared = sheet(RoundScore((half, half, -15), (0, 1), True), players="ABC")
    assert shared.leaders == (0, 1)
    twice = shared.with_round(RoundScore((half, half, -15), (0, 1), True))
    assert twice.totals == (15, 15, -30)
    assert all(isinstance(total, int) for total in twice.totals)
    assert shared.with_round(RoundScore((-9, 10, -1), (1,), True)).totals == (Fraction(-3, 2), Fraction(35, 2), -16)


def test_rounds_won_decide_in_an_edition_that_counts_them() -> None:
    """The points decide only their round."""
    won = sheet(
        RoundScore((20, 3), (0,), False),
        RoundScore((5, 6), (1,), False),
        RoundScore((4, 4), (0, 1), False),
        RoundScore((1, 6), (1,), False),
        counts=Totals.ROUNDS_WON,
        players="AB",
    )
    assert won.totals == (2, 3)
    assert won.leaders == (1,)


def test_noted_round_with_another_number_of_players_is_refused() -> None:
    """A round for three is refused by a sheet for four."""
    with pytest.raises(ValueError, match="the sheet has 4 players, the round 3"):
        sheet(score_from_notes((1, 2, -3)))
    with pytest.raises(ValueError, match="the sheet has 4 players, the round 5"):
        sheet(score_from_notes((1, 2, -3, 0, 0)))


def test_score_with_another_number_of_players_is_refused() -> None:
    """Three players' points fit no sheet of four."""
    with pytest.raises(ValueError, match="the sheet has 4 players, the round 3"):
        sheet(RoundScore((5, -2, -3), (0,), True))

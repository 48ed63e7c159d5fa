"""Stars: what is paid at the end of a round, and who has won it."""

from dataclasses import replace

import pytest

from tilekeeper.engine.game.star_scoring import most_stars, score_stars
from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.rules.editions import rule_set

RULES = rule_set("junior")
STARS = RULES.stars
assert STARS is not None


@pytest.mark.parametrize(
    ("purses", "left", "out", "points", "winners"),
    [
        ((9, 7, 4), (0, 2, 5), 0, (9, 5, 0), (0,)),
        ((9, 9, 4), (0, 0, 1), 1, (9, 9, 3), (1,)),
        ((5, 9, 9), (0, 0, 0), 0, (5, 9, 9), (1, 2)),
        ((9, 7, 4), (1, 2, 5), None, (8, 5, 0), (0,)),
    ],
)
def test_the_end_of_a_round(
    purses: tuple[int, ...], left: tuple[int, ...], out: int | None, points: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    """A star for each tile left, or all there are; most stars win; a tie goes to whoever is out, or is shared."""
    assert STARS is not None
    bank, score = score_stars(Bank(56 - sum(purses), purses), left, out, STARS)
    assert (score.points, score.winners, score.zero_sum) == (points, winners, False)
    assert bank.size == 56
    assert bank.purses == points


def test_house_rules_at_the_end() -> None:
    """Tiles may cost more, cost nothing where the pool was empty, and a tie may be shared with whoever is out."""
    assert STARS is not None
    bank = Bank(36, (10, 10))
    assert score_stars(bank, (0, 2), 0, replace(STARS, tile_left=3))[1].points == (10, 4)
    assert score_stars(bank, (1, 2), None, replace(STARS, tiles_left_cost=False))[1].points == (10, 10)
    assert score_stars(bank, (0, 2), 0, replace(STARS, tiles_left_cost=False))[1].points == (10, 8)
    assert score_stars(bank, (0, 0), 0, replace(STARS, finisher_wins_tie=False))[1].winners == (0, 1)


def test_stars_that_are_owed_count() -> None:
    """A debt of the bank is the player's own."""
    assert most_stars(Bank(0, (28, 28), (1,))).winners == (1,)

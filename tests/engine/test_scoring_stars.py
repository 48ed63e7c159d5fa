"""Stars: the examples of the rulebook for the youngest, and what is paid at the end of a round."""

from dataclasses import replace

import pytest

from tilekeeper.engine.editions import rule_set
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.notation import parse_table
from tilekeeper.engine.scoring_stars import most_stars, score_stars, turn_stars
from tilekeeper.engine.stars import Bank

RULES = rule_set("junior")
STARS = RULES.stars
assert STARS is not None


def earned(before: str, after: str, emptied: bool = False) -> int:
    verdict = judge(parse_table(before), parse_table(after), TurnContext(RULES, opened=True))
    assert verdict.legal, verdict.violations
    assert STARS is not None
    return turn_stars(verdict, emptied, STARS)


@pytest.mark.parametrize(
    ("before", "after", "stars"),
    [
        pytest.param("", "R2 R3 R4", 4, id="Belohnungen, Beispiel 1: a new run of 3"),
        pytest.param("R2 R3 R4 | K7 K8 K9", "R1 R2 R3 R4 R5 | K7 K8 K9 K10", 3, id="Beispiel 2: 3 tiles added to runs"),
        pytest.param(
            "R2 R3 R4 | K6 K7 K8",
            "R2 R3 R4 R5 | K6 K7 K8 K9 K10 | Y1 Y2 Y3",
            7,
            id="Beispiel 3: a new run of 3 and 3 tiles added",
        ),
        pytest.param("", "R2 R3 R4 | K1 K2 K3", 8, id="two new runs"),
        pytest.param("", "R2 J R4", 4, id="a joker in a new run is a tile laid"),
        pytest.param("R2 J R4", "R2 R3 R4", 0, id="replacing a joker earns nothing"),
        pytest.param("R2 J R4", "R2 R3 R4 R5", 1, id="replacing a joker, and a tile added"),
    ],
)
def test_what_a_turn_earns(before: str, after: str, stars: int) -> None:
    """A star for each tile laid but one that replaces a joker, and one more for each new run."""
    assert earned(before, after) == stars


def test_the_last_tile_earns_one_more() -> None:
    """Emptying the rack is printed twice and paid once."""
    assert earned("R2 R3 R4", "R2 R3 R4 R5", emptied=True) == 2


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

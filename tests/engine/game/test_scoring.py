"""Scoring: the points of each player at the end of a round, by edition, with ties and an empty pool."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.engine.game.scoring import RackLeft, RoundScore, lowest_racks, rack_left, score_round
from tilekeeper.engine.rules.editions import RULE_SETS, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.policies import EmptyPoolScore
from tilekeeper.engine.rules.ruleset import RuleSet, tile_points
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import JOKER, Tile

POINT_EDITIONS = [name for name, rules in RULE_SETS.items() if rules.stars is None]


def racks_of(text: str, rules: RuleSet) -> list[RackLeft]:
    """Parse racks, separated by slashes."""
    return [
        rack_left([tile for meld in parse_table(rack).melds for tile in meld], rules.scoring)
        for rack in text.split("/")
    ]


def noted(edition: str, text: str, out: int | None = None, *house: str) -> RoundScore:
    rules = with_house_rules(rule_set(edition), house)
    return score_round(racks_of(text, rules), out, rules)


@pytest.mark.parametrize(
    ("edition", "joker"), [("large-numbers", 30), ("finnish", 30), ("travel", 30), ("junior", 1), ("cards", 25)]
)
def test_tile_counts_its_number_and_a_joker_its_own_points(edition: str, joker: int) -> None:
    """In the edition with stars each tile counts 1."""
    scoring = rule_set(edition).scoring
    assert tile_points(JOKER, scoring) == joker
    assert tile_points(Tile.from_label("red-9"), scoring) == (1 if edition == "junior" else 9)


def test_rack_counts_points_and_tiles() -> None:
    """An empty rack counts nothing."""
    rules = rule_set("large-numbers")
    assert racks_of("K13 B3 J/ ", rules) == [RackLeft(46, 3), RackLeft(0, 0)]


@pytest.mark.parametrize("edition", POINT_EDITIONS)
def test_losers_pay_the_player_who_is_out(edition: str) -> None:
    """Losers note minus the sum of their racks, and the player who is out notes the total as plus."""
    score = noted(edition, "R5/ /K13 B3/R3", 1)
    assert score == RoundScore((-5, 24, -16, -3), (1,), zero_sum=True)


def test_player_who_is_out_with_tiles_is_refused() -> None:
    """A rack with tiles on it is not out."""
    with pytest.raises(ValueError, match="player 0 is out, but 2 tiles are left"):
        noted("travel", "R5 R6/R7", 0)


@pytest.mark.parametrize(
    ("edition", "points", "zero_sum"),
    [
        ("large-numbers", (-5, -9, -30), False),
        ("finnish", (29, -4, -25), True),
        ("travel", (39, -9, -30), True),
        ("cards", (24, -4, -20), True),
    ],
)
def test_lowest_sum_wins_a_round_with_an_empty_pool(edition: str, points: tuple[int, ...], zero_sum: bool) -> None:
    """The noted points differ between the editions."""
    assert noted(edition, "R2 R3/R9/J") == RoundScore(points, (0,), zero_sum)


@pytest.mark.parametrize(
    ("racks", "winners"),
    [("R9/R4 R5/R10", (0,)), ("R4 R5/R9/K9", (1, 2)), ("R9/K9/B9", (0, 1, 2)), ("R4 R5/K4 K5/R10", (0, 1))],
)
def test_tied_sums_are_decided_by_fewer_tiles_and_then_shared(racks: str, winners: tuple[int, ...]) -> None:
    """With equal sums fewer tiles win; players equal in both share."""
    for edition in POINT_EDITIONS:
        assert noted(edition, racks).winners == winners


@pytest.mark.parametrize(
    ("edition", "racks", "points"),
    [
        ("finnish", "R9/K9/R13", (2, 2, -4)),
        ("cards", "R9/K9/R12", (Fraction(3, 2), Fraction(3, 2), -3)),
        ("travel", "R9/K9/R12", (6, 6, -12)),
        ("travel", "R9/K9/B9/R13", (Fraction(13, 3), Fraction(13, 3), Fraction(13, 3), -13)),
        ("travel", "R9/K9", (0, 0)),
        ("large-numbers", "R9/K9/R12", (-9, -9, -12)),
    ],
)
def test_winners_share_the_points_as_exact_fractions(
    edition: str, racks: str, points: tuple[int | Fraction, ...]
) -> None:
    """So that the sum stays 0."""
    score = noted(edition, racks)
    assert score.points == points
    assert all(isinstance(value, int) or value.denominator > 1 for value in score.points)


def test_fewest_tiles_win_by_house_rule() -> None:
    """A winner with a high sum pays for the difference."""
    score = noted("finnish", "R13/R1 R2/K1 K3", None, "scoring.lowest=tiles")
    assert score == RoundScore((-19, 10, 9), (0,), zero_sum=True)


def test_equal_numbers_of_tiles_are_decided_by_the_sum() -> None:
    """Seats must not matter."""
    assert noted("finnish", "R13/K5/R6 K6 B6", None, "scoring.lowest=tiles").points == (-8, 21, -13)
    assert noted("finnish", "R5/K13/R6 K6 B6", None, "scoring.lowest=tiles").points == (21, -8, -13)


def test_equal_sums_are_shared_if_fewer_tiles_do_not_decide() -> None:
    """By house rule equal sums are shared, whatever the number of tiles."""
    scoring = replace(rule_set("travel").scoring, fewer_tiles_win=False)
    assert lowest_racks([RackLeft(9, 1), RackLeft(9, 2), RackLeft(10, 1)], scoring) == (0, 1)


racks = st.lists(st.lists(st.integers(1, 30), max_size=12), min_size=2, max_size=4)


@given(racks, st.sampled_from(POINT_EDITIONS), st.booleans())
def test_points_of_a_round_add_up_to_zero(numbers: list[list[int]], edition: str, goes_out: bool) -> None:
    """Except if every player notes minus; only winners note plus."""
    rules = rule_set(edition)
    sums = [RackLeft(sum(rack), len(rack)) for rack in numbers]
    out = 0 if goes_out else None
    score = score_round([RackLeft(0, 0), *sums[1:]] if goes_out else sums, out, rules)
    assert score.zero_sum == (goes_out or rules.scoring.empty_pool is not EmptyPoolScore.ALL_MINUS)
    assert not score.zero_sum or sum(score.points) == 0
    assert all(points <= 0 for player, points in enumerate(score.points) if player not in score.winners)
    assert score.winners == ((0,) if goes_out else lowest_racks(sums, rules.scoring))


@given(racks, st.sampled_from(POINT_EDITIONS))
def test_permuted_seats_permute_the_points(numbers: list[list[int]], edition: str) -> None:
    """The points of a player do not depend on the seat."""
    rules = rule_set(edition)
    sums = [RackLeft(sum(rack), len(rack)) for rack in numbers]
    score = score_round(sums, None, rules)
    turned = score_round(sums[1:] + sums[:1], None, rules)
    assert turned.points == score.points[1:] + score.points[:1]
    assert set(turned.winners) == {(player - 1) % len(sums) for player in score.winners}

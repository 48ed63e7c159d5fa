"""Star coins: the bank pays only what it has and loses no coin; payments and winners of a round."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.engine.game.stars import Bank, most_stars, score_stars, turn_stars
from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table

RULES = rule_set("junior")
STARS = RULES.stars
assert STARS is not None


def test_open_bank_pays_the_first_coins_of_each_player() -> None:
    """Everybody has the first coins, and the bank the rest."""
    bank = Bank.open(56, 4, 6, notes_debts=True)
    assert (bank.coins, bank.purses, bank.debts, bank.size) == (32, (6, 6, 6, 6), (), 56)


def test_empty_bank_owes_stars_and_settles_the_oldest_debt_first() -> None:
    """A debt counts for the player."""
    bank = Bank(3, (0, 5)).earn(0, 5)
    assert (bank.coins, bank.purses, bank.debts) == (0, (3, 5), (0, 0))
    assert (bank.debt_to(0), bank.debt_to(1), bank.stars(0), bank.stars(1)) == (2, 0, 5, 5)
    bank = bank.earn(1, 1)
    bank, paid = bank.pay(1, 2)
    assert (paid, bank.coins, bank.purses, bank.debts) == (2, 0, (5, 3), (1,))
    bank, paid = bank.pay(0, 1)
    assert (paid, bank.coins, bank.purses, bank.debts) == (1, 0, (4, 4), ())


def test_bank_without_debts_drops_what_it_can_not_pay() -> None:
    """Stars that the bank can't pay are lost."""
    bank = Bank(3, (0, 5), notes_debts=False).earn(0, 5)
    assert (bank.coins, bank.purses, bank.stars(0)) == (0, (3, 5), 3)
    bank, _ = bank.pay(1, 2)
    assert (bank.coins, bank.purses) == (2, (3, 3))


def test_player_pays_coins_first_then_debts_and_no_more() -> None:
    """First coins, then debts of the bank to the player, and no more than both."""
    bank, paid = Bank(0, (1, 55), (0, 0)).pay(0, 2)
    assert (paid, bank.coins, bank.purses, bank.debts) == (2, 0, (1, 55), ())
    bank, paid = bank.pay(0, 4)
    assert (paid, bank.coins, bank.purses) == (1, 1, (0, 55))
    assert bank.pay(0, 1) == (bank, 0)
    assert Bank(0, (2, 54), (0, 0, 0)).pay(0, 4) == (Bank(1, (1, 54)), 4)


deeds = st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(0, 20)), max_size=30)


@given(deeds, st.booleans())
def test_random_payments_keep_the_number_of_coins(moves: list[tuple[bool, int, int]], notes_debts: bool) -> None:
    """No purse is below 0, and a bank with coins owes nothing."""
    bank = Bank.open(56, 3, 6, notes_debts)
    for earns, player, stars in moves:
        before = bank.stars(player)
        if earns:
            bank = bank.earn(player, stars)
            assert bank.stars(player) == before + stars or not notes_debts
        else:
            bank, paid = bank.pay(player, stars)
            assert paid == min(stars, before) == before - bank.stars(player)
        assert bank.size == 56
        assert min(bank.coins, *bank.purses) >= 0
        assert not (bank.coins and bank.debts)
        assert notes_debts or not bank.debts


@pytest.mark.parametrize(
    ("purses", "tiles_left", "out", "points", "winners"),
    [
        ((9, 7, 4), (0, 2, 5), 0, (9, 5, 0), (0,)),
        ((9, 9, 4), (0, 0, 1), 1, (9, 9, 3), (1,)),
        ((5, 9, 9), (0, 0, 0), 0, (5, 9, 9), (1, 2)),
        ((9, 7, 4), (1, 2, 5), None, (8, 5, 0), (0,)),
    ],
)
def test_players_pay_a_star_for_each_tile_left(
    purses: tuple[int, ...],
    tiles_left: tuple[int, ...],
    out: int | None,
    points: tuple[int, ...],
    winners: tuple[int, ...],
) -> None:
    """Most stars win; a tie goes to the player who is out, or is shared."""
    assert STARS is not None
    bank, score = score_stars(Bank(56 - sum(purses), purses), tiles_left, out, STARS)
    assert (score.points, score.winners, score.zero_sum) == (points, winners, False)
    assert bank.size == 56
    assert bank.purses == points


def test_payments_at_the_end_differ_by_house_rule() -> None:
    """House rules change the price of a tile, make tiles free if the pool was empty, and share ties."""
    assert STARS is not None
    bank = Bank(36, (10, 10))
    assert score_stars(bank, (0, 2), 0, replace(STARS, tile_left=3))[1].points == (10, 4)
    assert score_stars(bank, (1, 2), None, replace(STARS, tiles_left_cost=False))[1].points == (10, 10)
    assert score_stars(bank, (0, 2), 0, replace(STARS, tiles_left_cost=False))[1].points == (10, 8)
    assert score_stars(bank, (0, 0), 0, replace(STARS, finisher_wins_tie=False))[1].winners == (0, 1)


def test_debt_of_the_bank_counts_as_stars_of_the_player() -> None:
    """A debt of the bank is the player's own."""
    assert most_stars(Bank(0, (28, 28), (1,))).winners == (1,)


@pytest.mark.parametrize(
    ("before", "after", "stars"),
    [
        (
            "Y1 Y2 Y3 J | R1 R2 R3 J R5 | K7 K8 J",
            "K1 K2 J | Y1 Y2 Y3 | R1 R2 R3 | R5 R6 J R8 J | K7 K8 J",
            6,
        ),
        ("K3 K4 J J | B2 B3 B4 B5 B6 B7", "K3 K4 J K6 | B2 B3 B4 B5 B6 B7 B8 J B10", 3),
        ("Y7 J Y9", "R6 J J | Y7 Y8 Y9", 4),
    ],
)
def test_turn_is_paid_by_the_way_with_the_most_stars(before: str, after: str, stars: int) -> None:
    """Where a joker may have moved on before a tile was added, that tile replaced nothing and is paid."""
    verdict = judge(Table(before), Table(after), TurnContext(RULES, True))
    assert verdict.legal
    assert turn_stars(verdict, False, STARS) == stars

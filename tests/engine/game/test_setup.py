"""Before the first turn: dealing figures, lots for who begins, pairs that allow a redeal."""

from dataclasses import replace

import pytest

from tilekeeper.engine.game.setup import Dealing, Lots, dealing, lots, may_choose_starter, pairs
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.policies import JokerDrawn
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import Tile

LARGE = rule_set("large-numbers")


def tiles(text: str) -> tuple[Tile, ...]:
    return parse_table(text).melds[0]


@pytest.mark.parametrize(
    ("edition", "players", "figures"),
    [
        ("large-numbers", 4, Dealing(14, (8, *(7,) * 14), 2, 0, 50)),
        ("finnish", 2, Dealing(14, (), 0, 14, 78)),
        ("junior", 4, Dealing(6, (), 0, 6, 20)),
        ("cards", 3, Dealing(14, (), 0, 14, 64)),
    ],
)
def test_dealing(edition: str, players: int, figures: Dealing) -> None:
    """Fourteen each, or six; the standard game stacks fourteen sevens and one eight and passes on two of them."""
    assert dealing(players, rule_set(edition)) == figures


def test_dealing_more_than_there_is() -> None:
    """A box that is too small is told."""
    with pytest.raises(ValueError, match="8 players with 14 tiles each need 112, and there are 106"):
        dealing(8, LARGE)


def test_dealing_stacks_and_some_more() -> None:
    """Where whole stacks are not enough the rest is taken one by one."""
    rules = replace(LARGE, setup=replace(LARGE.setup, dealt=15, stack_size=7))
    figures = dealing(7, rules)
    assert (figures.stacks_each, figures.loose_each, figures.pool) == (2, 1, 1)
    assert sum(figures.stacks) == 106


def test_who_draws_first() -> None:
    """Everybody draws where lots decide or may; nobody where the oldest begins."""
    assert lots(3, rule_set("finnish").setup) == Lots((0, 1, 2))
    assert lots(2, rule_set("cards").setup) == Lots((0, 1))
    assert lots(4, rule_set("junior").setup) == Lots(())
    assert [may_choose_starter(rule_set(name).setup) for name in ("travel", "cards", "junior")] == [False, True, True]


def test_the_highest_number_begins() -> None:
    """One draw is enough where one number is the highest."""
    assert Lots((0, 1, 2)).drawn(tiles("R5 K13 B12"), JokerDrawn.AGAIN) == Lots((), (), 1)


def test_a_tie_draws_again() -> None:
    """Those who share the highest number draw again, and nobody else."""
    after = Lots((0, 1, 2)).drawn(tiles("R5 K13 B13"), JokerDrawn.AGAIN)
    assert after == Lots((1, 2))
    assert after.drawn(tiles("R2 R1"), JokerDrawn.AGAIN).starter == 1


@pytest.mark.parametrize("policy", [JokerDrawn.AGAIN, None])
def test_a_joker_draws_again(policy: JokerDrawn | None) -> None:
    """The others keep what they have drawn and wait."""
    after = Lots((0, 1, 2)).drawn(tiles("R5 J B12"), policy)
    assert after == Lots((1,), ((0, 5), (2, 12)))
    assert after.drawn(tiles("R13"), policy).starter == 1
    assert after.drawn(tiles("R3"), policy).starter == 2
    assert after.drawn(tiles("K12"), policy) == Lots((1, 2))


def test_a_joker_does_not_count() -> None:
    """In the travel edition it is lower than any number; two of them tie."""
    assert Lots((0, 1)).drawn(tiles("J R1"), JokerDrawn.LOWEST).starter == 1
    assert Lots((0, 1)).drawn(tiles("J J"), JokerDrawn.LOWEST) == Lots((0, 1))


def test_one_tile_each() -> None:
    """As many tiles are drawn as there are contenders."""
    with pytest.raises(ValueError, match="2 players draw, but there are 3 tiles"):
        Lots((0, 1)).drawn(tiles("R1 R2 R3"), None)


def test_pairs() -> None:
    """Pairs have one number and one colour; three of a kind are one pair, and two jokers none."""
    assert pairs(tiles("B3 B3 R8 R8 O10 O10 K1"), LARGE.setup) == 3
    assert pairs(tiles("B3 R3 B8 R8 J J"), LARGE.setup) == 0
    assert pairs(tiles("B3 B3 B3"), LARGE.setup) == 1
    assert pairs(tiles("J J J J"), replace(LARGE.setup, jokers_pair=True)) == 2

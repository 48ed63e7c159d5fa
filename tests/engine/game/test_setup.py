"""The setup of a round: tiles to deal, lots, and pairs for a redeal."""

from dataclasses import replace

import pytest

from tilekeeper.engine.game.setup import Dealing, Lots, count_pairs, may_choose_starter, plan_dealing, start_lots
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
def test_numbers_of_tiles_to_deal_in_each_edition(edition: str, players: int, figures: Dealing) -> None:
    """14 tiles or 6; the standard game has fourteen stacks of 7 and one of 8, and passes on two of them."""
    assert plan_dealing(players, rule_set(edition)) == figures


def test_box_too_small_for_the_players_is_refused() -> None:
    with pytest.raises(ValueError, match="8 players with 14 tiles each need 112, but there are only 106"):
        plan_dealing(8, LARGE)


def test_deal_with_stacks_and_single_tiles() -> None:
    """If whole stacks are not enough."""
    rules = replace(LARGE, setup=replace(LARGE.setup, dealt=15, stack_size=7))
    figures = plan_dealing(7, rules)
    assert (figures.stacks_each, figures.loose_each, figures.pool) == (2, 1, 1)
    assert sum(figures.stacks) == 106


def test_all_players_draw_lots_unless_the_oldest_begins() -> None:
    """Everybody draws where lots decide or may; nobody where the oldest begins."""
    assert start_lots(3, rule_set("finnish").setup) == Lots((0, 1, 2))
    assert start_lots(2, rule_set("cards").setup) == Lots((0, 1))
    assert start_lots(4, rule_set("junior").setup) == Lots(())
    assert [may_choose_starter(rule_set(name).setup) for name in ("travel", "cards", "junior")] == [False, True, True]


def test_highest_number_begins_after_one_draw() -> None:
    """One draw is enough where one number is the highest."""
    assert Lots((0, 1, 2)).draw(tiles("R5 K13 B12"), JokerDrawn.AGAIN) == Lots((), (), 1)


def test_tied_players_draw_again() -> None:
    """Only they do."""
    after = Lots((0, 1, 2)).draw(tiles("R5 K13 B13"), JokerDrawn.AGAIN)
    assert after == Lots((1, 2))
    assert after.draw(tiles("R2 R1"), JokerDrawn.AGAIN).starter == 1


@pytest.mark.parametrize("policy", [JokerDrawn.AGAIN, None])
def test_player_with_a_joker_draws_again(policy: JokerDrawn | None) -> None:
    """The others keep their number and wait."""
    after = Lots((0, 1, 2)).draw(tiles("R5 J B12"), policy)
    assert after == Lots((1,), ((0, 5), (2, 12)))
    assert after.draw(tiles("R13"), policy).starter == 1
    assert after.draw(tiles("R3"), policy).starter == 2
    assert after.draw(tiles("K12"), policy) == Lots((1, 2))


def test_joker_is_lower_than_any_number_in_travel() -> None:
    """Two jokers tie."""
    assert Lots((0, 1)).draw(tiles("J R1"), JokerDrawn.LOWEST).starter == 1
    assert Lots((0, 1)).draw(tiles("J J"), JokerDrawn.LOWEST) == Lots((0, 1))


def test_lots_with_another_number_of_tiles_are_refused() -> None:
    """As many tiles are drawn as there are contenders."""
    with pytest.raises(ValueError, match="2 players draw, but there are only 3 tiles"):
        Lots((0, 1)).draw(tiles("R1 R2 R3"), None)


def test_pairs_have_the_same_number_and_colour() -> None:
    """Three of a kind are one pair, and two jokers are none."""
    assert count_pairs(tiles("B3 B3 R8 R8 O10 O10 K1"), LARGE.setup) == 3
    assert count_pairs(tiles("B3 R3 B8 R8 J J"), LARGE.setup) == 0
    assert count_pairs(tiles("B3 B3 B3"), LARGE.setup) == 1
    assert count_pairs(tiles("J J J J"), replace(LARGE.setup, jokers_pair=True)) == 2

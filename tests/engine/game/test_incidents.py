"""What happens from outside: tiles lost and found, players who leave, join and come back, records put right."""

import random

import pytest

from tests.support.games import dealt, laid, playing, rack, started
from tilekeeper.engine.game.events import (
    Dealt,
    LotsDrawn,
    PlayerJoined,
    PlayerLeft,
    PlayerOpened,
    RackCounted,
    RackShown,
    StarterChosen,
    TileDrawn,
    TileLost,
    TileReturned,
    TurnGiven,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import AlarmCode
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.tiles.tile import JOKER, Tile


def tile(text: str) -> Tile:
    """One tile."""
    return rack(text)[0]


def test_a_tile_lost_from_the_pool_is_in_the_box_no_more() -> None:
    """The pool has one less, the ledger still adds up, and the next round is dealt from the smaller box."""
    game = dealt(players=2).record(TileLost(tile("R7")))
    assert playing(game).pool == 106 - 28 - 1
    assert game.alarms == ()
    assert game.ledger is not None
    assert game.ledger.copies_of(tile("R7")) == 1
    game = game.record(TileReturned(tile("R7")))
    assert playing(game).pool == 106 - 28
    assert (game.state.lost, game.alarms) == ((), ())


def test_a_tile_lost_between_rounds_is_not_dealt() -> None:
    """Nobody knows which it was, and the pool is one smaller after the deal."""
    game = started(players=2).record(TileLost()).record(StarterChosen(0)).record(Dealt())
    assert playing(game).pool == 106 - 28 - 1
    assert game.alarms == ()
    assert Game.parse(game.format()) == game


def test_a_tile_lost_and_found_before_the_deal_changes_nothing() -> None:
    """It is counted with the others again."""
    game = started(players=2).record(TileLost(JOKER)).record(TileReturned(JOKER))
    assert playing(game.record(StarterChosen(0)).record(Dealt())).pool == 106 - 28


def test_a_tile_lost_from_a_rack_is_counted_off_it() -> None:
    """The player has one less; a last tile can't be lost so as to win."""
    game = dealt(players=2).record(TileLost(tile("K1"), player=1))
    assert [seat.rack for seat in playing(game).seats] == [14, 13]
    assert game.alarms == ()
    game = game.record(RackCounted(1, 1))
    with pytest.raises(EventRefused, match="count the rack instead"):
        game.record(TileLost(tile("K2"), player=1))


def test_no_more_is_lost_than_there_was() -> None:
    """A third red 7 is not in the box, and what was not lost does not come back."""
    game = dealt(players=2).record(TileLost(tile("R7"))).record(TileLost(tile("R7")))
    with pytest.raises(EventRefused, match="the box has no R7"):
        game.record(TileLost(tile("R7")))
    with pytest.raises(EventRefused, match="there is no player 5"):
        started().record(TileLost(None, player=5))
    with pytest.raises(EventRefused, match="was not lost"):
        game.record(TileReturned(tile("R8")))


def test_a_lost_tile_that_is_visible_again_raises_an_alarm() -> None:
    """More of it lie on the table than the box holds by now."""
    game = dealt(players=2).record(TileLost(tile("K10"))).record(TileLost(tile("K10")))
    game = game.record(laid("K10 B10 O10"))
    assert [alarm.code for alarm in game.alarms] == [AlarmCode.TOO_MANY_COPIES]


def test_who_leaves_is_passed_over_and_gives_the_tiles_back() -> None:
    """The turn goes on to the next, and round them from then on."""
    game = dealt(players=3).record(PlayerLeft(0))
    play = playing(game)
    assert (play.turn, play.pool, play.seats[0].rack) == (1, 106 - 28, 0)
    assert game.alarms == ()
    game = game.record(TileDrawn()).record(TileDrawn())
    assert playing(game).turn == 1


def test_two_must_stay() -> None:
    """With one player there is no game."""
    game = dealt(players=3).record(PlayerLeft(2))
    with pytest.raises(EventRefused, match="2 must stay"):
        game.record(PlayerLeft(0))
    with pytest.raises(EventRefused, match="has left"):
        game.record(PlayerLeft(2))
    with pytest.raises(EventRefused, match="there is no player 7"):
        game.record(PlayerLeft(7))


def test_the_round_is_scored_among_those_who_stayed() -> None:
    """Whoever left notes nothing, and the sheet still adds up; the next round is dealt to the others."""
    game = dealt(players=3).record(PlayerLeft(1)).record(RackCounted(0, 0))
    assert game.state.phase is Phase.RACKS
    with pytest.raises(EventRefused, match="does not play"):
        game.record(RackShown(1, rack("R5")))
    game = game.record(RackShown(2, rack("R5 R6")))
    assert game.state.sheet.rounds[0].points == (11, 0, -11)
    assert game.state.sheet.rounds[0].winners == (0,)
    assert game.state.contenders == (0, 2)
    with pytest.raises(EventRefused, match="has left"):
        game.record(StarterChosen(1))
    game = game.record(LotsDrawn(rack("R5 R6")))
    assert game.state.starter == 2
    with pytest.raises(EventRefused, match="can't have taken"):
        game.record(Dealt((14, 14, 14)))
    game = game.record(Dealt())
    assert [seat.rack for seat in playing(game).seats] == [14, 0, 14]
    assert game.alarms == ()


def test_who_was_to_begin_and_left_is_found_anew() -> None:
    """Others may begin before the deal; where somebody else begins that stands."""
    game = started(players=3).record(StarterChosen(1))
    assert game.record(PlayerLeft(1)).state.phase is Phase.STARTER
    assert game.record(PlayerLeft(0)).state.starter == 1


def test_the_last_turns_are_those_of_who_stays() -> None:
    """With an empty pool everybody who is there has one turn left."""
    game = started(players=4).record(StarterChosen(0)).record(Dealt((26, 26, 27, 27)))
    assert playing(game).last_turns == 4
    left = game.record(PlayerLeft(3))
    assert playing(left).last_turns == 3


def test_who_joins_late_takes_tiles_and_sits_last() -> None:
    """The sheet has a column more, with nothing in the rounds before."""
    game = dealt(players=2).record(RackCounted(0, 0)).record(RackShown(1, rack("R9")))
    game = game.record(PlayerJoined("Zoe"))
    assert game.state.players[-1] == "Zoe"
    assert game.state.sheet.totals == (9, -9, 0)
    game = game.record(StarterChosen(2)).record(Dealt()).record(PlayerJoined("Yan"))
    assert [seat.rack for seat in playing(game).seats] == [14, 14, 14, 14]
    assert game.alarms == ()
    game = game.record(TileDrawn())
    assert playing(game).turn == 3
    with pytest.raises(EventRefused, match="at most 4 can play this"):
        game.record(PlayerJoined("Xavi"))


def test_who_joins_before_the_first_deal_is_dealt_to() -> None:
    """There is no round yet in which there would be a seat to be added."""
    game = started(players=2).record(PlayerJoined("Zoe")).record(StarterChosen(2)).record(Dealt())
    assert [seat.rack for seat in playing(game).seats] == [14, 14, 14]
    assert game.alarms == ()


def test_who_joins_may_wait_for_the_next_round() -> None:
    """Nothing is taken from the pool, and the turn passes them over."""
    game = dealt(players=2).record(PlayerJoined("Zoe", deals=False))
    assert playing(game).seats[2].away
    game = game.record(TileDrawn()).record(TileDrawn())
    assert playing(game).turn == 0
    assert game.record(PlayerLeft(2)).state.away == (2,)


def test_who_joins_while_racks_are_shown_plays_the_next_round() -> None:
    """The round is scored among the others."""
    game = dealt(players=2).record(RackCounted(0, 0)).record(PlayerJoined("Zoe"))
    game = game.record(RackShown(1, rack("R9")))
    assert game.state.sheet.rounds[0].points == (9, -9, 0)
    assert game.state.contenders == (0, 1, 2)


def test_who_left_may_come_back_to_the_old_seat() -> None:
    """The name is known; a name that plays already is refused, and so is none."""
    game = dealt(players=3).record(PlayerLeft(1)).record(PlayerJoined("Bo"))
    assert [seat.rack for seat in playing(game).seats] == [14, 14, 14]
    assert game.state.away == ()
    for name in ("Bo", ""):
        with pytest.raises(EventRefused, match="a name of their own"):
            game.record(PlayerJoined(name))


def test_nobody_joins_a_round_without_tiles() -> None:
    """The pool must hold what a player takes."""
    game = started().record(StarterChosen(0)).record(Dealt((50, 50)))
    with pytest.raises(EventRefused, match="wait for the next round"):
        game.record(PlayerJoined("Zoe"))


def test_star_coins_go_with_the_people() -> None:
    """Who leaves gives them back, who joins gets as many as the others, and the bank stays as large as it was."""
    game = dealt("junior", players=3).record(PlayerLeft(2))
    bank = playing(game).bank
    assert bank is not None
    assert (bank.purses, bank.size) == ((6, 6, 0), 56)
    game = game.record(PlayerJoined("Zoe"))
    bank = playing(game).bank
    assert bank is not None
    assert (bank.purses, bank.size) == ((6, 6, 0, 6), 56)
    game = game.record(RackCounted(0, 0)).record(RackCounted(1, 2)).record(RackCounted(3, 1))
    assert game.state.sheet.rounds[0].winners == (0,)
    game = game.record(StarterChosen(0)).record(Dealt())
    bank = playing(game).bank
    assert bank is not None
    assert (bank.purses, bank.size) == ((6, 6, 0, 6), 56)


def test_a_house_rule_for_who_begins_passes_over_who_left() -> None:
    """The winner, or the player to the left, begins; not if they have gone home."""
    left = dealt("large-numbers", "setup.next_round=left", players=3).record(PlayerLeft(1))
    left = left.record(RackCounted(0, 0)).record(RackShown(2, rack("R9")))
    assert left.state.starter == 2


def test_records_of_who_has_opened_are_put_right() -> None:
    """A wrong layout of the player whose turn it is must be judged again by that."""
    game = dealt(players=2).record(laid("R1 R2 R3"))
    assert playing(game).claim is not None
    game = game.record(PlayerOpened(0))
    assert (playing(game).claim, playing(game).seats[0].opened) == (None, True)
    assert playing(game.record(laid("R1 R2 R3"))).turn == 1
    other = dealt(players=2).record(laid("R1 R2 R3")).record(PlayerOpened(1))
    assert playing(other).claim is not None
    assert playing(other.record(PlayerOpened(1, opened=False))).seats[1].opened is False


def test_the_turn_can_be_given_to_another() -> None:
    """What the one before had tried is forgotten."""
    game = dealt(players=3).record(laid("R1 R2 R3")).record(TurnGiven(2))
    assert (playing(game).turn, playing(game).claim) == (2, None)
    with pytest.raises(EventRefused, match="does not play"):
        game.record(PlayerLeft(0)).record(TurnGiven(0))


@pytest.mark.parametrize("seed", range(30))
def test_whatever_happens_the_ledger_adds_up(seed: int) -> None:
    """Random losses, comings and goings leave no tile unaccounted for, and undo leads back to the same state."""
    rng = random.Random(seed)
    game = dealt(players=3)
    for _ in range(40):
        event = rng.choice(
            [
                TileDrawn(),
                TileLost(None),
                TileLost(tile("R1"), rng.randrange(len(game.state.players))),
                TileReturned(None),
                PlayerLeft(rng.randrange(len(game.state.players))),
                PlayerJoined(rng.choice(("Ada", "Bo", "Cleo", "Zoe")), rng.random() < 0.5),
                TurnGiven(rng.randrange(len(game.state.players))),
            ]
        )
        try:
            after = game.record(event)
        except EventRefused:
            continue
        assert after.undo().state == game.state
        assert after.ledger is not None
        assert after.ledger.unaccounted == 0
        assert not playing(after).seats[playing(after).turn].away or after.state.phase is not Phase.TURNS
        game = after
    assert Game.parse(game.format()) == game

"""Incidents: lost and found tiles, players who leave, join and come back, corrected records."""

import random

import pytest

from tests.support.games import deal_game, playing, rack, start_game, tiles_laid
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
    """Return one tile."""
    return rack(text)[0]


def test_tile_lost_from_the_pool_is_missing_from_the_box() -> None:
    """The pool shrinks, the ledger adds up, and the next round uses the smaller box."""
    game = deal_game(players=2).record(TileLost(tile("R7")))
    assert playing(game).pool == 106 - 28 - 1
    assert game.alarms == ()
    assert game.ledger is not None
    assert game.ledger.copies_of(tile("R7")) == 1
    game = game.record(TileReturned(tile("R7")))
    assert playing(game).pool == 106 - 28
    assert (game.state.lost, game.alarms) == ((), ())


def test_tile_lost_between_rounds_is_not_dealt() -> None:
    """Nobody knows which tile it was; the pool has one tile less after the deal."""
    game = start_game(players=2).record(TileLost()).record(StarterChosen(0)).record(Dealt())
    assert playing(game).pool == 106 - 28 - 1
    assert game.alarms == ()
    assert Game.parse(game.format()) == game


def test_tile_lost_and_found_before_the_deal_changes_nothing() -> None:
    """It is dealt with the others."""
    game = start_game(players=2).record(TileLost(JOKER)).record(TileReturned(JOKER))
    assert playing(game.record(StarterChosen(0)).record(Dealt())).pool == 106 - 28


def test_tile_lost_from_a_rack_shrinks_the_rack() -> None:
    """Nobody wins by losing the last tile."""
    game = deal_game(players=2).record(TileLost(tile("K1"), player=1))
    assert [seat.rack for seat in playing(game).seats] == [14, 13]
    assert game.alarms == ()
    game = game.record(RackCounted(1, 1))
    with pytest.raises(EventRefused, match="count the rack instead"):
        game.record(TileLost(tile("K2"), player=1))


def test_tile_that_the_box_does_not_hold_can_not_be_lost_or_found() -> None:
    """A third red 7 is refused, and so is the return of a tile that was not lost."""
    game = deal_game(players=2).record(TileLost(tile("R7"))).record(TileLost(tile("R7")))
    with pytest.raises(EventRefused, match="R7 can't be lost: this box has no such tile"):
        game.record(TileLost(tile("R7")))
    with pytest.raises(EventRefused, match="there is no player 5"):
        start_game().record(TileLost(None, player=5))
    with pytest.raises(EventRefused, match="was not lost"):
        game.record(TileReturned(tile("R8")))


def test_lost_tile_on_the_table_raises_an_alarm() -> None:
    """More copies are visible than the box now holds."""
    game = deal_game(players=2).record(TileLost(tile("K10"))).record(TileLost(tile("K10")))
    game = game.record(tiles_laid("K10 B10 O10"))
    assert [alarm.code for alarm in game.alarms] == [AlarmCode.TOO_MANY_COPIES]


def test_leaving_player_is_skipped_and_returns_the_tiles() -> None:
    """The tiles go into the pool."""
    game = deal_game(players=3).record(PlayerLeft(0))
    play = playing(game)
    assert (play.turn, play.pool, play.seats[0].rack) == (1, 106 - 28, 0)
    assert game.alarms == ()
    game = game.record(TileDrawn()).record(TileDrawn())
    assert playing(game).turn == 1


def test_player_can_not_leave_a_game_of_two() -> None:
    """A game needs two players."""
    game = deal_game(players=3).record(PlayerLeft(2))
    with pytest.raises(EventRefused, match="2 players must stay"):
        game.record(PlayerLeft(0))
    with pytest.raises(EventRefused, match="has left"):
        game.record(PlayerLeft(2))
    with pytest.raises(EventRefused, match="there is no player 7"):
        game.record(PlayerLeft(7))


def test_round_is_scored_without_the_player_who_left() -> None:
    """That player notes 0, the sheet adds up, and the next deal skips the seat."""
    game = deal_game(players=3).record(PlayerLeft(1)).record(RackCounted(0, 0))
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


def test_starter_who_leaves_before_the_deal_is_replaced() -> None:
    """If another player begins, that stays."""
    game = start_game(players=3).record(StarterChosen(1))
    assert game.record(PlayerLeft(1)).state.phase is Phase.STARTER
    assert game.record(PlayerLeft(0)).state.starter == 1


def test_last_turns_do_not_include_a_player_who_left() -> None:
    """With an empty pool every present player has one turn."""
    game = start_game(players=4).record(StarterChosen(0)).record(Dealt((26, 26, 27, 27)))
    assert playing(game).last_turns == 4
    after_leaving = game.record(PlayerLeft(3))
    assert playing(after_leaving).last_turns == 3


def test_joining_player_takes_tiles_and_gets_the_last_seat() -> None:
    """The sheet gets a column with 0 for earlier rounds."""
    game = deal_game(players=2).record(RackCounted(0, 0)).record(RackShown(1, rack("R9")))
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


def test_player_who_joins_before_the_first_deal_gets_tiles() -> None:
    """There is no round yet to extend."""
    game = start_game(players=2).record(PlayerJoined("Zoe")).record(StarterChosen(2)).record(Dealt())
    assert [seat.rack for seat in playing(game).seats] == [14, 14, 14]
    assert game.alarms == ()


def test_joining_player_can_wait_for_the_next_round() -> None:
    """The pool stays, and the turn skips the seat."""
    game = deal_game(players=2).record(PlayerJoined("Zoe", deals=False))
    assert playing(game).seats[2].away
    game = game.record(TileDrawn()).record(TileDrawn())
    assert playing(game).turn == 0
    assert game.record(PlayerLeft(2)).state.away == (2,)


def test_player_who_joins_while_racks_are_shown_plays_the_next_round() -> None:
    """The round is scored among the others."""
    game = deal_game(players=2).record(RackCounted(0, 0)).record(PlayerJoined("Zoe"))
    game = game.record(RackShown(1, rack("R9")))
    assert game.state.sheet.rounds[0].points == (9, -9, 0)
    assert game.state.contenders == (0, 1, 2)


def test_player_who_left_comes_back_to_the_old_seat() -> None:
    """The name of a present player is refused, and so is no name."""
    game = deal_game(players=3).record(PlayerLeft(1)).record(PlayerJoined("Bo"))
    assert [seat.rack for seat in playing(game).seats] == [14, 14, 14]
    assert game.state.away == ()
    for name in ("Bo", ""):
        with pytest.raises(EventRefused, match="a name of their own"):
            game.record(PlayerJoined(name))


def test_joining_a_round_with_too_few_tiles_is_refused() -> None:
    """The pool must hold the first tiles of a player."""
    game = start_game().record(StarterChosen(0)).record(Dealt((50, 50)))
    with pytest.raises(EventRefused, match="wait for the next round"):
        game.record(PlayerJoined("Zoe"))


def test_coins_go_back_to_the_bank_and_out_to_a_joining_player() -> None:
    """The number of coins stays the same."""
    game = deal_game("junior", players=3).record(PlayerLeft(2))
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


def test_winner_or_left_neighbour_who_left_does_not_begin() -> None:
    """By the house rules for the next starter."""
    after_leaving = deal_game("large-numbers", "setup.next_round=left", players=3).record(PlayerLeft(1))
    after_leaving = after_leaving.record(RackCounted(0, 0)).record(RackShown(2, rack("R9")))
    assert after_leaving.state.starter == 2


def test_corrected_opening_drops_the_illegal_layout_of_that_player() -> None:
    """It must be judged again."""
    game = deal_game(players=2).record(tiles_laid("R1 R2 R3"))
    assert playing(game).claim is not None
    game = game.record(PlayerOpened(0))
    assert (playing(game).claim, playing(game).seats[0].opened) == (None, True)
    assert playing(game.record(tiles_laid("R1 R2 R3"))).turn == 1
    other = deal_game(players=2).record(tiles_laid("R1 R2 R3")).record(PlayerOpened(1))
    assert playing(other).claim is not None
    assert playing(other.record(PlayerOpened(1, opened=False))).seats[1].opened is False


def test_turn_given_to_another_player_drops_the_illegal_layout() -> None:
    """The present turn starts again for the other player."""
    game = deal_game(players=3).record(tiles_laid("R1 R2 R3")).record(TurnGiven(2))
    assert (playing(game).turn, playing(game).claim) == (2, None)
    with pytest.raises(EventRefused, match="does not play"):
        game.record(PlayerLeft(0)).record(TurnGiven(0))


@pytest.mark.parametrize("seed", range(30))
def test_random_incidents_keep_the_ledger_balanced_and_can_be_undone(seed: int) -> None:
    """Random losses, joins and leaves."""
    rng = random.Random(seed)
    game = deal_game(players=3)
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

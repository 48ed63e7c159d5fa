"""Turns: laying, mending, drawing, passing, failing, the clock, the last round and the stars."""

import pytest

from tests.support.games import dealt, failed, laid, playing, racks
from tilekeeper.engine.game.events import Passed, PoolCounted, RackCounted, TileDrawn
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.state import EventRefused, Phase, TurnKind
from tilekeeper.engine.tiles.notation import parse_table


def test_a_legal_turn() -> None:
    """Tiles go from the rack to the table, the player is in the game, and the next one plays."""
    game = dealt(players=3).record(laid("K10 B10 O10", seconds=42))
    play = playing(game)
    assert (racks(game), play.pool, play.turn) == ((11, 14, 14), 64, 1)
    assert [seat.opened for seat in play.seats] == [True, False, False]
    (turn,) = play.turns
    assert (turn.player, turn.kind, turn.drawn, turn.seconds) == (0, TurnKind.LAID, 0, 42)
    assert turn.verdict is not None
    assert turn.verdict.opens
    assert game.alarms == ()


def test_a_wrong_turn_may_be_mended() -> None:
    """The table stays as it was until the turn is right; meanwhile the verdict is there to be read."""
    game = dealt().record(laid("R3 R4 R5"))
    play = playing(game)
    assert play.claim is not None
    assert [violation.code.value for violation in play.claim.verdict.violations] == ["opening-too-low"]
    assert (play.turn, racks(game), play.table) == (0, (14, 14), parse_table(""))
    mended = playing(game.record(laid("R9 R10 R11")))
    assert (mended.claim, mended.turn, len(mended.turns)) == (None, 1, 1)


def test_a_wrong_turn_may_be_taken_back() -> None:
    """Whoever draws takes back everything that was tried."""
    game = dealt(table="R3 R4 R5").record(laid("R3 R4 R5 R6")).record(TileDrawn())
    play = playing(game)
    assert (play.claim, play.table, racks(game), play.turn) == (None, parse_table("R3 R4 R5"), (15, 14), 1)
    assert play.turns[0].kind is TurnKind.DREW
    assert play.seats[0].drawn == 1


def test_a_turn_that_is_let_stand() -> None:
    """The people at the table have the last word; what they let be taken can't be accounted for."""
    game = dealt(table="R3 R4 R5 R6").record(laid("R3 R4 R5 | K1 K2 K3", overruled=True))
    play = playing(game)
    assert (play.turn, play.turns[0].overruled, play.seats[0].opened) == (1, True, True)
    assert racks(game) == (11, 14)
    assert game.ledger is not None
    assert game.ledger.unaccounted == -3  # four came from nowhere, one went there


def test_nothing_is_laid_by_overruling() -> None:
    """A player who lays nothing is not in the game for it."""
    assert not playing(dealt().record(laid("", overruled=True))).seats[0].opened


def test_too_late() -> None:
    """A turn that lasts longer than a minute has failed, however right it is, unless the people say otherwise."""
    late = dealt().record(laid("K10 B10 O10", seconds=60.5))
    assert racks(late) == (17, 14)
    assert playing(late).turns[0].kind is TurnKind.FAILED
    assert playing(late).turns[0].seconds == 60.5
    assert racks(dealt().record(laid("K10 B10 O10", seconds=60))) == (11, 14)
    assert racks(dealt().record(laid("K10 B10 O10", seconds=99, overruled=True))) == (11, 14)
    assert racks(dealt("junior").record(laid("K1 K2 K3", seconds=999))) == (3, 6)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), pytest.param(10**400, id="10**400")])
def test_no_such_time(seconds: float) -> None:
    """A turn lasts some seconds, and not fewer than none."""
    with pytest.raises(EventRefused, match=r"a turn can't last .* seconds"):
        dealt().record(laid("K10 B10 O10", seconds=seconds))


def test_a_failed_turn() -> None:
    """Everything goes back, three tiles are drawn, and both are counted."""
    game = dealt(table="R3 R4 R5").record(failed("R3 R4 | R5 K5"))
    play = playing(game)
    assert (racks(game), play.pool, play.turn) == ((17, 14), 75, 1)
    assert (play.seats[0].penalties, play.seats[0].drawn, play.seats[0].turns) == (3, 0, 1)
    assert (play.turns[0].kind, play.turns[0].drawn, play.table) == (TurnKind.FAILED, 3, parse_table("R3 R4 R5"))


def test_forgotten_tiles_go_into_the_pool() -> None:
    """What nobody knows to put back leaves the table for the pool, and the ledger knows of it."""
    game = dealt(table="R3 R4 R5 | K1 K2 K3").record(failed("R3 R4 | R5 K5 | K1 K2 K3", restored="K1 K2 K3"))
    assert (racks(game), playing(game).pool) == ((17, 14), 78)
    assert game.state.notices == ()
    onto_rack = dealt("large-numbers", "penalty.forgotten_to_pool=no", table="R3 R4 R5 | K1 K2 K3")
    game = onto_rack.record(failed("R3 R4 | R5 K5 | K1 K2 K3", restored="K1 K2 K3"))
    assert (racks(game), playing(game).pool) == ((20, 14), 75)


def test_tiles_that_should_have_gone_back() -> None:
    """A tile that stays although it should not is told, and counted where it lies."""
    game = dealt(table="R3 R4 R5").record(failed("R3 R4 | R5 K5", restored="R3 R4 R5 K5"))
    assert game.state.notices == (Alarm(AlarmCode.NOT_RESTORED, 1, 0, 0),)
    assert racks(game) == (16, 14)


def test_cards_that_go_onto_the_rack() -> None:
    """In the card edition the table gets smaller and the rack larger, and no card is drawn."""
    game = dealt("cards").record(laid("K10 R10 B10 Y10")).record(TileDrawn())
    game = game.record(failed("K10 R10 | B10 Y10 K9"))
    assert (racks(game), playing(game).table, playing(game).pool) == ((14, 15), parse_table(""), 77)
    assert game.alarms == ()


def test_a_penalty_from_a_small_pool() -> None:
    """What is there is drawn, and no more (ruling)."""
    game = dealt("finnish").record(PoolCounted(2)).record(failed("R1 R2"))
    assert (racks(game), playing(game).pool) == ((16, 14), 0)
    game = game.record(failed("R1 R2"))
    assert (racks(game), playing(game).pool, playing(game).idle) == ((16, 14), 0, 1)


def test_the_time_is_never_up_where_there_is_no_limit() -> None:
    """In the edition for the youngest a wrong layout may still be stood by."""
    with pytest.raises(EventRefused, match="this player's turn has no limit"):
        dealt("junior").record(failed("R1 R2"))
    assert racks(dealt("junior").record(failed("R1 R2", time_up=False))) == (7, 6)


def test_no_pass_while_there_are_tiles() -> None:
    """Whoever lays none draws; once the pool is empty there is nothing to draw."""
    game = dealt("finnish")
    with pytest.raises(EventRefused, match="the pool has 78 tiles; a player who lays none must draw"):
        game.record(Passed())
    game = game.record(PoolCounted(0)).record(Passed())
    assert playing(game).turns[0].kind is TurnKind.PASSED
    assert racks(game) == (14, 14)


@pytest.mark.parametrize("edition", ["finnish", "travel", "cards"])
def test_a_full_round_of_passes_ends_the_round(edition: str) -> None:
    """Once the pool is empty players go on, and only passes in a row end the round."""
    game = dealt(edition, players=3).record(PoolCounted(0))
    game = game.record(Passed()).record(Passed()).record(laid("K13 R13 B13 | K12 R12 B12"))
    assert playing(game).idle == 0
    game = game.record(Passed()).record(Passed())
    assert game.state.phase is Phase.TURNS
    game = game.record(Passed())
    assert game.state.phase is Phase.RACKS
    assert (playing(game).ended, playing(game).out) == (True, None)


@pytest.mark.parametrize(("house", "turns"), [((), 3), (("ending.drawer_plays_last=no",), 2)])
def test_everybody_has_one_last_turn(house: tuple[str, ...], turns: int) -> None:
    """In the standard game the last tile drawn starts the last round; the drawer has a turn in it, too (ruling)."""
    game = dealt("large-numbers", *house, players=3).record(PoolCounted(1)).record(TileDrawn())
    assert playing(game).last_turns == turns
    for left in range(turns - 1, -1, -1):
        assert game.state.phase is Phase.TURNS
        game = game.record(Passed())
        assert playing(game).last_turns == left
    assert game.state.phase is Phase.RACKS


def test_the_last_round_stays_the_last() -> None:
    """Forgotten tiles that go into the pool prolong nothing, and nobody needs to draw them."""
    game = dealt(table="R3 R4 R5").record(PoolCounted(1)).record(TileDrawn())
    game = game.record(failed("R3 R4 | R5 K5", restored=""))
    assert (playing(game).pool, playing(game).last_turns) == (0, 1)
    game = dealt("large-numbers", "penalty.tiles=0", "penalty.tiles_before_opening=0", table="R3 R4 R5")
    game = game.record(PoolCounted(1)).record(TileDrawn()).record(failed("R3 R4 | R5", restored=""))
    assert (playing(game).pool, playing(game).last_turns) == (2, 1)  # one was drawn, since none was laid
    assert game.record(Passed()).state.phase is Phase.RACKS


def test_a_rack_is_emptied() -> None:
    """The round is over at once, even in the last round."""
    game = dealt().record(RackCounted(0, 3)).record(laid("K10 B10 O10"))
    assert (game.state.phase, playing(game).out, playing(game).turn) == (Phase.RACKS, 0, 0)


def test_more_is_laid_than_there_was() -> None:
    """That can't be: the round goes on, and the rack is to be counted."""
    game = dealt().record(RackCounted(0, 2)).record(laid("K10 B10 O10"))
    assert game.state.phase is Phase.TURNS
    assert Alarm(AlarmCode.RACK_BELOW_ZERO, -1, 0, 0) in game.alarms


def test_a_tile_is_drawn_from_an_empty_pool() -> None:
    """That can't be either, and is told."""
    game = dealt("finnish").record(PoolCounted(0)).record(TileDrawn())
    assert Alarm(AlarmCode.POOL_BELOW_ZERO, -1, 0) in game.alarms
    assert racks(game) == (15, 14)


def test_several_tiles_are_drawn_by_house_rule() -> None:
    """Two are drawn, or what is there; with none nobody draws, and everybody may pass."""
    game = dealt("travel", "turn.drawn=2").record(TileDrawn())
    assert (racks(game), playing(game).pool) == ((16, 14), 76)
    assert racks(game.record(PoolCounted(1)).record(TileDrawn())) == (16, 15)
    none = dealt("travel", "turn.drawn=0")
    with pytest.raises(EventRefused, match="nobody draws tiles in this game"):
        none.record(TileDrawn())
    assert none.record(Passed()).record(Passed()).state.phase is Phase.RACKS


def plays_on(edition: str = "finnish") -> Game:
    return dealt(edition, "turn.plays_on_after_draw=yes").record(TileDrawn())


def test_playing_on_after_a_draw() -> None:
    """By house rule the turn goes on after a tile was drawn: the player lays, or passes."""
    game = plays_on()
    assert (racks(game), playing(game).turn, playing(game).turns) == ((15, 14), 0, ())
    with pytest.raises(EventRefused, match="this player has already drawn"):
        game.record(TileDrawn())
    done = playing(game.record(Passed()))
    assert (done.turn, done.turns[0].kind, done.turns[0].drawn, done.idle, done.drew) == (1, TurnKind.DREW, 1, 0, None)
    lays = playing(game.record(laid("K10 B10 O10 R10")))
    assert (lays.turn, lays.turns[0].kind, lays.turns[0].drawn) == (1, TurnKind.LAID, 1)
    assert racks(game.record(failed("K10 B10"))) == (18, 14)
    assert racks(plays_on("cards").record(failed("K10 B10"))) == (16, 14)


def stars(game: Game, player: int = 0) -> int:
    bank = playing(game).bank
    assert bank is not None
    return bank.stars(player)


def test_stars_for_laying_and_for_drawing() -> None:
    """Six to begin with; a run of three earns four; whoever lays nothing pays one and draws."""
    game = dealt("junior")
    assert (stars(game), stars(game, 1)) == (6, 6)
    game = game.record(laid("R2 R3 R4"))
    assert (stars(game), playing(game).turns[0].stars) == (10, 4)
    game = game.record(TileDrawn())
    assert (stars(game, 1), playing(game).turns[1].stars, racks(game)) == (5, -1, (3, 7))


def test_the_last_tile_earns_a_star() -> None:
    """Three tiles, a new run, and the empty rack."""
    game = dealt("junior").record(RackCounted(0, 3)).record(laid("R2 R3 R4"))
    assert stars(game) == 11


def without_stars() -> Game:
    """A game in which Ada has paid all her stars, and Bo, too."""
    game = dealt("junior", "stars.dealt=1")
    return game.record(TileDrawn()).record(TileDrawn())


def test_no_star_left() -> None:
    """No star, no draw: the next player plays, and a full round of that ends the round."""
    game = without_stars()
    with pytest.raises(EventRefused, match="no star to pay"):
        game.record(TileDrawn())
    game = game.record(Passed())
    assert (racks(game), stars(game), playing(game).pool) == ((7, 7), 0, 30)
    assert game.record(Passed()).state.phase is Phase.RACKS


def test_a_failed_turn_without_stars() -> None:
    """There is nothing to pay, and nothing is drawn."""
    game = without_stars().record(failed("R1 R2", time_up=False))
    assert (racks(game), playing(game).turns[-1].drawn, playing(game).idle) == ((7, 7), 0, 1)


def test_a_failed_turn_with_stars() -> None:
    """It is one in which nothing was laid: a star is paid and a tile drawn."""
    game = dealt("junior").record(failed("R1 R2", time_up=False))
    assert (racks(game), stars(game), playing(game).seats[0].drawn) == ((7, 6), 5, 1)
    assert playing(game).turns[0].stars == -1


def test_drawing_unpaid_by_house_rule() -> None:
    """A player without a star may draw all the same."""
    game = dealt("junior", "stars.dealt=0", "stars.draw_unpaid=yes").record(TileDrawn())
    assert (racks(game), stars(game)) == ((7, 6), 0)


@pytest.mark.parametrize(
    ("can_lay", "house", "left"), [(False, (), 6), (True, (), 5), (False, ("stars.free_pass=no",), 5)]
)
def test_passing_with_an_empty_pool(can_lay: bool, house: tuple[str, ...], left: int) -> None:
    """Nothing is paid where nothing can be laid; a player who could lay pays."""
    game = dealt("junior", *house).record(PoolCounted(0)).record(Passed(can_lay))
    assert stars(game) == left
    assert playing(game).turns[0].stars == left - 6


def test_a_freed_joker_goes_to_the_rack() -> None:
    """The replacing tile leaves the rack, the joker comes to it, no star is earned, and nothing is missing."""
    game = dealt("junior").record(laid("R2 J R4")).record(laid("R2 R3 R4"))
    assert (racks(game), stars(game, 1)) == ((3, 6), 6)
    assert game.alarms == ()


def test_what_stays_of_a_failed_turn_earns_stars() -> None:
    """By house rule valid runs stay after a failed turn, and are paid for."""
    game = dealt("junior", "penalty.restore=loose-tiles").record(failed("R2 R3 R4 | K9", time_up=False))
    assert (racks(game), stars(game)) == ((3, 6), 10)
    assert playing(game).turns[0].stars == 4

"""Turns: laying, correcting, drawing, passing, failing, the clock, the last turns and the stars."""

import pytest

from tests.support.games import deal_game, failed, playing, rack, racks, tiles_laid
from tilekeeper.engine.game.events import Passed, PoolCounted, RackCounted, TileDrawn
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.state import EventRefused, Phase, TurnKind
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import can_play
from tilekeeper.engine.tiles.notation import parse_table


def test_legal_turn_moves_tiles_and_passes_the_turn_on() -> None:
    """The player has opened."""
    game = deal_game(players=3).record(tiles_laid("K10 B10 O10", seconds=42))
    play = playing(game)
    assert (racks(game), play.pool, play.turn) == ((11, 14, 14), 64, 1)
    assert [seat.opened for seat in play.seats] == [True, False, False]
    (turn,) = play.turns
    assert (turn.player, turn.kind, turn.drawn, turn.seconds) == (0, TurnKind.LAID, 0, 42)
    assert turn.verdict is not None
    assert turn.verdict.opens
    assert game.alarms == ()


def test_illegal_layout_can_be_corrected() -> None:
    """The table stays as it was, and the verdict is available."""
    game = deal_game().record(tiles_laid("R3 R4 R5"))
    play = playing(game)
    assert play.claim is not None
    assert [violation.code.value for violation in play.claim.verdict.violations] == ["opening-too-low"]
    assert (play.turn, racks(game), play.table) == (0, (14, 14), parse_table(""))
    mended = playing(game.record(tiles_laid("R9 R10 R11")))
    assert (mended.claim, mended.turn, len(mended.turns)) == (None, 1, 1)


def test_drawing_takes_an_illegal_layout_back() -> None:
    """A player who draws takes back all laid tiles."""
    game = deal_game(table="R3 R4 R5").record(tiles_laid("R3 R4 R5 R6")).record(TileDrawn())
    play = playing(game)
    assert (play.claim, play.table, racks(game), play.turn) == (None, parse_table("R3 R4 R5"), (15, 14), 1)
    assert play.turns[0].kind is TurnKind.DREW
    assert play.seats[0].drawn == 1


def test_accepted_illegal_turn_stands() -> None:
    """Tiles that the players let be taken are unaccounted for."""
    game = deal_game(table="R3 R4 R5 R6").record(tiles_laid("R3 R4 R5 | K1 K2 K3", overruled=True))
    play = playing(game)
    assert (play.turn, play.turns[0].overruled, play.seats[0].opened) == (1, True, True)
    assert racks(game) == (11, 14)
    assert game.ledger is not None
    assert game.ledger.unaccounted == -3  # four came from nowhere, one went there


def test_accepted_turn_without_tiles_does_not_open() -> None:
    """A player who lays nothing is not in the game for it."""
    assert not playing(deal_game().record(tiles_laid("", overruled=True))).seats[0].opened


def test_turn_longer_than_the_limit_fails() -> None:
    """Unless the players accept it."""
    late = deal_game().record(tiles_laid("K10 B10 O10", seconds=60.5))
    assert racks(late) == (17, 14)
    assert playing(late).turns[0].kind is TurnKind.FAILED
    assert playing(late).turns[0].seconds == 60.5
    assert racks(deal_game().record(tiles_laid("K10 B10 O10", seconds=60))) == (11, 14)
    assert racks(deal_game().record(tiles_laid("K10 B10 O10", seconds=99, overruled=True))) == (11, 14)
    assert racks(deal_game("junior").record(tiles_laid("K1 K2 K3", seconds=999))) == (3, 6)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), pytest.param(10**400, id="10**400")])
def test_impossible_length_of_a_turn_is_refused(seconds: float) -> None:
    """A turn lasts some seconds, and not fewer than none."""
    with pytest.raises(EventRefused, match=r"a turn can't last .* seconds"):
        deal_game().record(tiles_laid("K10 B10 O10", seconds=seconds))


def test_failed_turn_restores_the_table_and_draws_three_tiles() -> None:
    """Everything goes back, three tiles are drawn, and both are counted."""
    game = deal_game(table="R3 R4 R5").record(failed("R3 R4 | R5 K5"))
    play = playing(game)
    assert (racks(game), play.pool, play.turn) == ((17, 14), 75, 1)
    assert (play.seats[0].penalties, play.seats[0].drawn, play.seats[0].turns) == (3, 0, 1)
    assert (play.turns[0].kind, play.turns[0].drawn, play.table) == (TurnKind.FAILED, 3, parse_table("R3 R4 R5"))


def test_forgotten_tiles_of_a_failed_turn_go_into_the_pool() -> None:
    """The ledger counts them there."""
    game = deal_game(table="R3 R4 R5 | K1 K2 K3").record(failed("R3 R4 | R5 K5 | K1 K2 K3", restored="K1 K2 K3"))
    assert (racks(game), playing(game).pool) == ((17, 14), 78)
    assert game.state.notices == ()
    onto_rack = deal_game("large-numbers", "penalty.forgotten_to_pool=no", table="R3 R4 R5 | K1 K2 K3")
    game = onto_rack.record(failed("R3 R4 | R5 K5 | K1 K2 K3", restored="K1 K2 K3"))
    assert (racks(game), playing(game).pool) == ((20, 14), 75)


def test_tile_left_on_the_table_after_a_failed_turn_raises_an_alarm() -> None:
    """It counts where it is."""
    game = deal_game(table="R3 R4 R5").record(failed("R3 R4 | R5 K5", restored="R3 R4 R5 K5"))
    assert game.state.notices == (Alarm(AlarmCode.NOT_RESTORED, 1, 0, 0),)
    assert racks(game) == (16, 14)


def test_failed_turn_in_cards_moves_loose_cards_onto_the_rack() -> None:
    """No card is drawn."""
    game = deal_game("cards").record(tiles_laid("K10 R10 B10 Y10")).record(TileDrawn())
    game = game.record(failed("K10 R10 | B10 Y10 K9"))
    assert (racks(game), playing(game).table, playing(game).pool) == ((14, 15), parse_table(""), 77)
    assert game.alarms == ()


def test_penalty_is_limited_by_the_pool() -> None:
    """A ruling of this project: the pool gives the tiles that it has."""
    game = deal_game("finnish").record(PoolCounted(2)).record(failed("R1 R2"))
    assert (racks(game), playing(game).pool) == ((16, 14), 0)
    game = game.record(failed("R1 R2"))
    assert (racks(game), playing(game).pool, playing(game).idle) == ((16, 14), 0, 1)


def test_time_up_is_refused_without_a_limit() -> None:
    """In `junior` a player can still insist on an illegal layout."""
    with pytest.raises(EventRefused, match="this player's turn has no time limit"):
        deal_game("junior").record(failed("R1 R2"))
    assert racks(deal_game("junior").record(failed("R1 R2", time_up=False))) == (7, 6)


def test_passing_is_refused_while_the_pool_has_tiles() -> None:
    """A player who lays nothing must draw; with an empty pool there is nothing to draw."""
    game = deal_game("finnish")
    with pytest.raises(EventRefused, match="the pool has 78 tiles; a player who lays none must draw"):
        game.record(Passed())
    game = game.record(PoolCounted(0)).record(Passed())
    assert playing(game).turns[0].kind is TurnKind.PASSED
    assert racks(game) == (14, 14)


@pytest.mark.parametrize("edition", ["finnish", "travel", "cards"])
def test_round_of_passes_ends_the_round(edition: str) -> None:
    """Only passes in a row count."""
    game = deal_game(edition, players=3).record(PoolCounted(0))
    game = game.record(Passed()).record(Passed()).record(tiles_laid("K13 R13 B13 | K12 R12 B12"))
    assert playing(game).idle == 0
    game = game.record(Passed()).record(Passed())
    assert game.state.phase is Phase.TURNS
    game = game.record(Passed())
    assert game.state.phase is Phase.RACKS
    assert (playing(game).ended, playing(game).out) == (True, None)


@pytest.mark.parametrize(("house", "turns"), [((), 3), (("ending.drawer_plays_last=no",), 2)])
def test_last_drawn_tile_starts_one_last_turn_for_each_player(house: tuple[str, ...], turns: int) -> None:
    """The drawer has one too (ruling)."""
    game = deal_game("large-numbers", *house, players=3).record(PoolCounted(1)).record(TileDrawn())
    assert playing(game).last_turns == turns
    for last_turns in range(turns - 1, -1, -1):
        assert game.state.phase is Phase.TURNS
        game = game.record(Passed())
        assert playing(game).last_turns == last_turns
    assert game.state.phase is Phase.RACKS


def test_forgotten_tiles_do_not_prolong_the_last_turns() -> None:
    """Nobody needs to draw them."""
    game = deal_game(table="R3 R4 R5").record(PoolCounted(1)).record(TileDrawn())
    game = game.record(failed("R3 R4 | R5 K5", restored=""))
    assert (playing(game).pool, playing(game).last_turns) == (0, 1)
    game = deal_game("large-numbers", "penalty.tiles=0", "penalty.tiles_before_opening=0", table="R3 R4 R5")
    game = game.record(PoolCounted(1)).record(TileDrawn()).record(failed("R3 R4 | R5", restored=""))
    assert (playing(game).pool, playing(game).last_turns) == (2, 1)  # one was drawn, since none was laid
    assert game.record(Passed()).state.phase is Phase.RACKS


def test_empty_rack_ends_the_round_at_once() -> None:
    """In the last turns too."""
    game = deal_game().record(RackCounted(0, 3)).record(tiles_laid("K10 B10 O10"))
    assert (game.state.phase, playing(game).out, playing(game).turn) == (Phase.RACKS, 0, 0)


def test_rack_below_zero_does_not_end_the_round() -> None:
    """The rack must be counted."""
    game = deal_game().record(RackCounted(0, 2)).record(tiles_laid("K10 B10 O10"))
    assert game.state.phase is Phase.TURNS
    assert Alarm(AlarmCode.RACK_BELOW_ZERO, -1, 0, 0) in game.alarms


def test_draw_from_an_empty_pool_raises_an_alarm() -> None:
    """The ledger reports the impossible draw."""
    game = deal_game("finnish").record(PoolCounted(0)).record(TileDrawn())
    assert Alarm(AlarmCode.POOL_BELOW_ZERO, -1, 0) in game.alarms
    assert racks(game) == (15, 14)


def test_number_of_drawn_tiles_follows_a_house_rule() -> None:
    """With 0 nobody draws, and every player may pass."""
    game = deal_game("travel", "turn.drawn=2").record(TileDrawn())
    assert (racks(game), playing(game).pool) == ((16, 14), 76)
    assert racks(game.record(PoolCounted(1)).record(TileDrawn())) == (16, 15)
    none = deal_game("travel", "turn.drawn=0")
    with pytest.raises(EventRefused, match="nobody draws tiles in this game"):
        none.record(TileDrawn())
    assert none.record(Passed()).record(Passed()).state.phase is Phase.RACKS


def plays_on(edition: str = "finnish") -> Game:
    return deal_game(edition, "turn.plays_on_after_draw=yes").record(TileDrawn())


def test_turn_continues_after_a_draw_by_house_rule() -> None:
    """The player lays or passes."""
    game = plays_on()
    assert (racks(game), playing(game).turn, playing(game).turns) == ((15, 14), 0, ())
    with pytest.raises(EventRefused, match="this player has already drawn"):
        game.record(TileDrawn())
    done = playing(game.record(Passed()))
    assert (done.turn, done.turns[0].kind, done.turns[0].drawn, done.idle, done.drew) == (1, TurnKind.DREW, 1, 0, None)
    lays = playing(game.record(tiles_laid("K10 B10 O10 R10")))
    assert (lays.turn, lays.turns[0].kind, lays.turns[0].drawn) == (1, TurnKind.LAID, 1)
    assert racks(game.record(failed("K10 B10"))) == (18, 14)
    assert racks(plays_on("cards").record(failed("K10 B10"))) == (16, 14)


def stars(game: Game, player: int = 0) -> int:
    bank = playing(game).bank
    assert bank is not None
    return bank.stars(player)


def test_new_run_earns_four_stars_and_laying_nothing_costs_one() -> None:
    """Players begin with six stars; a run of three earns four; laying nothing costs one, and the player draws."""
    game = deal_game("junior")
    assert (stars(game), stars(game, 1)) == (6, 6)
    game = game.record(tiles_laid("R2 R3 R4"))
    assert (stars(game), playing(game).turns[0].stars) == (10, 4)
    game = game.record(TileDrawn())
    assert (stars(game, 1), playing(game).turns[1].stars, racks(game)) == (5, -1, (3, 7))


def test_empty_rack_earns_a_star() -> None:
    """Three tiles, a new run, and the empty rack."""
    game = deal_game("junior").record(RackCounted(0, 3)).record(tiles_laid("R2 R3 R4"))
    assert stars(game) == 11


def without_stars() -> Game:
    """Return a game in which Ada and Bo have paid all their stars."""
    game = deal_game("junior", "stars.dealt=1")
    return game.record(TileDrawn()).record(TileDrawn())


def test_player_without_a_star_does_not_draw() -> None:
    """A round of that ends the round."""
    game = without_stars()
    with pytest.raises(EventRefused, match="no star to pay"):
        game.record(TileDrawn())
    game = game.record(Passed())
    assert (racks(game), stars(game), playing(game).pool) == ((7, 7), 0, 30)
    assert game.record(Passed()).state.phase is Phase.RACKS


def test_failed_turn_without_stars_draws_nothing() -> None:
    """There is nothing to pay, and nothing is drawn."""
    game = without_stars().record(failed("R1 R2", time_up=False))
    assert (racks(game), playing(game).turns[-1].drawn, playing(game).idle) == ((7, 7), 0, 1)


def test_failed_turn_with_stars_pays_one_and_draws() -> None:
    """It counts as laying nothing."""
    game = deal_game("junior").record(failed("R1 R2", time_up=False))
    assert (racks(game), stars(game), playing(game).seats[0].drawn) == ((7, 6), 5, 1)
    assert playing(game).turns[0].stars == -1


def test_player_without_a_star_draws_by_house_rule() -> None:
    """A player without a star may draw all the same."""
    game = deal_game("junior", "stars.dealt=0", "stars.draw_unpaid=yes").record(TileDrawn())
    assert (racks(game), stars(game)) == ((7, 6), 0)


@pytest.mark.parametrize(
    ("can_lay", "house", "stars_left"), [(False, (), 6), (True, (), 5), (False, ("stars.free_pass=no",), 5)]
)
def test_pass_with_an_empty_pool_is_free_if_nothing_can_be_laid(
    can_lay: bool, house: tuple[str, ...], stars_left: int
) -> None:
    """Nothing is paid where nothing can be laid; a player who could lay pays."""
    game = deal_game("junior", *house).record(PoolCounted(0)).record(Passed(can_lay))
    assert stars(game) == stars_left
    assert playing(game).turns[0].stars == stars_left - 6


@pytest.mark.parametrize(("rack_tiles", "is_refused"), [("R4 K9", True), ("K9 K1", False)])
def test_player_who_can_lay_with_an_empty_pool_must_lay_by_house_rule(rack_tiles: str, is_refused: bool) -> None:
    """No edition has the rule; the solver says for a known rack whether a tile fits."""
    table = parse_table("R1 R2 R3")
    pass_ = Passed(bool(can_play(table, rack(rack_tiles), TurnContext(rule_set("finnish"), opened=True))))
    game = deal_game("finnish", "ending.must_lay=yes", table=str(table)).record(PoolCounted(0))
    if is_refused:
        with pytest.raises(EventRefused, match="a player who can lay a tile must lay"):
            game.record(pass_)
    else:
        assert playing(game.record(pass_)).turn == 1
    assert playing(deal_game("finnish").record(PoolCounted(0)).record(pass_)).turn == 1


def test_freed_joker_goes_to_the_rack_without_a_star() -> None:
    """The replacing tile leaves the rack, and nothing is missing."""
    game = deal_game("junior").record(tiles_laid("R2 J R4")).record(tiles_laid("R2 R3 R4"))
    assert (racks(game), stars(game, 1)) == ((3, 6), 6)
    assert game.alarms == ()


def test_valid_runs_that_stay_after_a_failed_turn_earn_stars() -> None:
    """By house rule."""
    game = deal_game("junior", "penalty.restore=loose-tiles").record(failed("R2 R3 R4 | K9", time_up=False))
    assert (racks(game), stars(game)) == ((3, 6), 10)
    assert playing(game).turns[0].stars == 4

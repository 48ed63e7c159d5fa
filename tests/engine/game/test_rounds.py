"""Rounds: choosing the starter, dealing and redealing, counts, shown racks, scores, and the end of a game."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.support.games import deal_game, playing, rack, racks, start_game, tiles_laid
from tilekeeper.engine.game.events import (
    Dealt,
    Event,
    GameEnded,
    LotsDrawn,
    Passed,
    PoolCounted,
    RackCounted,
    RackShown,
    RackSummed,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode
from tilekeeper.engine.game.state import EventRefused, Phase, Redeal
from tilekeeper.engine.tiles.notation import parse_table

PAIRS = "B3 B3 R8 R8 O10 O10 K1 K2 K3 K4 K5 K6 K7 J"


def test_players_choose_who_begins_in_the_standard_game() -> None:
    """Or draw lots."""
    game = start_game(players=3).record(StarterChosen(2))
    assert (game.state.phase, game.state.starter) == (Phase.DEAL, 2)
    assert playing(game.record(Dealt())).turn == 2
    assert start_game().record(LotsDrawn(rack("R5 R6"))).state.starter == 1


def test_choosing_who_begins_is_refused_if_the_highest_number_decides() -> None:
    """Unless all players agree."""
    game = start_game("finnish", players=3)
    assert game.state.contenders == (0, 1, 2)
    with pytest.raises(EventRefused, match="the player with the highest number begins"):
        game.record(StarterChosen(0))
    assert game.record(StarterChosen(0, overruled=True)).state.starter == 0
    game = game.record(LotsDrawn(rack("R5 K13 B13")))
    assert (game.state.phase, game.state.contenders) == (Phase.STARTER, (1, 2))
    game = game.record(LotsDrawn(rack("K1 B2")))
    assert (game.state.starter, game.state.contenders) == (2, ())


def test_impossible_lots_are_refused() -> None:
    """Tiles of another edition, too many tiles, or lots in an edition without lots."""
    with pytest.raises(EventRefused, match="the box has no Y5"):
        start_game("finnish").record(LotsDrawn(rack("Y5 R1")))
    with pytest.raises(EventRefused, match="2 players draw, but there are only 1 tiles"):
        start_game("finnish").record(LotsDrawn(rack("R1")))
    with pytest.raises(EventRefused, match="nobody draws to find out who begins"):
        start_game("junior").record(LotsDrawn(rack("R1 R2")))


@pytest.mark.parametrize("player", [-1, 2])
def test_unknown_number_of_a_player_is_refused(player: int) -> None:
    """Players are numbered from 0."""
    game = deal_game()
    for event in (RackCounted(player, 3), RedealClaimed(player, ())):
        with pytest.raises(EventRefused, match=f"there is no player {player}: the 2 players are numbered from 0"):
            game.record(event)
    with pytest.raises(EventRefused, match="there is no player"):
        start_game().record(StarterChosen(player))


def test_deal_with_other_counts_raises_an_alarm() -> None:
    """The counts are recorded."""
    game = start_game().record(StarterChosen(0)).record(Dealt((14, 15)))
    assert (racks(game), playing(game).pool) == ((14, 15), 77)
    assert game.alarms == (Alarm(AlarmCode.DEAL_DIFFERS, 15, 14, 1),)


@pytest.mark.parametrize("counts", [(14,), (14, -1), (60, 60)])
def test_impossible_deal_is_refused(counts: tuple[int, ...]) -> None:
    """One count for each player, none below 0, and not more tiles than the box."""
    with pytest.raises(EventRefused, match="2 players can't have taken"):
        start_game().record(StarterChosen(0)).record(Dealt(counts))


def test_three_pairs_among_the_first_tiles_allow_a_redeal() -> None:
    """The same player begins."""
    game = deal_game().record(RedealClaimed(1, rack(PAIRS)))
    assert (game.state.phase, game.state.starter, game.state.round) == (Phase.DEAL, 0, None)
    assert game.state.redeal == Redeal(1, 3, granted=True)
    assert game.ledger is None
    assert game.alarms == ()
    assert game.record(Dealt()).state.redeal is None


@pytest.mark.parametrize(
    ("game", "tiles", "pairs"),
    [
        pytest.param(deal_game(), PAIRS.replace("O10 O10", "O10 O9"), 2, id="two pairs"),
        pytest.param(deal_game("travel"), PAIRS, 3, id="another edition"),
        pytest.param(deal_game(), PAIRS[:-2], 3, id="too few tiles"),
        pytest.param(deal_game(), PAIRS.replace("K7", "B3"), 3, id="three of a kind"),
        pytest.param(deal_game().record(TileDrawn()).record(TileDrawn()), PAIRS, 3, id="after the first turn"),
    ],
)
def test_redeal_without_enough_pairs_changes_nothing(game: Game, tiles: str, pairs: int) -> None:
    """The game goes on as it stood."""
    after = game.record(RedealClaimed(0, rack(tiles)))
    assert after.state.redeal == Redeal(0, pairs, granted=False)
    assert replace(after.state, redeal=None) == game.state


def test_counted_pool_replaces_the_ledger() -> None:
    """The difference is reported once, and missing tiles as long as they are missing."""
    game = deal_game().record(PoolCounted(77))
    assert game.alarms == (Alarm(AlarmCode.POOL_DIFFERS, 77, 78), Alarm(AlarmCode.UNACCOUNTED, 105, 106))
    game = game.record(PoolCounted(77))
    assert game.alarms == (Alarm(AlarmCode.UNACCOUNTED, 105, 106),)
    assert game.record(PoolCounted(79)).alarms[1] == Alarm(AlarmCode.TOO_MANY_TILES, 107, 106)
    with pytest.raises(EventRefused, match="can't have fewer than 0"):
        game.record(PoolCounted(-1))


def test_counted_pool_starts_and_stops_the_last_turns() -> None:
    """An empty pool starts them; a pool with tiles stops them."""
    game = deal_game().record(PoolCounted(0))
    assert playing(game).last_turns == 2
    assert playing(game.record(Passed()).record(PoolCounted(0))).last_turns == 1
    assert playing(game.record(PoolCounted(1))).last_turns is None


def test_deal_that_empties_the_pool_starts_the_last_turns() -> None:
    """From the first turn."""
    game = start_game().record(StarterChosen(0)).record(Dealt((53, 53)))
    assert playing(game).last_turns == 2
    nobody_yet = start_game("large-numbers", "ending.drawer_plays_last=no").record(StarterChosen(0))
    assert playing(nobody_yet.record(Dealt((53, 53)))).last_turns == 2


def test_counted_rack_replaces_the_ledger_and_an_empty_rack_ends_the_round() -> None:
    """The count holds from then on; a rack that turns out to be empty ends the round."""
    game = deal_game().record(RackCounted(1, 13))
    assert racks(game) == (14, 13)
    assert game.state.notices == (Alarm(AlarmCode.RACK_DIFFERS, 13, 14, 1),)
    with pytest.raises(EventRefused, match="can't have fewer than 0"):
        game.record(RackCounted(1, -1))
    game = game.record(tiles_laid("R1 R2")).record(RackCounted(1, 0))
    assert (game.state.phase, playing(game).out, playing(game).claim) == (Phase.RACKS, 1, None)
    with pytest.raises(EventRefused, match="this player is out"):
        game.record(RackCounted(1, 1))


@pytest.mark.parametrize("number", [10**6 + 1, pytest.param(10**400, id="10**400")])
@pytest.mark.parametrize("counted", [PoolCounted, partial(RackCounted, 1), partial(RackSummed, 1)])
def test_absurdly_large_count_is_refused(counted: Callable[[int], Event], number: int) -> None:
    """A page could not show the sums."""
    game = finished() if counted(1) == RackSummed(1, 1) else deal_game()
    with pytest.raises(EventRefused, match="that number is too high"):
        game.record(counted(number))


def test_corrected_table_replaces_the_table_and_drops_an_illegal_layout() -> None:
    """The next turn starts from the corrected table; an illegal layout on the old one is dropped."""
    game = deal_game(table="R3 R4 R5")
    assert game.state.notices == (Alarm(AlarmCode.TABLE_DIFFERS, 3, 0),)
    game = game.record(tiles_laid("R3 R4 R5 R6")).record(TableCorrected(parse_table("R5 R4 R3")))
    assert (playing(game).claim, game.state.notices) == (None, ())


def finished(edition: str = "large-numbers", *house: str, players: int = 3, rounds: int | None = None) -> Game:
    """Return a round that Ada ended by emptying her rack."""
    game = deal_game(edition, *house, players=players, rounds=rounds)
    return game.record(RackCounted(0, 3)).record(tiles_laid("R9 R10 R11" if edition != "junior" else "R7 R8 R9"))


def test_round_is_scored_after_the_last_rack_is_shown() -> None:
    """The next round begins like the first one."""
    game = finished().record(RackCounted(1, 2)).record(RackCounted(2, 1)).record(RackShown(2, rack("J")))
    assert game.state.phase is Phase.RACKS
    assert game.state.sheet.rounds == ()
    game = game.record(RackShown(1, rack("K13 B3")))
    assert game.state.sheet.rounds[0].points == (46, -16, -30)
    assert (game.state.phase, game.state.starter, game.state.contenders) == (Phase.STARTER, None, (0, 1, 2))
    assert playing(game).seats[1].shown == rack("K13 B3")
    game = game.record(StarterChosen(1)).record(Dealt())
    assert (playing(game).number, playing(game).turn, racks(game)) == (2, 1, (14, 14, 14))


def test_racks_are_scored_from_announced_points() -> None:
    """A rack shown later counts by its tiles, and the ledger keeps its number."""
    game = finished().record(RackSummed(1, 98)).record(RackShown(1, rack("K13 B3"))).record(RackSummed(1, 27))
    assert (playing(game).seats[1].shown, playing(game).seats[1].rack) == (None, 2)
    game = game.record(RackSummed(2, 11))
    assert game.state.sheet.rounds[0].points == (38, -27, -11)
    assert Game.parse(game.format()) == game


@pytest.mark.parametrize(
    ("game", "event", "message"),
    [
        (finished(), RackSummed(0, 5), "this player is out"),
        (finished(), RackSummed(1, 0), "show an empty rack"),
        (finished("junior"), RackSummed(1, 5), "with stars, count tiles"),
    ],
)
def test_impossible_points_of_a_rack_are_refused(game: Game, event: RackSummed, message: str) -> None:
    """The player who is out has none, tiles count at least 1, and stars need the number of tiles."""
    with pytest.raises(EventRefused, match=message):
        game.record(event)


def test_shown_rack_replaces_the_ledger_and_raises_alarms() -> None:
    """The shown tiles count; impossible ones raise an alarm."""
    game = finished(players=2).record(RackShown(1, rack("R9 R9 K1")))
    assert game.state.notices == (Alarm(AlarmCode.RACK_DIFFERS, 3, 14, 1),)
    assert game.alarms[1].code is AlarmCode.TOO_MANY_COPIES
    assert game.state.sheet.rounds[0].points == (19, -19)


def test_rack_of_the_player_who_is_out_is_refused() -> None:
    """Unknown players too."""
    with pytest.raises(EventRefused, match="this player is out"):
        finished().record(RackShown(0, ()))
    with pytest.raises(EventRefused, match="there is no player 3"):
        finished().record(RackShown(3, ()))


def test_round_with_an_empty_pool_is_scored_after_all_racks_are_shown() -> None:
    """In the standard game every player notes minus points."""
    game = deal_game().record(PoolCounted(0)).record(Passed()).record(Passed())
    game = game.record(RackShown(0, rack("R5 R6"))).record(RackShown(1, rack("J")))
    (score,) = game.state.sheet.rounds
    assert (score.points, score.winners, score.zero_sum) == ((-11, -30), (0,), False)


def test_stars_are_scored_from_counted_racks() -> None:
    """Shown racks give the same result."""
    game = finished("junior").record(RackCounted(1, 2))
    assert game.state.phase is Phase.RACKS
    counted = game.record(RackCounted(2, 5))
    shown = game.record(RackShown(2, rack("R1 R2 K3 K4 K5")))
    for after in (counted, shown):
        assert after.state.sheet.rounds[0].points == (11, 4, 1)
        assert after.state.sheet.totals == (1, 0, 0)
        bank = playing(after).bank
        assert bank is not None
        assert bank.size == 56


def test_points_are_not_scored_from_counted_racks() -> None:
    """The number of tiles does not give their sum."""
    assert finished(players=2).record(RackCounted(1, 2)).state.phase is Phase.RACKS


@pytest.mark.parametrize(
    ("house", "racks_left", "starter"),
    [
        ("as-first", ("", "K1"), None),
        ("winner", ("", "K1"), 0),
        ("left", ("", "K1"), 1),
        ("winner", ("R1", "K1"), None),
    ],
)
def test_starter_of_the_next_round_follows_the_rules(
    house: str, racks_left: tuple[str, str], starter: int | None
) -> None:
    """As in the first round, or the winner, or the left neighbour; after a tie it is open."""
    game = deal_game("travel", f"setup.next_round={house}")
    if racks_left[0]:
        game = game.record(PoolCounted(0)).record(Passed()).record(Passed()).record(RackShown(0, rack(racks_left[0])))
    else:
        game = game.record(RackCounted(0, 0))
    game = game.record(RackShown(1, rack(racks_left[1])))
    assert len(game.state.sheet.rounds) == 1
    assert game.state.starter == starter
    assert game.state.phase is (Phase.STARTER if starter is None else Phase.DEAL)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_player_begins_once_in_as_many_rounds_as_players(players: int) -> None:
    """The start moves to the left neighbour, as between the games of a tournament's round."""
    game = deal_game("finnish", "setup.next_round=left", players=players, rounds=players)
    starters = []
    for number in range(1, players + 1):
        starters.append(playing(game).turn)
        game = game.record(RackCounted(0, 0))
        for player in range(1, players):
            game = game.record(RackShown(player, rack("K1")))
        game = game if number == players else game.record(Dealt())
    assert starters == list(range(players))
    assert game.state.phase is Phase.OVER


def test_game_is_over_after_the_agreed_rounds() -> None:
    """Later events are refused."""
    game = finished(players=2, rounds=1).record(RackShown(1, rack("K1")))
    assert game.state.phase is Phase.OVER
    assert game.state.sheet.leaders == (0,)
    for event in (StarterChosen(0), Dealt(), TileDrawn(), RackShown(1, ())):
        with pytest.raises(EventRefused, match="the game is over"):
            game.record(event)
    with pytest.raises(EventRefused, match="the game is already over"):
        game.record(GameEnded())


def test_ended_game_drops_an_unscored_round() -> None:
    """It can end at any time."""
    game = deal_game().record(GameEnded())
    assert (game.state.phase, game.state.sheet.rounds) == (Phase.OVER, ())


@pytest.mark.parametrize(
    ("game", "event", "message"),
    [
        (start_game(), Dealt(), "first find out who begins"),
        (start_game().record(StarterChosen(0)), TileDrawn(), "first deal the tiles"),
        (deal_game(), Dealt(), "a round is being played"),
        (deal_game(), RackShown(0, ()), "a round is being played"),
        (finished(), TileDrawn(), "now show the racks"),
        (finished(), TableCorrected(parse_table("")), "now show the racks"),
    ],
)
def test_event_in_the_wrong_phase_is_refused_with_the_expected_one(
    game: Game, event: Dealt | TileDrawn | RackShown | TableCorrected, message: str
) -> None:
    """The refusal says what the game waits for."""
    with pytest.raises(EventRefused, match=message):
        game.record(event)

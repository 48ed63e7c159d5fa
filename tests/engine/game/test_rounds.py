"""Rounds: who begins, the deal and the redeal, counts, racks shown, scores of many rounds, the end of a game."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.support.games import dealt, laid, playing, rack, racks, started
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


def test_the_players_say_who_begins() -> None:
    """In the standard game they choose, or draw lots."""
    game = started(players=3).record(StarterChosen(2))
    assert (game.state.phase, game.state.starter) == (Phase.DEAL, 2)
    assert playing(game.record(Dealt())).turn == 2
    assert started().record(LotsDrawn(rack("R5 R6"))).state.starter == 1


def test_lots_decide() -> None:
    """Where the highest number begins, saying who does is against the rules, unless all agree."""
    game = started("finnish", players=3)
    assert game.state.contenders == (0, 1, 2)
    with pytest.raises(EventRefused, match="the player with the highest number begins"):
        game.record(StarterChosen(0))
    assert game.record(StarterChosen(0, overruled=True)).state.starter == 0
    game = game.record(LotsDrawn(rack("R5 K13 B13")))
    assert (game.state.phase, game.state.contenders) == (Phase.STARTER, (1, 2))
    game = game.record(LotsDrawn(rack("K1 B2")))
    assert (game.state.starter, game.state.contenders) == (2, ())


def test_lots_that_cannot_be() -> None:
    """Tiles of another edition, too many tiles, or lots where the oldest begins."""
    with pytest.raises(EventRefused, match="the box has no Y5"):
        started("finnish").record(LotsDrawn(rack("Y5 R1")))
    with pytest.raises(EventRefused, match="2 players draw, but there are 1 tiles"):
        started("finnish").record(LotsDrawn(rack("R1")))
    with pytest.raises(EventRefused, match="nobody draws for who begins"):
        started("junior").record(LotsDrawn(rack("R1 R2")))


@pytest.mark.parametrize("player", [-1, 2])
def test_no_such_player(player: int) -> None:
    """Players are numbered from 0."""
    game = dealt()
    for event in (RackCounted(player, 3), RedealClaimed(player, ())):
        with pytest.raises(EventRefused, match=f"there is no player {player}: there are 2, from 0"):
            game.record(event)
    with pytest.raises(EventRefused, match="there is no player"):
        started().record(StarterChosen(player))


def test_a_deal_that_differs() -> None:
    """What each took is recorded, and who has too many is told."""
    game = started().record(StarterChosen(0)).record(Dealt((14, 15)))
    assert (racks(game), playing(game).pool) == ((14, 15), 77)
    assert game.alarms == (Alarm(AlarmCode.DEAL_DIFFERS, 15, 14, 1),)


@pytest.mark.parametrize("counts", [(14,), (14, -1), (60, 60)])
def test_a_deal_that_cannot_be(counts: tuple[int, ...]) -> None:
    """One number for each player, none below 0, not more than the box holds."""
    with pytest.raises(EventRefused, match="2 players can't have taken"):
        started().record(StarterChosen(0)).record(Dealt(counts))


def test_a_redeal() -> None:
    """Three pairs among the first fourteen tiles: all tiles are mixed again, and the same player begins."""
    game = dealt().record(RedealClaimed(1, rack(PAIRS)))
    assert (game.state.phase, game.state.starter, game.state.round) == (Phase.DEAL, 0, None)
    assert game.state.redeal == Redeal(1, 3, granted=True)
    assert game.ledger is None
    assert game.alarms == ()
    assert game.record(Dealt()).state.redeal is None


@pytest.mark.parametrize(
    ("game", "tiles", "pairs"),
    [
        pytest.param(dealt(), PAIRS.replace("O10 O10", "O10 O9"), 2, id="two pairs"),
        pytest.param(dealt("travel"), PAIRS, 3, id="another edition"),
        pytest.param(dealt(), PAIRS[:-2], 3, id="too few tiles"),
        pytest.param(dealt(), PAIRS.replace("K7", "B3"), 3, id="three of a kind"),
        pytest.param(dealt().record(TileDrawn()).record(TileDrawn()), PAIRS, 3, id="after the first turn"),
    ],
)
def test_a_redeal_that_is_refused(game: Game, tiles: str, pairs: int) -> None:
    """The game goes on as it stood."""
    after = game.record(RedealClaimed(0, rack(tiles)))
    assert after.state.redeal == Redeal(0, pairs, granted=False)
    assert replace(after.state, redeal=None) == game.state


def test_counting_the_pool() -> None:
    """The count holds from then on; what differs is told once, and what is missing as long as it is."""
    game = dealt().record(PoolCounted(77))
    assert game.alarms == (Alarm(AlarmCode.POOL_DIFFERS, 77, 78), Alarm(AlarmCode.UNACCOUNTED, 105, 106))
    game = game.record(PoolCounted(77))
    assert game.alarms == (Alarm(AlarmCode.UNACCOUNTED, 105, 106),)
    assert game.record(PoolCounted(79)).alarms[1] == Alarm(AlarmCode.TOO_MANY_TILES, 107, 106)
    with pytest.raises(EventRefused, match="can't have fewer than 0"):
        game.record(PoolCounted(-1))


def test_counting_starts_and_stops_the_last_round() -> None:
    """An empty pool starts it; one that turns out to hold tiles ends it again."""
    game = dealt().record(PoolCounted(0))
    assert playing(game).last_turns == 2
    assert playing(game.record(Passed()).record(PoolCounted(0))).last_turns == 1
    assert playing(game.record(PoolCounted(1))).last_turns is None


def test_a_deal_that_empties_the_pool() -> None:
    """Then every turn is one of the last."""
    game = started().record(StarterChosen(0)).record(Dealt((53, 53)))
    assert playing(game).last_turns == 2
    nobody_yet = started("large-numbers", "ending.drawer_plays_last=no").record(StarterChosen(0))
    assert playing(nobody_yet.record(Dealt((53, 53)))).last_turns == 2


def test_counting_a_rack() -> None:
    """The count holds from then on; a rack that turns out to be empty ends the round."""
    game = dealt().record(RackCounted(1, 13))
    assert racks(game) == (14, 13)
    assert game.state.notices == (Alarm(AlarmCode.RACK_DIFFERS, 13, 14, 1),)
    with pytest.raises(EventRefused, match="can't have fewer than 0"):
        game.record(RackCounted(1, -1))
    game = game.record(laid("R1 R2")).record(RackCounted(1, 0))
    assert (game.state.phase, playing(game).out, playing(game).claim) == (Phase.RACKS, 1, None)
    with pytest.raises(EventRefused, match="this player is out"):
        game.record(RackCounted(1, 1))


@pytest.mark.parametrize("number", [10**6 + 1, pytest.param(10**400, id="10**400")])
@pytest.mark.parametrize("counted", [PoolCounted, partial(RackCounted, 1), partial(RackSummed, 1)])
def test_what_nobody_has_counted(counted: Callable[[int], Event], number: int) -> None:
    """Points are added up and shown; no page could show the state after that."""
    game = finished() if counted(1) == RackSummed(1, 1) else dealt()
    with pytest.raises(EventRefused, match="that number is too high"):
        game.record(counted(number))


def test_correcting_the_table() -> None:
    """What lies there holds from then on, and a wrong turn that lay there is forgotten."""
    game = dealt(table="R3 R4 R5")
    assert game.state.notices == (Alarm(AlarmCode.TABLE_DIFFERS, 3, 0),)
    game = game.record(laid("R3 R4 R5 R6")).record(TableCorrected(parse_table("R5 R4 R3")))
    assert (playing(game).claim, game.state.notices) == (None, ())


def finished(edition: str = "large-numbers", *house: str, players: int = 3, rounds: int | None = None) -> Game:
    """A round that Ada has ended by emptying her rack."""
    game = dealt(edition, *house, players=players, rounds=rounds)
    return game.record(RackCounted(0, 3)).record(laid("R9 R10 R11" if edition != "junior" else "R7 R8 R9"))


def test_racks_are_shown_and_scored() -> None:
    """After the last rack the sheet has a round more, and the next round begins like the first."""
    game = finished().record(RackCounted(1, 2)).record(RackCounted(2, 1)).record(RackShown(2, rack("J")))
    assert game.state.phase is Phase.RACKS
    assert game.state.sheet.rounds == ()
    game = game.record(RackShown(1, rack("K13 B3")))
    assert game.state.sheet.rounds[0].points == (46, -16, -30)
    assert (game.state.phase, game.state.starter, game.state.contenders) == (Phase.STARTER, None, (0, 1, 2))
    assert playing(game).seats[1].shown == rack("K13 B3")
    game = game.record(StarterChosen(1)).record(Dealt())
    assert (playing(game).number, playing(game).turn, racks(game)) == (2, 1, (14, 14, 14))


def test_racks_are_scored_by_their_points_alone() -> None:
    """Nobody looks at the tiles; a rack that is shown later counts by what is seen, and the ledger keeps its number."""
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
def test_points_that_cannot_be_left(game: Game, event: RackSummed, message: str) -> None:
    """Whoever is out has none, tiles count at least one, and stars are paid by the number of tiles."""
    with pytest.raises(EventRefused, match=message):
        game.record(event)


def test_a_rack_that_shows_something_else() -> None:
    """What is seen holds; what can't be is told."""
    game = finished(players=2).record(RackShown(1, rack("R9 R9 K1")))
    assert game.state.notices == (Alarm(AlarmCode.RACK_DIFFERS, 3, 14, 1),)
    assert game.alarms[1].code is AlarmCode.TOO_MANY_COPIES
    assert game.state.sheet.rounds[0].points == (19, -19)


def test_whoever_is_out_shows_nothing() -> None:
    """There is nothing to show, and nobody else to be shown for."""
    with pytest.raises(EventRefused, match="this player is out"):
        finished().record(RackShown(0, ()))
    with pytest.raises(EventRefused, match="there is no player 3"):
        finished().record(RackShown(3, ()))


def test_an_empty_pool_is_scored() -> None:
    """Everybody shows; in the standard game everyone notes minus, and nothing has to add up."""
    game = dealt().record(PoolCounted(0)).record(Passed()).record(Passed())
    game = game.record(RackShown(0, rack("R5 R6"))).record(RackShown(1, rack("J")))
    (score,) = game.state.sheet.rounds
    assert (score.points, score.winners, score.zero_sum) == ((-11, -30), (0,), False)


def test_stars_are_scored_from_counts() -> None:
    """Where every tile counts one it is enough to count them; seen or counted is all the same."""
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


def test_points_are_not_scored_from_counts() -> None:
    """A number of tiles says nothing of their sum."""
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
def test_who_begins_the_next_round(house: str, racks_left: tuple[str, str], starter: int | None) -> None:
    """As in the first round, or by house rule the winner or the left neighbour; a shared win leaves it open."""
    game = dealt("travel", f"setup.next_round={house}")
    if racks_left[0]:
        game = game.record(PoolCounted(0)).record(Passed()).record(Passed()).record(RackShown(0, rack(racks_left[0])))
    else:
        game = game.record(RackCounted(0, 0))
    game = game.record(RackShown(1, rack(racks_left[1])))
    assert len(game.state.sheet.rounds) == 1
    assert game.state.starter == starter
    assert game.state.phase is (Phase.STARTER if starter is None else Phase.DEAL)


def test_as_many_rounds_as_agreed() -> None:
    """After the last of them the game is over, and nothing more can happen."""
    game = finished(players=2, rounds=1).record(RackShown(1, rack("K1")))
    assert game.state.phase is Phase.OVER
    assert game.state.sheet.leaders == (0,)
    for event in (StarterChosen(0), Dealt(), TileDrawn(), RackShown(1, ())):
        with pytest.raises(EventRefused, match="the game is over"):
            game.record(event)
    with pytest.raises(EventRefused, match="the game is already over"):
        game.record(GameEnded())


def test_players_get_up() -> None:
    """The game ends at any time; a round that is not scored counts for nothing."""
    game = dealt().record(GameEnded())
    assert (game.state.phase, game.state.sheet.rounds) == (Phase.OVER, ())


@pytest.mark.parametrize(
    ("game", "event", "message"),
    [
        (started(), Dealt(), "first find out who begins"),
        (started().record(StarterChosen(0)), TileDrawn(), "first deal the tiles"),
        (dealt(), Dealt(), "a round is being played"),
        (dealt(), RackShown(0, ()), "a round is being played"),
        (finished(), TileDrawn(), "now show the racks"),
        (finished(), TableCorrected(parse_table("")), "now show the racks"),
    ],
)
def test_events_out_of_order(game: Game, event: Dealt | TileDrawn | RackShown | TableCorrected, message: str) -> None:
    """What can't have happened yet, or any more, is refused with what the game waits for."""
    with pytest.raises(EventRefused, match=message):
        game.record(event)

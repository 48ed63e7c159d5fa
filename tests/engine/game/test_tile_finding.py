"""The first-acquaintance game: tiles pointed at and found, stars for finding, and its end."""

import pytest

from tests.support.games import NAMES
from tilekeeper.engine.game.events import GameStarted, TileDrawn, TileFound, TilePointed
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.game.tile_finding import FindFault, Finding
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.tile import JOKER, Tile


def tile(text: str) -> Tile:
    return parse_table(text).melds[0][0]


def finding(game: Game) -> Finding:
    assert game.state.finding is not None
    return game.state.finding


def begun(*house: str, leader: int | None = None) -> Game:
    return Game.start(GameStarted(NAMES[:2], "junior", house, first_acquaintance=True, leader=leader))


def test_a_run_is_found() -> None:
    """One higher or one lower than the run lies, in its colour, earns a star."""
    game = begun().record(TilePointed(tile("R5")))
    for player, text in ((0, "R6"), (1, "R4"), (0, "R3")):
        game = game.record(TileFound(player, tile(text)))
    assert finding(game).table == parse_table("R3 R4 R5 R6")
    assert finding(game).bank.purses == (2, 1)
    assert finding(game).fault is None
    assert game.state.phase is Phase.FINDING


@pytest.mark.parametrize(
    ("player", "text", "fault"),
    [
        (1, "K6", FindFault.OTHER_COLOUR),
        (1, "J", FindFault.OTHER_COLOUR),
        (1, "R7", FindFault.NOT_NEXT),
        (1, "R5", FindFault.NOT_NEXT),
        (0, "R6", FindFault.LEADER_FOUND),
    ],
)
def test_a_wrong_tile(player: int, text: str, fault: FindFault) -> None:
    """It stays where it lay, earns nothing, and the next right one mends it."""
    game = begun(leader=0).record(TilePointed(tile("R5"))).record(TileFound(player, tile(text)))
    assert finding(game).fault is fault
    assert finding(game).table == parse_table("R5")
    assert finding(game).bank.purses == (0, 0)
    assert finding(game.record(TileFound(1, tile("R6")))).fault is None


@pytest.mark.parametrize(("start", "wrong"), [("R10", "R11"), ("R1", "R0")])
def test_a_run_has_ends(start: str, wrong: str) -> None:
    """Nothing is beyond 1 and 10."""
    game = begun().record(TilePointed(tile(start))).record(TileFound(0, tile(wrong)))
    assert finding(game).fault is FindFault.NOT_NEXT


def test_all_runs_lie() -> None:
    """The game is over once the four runs are complete; most stars have won, and no coin is lost."""
    game = begun()
    for letter in "KBYR":
        game = game.record(TilePointed(tile(f"{letter}1")))
        for number in range(2, 11):
            assert game.state.phase is Phase.FINDING
            game = game.record(TileFound(0 if number < 10 else 1, tile(f"{letter}{number}")))
    assert game.state.phase is Phase.OVER
    assert game.state.sheet.rounds[0].points == (32, 4)
    assert game.state.sheet.leaders == (0,)
    assert (finding(game).bank.coins, finding(game).bank.size) == (20, 56)
    assert [len(run) for run in finding(game).table.melds] == [10] * 4
    assert Game.parse(game.format()) == game


def test_house_rules() -> None:
    """More stars for a tile; as many runs as there are copies; a box of short runs."""
    game = begun("stars.found=2").record(TilePointed(tile("R5"))).record(TileFound(0, tile("R6")))
    assert finding(game).bank.purses == (2, 0)
    game = begun("stock.copies=2", "stock.numbers=6", "setup.dealt=5")
    for _ in range(2):
        game = game.record(TilePointed(tile("R6")))
        for number in (5, 4, 3, 2, 1):
            game = game.record(TileFound(0, tile(f"R{number}")))
    assert (len(finding(game).done), game.state.phase) == (2, Phase.FINDING)


@pytest.mark.parametrize("wrong", [JOKER, tile("O3"), tile("R11"), tile("K3")])
def test_a_tile_that_does_not_lie_there(wrong: Tile) -> None:
    """No joker, no other colour, no tile of a run that is complete."""
    game = begun().record(TilePointed(tile("K10")))
    for number in range(9, 0, -1):
        game = game.record(TileFound(1, tile(f"K{number}")))
    with pytest.raises(EventRefused, match=r"there is no .* to point at"):
        game.record(TilePointed(wrong))


def test_events_out_of_order() -> None:
    """First pointing, then finding, then the whole run; no turns, and no finding in another game."""
    with pytest.raises(EventRefused, match="first point at a tile"):
        begun().record(TileFound(0, tile("R1")))
    game = begun().record(TilePointed(tile("R5")))
    with pytest.raises(EventRefused, match="first finish the run"):
        game.record(TilePointed(tile("K5")))
    with pytest.raises(EventRefused, match="there is no player 2"):
        game.record(TileFound(2, tile("R6")))
    with pytest.raises(EventRefused, match="the players are looking for tiles"):
        game.record(TileDrawn())


def test_games_that_cannot_be_played() -> None:
    """It is played for stars, and the one in charge is one of the players, or none of them."""
    with pytest.raises(EventRefused, match="this box has none"):
        Game.start(GameStarted(NAMES[:2], "travel", first_acquaintance=True))
    with pytest.raises(EventRefused, match="there is no player 2"):
        begun(leader=2)

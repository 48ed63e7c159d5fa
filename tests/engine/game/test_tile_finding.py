"""The first-acquaintance game: pointing at tiles, finding them, stars, and the end."""

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


def start_game(*house: str, leader: int | None = None) -> Game:
    return Game.start(GameStarted(NAMES[:2], "junior", house, first_acquaintance=True, leader=leader))


def test_next_tile_of_the_run_earns_a_star() -> None:
    """One higher or one lower, in the same colour."""
    game = start_game().record(TilePointed(tile("R5")))
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
def test_wrong_tile_earns_nothing_and_stays(player: int, text: str, fault: FindFault) -> None:
    """The next right tile clears the fault."""
    game = start_game(leader=0).record(TilePointed(tile("R5"))).record(TileFound(player, tile(text)))
    assert finding(game).fault is fault
    assert finding(game).table == parse_table("R5")
    assert finding(game).bank.purses == (0, 0)
    assert finding(game.record(TileFound(1, tile("R6")))).fault is None


@pytest.mark.parametrize(("start", "wrong"), [("R10", "R11"), ("R1", "R0")])
def test_run_ends_at_1_and_10(start: str, wrong: str) -> None:
    """Nothing is beyond 1 and 10."""
    game = start_game().record(TilePointed(tile(start))).record(TileFound(0, tile(wrong)))
    assert finding(game).fault is FindFault.NOT_NEXT


def test_game_is_over_after_all_runs() -> None:
    """Most stars win, and no coin is lost."""
    game = start_game()
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


def test_first_acquaintance_game_follows_house_rules() -> None:
    """Stars for a tile, one run for each copy, shorter runs."""
    game = start_game("stars.found=2").record(TilePointed(tile("R5"))).record(TileFound(0, tile("R6")))
    assert finding(game).bank.purses == (2, 0)
    game = start_game("stock.copies=2", "stock.numbers=6", "setup.dealt=5")
    for _ in range(2):
        game = game.record(TilePointed(tile("R6")))
        for number in (5, 4, 3, 2, 1):
            game = game.record(TileFound(0, tile(f"R{number}")))
    assert (len(finding(game).done), game.state.phase) == (2, Phase.FINDING)


@pytest.mark.parametrize("wrong", [JOKER, tile("O3"), tile("R11"), tile("K3")])
def test_pointing_at_an_unavailable_tile_is_refused(wrong: Tile) -> None:
    """A joker, another colour, or a tile of a complete run."""
    game = start_game().record(TilePointed(tile("K10")))
    for number in range(9, 0, -1):
        game = game.record(TileFound(1, tile(f"K{number}")))
    with pytest.raises(EventRefused, match=r"there is no .* to point at"):
        game.record(TilePointed(wrong))


def test_pointing_and_finding_out_of_order_is_refused() -> None:
    """Turns too, and finding in another game."""
    with pytest.raises(EventRefused, match="first point at a tile"):
        start_game().record(TileFound(0, tile("R1")))
    game = start_game().record(TilePointed(tile("R5")))
    with pytest.raises(EventRefused, match="first finish the run"):
        game.record(TilePointed(tile("K5")))
    with pytest.raises(EventRefused, match="there is no player 2"):
        game.record(TileFound(2, tile("R6")))
    with pytest.raises(EventRefused, match="the players are looking for tiles"):
        game.record(TileDrawn())


def test_first_acquaintance_game_needs_stars_and_a_known_leader() -> None:
    """It is played for stars, and the one in charge is one of the players, or none of them."""
    with pytest.raises(EventRefused, match="this box has none"):
        Game.start(GameStarted(NAMES[:2], "travel", first_acquaintance=True))
    with pytest.raises(EventRefused, match="there is no player 2"):
        start_game(leader=2)

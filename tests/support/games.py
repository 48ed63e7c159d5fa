"""Builders of games for tests, with tables in notation."""

from tilekeeper.engine.game.events import Dealt, GameStarted, StarterChosen, TableCorrected, TilesLaid, TurnFailed
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import Round
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld

NAMES = ("Ada", "Bo", "Cleo", "Dan")


def start_game(edition: str = "large-numbers", *house: str, players: int = 2, rounds: int | None = None) -> Game:
    """Return a game that waits for the choice of who begins."""
    return Game.start(GameStarted(NAMES[:players], edition, house, rounds))


def deal_game(
    edition: str = "large-numbers", *house: str, players: int = 2, rounds: int | None = None, table: str = ""
) -> Game:
    """Return a game after the first deal; Ada begins, and `table` is on the table."""
    game = start_game(edition, *house, players=players, rounds=rounds).record(StarterChosen(0, overruled=True))
    game = game.record(Dealt())
    return game.record(TableCorrected(parse_table(table))) if table else game


def playing(game: Game) -> Round:
    """Return the current round."""
    assert game.state.round is not None
    return game.state.round


def racks(game: Game) -> tuple[int, ...]:
    """Return the number of tiles on each rack."""
    return tuple(seat.rack for seat in playing(game).seats)


def tiles_laid(after: str, seconds: float | None = None, overruled: bool = False) -> TilesLaid:
    """Return the event of a finished turn."""
    return TilesLaid(parse_table(after), seconds, overruled)


def failed(after: str, restored: str | None = None, time_up: bool = True) -> TurnFailed:
    """Return the event of a failed turn."""
    return TurnFailed(parse_table(after), time_up, None if restored is None else parse_table(restored))


def rack(text: str) -> Meld:
    """Parse the tiles of a rack."""
    return parse_table(text).melds[0] if text else ()

"""Games for tests: begun, dealt, and with tables in notation."""

from tilekeeper.engine.game.events import Dealt, GameStarted, StarterChosen, TableCorrected, TilesLaid, TurnFailed
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.state import Round
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Meld

NAMES = ("Ada", "Bo", "Cleo", "Dan")


def started(edition: str = "large-numbers", *house: str, players: int = 2, rounds: int | None = None) -> Game:
    """A game in which nobody knows yet who begins."""
    return Game.start(GameStarted(NAMES[:players], edition, house, rounds))


def dealt(
    edition: str = "large-numbers", *house: str, players: int = 2, rounds: int | None = None, table: str = ""
) -> Game:
    """A game whose first round was dealt, Ada to begin, with tiles from nowhere on the table."""
    game = started(edition, *house, players=players, rounds=rounds).record(StarterChosen(0, overruled=True))
    game = game.record(Dealt())
    return game.record(TableCorrected(parse_table(table))) if table else game


def playing(game: Game) -> Round:
    """The round that is played."""
    assert game.state.round is not None
    return game.state.round


def racks(game: Game) -> tuple[int, ...]:
    """How many tiles each rack holds."""
    return tuple(seat.rack for seat in playing(game).seats)


def laid(after: str, seconds: float | None = None, overruled: bool = False) -> TilesLaid:
    """A turn that is done."""
    return TilesLaid(parse_table(after), seconds, overruled)


def failed(after: str, restored: str | None = None, time_up: bool = True) -> TurnFailed:
    """A turn that went wrong."""
    return TurnFailed(parse_table(after), time_up, None if restored is None else parse_table(restored))


def rack(text: str) -> Meld:
    """Tiles of a rack."""
    return parse_table(text).melds[0] if text else ()

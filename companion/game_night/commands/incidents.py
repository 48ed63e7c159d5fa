"""What happens to a game night from outside: tiles are lost, people leave and join, records are put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tilekeeper.companion.game_night.commands.rounds import one_tile
from tilekeeper.companion.game_night.commands.turns import expect_turn
from tilekeeper.companion.game_night.player_names import tidy_name, tidy_names
from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.engine.game.events import (
    Event,
    PlayerJoined,
    PlayerLeft,
    PlayerOpened,
    PoolCounted,
    RackCounted,
    TileLost,
    TileReturned,
    TurnGiven,
)
from tilekeeper.engine.game.state import Round


def lose_tile(
    night: GameNightState, press: Press, tile: str | None = None, player: int | None = None
) -> GameNightState:
    """A tile is in the box no more; from a rack where a player is named, else from the pool."""
    return night.with_events([TileLost(None if tile is None else one_tile(tile), player)], press, goes_on=True)


def return_tile(night: GameNightState, press: Press, tile: str | None = None) -> GameNightState:
    """A lost tile is there again, and goes into the pool."""
    return night.with_events([TileReturned(None if tile is None else one_tile(tile))], press, goes_on=True)


def leave(night: GameNightState, press: Press, player: int) -> GameNightState:
    """A player goes home; the tiles go into the pool."""
    return night.with_events([PlayerLeft(player)], press)


def join(night: GameNightState, press: Press, name: str, deals: bool = True) -> GameNightState:
    """Somebody comes late, or back; takes tiles at once, or waits for the next round.

    Raises:
        Refused: if the name can't stay, or plays already.
    """
    state = night.state
    name = tidy_name(name)
    if not (name in state.players and state.players.index(name) in state.away):
        tidy_names([name], taken=state.players)
    return night.with_events([PlayerJoined(name, deals)], press, goes_on=True)


def know_opened(night: GameNightState, press: Press, player: int, opened: bool = True) -> GameNightState:
    """A player had opened already, or had not."""
    return night.with_events([PlayerOpened(player, opened)], press)


def begun_already(
    night: GameNightState, press: Press, opened: Collection[int] | None, racks: Mapping[int, int], pool: int | None
) -> GameNightState:
    """A round began without the app: what people say of it at once, as far as it differs from the ledger.

    Args:
        night: the state of the game night, with a turn in play.
        press: who says so.
        opened: the seats of those who have opened; none where nobody knows.
        racks: how many tiles a seat has.
        pool: how many tiles are in the pool; none where nobody counted.

    Raises:
        Refused: where no turn is being played, or one of it can't be.
    """
    play = expect_turn(night).round
    events: list[Event] = []
    if opened is not None:
        events += [
            PlayerOpened(player, player in opened)
            for player, seat in enumerate(play.seats)
            if not seat.away and seat.opened != (player in opened)
        ]
    events += [RackCounted(player, tiles) for player, tiles in racks.items() if _has(play, player) != tiles]
    events += [PoolCounted(pool)] if pool not in (None, play.pool) else []
    return night.with_events(events, press) if events else night


def _has(play: Round, player: int) -> int | None:
    return play.seats[player].rack if player < len(play.seats) else None


def give_turn(night: GameNightState, press: Press, player: int) -> GameNightState:
    """It is another player's turn."""
    return night.with_events([TurnGiven(player)], press)

"""The buttons for incidents: lost tiles, players who leave or join, and facts that the app has wrong."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.commands.rounds import parse_single_tile
from tilekeeper.companion.game_night.commands.turns import expect_turn
from tilekeeper.companion.game_night.fields import CHECKED, Count, SeatIndex, TileText
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


class LoseTile(GameNightAction):
    """Report a lost tile; the ledger no longer counts it."""

    path = "lost"
    tile: TileText | None = None
    """The tile; null if it was face down, so that nobody knows it."""
    player: SeatIndex | None = None
    """The player from whose rack the tile was lost; null if it was in the pool."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which the tile counts as lost."""
        tile = None if self.tile is None else parse_single_tile(self.tile)
        return night.with_events([TileLost(tile, self.player)], press, goes_on=True)


class ReturnTile(GameNightAction):
    """Report that a lost tile was found; it goes into the pool."""

    path = "returned"
    tile: TileText | None = None
    """The tile; null for a tile that was lost face down."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the tile in the pool."""
        tile = None if self.tile is None else parse_single_tile(self.tile)
        return night.with_events([TileReturned(tile)], press, goes_on=True)


class Leave(GameNightAction):
    """Let a player leave: the player's tiles go into the pool, and the points stay on the score sheet."""

    path = "left"
    player: SeatIndex

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after the player has left."""
        return night.with_events([PlayerLeft(self.player)], press)


class Join(GameNightAction):
    """Let a player join late, at a new seat after the last one; a player who left gets the old seat back."""

    path = "joined"
    name: Annotated[str, Field(max_length=400)]
    deals: bool = True
    """True if the player takes tiles now and plays in this round; false to wait for the next round."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the player at the table.

        Raises:
            Refused: if the name can't be used, or a player of this name is at the table already.
        """
        state, name = night.state, tidy_name(self.name)
        if not (name in state.players and state.players.index(name) in state.away):
            tidy_names([name], taken=state.players)
        return night.with_events([PlayerJoined(name, self.deals)], press, goes_on=True)


class KnowOpened(GameNightAction):
    """Correct whether a player has opened, for example in a round that began without the app."""

    path = "opened"
    player: SeatIndex
    opened: bool = True

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which the player has opened or not, as sent."""
        return night.with_events([PlayerOpened(self.player, self.opened)], press)


class RackOf(BaseModel):
    """The number of tiles on one player's rack."""

    model_config = CHECKED
    player: SeatIndex
    tiles: Annotated[int, Field(ge=1, le=999)]


class BegunAlready(GameNightAction):
    """Enter a round that began without the app: who has opened, and how many tiles each rack and the pool have.

    Send the action `table` first. All corrections together are one step for undo, and the turn goes on. Fields that are
    not sent change nothing.
    """

    path = "begun"
    opened: Annotated[list[SeatIndex], Field(max_length=8)] | None = None
    """The seats of all players who have opened; the other players have not. Null to change nothing."""
    racks: Annotated[list[RackOf], Field(max_length=8)] = Field(default_factory=list)
    pool: Count | None = None
    """How many tiles are in the pool; null to change nothing."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the corrections; `night` itself if they change nothing.

        Raises:
            Refused: if no turn is being played, or a value is impossible.
        """
        play = expect_turn(night).round
        events: list[Event] = []
        if self.opened is not None:
            events += [
                PlayerOpened(player, player in self.opened)
                for player, seat in enumerate(play.seats)
                if not seat.away and seat.opened != (player in self.opened)
            ]
        racks = {rack.player: rack.tiles for rack in self.racks}
        events += [RackCounted(player, tiles) for player, tiles in racks.items() if _rack_size(play, player) != tiles]
        events += [PoolCounted(self.pool)] if self.pool not in (None, play.pool) else []
        return night.with_events(events, press) if events else night


def _rack_size(play: Round, player: int) -> int | None:
    return play.seats[player].rack if player < len(play.seats) else None


class GiveTurn(GameNightAction):
    """Give the turn to another player, for example after a mistake in the order of play."""

    path = "turn"
    player: SeatIndex

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which it is the turn of `player`."""
        return night.with_events([TurnGiven(self.player)], press)

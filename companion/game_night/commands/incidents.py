"""Incidents of a game night: lost tiles, players who leave and join, corrections of what the app knows."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.commands.rounds import one_tile
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
    """A tile is lost; the ledger counts without it from now on."""

    path = "lost"
    tile: TileText | None = None
    """The tile; null if nobody knows, since it was face down."""
    player: SeatIndex | None = None
    """The player from whose rack it was lost; null for the pool."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state without the tile."""
        tile = None if self.tile is None else one_tile(self.tile)
        return night.with_events([TileLost(tile, self.player)], press, goes_on=True)


class ReturnTile(GameNightAction):
    """A lost tile is found again and goes into the pool."""

    path = "returned"
    tile: TileText | None = None
    """The tile; null if nobody knows, since it was face down."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the tile in the pool."""
        tile = None if self.tile is None else one_tile(self.tile)
        return night.with_events([TileReturned(tile)], press, goes_on=True)


class Leave(GameNightAction):
    """A player goes home: the tiles go into the pool, and the points stay on the sheet."""

    path = "left"
    player: SeatIndex

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state without the player."""
        return night.with_events([PlayerLeft(self.player)], press)


class Join(GameNightAction):
    """Somebody comes late and sits down after the last seat, or comes back to their own seat."""

    path = "joined"
    name: Annotated[str, Field(max_length=400)]
    deals: bool = True
    """Whether the player takes tiles at once; otherwise the player waits for the next round."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the player.

        Raises:
            Refused: if the name can't be used, or its player is at the table already.
        """
        state, name = night.state, tidy_name(self.name)
        if not (name in state.players and state.players.index(name) in state.away):
            tidy_names([name], taken=state.players)
        return night.with_events([PlayerJoined(name, self.deals)], press, goes_on=True)


class KnowOpened(GameNightAction):
    """Correct whether a player has opened, as in a round that began without the app."""

    path = "opened"
    player: SeatIndex
    opened: bool = True

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the correction."""
        return night.with_events([PlayerOpened(self.player, self.opened)], press)


class RackOf(BaseModel):
    """The number of tiles on one player's rack."""

    model_config = CHECKED
    player: SeatIndex
    tiles: Annotated[int, Field(ge=1, le=999)]


class BegunAlready(GameNightAction):
    """Enter a round that began without the app: who has opened, and how many tiles each rack and the pool have.

    All corrections are one step for undo, and the turn goes on. Fields that are not sent change nothing. Send the
    action `table` before this one.
    """

    path = "begun"
    opened: Annotated[list[SeatIndex], Field(max_length=8)] | None = None
    """Who has opened; all others have not. Null if nobody knows."""
    racks: Annotated[list[RackOf], Field(max_length=8)] = Field(default_factory=list)
    pool: Count | None = None
    """How many tiles the pool has; null if nobody counted."""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the corrected ledger; `night` itself if nothing differs.

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
    """Give the turn to another player."""

    path = "turn"
    player: SeatIndex

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state in which it is the turn of `player`."""
        return night.with_events([TurnGiven(self.player)], press)

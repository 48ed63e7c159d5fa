"""What happens to an evening from outside: tiles are lost, people leave and join, records are put right."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.evening.moment import Moment, Press
from tilekeeper.companion.evening.names import tidy_name, tidy_names
from tilekeeper.companion.evening.rounds import one_tile
from tilekeeper.engine.events import PlayerJoined, PlayerLeft, PlayerOpened, TileLost, TileReturned, TurnGiven


def lose_tile(moment: Moment, press: Press, tile: str | None = None, player: int | None = None) -> Moment:
    """A tile is in the box no more; from a rack where a player is named, else from the pool."""
    return moment.recorded([TileLost(None if tile is None else one_tile(tile), player)], press, goes_on=True)


def return_tile(moment: Moment, press: Press, tile: str | None = None) -> Moment:
    """A lost tile is there again, and goes into the pool."""
    return moment.recorded([TileReturned(None if tile is None else one_tile(tile))], press, goes_on=True)


def leave(moment: Moment, press: Press, player: int) -> Moment:
    """A player goes home; the tiles go into the pool."""
    return moment.recorded([PlayerLeft(player)], press)


def join(moment: Moment, press: Press, name: str, deals: bool = True) -> Moment:
    """Somebody comes late, or back; takes tiles at once, or waits for the next round.

    Raises:
        Refused: if the name can't stay, or plays already.
    """
    state = moment.state
    name = tidy_name(name)
    if not (name in state.players and state.players.index(name) in state.away):
        tidy_names([name], taken=state.players)
    after = moment.recorded([PlayerJoined(name, deals)], press, goes_on=True)
    if len(after.state.players) == len(state.players):
        return after
    evening = replace(after.evening, people=(*after.evening.people, (name,)))
    return replace(after, evening=evening)


def know_opened(moment: Moment, press: Press, player: int, opened: bool = True) -> Moment:
    """A player had opened already, or had not."""
    return moment.recorded([PlayerOpened(player, opened)], press)


def give_turn(moment: Moment, press: Press, player: int) -> Moment:
    """It is another player's turn."""
    return moment.recorded([TurnGiven(player)], press)

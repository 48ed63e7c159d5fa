"""What happens to an evening from outside: tiles are lost, people leave and join, records are put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from tilekeeper.companion.game_night.commands.rounds import one_tile
from tilekeeper.companion.game_night.commands.turns import expect_turn
from tilekeeper.companion.game_night.player_names import tidy_name, tidy_names
from tilekeeper.companion.game_night.state import Moment, Press
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


def begun_already(
    moment: Moment, press: Press, opened: Collection[int] | None, racks: Mapping[int, int], pool: int | None
) -> Moment:
    """A round began without the app: what people say of it at once, as far as it differs from the ledger.

    Args:
        moment: the evening, with a turn in play.
        press: who says so.
        opened: the seats of those who have opened; none where nobody knows.
        racks: how many tiles a seat has.
        pool: how many tiles are in the pool; none where nobody counted.

    Raises:
        Refused: where no turn is being played, or one of it can't be.
    """
    play = expect_turn(moment).round
    events: list[Event] = []
    if opened is not None:
        events += [
            PlayerOpened(player, player in opened)
            for player, seat in enumerate(play.seats)
            if not seat.away and seat.opened != (player in opened)
        ]
    events += [RackCounted(player, tiles) for player, tiles in racks.items() if _has(play, player) != tiles]
    events += [PoolCounted(pool)] if pool not in (None, play.pool) else []
    return moment.recorded(events, press) if events else moment


def _has(play: Round, player: int) -> int | None:
    return play.seats[player].rack if player < len(play.seats) else None


def give_turn(moment: Moment, press: Press, player: int) -> Moment:
    """It is another player's turn."""
    return moment.recorded([TurnGiven(player)], press)

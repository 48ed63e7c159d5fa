"""What players do on their own phones: count the rack at the end of a round, and ask for a hint.

A rack that was counted on a phone is kept in memory and recorded only once all racks are known, so that until then
no page, file or record shows it.
"""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.commands.rounds import refuse_impossible
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.state import GameNightState, HandedIn, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import RackCounted, RackShown
from tilekeeper.engine.game.rounds import is_rack_known
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.tile import Tile


def may_hand_in(night: GameNightState, player: int) -> bool:
    """Return whether the player may count the rack on the own phone, or correct that count."""
    state = night.state
    if state.phase is not Phase.RACKS or state.round is None or player == state.round.out:
        return False
    seat = state.round.seats[player]
    return not seat.away and not is_rack_known(seat, needs_points=state.rules.stars is None)


def hand_in(
    night: GameNightState, press: Press, player: int, rack: tuple[Tile, ...] | int, *, sure: bool
) -> GameNightState:
    """Return the state with a rack that a player has counted on the own phone.

    Args:
        night: the state before.
        press: who counted, and when.
        player: the player.
        rack: the tiles of the rack; in editions with stars only their number, which is no secret.
        sure: whether to accept more copies of a tile than the box has.

    Raises:
        Refused: if no rack is counted now, the rack is known already, or the box has fewer copies of a tile.
    """
    if not may_hand_in(night, player) or isinstance(rack, int) is not (night.state.rules.stars is not None):
        raise Refused(gettext("Your rack is not counted now."), "not-now")
    if isinstance(rack, int):
        return night.with_events([RackCounted(player, rack)], press)
    if not sure:
        refuse_impossible(night, player, rack)
    others = tuple(other for other in night.handed_in if other.player != player)
    return replace(night, handed_in=(*others, HandedIn(player, rack)))


def record_handed_in(night: GameNightState, press: Press) -> GameNightState:
    """Return the state with all racks of phones recorded, if now all racks are known; else the racks that still count.

    A rack of a phone is dropped if the rack was counted at the table meanwhile, or the round was taken up again.
    """
    if not night.handed_in:
        return night
    waiting = tuple(rack for rack in night.handed_in if may_hand_in(night, rack.player))
    handed_in = {rack.player for rack in waiting}
    play = night.state.round
    seats = () if play is None else play.present
    if not waiting or any(may_hand_in(night, player) and player not in handed_in for player in seats):
        return night if waiting == night.handed_in else replace(night, handed_in=waiting)
    shown = [RackShown(rack.player, rack.tiles) for rack in sorted(waiting, key=lambda rack: rack.player)]
    return replace(night, handed_in=()).with_events(shown, replace(press, by=APP))


def may_ask_about_opening(night: GameNightState, player: int) -> bool:
    """Return whether the player may ask "Can I open?": during turns, until the player has opened."""
    state = night.state
    if state.phase is not Phase.TURNS or state.round is None or not state.rules.opening.minimum_points:
        return False
    return not state.round.seats[player].opened and not state.round.seats[player].away


def may_get_hint(night: GameNightState, player: int) -> bool:
    """Return whether the player may ask what to lay: in the own turn, if the players agreed on hints.

    There are no hints with tournament clocks and at the tables of a hall.
    """
    play, settings = night.state.round, night.settings
    if night.state.phase is not Phase.TURNS or play is None or play.turn != player:
        return False
    return settings.hints and not settings.tournament and not night.is_of_hall

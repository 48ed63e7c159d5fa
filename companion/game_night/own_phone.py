"""What players do on their own phones: count the rack at the end of a round, and ask for a hint.

A rack that was counted on a phone is kept in memory and recorded only once all racks are known, so that until then
no page, file or record shows it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from tilekeeper.companion.game_night.commands.rounds import refuse_impossible
from tilekeeper.companion.game_night.player_names import APP
from tilekeeper.companion.game_night.state import GameNightState, HandedIn, Press
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import RackCounted, RackShown, RackSummed
from tilekeeper.engine.game.rounds import is_rack_known
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.tile import Tile

MOST_MORE_TILES: Final = 10
"""How many more tiles a hint accepts than a rack has, since the ledger may be wrong; 106 tiles take six seconds."""
_LARGEST_DEAL: Final = 14
"""Every edition deals at most this many tiles."""


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
    to_recount = tuple(other for other in night.to_recount if other != player)
    return replace(night, handed_in=(*others, HandedIn(player, rack, sure)), to_recount=to_recount)


def record_handed_in(before: GameNightState, after: GameNightState, press: Press) -> GameNightState:
    """Return the state with all racks of phones recorded, if now all racks are known; else the racks that still count.

    A rack of a phone is dropped if the rack was counted at the table meanwhile, or the round was taken up again. If a
    tile is on too many racks, those of phones must be counted again, and nobody learns which tile it is.

    Args:
        before: the state before the action.
        after: the state after it.
        press: the press that caused the action.
    """
    if not after.handed_in and not after.to_recount:
        return after
    waiting = tuple(rack for rack in after.handed_in if may_hand_in(after, rack.player))
    to_recount = tuple(player for player in after.to_recount if may_hand_in(after, player))
    if (waiting, to_recount) != (after.handed_in, after.to_recount):
        after = replace(after, handed_in=waiting, to_recount=to_recount)
    handed_in = {rack.player for rack in waiting}
    if not waiting or any(may_hand_in(after, player) and player not in handed_in for player in after.round.present):
        return after
    doubtful = _doubtful_racks(after)
    if doubtful:
        certain = tuple(rack for rack in waiting if rack not in doubtful)
        return replace(after, handed_in=certain, to_recount=tuple(rack.player for rack in doubtful))
    return _record(before, after, press)


def _doubtful_racks(night: GameNightState) -> tuple[HandedIn, ...]:
    """Return the racks of phones with a tile of which the table and all racks together have too many copies.

    If one of the players with such a tile is sure, all of them are believed.
    """
    ledger = night.recorded.game.ledger
    assert ledger is not None  # a round has been played
    counts = ledger.visible + Counter(tile for rack in night.handed_in for tile in rack.tiles)
    doubtful: set[int] = set()
    for tile in (tile for tile, count in counts.items() if count > ledger.copies_of(tile)):
        holders = [rack for rack in night.handed_in if tile in rack.tiles]
        if not any(rack.sure for rack in holders):
            doubtful.update(rack.player for rack in holders)
    return tuple(rack for rack in night.handed_in if rack.player in doubtful)


def _record(before: GameNightState, after: GameNightState, press: Press) -> GameNightState:
    """Return the state with the racks of phones recorded, and the rack that came last as a step of its own.

    Undo then takes back only that rack.
    """
    waiting, by_app = after.handed_in, replace(press, by=APP)
    entries = [record.entry for record in after.recorded.records[len(before.recorded.records) :]]
    if entries and all(isinstance(entry, RackShown | RackSummed) for entry in entries):
        night = replace(before, handed_in=(), to_recount=()).with_events(_shown(waiting), by_app)
        return night.with_events(entries, press)
    night = replace(after, handed_in=(), to_recount=())
    if len(waiting) > 1:
        night = night.with_events(_shown(waiting[:-1]), by_app)
    return night.with_events(_shown(waiting[-1:]), by_app)


def _shown(racks: tuple[HandedIn, ...]) -> list[RackShown]:
    return [RackShown(rack.player, rack.tiles) for rack in sorted(racks, key=lambda rack: rack.player)]


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


def refuse_large_rack(night: GameNightState, player: int, rack: tuple[Tile, ...]) -> None:
    """Raise `Refused` if a player asks for a hint with far more tiles than the rack has."""
    if len(rack) > max(night.round.seats[player].rack, _LARGEST_DEAL) + MOST_MORE_TILES:
        raise Refused(gettext("These are more tiles than your rack has. Enter only your rack."), "bad-table")

"""Racks that were shown with fewer tiles than the ledger had: where missing tiles of the box most likely are."""

from __future__ import annotations

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import Dealt, RackShown


def short_racks(recorded: RecordedGame) -> tuple[tuple[int, int], ...]:
    """Return the players whose racks were too short in the last round that was dealt, each with how many tiles."""
    short: list[tuple[int, int]] = []
    for record in reversed(recorded.valid_records()):
        entry = record.entry
        if isinstance(entry, Dealt):
            break
        if isinstance(entry, RackShown):
            play = recorded.states[recorded.records.index(record) - 1].round
            assert play is not None  # a rack is shown at the end of one
            fewer = play.seats[entry.player].rack - len(entry.tiles)
            short += [(entry.player, fewer)] if fewer > 0 else []
    return tuple(reversed(short))

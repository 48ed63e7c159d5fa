"""Racks with fewer tiles than the ledger had: where missing tiles of the box most likely are."""

from __future__ import annotations

from collections import Counter

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.engine.game.events import Dealt, RackCounted, RackShown


def short_racks(recorded: RecordedGame) -> tuple[tuple[int, int], ...]:
    """Return the players whose racks were too short since the last deal, each with how many tiles are missing."""
    missing: Counter[int] = Counter()
    for record in reversed(recorded.valid_records()):
        entry = record.entry
        if isinstance(entry, Dealt):
            break
        if isinstance(entry, RackShown | RackCounted):
            play = recorded.states[recorded.records.index(record) - 1].round
            assert play is not None  # a rack is counted and shown in one
            tiles = len(entry.tiles) if isinstance(entry, RackShown) else entry.tiles
            missing[entry.player] += play.seats[entry.player].rack - tiles
    return tuple((player, tiles) for player, tiles in reversed(missing.items()) if tiles > 0)

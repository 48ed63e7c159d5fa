"""Corrects the table at the start of a turn after people have corrected one of its tiles."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.state import GameNightState, Press
from tilekeeper.companion.observation.observed_table import ObservedTable, can_be_judged, certain_table, observed_table
from tilekeeper.companion.observation.start_table import corrected_start
from tilekeeper.engine.game.events import TableCorrected
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.solver.tile_moves import find_moves
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.types import TableReading


def start_needs_correction(night: GameNightState, press: Press) -> bool:
    """Return whether a person has corrected a tile that was on the table at the start of the turn."""
    return with_corrected_start(night, press) is not night


def with_corrected_start(night: GameNightState, press: Press) -> GameNightState:
    """Return the state with the corrected table at the start of the turn; the turn goes on.

    The correction is recorded, since it changes the ledger. Return `night` itself if there is nothing to correct.
    """
    if (
        night.state.phase is not Phase.TURNS
        or press.observation is None
        or not can_be_judged(press.observation.reading)
    ):
        return night
    start = night.before()
    corrected = corrected_start(start, press.observation.reading)
    if corrected.table == start.table:
        return night
    after = night.with_events([TableCorrected(corrected.table)], press, goes_on=True)
    # No tile has moved, so the picture of the start stays.
    return replace(after, start=corrected, start_picture=night.start_picture)


def observe_as(reading: TableReading, wanted: Table) -> ObservedTable:
    """Return the table of a reading, without its isolated doubtful tiles if it then equals `wanted`."""
    observed, certain = observed_table(reading), certain_table(reading)
    return certain if find_moves(observed.table, wanted) and not find_moves(certain.table, wanted) else observed

"""The table at the start of a turn, corrected by what people say of its tiles later."""

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
    """Whether a person has said of a tile that lay there at the start of the turn that it is another, or none."""
    return with_corrected_start(night, press) is not night


def with_corrected_start(night: GameNightState, press: Press) -> GameNightState:
    """Return the state with the table at the start of the turn as it is known by now; the turn goes on.

    It stands in the history: the ledger of the tiles changes with it.
    """
    if (
        night.state.phase is not Phase.TURNS
        or press.observation is None
        or not can_be_judged(press.observation.reading)
    ):
        return night
    start = night.before()
    known = corrected_start(start, press.observation.reading)
    if known.table == start.table:
        return night
    right = night.with_events([TableCorrected(known.table)], press, goes_on=True)
    # the picture of the start stays what it was: nothing moved
    return replace(right, start=known, start_picture=night.start_picture)


def lies_as(reading: TableReading, wanted: Table) -> ObservedTable:
    """Return the table of a reading; without what lies alone and may be no tile, where it lies as `wanted` then."""
    lies, surely = observed_table(reading), certain_table(reading)
    return surely if find_moves(lies.table, wanted) and not find_moves(surely.table, wanted) else lies

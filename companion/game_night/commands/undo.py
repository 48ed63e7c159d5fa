"""Taking steps back, any number of them; the clock stands then as it stood before the first of them."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.state import GameNightState, Press, claimed
from tilekeeper.companion.observation.observed_table import by_hand
from tilekeeper.engine.tiles.table import Table


def undo(night: GameNightState, press: Press, steps: int = 1, reason: str = "") -> GameNightState:
    """Take the last actions back; a turn that has failed and is not noted yet is the first of them.

    Raises:
        Refused: if there are not so many.
    """
    clock = night.clock.stopped(press.now_s)
    if night.failing is not None or night.waiting:
        night = replace(night, failing=None, waiting=False, clock=clock)
        if steps == 1:
            return night
        steps -= 1
    recorded, first = night.recorded.undone(steps, night.note(press, reason))
    play = recorded.state.round
    return replace(
        night,
        recorded=recorded,
        clock=first.note.clock_before() or clock,
        start=by_hand(Table() if play is None else play.table),
        start_picture=first.note.picture_before,
        judged=claimed(recorded),
    )

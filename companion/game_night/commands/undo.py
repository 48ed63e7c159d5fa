"""Taking steps back, any number of them; the clock stands then as it stood before the first of them."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.state import Moment, Press, claimed
from tilekeeper.companion.observation.observed_table import by_hand
from tilekeeper.engine.tiles.table import Table


def undo(moment: Moment, press: Press, steps: int = 1, reason: str = "") -> Moment:
    """Take the last actions back; a turn that has failed and is not noted yet is the first of them.

    Raises:
        Refused: if there are not so many.
    """
    clock = moment.clock.stopped(press.now_s)
    if moment.failing is not None or moment.waiting:
        moment = replace(moment, failing=None, waiting=False, clock=clock)
        if steps == 1:
            return moment
        steps -= 1
    evening, first = moment.evening.undone(steps, moment.note(press, reason))
    play = evening.state.round
    return replace(
        moment,
        evening=evening,
        clock=first.note.clock_before() or clock,
        start=by_hand(Table() if play is None else play.table),
        start_picture=first.note.picture_before,
        judged=claimed(evening),
    )

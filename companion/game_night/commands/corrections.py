"""Taking steps back, and putting earlier records right: what came after them is replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.player_names import tidy_name, tidy_names
from tilekeeper.companion.game_night.state import GameNightState, Press, claimed
from tilekeeper.companion.observation.observed_table import by_hand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Commanded, Corrected, GameStarted, PlayerJoined, Undone
from tilekeeper.engine.game.log import GameLogError, format_header, parse_log
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Table


class Undo(GameNightAction):
    """Take steps back, any number of them; the clock stands then as it stood before."""

    path = "undo"
    steps: Annotated[int, Field(ge=1, le=10000)] = 1

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state without the last steps."""
        return undo_steps(night, press, self.steps)


def undo_steps(night: GameNightState, press: Press, steps: int = 1, reason: str = "") -> GameNightState:
    """Take the last actions back; a turn that has failed and is not noted yet is the first of them.

    Where a turn was not let stand it stands again first, and is taken back itself next.

    The clock stands then as it stood before the first action that is taken back.

    Raises:
        Refused: if there are not so many.
    """
    clock = night.clock.stopped(press.now_s)
    if night.pending:
        taken_back = None if night.failing is None else night.failing.taken_back
        judged = night.judged if night.exceeded is None else claimed(night.recorded)
        night = replace(night, failing=None, waiting=False, judging=None, exceeded=None, judged=judged, clock=clock)
        if taken_back is not None and steps == 1:
            return night.with_events([taken_back], press, reason=reason, lies=by_hand(taken_back.after))
        steps -= 1 if taken_back is None else 2
        if not steps:
            return night
    recorded, first = night.recorded.undone(steps, night.note(press, reason))
    play = recorded.state.round
    return replace(
        night,
        recorded=recorded,
        clock=first.note.clock_before() or clock,
        start=by_hand(Table() if play is None else play.table),
        start_picture=first.note.picture_before,
        judged=claimed(recorded),
        results_seen=min(night.results_seen, len(recorded.state.sheet.rounds)),
    )


class AmendRecord(GameNightAction):
    """Put an earlier entry right, such as a rack that was misread: what came after it is replayed."""

    path = "amend"
    place: Annotated[int, Field(ge=0)]
    """Which, as in the history."""
    event: dict[str, object]
    """What should have been recorded, in the form of the game's file (`docs/engine.md`)."""
    reason: Annotated[str, Field(max_length=300)] = ""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with another event in the place of an earlier one.

        Raises:
            Refused: if there is no such entry, it is none that can be put right, or what came after could not follow.
        """
        try:
            (instead,) = parse_log(f"{format_header()}\n{json.dumps(self.event)}\n")
        except GameLogError as error:
            raise Refused(gettext("This is not an event: {message}.", message=error.message), "bad-input") from None
        if isinstance(instead, PlayerJoined):
            instead = replace(instead, name=tidy_name(instead.name))
        if isinstance(instead, Corrected | Undone | Commanded | GameStarted) or self.place == 0:
            raise Refused(
                gettext(
                    "The start can't be changed, nor a step that was taken back. Start a new evening, or press Undo."
                )
            )
        after = night.with_events([Corrected(self.place, instead)], press, reason=self.reason)
        if isinstance(instead, PlayerJoined):
            tidy_names([instead.name], taken=[name for name in after.state.players if name != instead.name])
        return after

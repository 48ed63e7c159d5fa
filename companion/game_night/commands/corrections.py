"""The buttons that undo actions and correct earlier records; a correction replays all later records."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.player_names import tidy_name, tidy_names
from tilekeeper.companion.game_night.state import GameNightState, Press, claim_verdict, turn_limit_s
from tilekeeper.companion.observation.observed_table import by_hand
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.events import Commanded, Corrected, GameStarted, PlayerJoined, Undone
from tilekeeper.engine.game.log import GameLogError, format_header, parse_log
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Table


class Undo(GameNightAction):
    """Undo the last actions (`steps`). The clock is stopped and shows the time before these actions."""

    path = "undo"
    steps: Annotated[int, Field(ge=1, le=10000)] = 1

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state before the last `steps` actions, with the clock stopped."""
        return undo_steps(night, press, self.steps)


def undo_steps(night: GameNightState, press: Press, steps: int = 1, reason: str = "") -> GameNightState:
    """Return the state before the last actions, with the clock as it was then, but stopped and with today's limits.

    A step that is not recorded yet, such as a failed turn before the table is restored, counts as the last action. If a
    legal turn was overruled, one step makes it legal again, and one more undoes the turn.

    Raises:
        Refused: if fewer than `steps` steps can be undone.
    """
    clock = night.clock.stopped(press.now_s)
    if night.pending:
        taken_back = None if night.failing is None else night.failing.taken_back
        judged = night.judged if night.exceeded is None else claim_verdict(night.recorded)
        night = replace(night, failing=None, waiting=False, judging=None, exceeded=None, judged=judged, clock=clock)
        if taken_back is not None and steps == 1:
            return night.with_events([taken_back], press, reason=reason, observed=by_hand(taken_back.after))
        steps -= 1 if taken_back is None else 2
        if not steps:
            return night
    recorded, first = night.recorded.undo(steps, night.note(press, reason))
    play = recorded.state.round
    # The settings are no step, so a limit that was changed since then stays.
    earlier = replace(first.note.clock_before() or clock, limit_s=turn_limit_s(recorded.state, night.settings))
    return replace(
        night,
        recorded=recorded,
        clock=earlier,
        start=by_hand(Table() if play is None else play.table),
        start_picture=first.note.picture_before,
        judged=claim_verdict(recorded),
        results_seen=min(night.results_seen, len(recorded.state.sheet.rounds)),
    )


class AmendRecord(GameNightAction):
    """Correct an earlier record of the history, such as a misread rack; all later records are replayed."""

    path = "amend"
    place: Annotated[int, Field(ge=0)]
    """The record's index in the history (`HistoryItemJson.place`)."""
    event: dict[str, object]
    """The corrected event, as in a line of the game's file (`docs/engine.md`)."""
    reason: Annotated[str, Field(max_length=300)] = ""

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state after all records are replayed with `event` instead of the record's event.

        Raises:
            Refused: if there is no such record, it can't be corrected, or a later record would become impossible.
        """
        try:
            (event,) = parse_log(f"{format_header()}\n{json.dumps(self.event)}\n")
        except GameLogError as error:
            raise Refused(gettext("This is not an event: {message}.", message=error.message), "bad-input") from None
        if isinstance(event, PlayerJoined):
            event = replace(event, name=tidy_name(event.name))
        if isinstance(event, Corrected | Undone | Commanded | GameStarted) or self.place == 0:
            raise Refused(
                gettext(
                    "You can't change the start, or a step that was taken back. Start a new evening, or press Undo."
                )
            )
        after = night.with_events([Corrected(self.place, event)], press, reason=self.reason)
        if isinstance(event, PlayerJoined):
            tidy_names([event.name], taken=[name for name in after.state.players if name != event.name])
        return after

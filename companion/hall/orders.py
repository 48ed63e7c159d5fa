"""What a table does at a command of the hall: an action like a button's, and an entry in its log that says who and why.

Both are stored at once, so that a command is obeyed once even where the machine dies in the midst of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias, assert_never

from tilekeeper.companion.broker.messages import ClockCommand, DecideCommand, SeatCommand
from tilekeeper.companion.game_night.clock import MORE_S, Timer
from tilekeeper.companion.game_night.commands import clock
from tilekeeper.companion.game_night.commands.failed_turn import more_time, overrule
from tilekeeper.companion.game_night.commands.turns import cancel, stand
from tilekeeper.companion.game_night.settings import Control, GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState, Halt, Press
from tilekeeper.companion.hall.outbox import RaisedHand
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.session.game_night import Action, GameNight
from tilekeeper.companion.session.repository import Agreement
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.game.events import Commanded, Undone
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext

AnyCommand: TypeAlias = SeatCommand | ClockCommand | DecideCommand
OBEYED: Final = ("arbiter", "organiser")
"""As whom one must be signed in at the hub."""


@dataclass(frozen=True, slots=True)
class Obey:
    """Do what the hall wants with the evening that is played."""

    order: ClockCommand | DecideCommand
    hands: tuple[RaisedHand, ...]

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after it.

        Raises:
            Refused: where it is not possible now.
        """
        night = playing(state)
        if has_obeyed(night, self.order.id):
            return state
        match self.order:
            case ClockCommand():
                effect = partial(_set_clock, order=self.order)
            case DecideCommand():
                effect = partial(_decide, order=self.order, hand=self._hand(night))
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)
        action = partial(_noted, effect=effect, order=self.order)
        return replace(state, activity=night.after(action, state.snapshot, moment, self.order.by, ordered=True))

    def _hand(self, night: GameNight) -> RaisedHand:
        assert isinstance(self.order, DecideCommand)
        found = next((hand for hand in self.hands if hand.id == self.order.dispute), None)
        if found is None or found.log != night.id:
            raise Refused(gettext("This table no longer calls the referee for that."), "not-found")
        return found


def agreement(order: SeatCommand) -> Agreement:
    """What the people of a round agree upon: what the hall says."""
    return Agreement(
        seats=tuple((player.name,) for player in order.players),
        edition=order.edition,
        house=tuple(order.house),
        rounds=1,
        first_acquaintance=False,
        leader=None,
        settings=GameNightSettings(Timer(order.timer), order.tournament, False, False, Control.ALL),
    )


def seated(night: GameNight, order: SeatCommand, state: TableState, moment: Moment) -> GameNight:
    """Return a new evening with the note that the hall wanted it.

    Raises:
        Refused: where a round is being played.
    """
    played = state.activity.game_night
    if played is not None and played.state.state.phase in (Phase.TURNS, Phase.RACKS):
        raise Refused(gettext("A round is being played at this table. End it first."), "playing")
    halted = replace(night, state=replace(night.state, halt=Halt.START if order.waits else None))
    return halted.after(partial(_noted, effect=None, order=order), state.snapshot, moment, order.by, ordered=True)


def has_obeyed(night: GameNight, command: str) -> bool:
    """Whether a command stands in the log of an evening."""
    entries = (record.entry for record in night.state.recorded.records)
    return any(isinstance(entry, Commanded) and entry.command == command for entry in entries)


def decided(night: GameNight) -> frozenset[str]:
    """The disputes that were decided about in an evening."""
    entries = (record.entry for record in night.state.recorded.records)
    return frozenset(entry.dispute for entry in entries if isinstance(entry, Commanded) and entry.dispute)


def _noted(night: GameNightState, press: Press, effect: Action | None, order: AnyCommand) -> GameNightState:
    after = night if effect is None else effect(night, press)
    decides = order if isinstance(order, DecideCommand) else None
    entry = Commanded(
        order.id,
        order.kind,
        order.by,
        order.role,
        order.why,
        dispute="" if decides is None else decides.dispute,
        decision="" if decides is None else decides.decision,
        seconds=_seconds(decides) if decides is not None and decides.decision == "time_given" else None,
        round=order.round if isinstance(order, SeatCommand) else None,
    )
    return replace(after, recorded=after.recorded.with_events((entry,), after.note(press, order.why)))


def _set_clock(night: GameNightState, press: Press, order: ClockCommand) -> GameNightState:
    """Halt the table or let it go on, and the clock with it where a turn is played; elsewhere that stands anyhow.

    What was pressed and has come to nothing yet is called off by a pause.
    """
    pauses = order.kind == "pause"
    if pauses and (night.waiting or night.exceeded is not None):
        night = cancel(night, press)
    night = replace(night, halt=Halt.PAUSE if pauses else None)
    if night.state.phase is not Phase.TURNS or night.failing is not None:
        return night
    return clock.pause(night, press) if pauses else clock.resume(night, press)


def _decide(night: GameNightState, press: Press, order: DecideCommand, hand: RaisedHand) -> GameNightState:
    if not order.why.strip():
        raise Refused(gettext("Say why in a few words. The reason goes into the history."), "reason")
    if order.decision == "time_given":
        return more_time(night, press, _seconds(order))
    if _has_gone_on(night, hand):
        if order.decision == "stands":
            return night
        raise Refused(
            gettext("The game has gone on since the referee was called. First take back those turns at the table."),
            "stale",
        )
    wrong = night.round.claim is not None
    if order.decision == "taken_back":
        if night.failing is not None:
            return night
        return stand(night, press) if wrong else overrule(night, press, order.why, legal=False)
    disputed = wrong or night.failing is not None or (night.judged is not None and not night.judged.sure)
    return overrule(night, press, order.why) if disputed else night


def _has_gone_on(night: GameNightState, hand: RaisedHand) -> bool:
    """Whether entries have come since that hold and are no answers of the hall."""
    since = night.recorded.records[hand.seq :]
    return any(isinstance(record.entry, Undone) or record in night.recorded.standing() for record in since)


def _seconds(order: DecideCommand) -> float:
    return MORE_S if order.seconds is None else order.seconds

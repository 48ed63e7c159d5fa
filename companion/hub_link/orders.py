"""Applies the hall's commands to the game night, each with a log entry that says who gave the command and why.

The change and its entry are stored in one transaction, so that a command takes effect only once, even after a crash.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, assert_never

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.clock import MORE_S, Increment, TimeControl, Timer
from tilekeeper.companion.game_night.commands.clock import Pause, Resume
from tilekeeper.companion.game_night.commands.failed_turn import GiveMoreTime, Overrule
from tilekeeper.companion.game_night.commands.turns import Cancel, Stand
from tilekeeper.companion.game_night.settings import ControllingTablets, GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState, Halt, Press
from tilekeeper.companion.hub_link.outbox import RaisedHand
from tilekeeper.companion.messaging.messages import (
    ClockCommand,
    DecideCommand,
    HallCommand,
    SeatCommand,
    TimeCommand,
)
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.agreement import Agreement
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.session.game_night import Action, GameNight
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.engine.game.events import Commanded, Undone
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext

OBEYED: Final = ("arbiter", "organiser")
"""The roles whose commands a table obeys."""


@dataclass(frozen=True, slots=True)
class Obey:
    """A session command that carries out the hall's `order` in the current game night; `hands` are the raised hands."""

    order: ClockCommand | TimeCommand | DecideCommand
    hands: tuple[RaisedHand, ...]

    def apply(self, state: TableState, moment: Moment) -> TableState:
        """Return the state after the command.

        Raises:
            Refused: if the order is not possible now.
        """
        night = playing(state)
        if has_obeyed(night, self.order.id):
            return state
        match self.order:
            case ClockCommand():
                effect = partial(_set_clock, order=self.order)
            case TimeCommand():
                effect = partial(_give_time, order=self.order)
            case DecideCommand():
                effect = partial(_decide, order=self.order, hand=self._hand(night))
            case _ as never:  # pragma: no cover - the type checker proves it
                assert_never(never)
        action = partial(_with_log_entry, effect=effect, order=self.order)
        return replace(state, activity=night.after(action, state.snapshot, moment, self.order.by, ordered=True))

    def _hand(self, night: GameNight) -> RaisedHand:
        assert isinstance(self.order, DecideCommand)
        hand = next((hand for hand in self.hands if hand.id == self.order.dispute), None)
        if hand is None or hand.log != night.id:
            raise Refused(gettext("This table no longer calls the referee for that."), "not-found")
        return hand


def agreement(order: SeatCommand) -> Agreement:
    """Return the settings of the new game night as the hall's command prescribes them."""
    own_s = tuple(player.bank_s for player in order.players)
    time = TimeControl(order.bank_s, order.added_s, Increment(order.increment), own_s)
    return Agreement(
        seats=tuple((player.name,) for player in order.players),
        edition=order.edition,
        house=tuple(order.house),
        rounds=order.games,
        first_acquaintance=False,
        leader=None,
        settings=GameNightSettings(
            Timer(order.timer), order.tournament, False, False, ControllingTablets.ALL, time=time
        ),
    )


def begin_for_hall(night: GameNight, order: SeatCommand, state: TableState, moment: Moment) -> GameNight:
    """Return the new game night with the command in its log, halted if it must wait for the round's start.

    Raises:
        Refused: if a round is being played.
    """
    current = state.activity.game_night
    if current is not None and current.state.state.phase in (Phase.TURNS, Phase.RACKS):
        raise Refused(gettext("A round is being played at this table. End it first."), "playing")
    halted = replace(night, state=replace(night.state, halt=Halt.START if order.waits else None))
    return halted.after(
        partial(_with_log_entry, effect=None, order=order), state.snapshot, moment, order.by, ordered=True
    )


def has_obeyed(night: GameNight, command: str) -> bool:
    """Return whether the command with this id is in the log of a game night."""
    entries = (record.entry for record in night.state.recorded.records)
    return any(isinstance(entry, Commanded) and entry.command == command for entry in entries)


def decided_disputes(night: GameNight) -> frozenset[str]:
    """Return the ids of the disputes whose decisions are in the log of a game night."""
    entries = (record.entry for record in night.state.recorded.records)
    return frozenset(entry.dispute for entry in entries if isinstance(entry, Commanded) and entry.dispute)


def _with_log_entry(night: GameNightState, press: Press, effect: Action | None, order: HallCommand) -> GameNightState:
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
        seconds=_given_s(order),
        round=order.round if isinstance(order, SeatCommand) else None,
    )
    return replace(after, recorded=after.recorded.with_events((entry,), after.note(press, order.why)))


def _set_clock(night: GameNightState, press: Press, order: ClockCommand) -> GameNightState:
    """Halt the table or let it continue, together with the clock of the current turn.

    Between turns the clock is stopped anyway. A pause cancels a Done that waits for its verdict.
    """
    is_pause = order.kind == "pause"
    if is_pause and (night.waiting or night.exceeded is not None):
        night = Cancel().apply(night, press)
    night = replace(night, halt=Halt.PAUSE if is_pause else None)
    if night.state.phase is not Phase.TURNS or night.failing is not None:
        return night
    return (Pause() if is_pause else Resume()).apply(night, press)


def _decide(night: GameNightState, press: Press, order: DecideCommand, hand: RaisedHand) -> GameNightState:
    if not order.why.strip():
        raise Refused(gettext("Say why in a few words. The reason goes into the history."), "reason")
    if order.decision == "time_given":
        return _give_time(night, press, order)
    if order.decision == "goes_on":
        return night
    if _has_gone_on(night, hand):
        if order.decision == "stands":
            return night
        raise Refused(
            gettext("Players have taken turns since the referee was called. Take back these turns first."),
            "stale",
        )
    is_wrong = night.round.claim is not None
    if order.decision == "taken_back":
        if night.failing is not None:
            return night
        action: GameNightAction = Stand() if is_wrong else Overrule(reason=order.why, legal=False)
        return action.apply(night, press)
    is_open = is_wrong or night.failing is not None or (night.judged is not None and not night.judged.sure)
    return Overrule(reason=order.why).apply(night, press) if is_open else night


def _has_gone_on(night: GameNightState, hand: RaisedHand) -> bool:
    """Return whether the game has gone on since a hand was raised; commands of the hall do not count."""
    newer = night.recorded.records[hand.seq :]
    return any(isinstance(record.entry, Undone) or record in night.recorded.valid_records() for record in newer)


def _give_time(night: GameNightState, press: Press, order: TimeCommand | DecideCommand) -> GameNightState:
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))
    return GiveMoreTime(seconds=_seconds(order)).apply(night, press)


def _seconds(order: TimeCommand | DecideCommand) -> float:
    return MORE_S if order.seconds is None else order.seconds


def _given_s(order: HallCommand) -> float | None:
    """Return the seconds that a command gives; None if it gives no time."""
    if isinstance(order, TimeCommand) or (isinstance(order, DecideCommand) and order.decision == "time_given"):
        return _seconds(order)
    return None

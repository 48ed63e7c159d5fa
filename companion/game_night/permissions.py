"""Lists the actions that are possible now, so that pages show no button that would be refused."""

from __future__ import annotations

from typing import Final

from tilekeeper.companion.game_night.state import FailureCause, GameNightState, is_decision_due, is_illegal
from tilekeeper.engine.game.events import Event, GameEnded, Passed, TileDrawn, TilesLaid
from tilekeeper.engine.game.state import EventRefused, Phase, TurnKind

_GOING_ON: Final = frozenset(
    ("cancel", "done", "draw", "pass", "stand", "overrule", "restored", "more-time", "redeal", "turn", "resume", "end")
)
"""The actions that continue or end a turn; they are impossible while the hall has halted the table."""


def may(night: GameNightState) -> list[str]:
    """Return the actions that are possible now, each by its `GameNightAction.path`."""
    possible = _may(night)
    if night.halt is None or night.state.phase is not Phase.TURNS:
        return possible
    return [action for action in possible if action not in _GOING_ON]


def _may(night: GameNightState) -> list[str]:
    phase, has_question = night.state.phase, _has_question(night)
    possible: list[str] = []
    if phase is Phase.TURNS:
        possible += _in_turn(night, has_question)
    elif phase is Phase.STARTER:
        possible += ["starter", *(["lots", "app-draws"] if night.state.contenders else [])]
    elif phase is Phase.DEAL:
        possible += ["deal"]
    elif phase is Phase.RACKS:
        possible += ["rack-points"] if night.state.rules.stars is None else []
        possible += ["rack", "rack-count", *(["overrule"] if _last_turn_was_legal(night) else [])]
    elif phase is Phase.FINDING:
        finding = night.state.finding
        possible += ["find"] if finding is not None and finding.run else ["point"]
    possible += ["next-round"] if night.shows_result else []
    if phase in (Phase.STARTER, Phase.DEAL, Phase.TURNS):
        possible += ["lost", *(["returned"] if night.state.lost else [])]
        possible += ["left"] if len(night.state.present) > night.state.rules.setup.least_players else []
    if phase in (Phase.STARTER, Phase.DEAL, Phase.TURNS, Phase.RACKS):
        possible += ["joined"] if len(night.state.present) < night.state.rules.setup.most_players else []
        # A tournament sets the names and rules of its tables.
        possible += [] if night.is_of_hall else ["agreement"]
    if _is_possible(night, GameEnded()):
        possible.append("end")
    if night.recorded.steps_back or night.pending:
        possible.append("undo")
        possible.append("amend")
    return [*possible, "settings"]


def _in_turn(night: GameNightState, has_question: bool) -> list[str]:
    claim = night.round.claim
    time_up = night.failing is not None and night.failing.why is FailureCause.TIME_UP
    possible = ["table"]
    if night.failing is not None:
        possible += ["restored", *(["overrule"] if night.failing.laid is not None else [])]
        return [*possible, *(["more-time"] if time_up else [])]
    possible += ["cancel"] if night.waiting or has_question or night.exceeded is not None else []
    possible += ["done"]
    if not is_illegal(night):
        possible += ["draw"] if _is_possible(night, TileDrawn()) else []
        possible += ["pass"] if _is_possible(night, Passed()) else []
    possible += ["stand"] if claim is not None else []
    disputed = claim is not None or has_question or _last_turn_was_legal(night)
    possible += ["overrule"] if disputed and night.exceeded is None else []
    # A redeal is claimed by showing the dealt tiles, so only a player who has not played yet can claim it.
    seats = [night.round.seats[player] for player in night.round.present]
    may_redeal = night.state.rules.setup.redeal_pairs is not None and any(seat.turns == 0 for seat in seats)
    possible += ["redeal"] if may_redeal else []
    possible += ["rack-count", "pool-count", "opened", "begun", "turn", "more-time", "restart"]
    return [*possible, "pause" if night.clock.running else "resume"]


def _has_question(night: GameNightState) -> bool:
    if is_decision_due(night):
        return True
    return night.judged is not None and not night.judged.sure and not night.judged.weighed.certain


def _last_turn_was_legal(night: GameNightState) -> bool:
    play, records = night.state.round, night.recorded.valid_records()
    return (
        play is not None
        and bool(play.turns)
        and play.turns[-1].kind is TurnKind.LAID
        and isinstance(records[-1].entry, TilesLaid)
        and play.claim is None
    )


def _is_possible(night: GameNightState, event: Event) -> bool:
    try:
        night.recorded.game.record(event)
    except EventRefused:
        return False
    return True

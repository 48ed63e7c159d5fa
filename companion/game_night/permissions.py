"""Which actions are possible now: asked of the fold itself, so that a button never promises what is refused."""

from __future__ import annotations

from tilekeeper.companion.game_night.state import Moment, Why
from tilekeeper.engine.game.events import Event, GameEnded, Passed, TileDrawn, TilesLaid
from tilekeeper.engine.game.state import EventRefused, Phase, TurnKind


def may(moment: Moment) -> list[str]:
    """The actions that are possible now, by the last word of their path."""
    phase, asks = moment.state.phase, _asks(moment)
    possible: list[str] = []
    if phase is Phase.TURNS:
        possible += _in_turn(moment, asks)
    elif phase is Phase.STARTER:
        possible += ["starter", *(["lots"] if moment.state.contenders else [])]
    elif phase is Phase.DEAL:
        possible += ["deal"]
    elif phase is Phase.RACKS:
        possible += ["rack", "rack-count", *(["overrule"] if _last_was_laid(moment) else [])]
    elif phase is Phase.FINDING:
        finding = moment.state.finding
        possible += ["find"] if finding is not None and finding.run else ["point"]
    if phase in (Phase.STARTER, Phase.DEAL, Phase.TURNS):
        possible += ["lost", *(["returned"] if moment.state.lost else [])]
        possible += ["left"] if len(moment.state.present) > moment.state.rules.setup.least_players else []
    if phase in (Phase.STARTER, Phase.DEAL, Phase.TURNS, Phase.RACKS):
        possible += ["joined"] if len(moment.state.present) < moment.state.rules.setup.most_players else []
    if _could(moment, GameEnded()):
        possible.append("end")
    if moment.evening.steps_back or moment.failing is not None or moment.waiting:
        possible.append("undo")
        possible.append("amend")
    return [*possible, "settings"]


def _in_turn(moment: Moment, asks: bool) -> list[str]:
    claim = moment.round.claim
    time_up = moment.failing is not None and moment.failing.why is Why.TIME_UP
    possible = ["table"]
    if moment.failing is not None:
        possible += ["restored", *(["overrule"] if moment.failing.laid is not None else [])]
        return [*possible, *(["more-time"] if time_up else [])]
    possible += ["cancel"] if moment.waiting or asks else []
    possible += ["done"]
    possible += ["draw"] if _could(moment, TileDrawn()) else []
    possible += ["pass"] if _could(moment, Passed()) else []
    possible += ["stand"] if claim is not None else []
    possible += ["overrule"] if claim is not None or asks or _last_was_laid(moment) else []
    possible += ["redeal"] if moment.state.rules.setup.redeal_pairs is not None else []
    possible += ["rack-count", "pool-count", "opened", "begun", "turn", "more-time", "restart"]
    return [*possible, "pause" if moment.clock.running else "resume"]


def _asks(moment: Moment) -> bool:
    return moment.judged is not None and not moment.judged.sure and not moment.judged.weighed.certain


def _last_was_laid(moment: Moment) -> bool:
    play, standing = moment.state.round, moment.evening.standing()
    return (
        play is not None
        and bool(play.turns)
        and play.turns[-1].kind is TurnKind.LAID
        and isinstance(standing[-1].entry, TilesLaid)
        and play.claim is None
    )


def _could(moment: Moment, event: Event) -> bool:
    try:
        moment.evening.game.record(event)
    except EventRefused:
        return False
    return True

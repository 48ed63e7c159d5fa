"""What can be done with the clock: pause, go on, begin anew; and settings that take hold of it."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.settings import EveningSettings
from tilekeeper.companion.game_night.state import Moment, Press, turn_limit_s
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.state import Phase


def pause(moment: Moment, press: Press) -> Moment:
    """Let the clock stand."""
    _expect_clock(moment)
    return replace(moment, clock=moment.clock.stopped(press.now_s))


def resume(moment: Moment, press: Press) -> Moment:
    """Let the clock run on."""
    _expect_clock(moment)
    if moment.failing is not None:
        raise Refused("This turn has failed: first put the tiles back.", "failing")
    return replace(moment, clock=moment.clock.started(press.now_s))


def restart(moment: Moment, press: Press) -> Moment:
    """Give the turn its whole time again."""
    _expect_clock(moment)
    return replace(moment, clock=moment.clock.restarted(press.now_s))


def settle(moment: Moment, _: Press, settings: EveningSettings) -> Moment:
    """Let other settings hold from now on; a change of the timer changes the present turn's limit as well."""
    moment = replace(moment, settings=settings)
    return replace(moment, clock=replace(moment.clock, limit_s=turn_limit_s(moment.state, settings)))


def _expect_clock(moment: Moment) -> None:
    if moment.state.phase is not Phase.TURNS:
        raise Refused("No turn is being played now.")

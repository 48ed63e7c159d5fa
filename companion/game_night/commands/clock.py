"""What can be done with the clock: pause, go on, begin anew; and settings that take hold of it."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.game_night.state import GameNightState, Press, turn_limit_s
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext


def pause(night: GameNightState, press: Press) -> GameNightState:
    """Let the clock stand."""
    _expect_clock(night)
    return replace(night, clock=night.clock.stopped(press.now_s))


def resume(night: GameNightState, press: Press) -> GameNightState:
    """Let the clock run on."""
    _expect_clock(night)
    if night.failing is not None:
        raise Refused(gettext("This turn has failed. First put the tiles back."), "failing")
    return replace(night, clock=night.clock.started(press.now_s))


def restart(night: GameNightState, press: Press) -> GameNightState:
    """Give the turn its whole time again."""
    _expect_clock(night)
    return replace(night, clock=night.clock.restarted(press.now_s))


def settle(night: GameNightState, _: Press, settings: GameNightSettings) -> GameNightState:
    """Let other settings hold from now on; a change of the timer changes the present turn's limit as well."""
    night = replace(night, settings=settings)
    return replace(night, clock=replace(night.clock, limit_s=turn_limit_s(night.state, settings)))


def _expect_clock(night: GameNightState) -> None:
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))

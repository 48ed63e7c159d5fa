"""The buttons of the clock (pause, resume, restart) and of the settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.settings import SettingsChange
from tilekeeper.companion.game_night.state import GameNightState, Press, turn_limit_s
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext

_AGREED: Final = ("limits_s", "end_points", "ends_at")
"""The settings on which the players agree; a hall sets the time and the end at its tables."""


class Pause(GameNightAction):
    """Stop the clock of the current turn."""

    path = "pause"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the clock stopped."""
        _expect_clock(night)
        return replace(night, clock=night.clock.stopped(press.now_s))


class Resume(GameNightAction):
    """Start the clock of the current turn, or let it go on after a pause."""

    path = "resume"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the clock running."""
        _expect_clock(night)
        if night.failing is not None:
            raise Refused(gettext("This turn has failed. First put the tiles back."), "failing")
        return replace(night, clock=night.clock.started(press.now_s))


class Restart(GameNightAction):
    """Set the clock of the current turn back to its start; it keeps running if it was running."""

    path = "restart"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the clock set back to the start of the turn."""
        _expect_clock(night)
        return replace(night, clock=night.clock.restarted(press.now_s))


class ChangeSettings(GameNightAction, SettingsChange):
    """Change the settings of the game night. Fields that are not sent keep their value."""

    path = "settings"

    def apply(self, night: GameNightState, press: Press) -> GameNightState:
        """Return the state with the changed settings; a new `timer` also changes the limit of the current turn.

        Raises:
            Refused: if the table belongs to a hall and this would change its end or a time handicap.
        """
        if night.is_of_hall and any(getattr(self, name) is not None for name in _AGREED):
            raise Refused(gettext("The organiser of the tournament decides this."))
        settings = self.applied_to(night.settings)
        limit_s = turn_limit_s(night.state, settings)
        return replace(night, settings=settings, clock=replace(night.clock, limit_s=limit_s))


def _expect_clock(night: GameNightState) -> None:
    if night.state.phase is not Phase.TURNS:
        raise Refused(gettext("Nobody is playing a turn now."))

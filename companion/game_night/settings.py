"""What the people agree upon for a game night, apart from the rules of the game."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.fields import CHECKED


class Control(StrEnum):
    """Whose tablets may press buttons; everybody sees."""

    ALL = "all"
    HOST = "host"
    """Only the one at which the app runs, and those that it names."""


@dataclass(frozen=True, slots=True)
class GameNightSettings:
    """They may be changed at any time, and hold from then on."""

    timer: Timer
    tournament: bool
    """Whether each player has a clock as well, of ten minutes and ten seconds a turn, from the next deal on."""
    penalty_at_once: bool
    """Whether a wrong layout costs the penalty at once, instead of being mended while the clock runs on."""
    notices_done: bool
    """Whether the app sees by itself that a turn is done: the table has changed, no hand is there, and it is legal."""
    control: Control

    def as_json(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: object) -> GameNightSettings:
        """The settings that were kept.

        Raises:
            ValueError: if these are none.
        """
        return _SETTINGS.validate_python(kept)


class SettingsChange(BaseModel):
    """What the people agreed upon; what is left out stays as it is, or as it is by default."""

    model_config = CHECKED
    timer: Timer | None = None
    """No clock; one that rings and waits (the default); one after which the turn has failed."""
    tournament: bool | None = None
    """A clock for each player as well, ten minutes and ten seconds a turn, from the next deal on."""
    penalty_at_once: bool | None = None
    """A wrong layout costs the penalty at once, instead of being mended."""
    notices_done: bool | None = None
    """The app sees by itself that a turn is done."""
    control: Control | None = None
    """Whose tablets may press buttons."""

    def applied_to(self, settings: GameNightSettings) -> GameNightSettings:
        """Return settings with what was sent in the place of what was."""
        sent = {name: value for name in SettingsChange.model_fields if (value := getattr(self, name)) is not None}
        return replace(settings, **sent)


_SETTINGS: Final = TypeAdapter(GameNightSettings)
DEFAULT_SETTINGS: Final = GameNightSettings(Timer.FRIENDLY, False, False, False, Control.ALL)

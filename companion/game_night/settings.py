"""The settings of a game night: what the players agree on, apart from the rules of the game."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.fields import CHECKED


class ControllingTablets(StrEnum):
    """Which tablets may press buttons; all tablets may watch."""

    ALL = "all"
    HOST = "host"
    """Only the computer that runs the app, and the tablets that the host allows."""


@dataclass(frozen=True, slots=True)
class GameNightSettings:
    """The settings of a game night. A change takes effect at once, a change of `tournament` with the next deal."""

    timer: Timer
    tournament: bool
    """Whether each player also has a time bank of ten minutes, plus ten seconds a turn, from the next deal on."""
    penalty_at_once: bool
    """Whether an illegal table costs the penalty at once; otherwise the player may correct it while the clock runs."""
    notices_done: bool
    """Hands-free Done: the app ends a turn when the table has changed, no hand is over it, and the turn is legal."""
    control: ControllingTablets

    def as_json(self) -> dict[str, Any]:
        """Return plain data for JSON, which `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: object) -> GameNightSettings:
        """Return the stored settings.

        Raises:
            ValueError: if `stored` was not made by `as_json`.
        """
        return _SETTINGS.validate_python(stored)


class SettingsChange(BaseModel):
    """A change of settings; fields that are not sent keep their value or default."""

    model_config = CHECKED
    timer: Timer | None = None
    """When the time is up: `off` has no limit, `friendly` (the default) rings and waits, `strict` fails the turn."""
    tournament: bool | None = None
    """Each player also has a time bank of ten minutes, plus ten seconds a turn, from the next deal on."""
    penalty_at_once: bool | None = None
    """An illegal table costs the penalty at once, and the player can't correct it."""
    notices_done: bool | None = None
    """Hands-free Done: the app notices when a turn is done."""
    control: ControllingTablets | None = None
    """Which tablets may press buttons."""

    def applied_to(self, settings: GameNightSettings) -> GameNightSettings:
        """Return the settings with this change."""
        sent = {name: value for name in SettingsChange.model_fields if (value := getattr(self, name)) is not None}
        return replace(settings, **sent)


_SETTINGS: Final = TypeAdapter(GameNightSettings)
DEFAULT_SETTINGS: Final = GameNightSettings(Timer.FRIENDLY, False, False, False, ControllingTablets.ALL)

"""The settings of a game night, such as its timer; the rules of the game are not among them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from tilekeeper.companion.game_night.clock import TimeControl, Timer
from tilekeeper.companion.game_night.fields import CHECKED


class ControllingTablets(StrEnum):
    """Which tablets may press buttons; all tablets may watch."""

    ALL = "all"
    HOST = "host"
    """Only the computer that runs the app, and the tablets that the host allows."""


@dataclass(frozen=True, slots=True)
class GameNightSettings:
    """The settings of a game night. A change takes effect at once, but a change of `tournament` with the next deal."""

    timer: Timer
    tournament: bool
    """Whether each player also has a time bank, from the next deal on."""
    penalty_at_once: bool
    """Whether an illegal table costs the penalty at once; otherwise the player may correct it while the clock runs."""
    notices_done: bool
    """Hands-free Done: the app ends a turn once a legal, changed table stays untouched for a while."""
    control: ControllingTablets
    time: TimeControl = TimeControl()  # noqa: RUF009, immutable
    """The time banks; a tournament hall may choose others than the usual ones."""

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain data for JSON, for `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: object) -> GameNightSettings:
        """Return the stored settings.

        Raises:
            ValueError: if `stored` was not made by `as_json`.
        """
        return _SETTINGS.validate_python(stored)


class SettingsChange(BaseModel):
    """A change of settings; fields that are null or not sent keep their value."""

    model_config = CHECKED
    timer: Timer | None = None
    """What happens when the time is up: `friendly` (the default) rings and waits, `strict` fails the turn; `off`
    sets no limit."""
    tournament: bool | None = None
    """Whether each player also has a time bank, from the next deal on: ten minutes, plus up to ten seconds after
    each turn."""
    penalty_at_once: bool | None = None
    """Whether an illegal table costs the penalty at once; otherwise the player may correct it while the clock runs."""
    notices_done: bool | None = None
    """Hands-free Done: whether the app ends a turn by itself once a legal, changed table stays untouched for a
    while."""
    control: ControllingTablets | None = None
    """Which tablets may press buttons: `all`, or `host` for the app's computer and the tablets that the host allows."""

    def applied_to(self, settings: GameNightSettings) -> GameNightSettings:
        """Return the settings with this change."""
        sent = {name: value for name in SettingsChange.model_fields if (value := getattr(self, name)) is not None}
        return replace(settings, **sent)


_SETTINGS: Final = TypeAdapter(GameNightSettings)
DEFAULT_SETTINGS: Final = GameNightSettings(Timer.FRIENDLY, False, False, False, ControllingTablets.ALL)

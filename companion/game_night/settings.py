"""The settings of a game night, such as its timer; the rules of the game are not among them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter

from tilekeeper.companion.game_night.clock import TimeControl, Timer
from tilekeeper.companion.game_night.fields import CHECKED

LimitS: TypeAlias = Annotated[int, Field(ge=0, le=3600)]
EndPoints: TypeAlias = Annotated[int, Field(ge=0, le=100_000)]


def _check_moment(text: str) -> str:
    if text:
        datetime.fromisoformat(text)  # raises ValueError for a day or a time that does not exist
    return text


EndsAt: TypeAlias = Annotated[
    str, Field(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)?$"), AfterValidator(_check_moment)
]
MOST_SEATS: Final = 8


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
    limits_s: Annotated[tuple[LimitS, ...], Field(max_length=MOST_SEATS)] = ()
    """Time handicaps: each player's limit of a turn in seconds, by seat; 0 or missing for that of the rules."""
    end_points: EndPoints = 0
    """The game night ends with the round in which a total reaches so many points; 0 for no such end."""
    ends_at: EndsAt = ""
    """The round in play at this time in UTC (`2026-11-21T22:30:00Z`) is the last one; empty for no such end."""

    def limit_s_of(self, seat: int) -> int | None:
        """Return the player's own limit of a turn in seconds; None if the player has the limit of the rules."""
        return (self.limits_s[seat] or None) if seat < len(self.limits_s) else None

    hints: bool = False
    """Whether a player's own phone may show what to lay; game nights of earlier versions have no such value."""
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
    limits_s: Annotated[list[LimitS], Field(max_length=MOST_SEATS)] | None = None
    """Each player's own limit of a turn in seconds, by seat; 0 or missing for the limit of the rules. It counts where
    the rules limit the turn."""
    end_points: EndPoints | None = None
    """The game night ends with the round in which a total reaches so many points; 0 for no such end."""
    ends_at: EndsAt | None = None
    """The round in play at this time in UTC (`2026-11-21T22:30:00Z`) is the last one; empty for no such end."""
    hints: bool | None = None
    """Hints: whether players' own phones may show what to lay; not with tournament clocks and in a hall."""

    def applied_to(self, settings: GameNightSettings) -> GameNightSettings:
        """Return the settings with this change."""
        sent = {name: value for name in SettingsChange.model_fields if (value := getattr(self, name)) is not None}
        if self.limits_s is not None:
            sent["limits_s"] = tuple(self.limits_s)
        return replace(settings, **sent)


_SETTINGS: Final = TypeAdapter(GameNightSettings)
DEFAULT_SETTINGS: Final = GameNightSettings(Timer.FRIENDLY, False, False, False, ControllingTablets.ALL)

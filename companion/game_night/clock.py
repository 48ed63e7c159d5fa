"""The clock of a turn and, in tournaments, each player's time bank; all times are monotonic, never the time of day."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter

MORE_S: Final = 30.0
"""The seconds that `GiveMoreTime` adds if the request names no number."""
WARNINGS_S: Final = (10, 15)
"""The clock warns when this many seconds remain. Ascending, because `Clock.warning` takes the first that is due."""
Seconds: TypeAlias = Annotated[float, Field(ge=0, le=1e9)]
"""A stored duration in seconds; the limit of thirty years keeps sums finite."""


class Increment(StrEnum):
    """What happens to a player's time bank after each turn."""

    BRONSTEIN = "bronstein"
    """The turn's time is given back, up to the added seconds. A simple delay gives players the same time."""
    FISCHER = "fischer"
    """The seconds are added, however short the turn was."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time banks of the players for all turns of a round, in tournaments."""

    bank_s: Seconds = 600.0
    """The time bank of each player."""
    added_s: Seconds = 10.0
    """The seconds that a player gets for each turn."""
    increment: Increment = Increment.BRONSTEIN
    own_s: tuple[Seconds | None, ...] = ()
    """The time banks of players with a time of their own, such as children, by seat; None for a usual one."""

    def bank(self, seat: int) -> float:
        """Return a player's time bank at the start of a round, with the seconds for the first turn."""
        own_s = self.own_s[seat] if seat < len(self.own_s) else None
        return (self.bank_s if own_s is None else own_s) + self.added_s

    def banks(self, players: int) -> tuple[float, ...]:
        """Return the players' time banks at the start of a round, by seat."""
        return tuple(map(self.bank, range(players)))

    def after_turn(self, bank_s: float, used_s: float) -> float:
        """Return a time bank after a turn, with the seconds for the next one."""
        if self.increment is Increment.FISCHER:
            return max(0.0, bank_s - used_s) + self.added_s
        return max(self.added_s, bank_s - used_s + min(used_s, self.added_s))


class Timer(StrEnum):
    """What happens when the time is up."""

    OFF = "off"
    """No limit; the clock only shows how long a turn takes."""
    FRIENDLY = "friendly"
    """The clock rings and waits."""
    STRICT = "strict"
    """The turn fails."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one turn, as an immutable value.

    Times are in seconds of a monotonic clock, which does not jump when the computer's time of day is set.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)
    player: int
    """The seat of the player in turn."""
    limit_s: Seconds | None
    """How long the turn may last, in seconds; None for no limit."""
    used_s: Seconds = 0.0
    """How long the clock ran before it was last started (`since_s`) or stopped."""
    since_s: float | None = None
    """The time at which the clock was last started; None while it is stopped."""
    extra_s: Seconds = 0.0
    """The seconds that were granted beyond the limit (`GiveMoreTime`)."""
    banks_s: tuple[Seconds, ...] = ()
    """Each player's time bank at the start of the turn, by seat; empty without a tournament."""
    control: TimeControl = TimeControl()
    """How the time banks change after each turn."""
    held: bool = False
    """Whether `hold` has stopped the clock, so that `go_on` starts it again: while the turn is judged or a question is
    open."""

    @property
    def running(self) -> bool:
        """Whether the clock runs."""
        return self.since_s is not None

    def used(self, now_s: float) -> float:
        """Return for how many seconds the clock has run in this turn; time while it was stopped does not count."""
        return self.used_s + (max(0.0, now_s - self.since_s) if self.since_s is not None else 0.0)

    def left(self, now_s: float) -> float | None:
        """Return the remaining seconds of the turn, by its limit or by the player's time bank, whichever ends first.

        Negative once the time is up; None if there is neither a limit nor a bank.
        """
        used = self.used(now_s)
        remaining = [] if self.limit_s is None else [self.limit_s + self.extra_s - used]
        if self.banks_s:
            remaining.append(self.banks_s[self.player] + self.extra_s - used)
        return min(remaining, default=None)

    def banks_left(self, now_s: float) -> tuple[float, ...]:
        """Return the seconds that remain in each player's time bank, by seat; never below 0."""
        used = self.used(now_s)
        return tuple(max(0.0, bank - used * (seat == self.player)) for seat, bank in enumerate(self.banks_s))

    def warning(self, now_s: float) -> int | None:
        """Return the smallest of `WARNINGS_S` that is due; None before the first warning or without a limit."""
        remaining = self.left(now_s)
        return None if remaining is None else next((warning for warning in WARNINGS_S if remaining <= warning), None)

    def started(self, now_s: float) -> Clock:
        """Return the clock started at `now_s`; the clock itself if it is running already."""
        return self if self.running else replace(self, since_s=now_s, held=False)

    def stopped(self, now_s: float) -> Clock:
        """Return the clock, stopped at `now_s`."""
        return replace(self, used_s=self.used(now_s), since_s=None, held=False)

    def hold(self, now_s: float) -> Clock:
        """Return the clock stopped at `now_s`; if it was running, `go_on` will start it again."""
        return replace(self.stopped(now_s), held=self.running or self.held)

    def go_on(self, now_s: float) -> Clock:
        """Return the clock started again at `now_s` if `hold` stopped it; otherwise the clock itself."""
        return self.started(now_s) if self.held else self

    def with_more_time(self, seconds: float) -> Clock:
        """Return the clock with this many more seconds for the turn."""
        return replace(self, extra_s=self.extra_s + seconds)

    def restarted(self, now_s: float) -> Clock:
        """Return the clock set back to the start of the turn; it runs from `now_s` if it was running."""
        return replace(self, used_s=0.0, extra_s=0.0, since_s=None if self.since_s is None else now_s)

    def for_next_turn(self, now_s: float, player: int, limit_s: float | None) -> Clock:
        """Return the stopped clock of the next turn; a tournament deducts this turn's time from the time bank."""
        used = max(0.0, self.used(now_s) - self.extra_s)
        banks = list(self.banks_s)
        if banks:
            banks[self.player] = self.control.after_turn(banks[self.player], used)
            banks += map(self.control.bank, range(len(banks), player + 1))  # for players who joined late
        return Clock(player, limit_s, banks_s=tuple(banks), control=self.control)

    def slept(self, seconds: float) -> Clock:
        """Return the clock without the `seconds` for which the computer slept: they do not count for the turn."""
        return self if self.since_s is None else replace(self, since_s=self.since_s + seconds)

    def as_json(self, now_s: float) -> dict[str, Any]:
        """Return the clock as plain data for JSON, for `from_json`, as if it were stopped at `now_s`."""
        return {
            "player": self.player,
            "limit_s": self.limit_s,
            "used_s": round(self.used(now_s), 3),
            "extra_s": self.extra_s,
            "banks_s": list(self.banks_s),
            "control": asdict(self.control),
        }

    @classmethod
    def from_json(cls, stored: object) -> Clock:
        """Return the stored clock, stopped.

        Raises:
            ValueError: if `stored` was not made by `as_json`.
        """
        clock = _CLOCK.validate_python(stored)
        return replace(clock, since_s=None, held=False)


_CLOCK: Final = TypeAdapter(Clock)

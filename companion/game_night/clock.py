"""The clock of a turn, and for tournaments one for each player as well; it never asks what time of day it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter

BANK_S: Final = 600.0
"""What each player of a tournament has for all turns of a round, in seconds."""
DELAY_S: Final = 10.0
"""What is given back of each turn of a tournament, at most: Bronstein's way, so that no bank ever grows by waiting."""
MORE_S: Final = 30.0
WARNINGS_S: Final = (10, 15)
Seconds: TypeAlias = Annotated[float, Field(ge=0, le=1e9)]
"""As they are kept on the disk: no turn lasts thirty years, and sums of such numbers are numbers."""


class Timer(StrEnum):
    """What the clock is there for."""

    OFF = "off"
    """No limit; it only says how long a turn takes."""
    FRIENDLY = "friendly"
    """It rings when the time is up, and waits."""
    STRICT = "strict"
    """When the time is up, the turn has failed."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one turn; every change gives another.

    All moments are seconds of one monotonic clock, so that nothing changes when somebody sets the time of day.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)
    player: int
    """Whose turn it times."""
    limit_s: Seconds | None
    """How long the turn may last; none for as long as they like."""
    used_s: Seconds = 0.0
    """How long it has run, up to `since_s`."""
    since_s: float | None = None
    """The moment since which it runs; none where it stands."""
    extra_s: Seconds = 0.0
    """What was granted on top of the limit."""
    banks_s: tuple[Seconds, ...] = ()
    """What each player of a tournament had left at the start of the turn, by seats; empty without a tournament."""
    held: bool = False
    """Whether it stands only until a picture has come or a question has been answered."""

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self.since_s is not None

    def used(self, now_s: float) -> float:
        """How long the turn has lasted, without the time in which the clock stood."""
        return self.used_s + (max(0.0, now_s - self.since_s) if self.since_s is not None else 0.0)

    def left(self, now_s: float) -> float | None:
        """How long the turn may last yet, by the limit and the player's bank; below 0 once it is over."""
        used = self.used(now_s)
        lefts = [] if self.limit_s is None else [self.limit_s + self.extra_s - used]
        if self.banks_s:
            lefts.append(self.banks_s[self.player] + self.extra_s - used)
        return min(lefts, default=None)

    def banks_left(self, now_s: float) -> tuple[float, ...]:
        """What each player of a tournament has left by now; never below 0."""
        used = self.used(now_s)
        return tuple(max(0.0, bank - used * (seat == self.player)) for seat, bank in enumerate(self.banks_s))

    def warning(self, now_s: float) -> int | None:
        """The last warning that is due, in seconds that are left; none before the first."""
        left = self.left(now_s)
        return None if left is None else next((warning for warning in WARNINGS_S if left <= warning), None)

    def started(self, now_s: float) -> Clock:
        """The clock, running."""
        return self if self.running else replace(self, since_s=now_s, held=False)

    def stopped(self, now_s: float) -> Clock:
        """The clock, standing."""
        return replace(self, used_s=self.used(now_s), since_s=None, held=False)

    def hold(self, now_s: float) -> Clock:
        """The clock, standing for a moment; `go_on` lets it run on, if it ran."""
        return replace(self.stopped(now_s), held=self.running or self.held)

    def go_on(self, now_s: float) -> Clock:
        """The clock as it was before it was held."""
        return self.started(now_s) if self.held else self

    def more(self, seconds: float) -> Clock:
        """The clock with more time for this turn."""
        return replace(self, extra_s=self.extra_s + seconds)

    def restarted(self, now_s: float) -> Clock:
        """The clock as at the start of the turn, running or standing as it was."""
        return replace(self, used_s=0.0, extra_s=0.0, since_s=None if self.since_s is None else now_s)

    def passed_on(self, now_s: float, player: int, limit_s: float | None) -> Clock:
        """The clock of the next turn, standing; a tournament's bank has paid for this one."""
        used = max(0.0, self.used(now_s) - self.extra_s)
        banks = list(self.banks_s)
        if banks:
            banks[self.player] = max(DELAY_S, banks[self.player] - used + min(used, DELAY_S))
            banks += [BANK_S + DELAY_S] * (player + 1 - len(banks))  # for who joined late
        return Clock(player, limit_s, banks_s=tuple(banks))

    def slept(self, seconds: float) -> Clock:
        """The clock after a time that does not count, since the machine slept."""
        return self if self.since_s is None else replace(self, since_s=self.since_s + seconds)

    def as_json(self, now_s: float) -> dict[str, Any]:
        """What is kept on disk; moments of this process mean nothing to the next."""
        return {
            "player": self.player,
            "limit_s": self.limit_s,
            "used_s": round(self.used(now_s), 3),
            "extra_s": self.extra_s,
            "banks_s": list(self.banks_s),
        }

    @classmethod
    def from_json(cls, kept: object) -> Clock:
        """The clock as it was kept, standing.

        Raises:
            ValueError: if that was no clock.
        """
        clock = _CLOCK.validate_python(kept)
        return replace(clock, since_s=None, held=False)


_CLOCK: Final = TypeAdapter(Clock)


def banks(players: int) -> tuple[float, ...]:
    """What the players of a tournament have at the start of a round; the first delay is there from the beginning."""
    return (BANK_S + DELAY_S,) * players

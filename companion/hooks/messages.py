"""The messages of event hooks as pydantic models: they describe a game night without racks, tiles and pictures."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION: Final = 1
"""The version of the messages; a change that breaks readers raises it."""


class HookMessage(BaseModel):
    """The fields of every message. A message that arrives twice has the same `id`."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid", frozen=True)

    version: Literal[1] = VERSION
    id: str
    """A random word, the same in each try to deliver the message."""
    at: str
    """When it happened, in UTC, such as `2026-11-21T19:30:05Z`."""
    evening: str
    """The id of the game night."""
    demo: bool
    """Whether it is the demo."""
    round: int
    """The number of the round, from 1."""


class TurnEnded(HookMessage):
    """A turn has ended."""

    event: Literal["turn-ended"] = "turn-ended"
    player: str
    turn: int
    """The number of the turn in its round, from 1."""
    kind: Literal["laid", "drew", "passed", "failed"]
    laid: int
    """How many tiles from the rack stayed on the table."""
    seconds: float | None
    """How long the turn lasted; null if it is unknown."""
    next: str | None
    """Who plays next; null at the end of the round."""


class VerdictGiven(HookMessage):
    """The judge has decided about a table, or the players have overruled the judge."""

    event: Literal["verdict"] = "verdict"
    player: str
    kind: Literal["legal", "illegal", "undecided"]
    overruled: bool
    """Whether the turn counts because the players said so."""
    laid: int
    """How many tiles came from the rack."""
    faults: list[str]
    """The codes of the broken rules, such as `opening-too-low`."""


class PlayerScore(BaseModel):
    """The score of one player."""

    model_config = HookMessage.model_config

    player: str
    points: float
    """The points of the round."""
    total: float
    """The total after it; in editions that count rounds, the number of rounds won."""


class RoundEnded(HookMessage):
    """A round was scored."""

    event: Literal["round-ended"] = "round-ended"
    winners: list[str]
    scores: list[PlayerScore]
    """The players by seat."""


class PlayerTotal(BaseModel):
    """The total of one player."""

    model_config = HookMessage.model_config

    player: str
    total: float


class EveningEnded(HookMessage):
    """The game night is over."""

    event: Literal["evening-ended"] = "evening-ended"
    winners: list[str]
    totals: list[PlayerTotal]
    """The players by seat."""


class TimeRunningOut(HookMessage):
    """The time of a turn is nearly up, or up; sent again if the clock was paused meanwhile."""

    event: Literal["time-running-out"] = "time-running-out"
    player: str
    left_s: Annotated[int, Field(ge=0)]
    """At most so many seconds are left: 15, 10 or 0."""


MESSAGES: Final[tuple[type[HookMessage], ...]] = (TurnEnded, VerdictGiven, RoundEnded, EveningEnded, TimeRunningOut)

"""The settings of a club night, and the roles in the hall."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tilekeeper.companion.doorkeeper.codes import new_code
from tilekeeper.companion.tournament.formats import CLUB_EVENING, Format
from tilekeeper.companion.tournament.standings import Ranking
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet

CODE_LENGTH: Final = 9
READY_MADE_RULES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "mso": (
            "stock.jokers=1",
            "setup.stack_size=none",
            "setup.dealt=13",
            "scoring.joker_points=50",
            "ending.must_lay=yes",
        )
    }
)
"""The house rules that belong to a ready-made format, by the format's name."""


class Role(StrEnum):
    """A role in the hall, and its permissions."""

    ORGANISER = "organiser"
    """May see and do everything."""
    ARBITER = "arbiter"
    """May see all tables, decide disputes, ties and penalties, and start and pause rounds."""
    GUEST = "guest"
    """May see pairings and standings."""


class HallSettings(BaseModel):
    """The settings of a club night; a change applies from the next round on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field("", max_length=80)
    edition: str = DEFAULT_EDITION
    house: tuple[str, ...] = Field((), max_length=60)
    format: Format = CLUB_EVENING
    timer: Literal["off", "friendly", "strict"] = "strict"
    tournament: bool = True
    """Whether each player also has a clock for the whole game."""
    bank_s: int = Field(600, ge=60, le=18_000)
    """The seconds on each player's clock."""
    added_s: int = Field(10, ge=0, le=600)
    """The seconds that each player gets for each turn."""
    increment: Literal["bronstein", "fischer"] = "bronstein"
    """Whether a turn's time is given back up to `added_s`, or `added_s` is added after each turn."""
    together: bool = True
    """Whether all tables wait with the first turn until the organiser or an arbiter starts the round."""
    next_start: str = Field("", pattern=r"^([0-2]\d:[0-5]\d)?$")
    """The time of day at which the next round starts, `HH:MM`, shown on the pages; empty for none."""

    @field_validator("edition")
    @classmethod
    def _is_known(cls, value: str) -> str:
        rule_set(value)
        return value

    @property
    def rules(self) -> RuleSet:
        """The edition's rules with the house rules.

        Raises:
            HouseRuleError: if the edition has no such house rule.
        """
        return with_house_rules(rule_set(self.edition), self.house)

    @property
    def ranking(self) -> Ranking:
        """How players are ranked; if the format has no criteria, the edition decides."""
        return self.format.ranking(self.rules.scoring.totals)

    def as_json(self) -> dict[str, Any]:
        """Return the settings as JSON for the database."""
        return self.model_dump(mode="json")

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> HallSettings:
        """Return the settings from their stored form; the default settings if they are not valid."""
        try:
            return cls.model_validate(kept)
        except (ValidationError, ValueError):
            return cls()


def new_codes() -> dict[str, str]:
    """Return new sign-in codes for organiser and arbiter, by role."""
    return {role.value: new_code(CODE_LENGTH) for role in (Role.ORGANISER, Role.ARBITER)}

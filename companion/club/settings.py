"""The settings of a club night, and the roles in the hall."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tilekeeper.companion.doorkeeper.codes import new_code
from tilekeeper.companion.tournament.formats import CLUB_EVENING, Format
from tilekeeper.companion.tournament.standings import Ranking
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.house_rules import with_house_rules
from tilekeeper.engine.rules.ruleset import RuleSet

CODE_LENGTH: Final = 9


class Role(StrEnum):
    """A role in the hall, and its permissions."""

    ORGANISER = "organiser"
    """Everything."""
    ARBITER = "arbiter"
    """See all tables, decide disputes, start and pause rounds."""
    GUEST = "guest"
    """See pairings and standings."""


class HallSettings(BaseModel):
    """The settings of a night; a change holds from the next round on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field("", max_length=80)
    edition: str = DEFAULT_EDITION
    house: tuple[str, ...] = Field((), max_length=60)
    format: Format = CLUB_EVENING
    timer: Literal["off", "friendly", "strict"] = "strict"
    tournament: bool = True
    """Whether each player also has an own clock: ten minutes, and ten seconds per turn."""
    together: bool = True
    """Whether turns at all tables wait until the organiser starts the round."""
    next_start: str = Field("", pattern=r"^([0-2]\d:[0-5]\d)?$")
    """The time of day of the next start, as the pages show it; empty for none."""

    @field_validator("edition")
    @classmethod
    def _is_known(cls, value: str) -> str:
        rule_set(value)
        return value

    @property
    def rules(self) -> RuleSet:
        """The rules that are played.

        Raises:
            HouseRuleError: if the edition has no such house rule.
        """
        return with_house_rules(rule_set(self.edition), self.house)

    @property
    def ranking(self) -> Ranking:
        """How players are ranked; a format without criteria leaves it to the box."""
        return self.format.ranking(self.rules.scoring.totals)

    def as_json(self) -> dict[str, Any]:
        """Return the settings as they are stored."""
        return self.model_dump(mode="json")

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> HallSettings:
        """Return stored settings; the default ones if they can't be read."""
        try:
            return cls.model_validate(kept)
        except (ValidationError, ValueError):
            return cls()


def new_codes() -> dict[str, str]:
    """Return a new code for each role, to sign in with."""
    return {role.value: new_code(CODE_LENGTH) for role in (Role.ORGANISER, Role.ARBITER)}

"""Answers about what can be chosen from: editions with their rules, and the evenings that are kept."""

from typing import Literal

from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.game_night import EditionJson, EveningSummaryJson, HistoryItemJson
from tilekeeper.companion.web.schemas.table import DESCRIBED, VerdictJson


class ChoiceJson(TypedDict):
    """One of the values that a rule may have."""

    __pydantic_config__ = DESCRIBED
    value: str
    """As it stands in a house rule."""
    says: str
    """What it means; empty for none."""


class AllowedJson(TypedDict):
    """Which values a rule may have."""

    __pydantic_config__ = DESCRIBED
    kind: Literal["number", "truth", "choice", "inks"]
    """A whole number, `yes` or `no`, one of `choices`, or `least` letters of `choices`, each another."""
    text: str
    """The same in words."""
    least: int | None
    """The least number, or how many letters; null for `truth` and `choice`."""
    most: int | None
    none: bool
    """Whether `none` will do as well."""
    choices: list[ChoiceJson]
    """Empty for numbers."""


class RuleJson(TypedDict):
    """A rule that a house rule may change."""

    __pydantic_config__ = DESCRIBED
    name: str
    """`part.field`."""
    value: str
    """As the edition has it."""
    allowed: AllowedJson
    says: str
    """What it is."""


class EditionChoiceJson(TypedDict):
    """An edition to choose."""

    __pydantic_config__ = DESCRIBED
    edition: EditionJson
    least_players: int
    most_players: int
    rules: list[RuleJson]


class EditionsJson(TypedDict):
    """All editions."""

    __pydantic_config__ = DESCRIBED
    editions: list[EditionChoiceJson]


class EveningsJson(TypedDict):
    """All kept evenings."""

    __pydantic_config__ = DESCRIBED
    evenings: list[EveningSummaryJson]


class HistoryJson(TypedDict):
    """What happened, from the beginning."""

    __pydantic_config__ = DESCRIBED
    items: list[HistoryItemJson]


class JudgedJson(TypedDict):
    """What the judge would say of a table."""

    __pydantic_config__ = DESCRIBED
    verdict: VerdictJson

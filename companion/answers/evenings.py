"""Answers about what can be chosen from: editions with their rules, and the evenings that are kept."""

from typing_extensions import TypedDict

from tilekeeper.companion.answers.evening import EditionJson, EveningSummaryJson, HistoryItemJson
from tilekeeper.companion.answers.table import DESCRIBED, VerdictJson


class RuleJson(TypedDict):
    """A rule that a house rule may change."""

    __pydantic_config__ = DESCRIBED
    name: str
    """`part.field`."""
    value: str
    """As the edition has it."""
    allowed: str
    """What it may be, in words."""
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

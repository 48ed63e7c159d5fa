"""Answers about what can be chosen from: editions with their rules, and the evenings that are kept."""

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from tilekeeper.companion.web.schemas.game_night import EditionJson, HistoryItemJson
from tilekeeper.companion.web.schemas.table import DESCRIBED, VerdictJson


@with_config(DESCRIBED)
class ChoiceJson(TypedDict):
    """One of the values that a rule may have."""

    value: str
    """As it stands in a house rule."""
    says: str
    """What it means; empty for none."""


@with_config(DESCRIBED)
class AllowedJson(TypedDict):
    """Which values a rule may have."""

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


@with_config(DESCRIBED)
class RuleJson(TypedDict):
    """A rule that a house rule may change."""

    name: str
    """`part.field`."""
    value: str
    """As the edition has it."""
    allowed: AllowedJson
    says: str
    """What it is."""


@with_config(DESCRIBED)
class EditionChoiceJson(TypedDict):
    """An edition to choose."""

    edition: EditionJson
    least_players: int
    most_players: int
    rules: list[RuleJson]


@with_config(DESCRIBED)
class EditionsJson(TypedDict):
    """All editions."""

    editions: list[EditionChoiceJson]


@with_config(DESCRIBED)
class HistoryJson(TypedDict):
    """What happened, from the beginning."""

    items: list[HistoryItemJson]


@with_config(DESCRIBED)
class JudgedJson(TypedDict):
    """What the judge would say of a table."""

    verdict: VerdictJson

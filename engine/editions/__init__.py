"""The printed editions, each a rule set written out in full, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.editions.cards import CARDS
from tilekeeper.engine.editions.finnish import FINNISH
from tilekeeper.engine.editions.junior import JUNIOR
from tilekeeper.engine.editions.large_numbers import LARGE_NUMBERS
from tilekeeper.engine.editions.travel import TRAVEL
from tilekeeper.engine.rules import RuleSet

RULE_SETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {rules.name: rules for rules in (LARGE_NUMBERS, FINNISH, TRAVEL, JUNIOR, CARDS)}
)
DEFAULT_EDITION: Final = LARGE_NUMBERS.name


class UnknownEdition(LookupError):  # noqa: N818 - says what it is, as UnknownEdition reads in an except
    """A name that no edition has; the message lists those that there are."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is no edition {self.name!r}; there is {', '.join(RULE_SETS)}"


def rule_set(name: str) -> RuleSet:
    """The rules of an edition.

    Raises:
        UnknownEdition: if no edition has that name.
    """
    try:
        return RULE_SETS[name]
    except KeyError:
        raise UnknownEdition(name) from None

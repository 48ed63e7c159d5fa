"""The printed editions, each a complete rule set, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.editions.cards import CARDS
from tilekeeper.engine.rules.editions.finnish import FINNISH
from tilekeeper.engine.rules.editions.junior import JUNIOR
from tilekeeper.engine.rules.editions.large_numbers import LARGE_NUMBERS
from tilekeeper.engine.rules.editions.sources import SILENT, Sources, rules_from
from tilekeeper.engine.rules.editions.travel import TRAVEL
from tilekeeper.engine.rules.ruleset import RuleSet

DEFAULT_EDITION: Final = "large-numbers"
_EDITIONS: Final = (
    (DEFAULT_EDITION, LARGE_NUMBERS, gettext_noop("the standard game with extra large numbers")),
    ("finnish", FINNISH, gettext_noop("the classic sheet of rules: sets with a joker are locked")),
    ("travel", TRAVEL, gettext_noop("the travel edition of 2012")),
    ("junior", JUNIOR, gettext_noop("ages 4 and up, runs of 1 to 10, star coins")),
    ("cards", CARDS, gettext_noop("the card edition with a 40-point opening")),
)
SOURCES: Final[Mapping[str, Sources]] = MappingProxyType(
    {name: MappingProxyType({**SILENT, **sources}) for name, sources, _ in _EDITIONS}
)
"""The sources of the values of each edition, by the name of the edition."""
RULE_SETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {name: rules_from(name, sources) for name, sources in SOURCES.items()}
)
TITLES: Final[Mapping[str, str]] = MappingProxyType({name: title for name, _, title in _EDITIONS})
"""A short description of each edition, by its name."""


class UnknownEdition(LookupError):  # noqa: N818 - `except UnknownEdition` reads well without "Error"
    """No edition has this name; the message lists all editions."""

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return gettext("there is no edition {name!r}; choose {editions}", name=self.name, editions=", ".join(RULE_SETS))


def rule_set(name: str) -> RuleSet:
    """Return the rules of an edition.

    Args:
        name: one of `large-numbers`, `finnish`, `travel`, `junior` and `cards`.

    Raises:
        UnknownEdition: if no edition has that name.

    >>> rule_set("junior").stock.numbers
    10
    """
    try:
        return RULE_SETS[name]
    except (KeyError, TypeError):  # TypeError for a value without a hash, such as a list
        raise UnknownEdition(name) from None

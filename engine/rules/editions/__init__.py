"""The printed editions, each a rule set written out in full, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.rules.editions import cards, finnish, junior, large_numbers, travel
from tilekeeper.engine.rules.editions.sources import Sources
from tilekeeper.engine.rules.ruleset import RuleSet

_EDITIONS: Final = (
    (large_numbers.LARGE_NUMBERS, large_numbers.SOURCES, gettext_noop("the standard game with extra large numbers")),
    (finnish.FINNISH, finnish.SOURCES, gettext_noop("the classic sheet, where sets with a joker are locked")),
    (travel.TRAVEL, travel.SOURCES, gettext_noop("the travel edition of 2012")),
    (junior.JUNIOR, junior.SOURCES, gettext_noop("ages 4 and up, runs of 1 to 10, star coins")),
    (cards.CARDS, cards.SOURCES, gettext_noop("the card edition with a 40-point opening")),
)
RULE_SETS: Final[Mapping[str, RuleSet]] = MappingProxyType({rules.name: rules for rules, _, _ in _EDITIONS})
SOURCES: Final[Mapping[str, Sources]] = MappingProxyType({rules.name: sources for rules, sources, _ in _EDITIONS})
"""Where each value of each edition comes from, by the edition's name and the field's."""
TITLES: Final[Mapping[str, str]] = MappingProxyType({rules.name: title for rules, _, title in _EDITIONS})
"""What each edition is, in a few words."""
DEFAULT_EDITION: Final = large_numbers.LARGE_NUMBERS.name


class UnknownEdition(LookupError):  # noqa: N818 - says what it is, as UnknownEdition reads in an except
    """A name that no edition has; the message lists those that there are."""

    __module__ = "tilekeeper.engine"  # from where people import it, which tracebacks show

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return gettext("there is no edition {name!r}; choose {editions}", name=self.name, editions=", ".join(RULE_SETS))


def rule_set(name: str) -> RuleSet:
    """The rules of an edition.

    Raises:
        UnknownEdition: if no edition has that name.

    >>> rule_set("junior").stock.numbers
    10
    """
    try:
        return RULE_SETS[name]
    except (KeyError, TypeError):  # a list, say, can't be looked up
        raise UnknownEdition(name) from None

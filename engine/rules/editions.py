"""The printed editions, each a complete rule set; `editions.txt` is the table of their values, each with its source.

A source is a quote from the rulebook, or a ruling if the rulebook is unclear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, get_type_hints

from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet, Stars

DEFAULT_EDITION: Final = "large-numbers"


class SourceKind(Enum):
    """The kind of source that a value has; its value is the mark in the table."""

    PRINTED = ""
    """The rulebook states the value."""
    RULING = "†"
    """The rulebook is silent, unclear or contradicts itself, so this project decided on the value."""
    ABSENT = "–"
    """The field does not apply to the edition."""


@dataclass(frozen=True, slots=True)
class Source:
    """The value of one field of a rule set, and where it comes from."""

    value: str
    """The value as house rules write it: `30`, `none`, `yes`, `any-meld`."""
    kind: SourceKind
    section: str
    """The title of the section in the rulebook, in the language of the rulebook; empty if no section is quoted."""
    quote: str
    """The words of the rulebook; empty if it says nothing about the field."""
    why: str
    """The reason for a ruling, or a note on the quote, in English for `gettext`; may be empty."""

    @classmethod
    def parse(cls, text: str) -> Source:
        """Parse what the table says about a field: `3 † | section | quote | why`; see there what may be missing."""
        marked, *rest = text.split(" | ")
        value, _, mark = marked.partition(" ")
        *quoted, why = rest if len(rest) != 2 else [*rest, ""]
        section, quote = quoted or ("", "")
        return cls(value, SourceKind(mark), section, quote, why)


Sources = Mapping[str, Source]
"""The source of each field of a rule set, by the name of the field, such as `opening.minimum_points`."""


def _read_table(text: str) -> tuple[dict[str, Sources], dict[str, str]]:
    """Return the sources and the title of each edition, by its name."""
    silent, *blocks = (block.splitlines() for block in text.split("\n[")[1:])
    tables: dict[str, Sources] = {}
    titles: dict[str, str] = {}
    for head, *lines in blocks:
        name, _, titles[name] = head.partition("] ")
        rows = (line.partition(" = ") for line in (*silent[1:], *lines) if line)
        tables[name] = MappingProxyType({field: Source.parse(source) for field, _, source in rows})
    return tables, titles


_TABLES, _TITLES = _read_table(files(__package__).joinpath("editions.txt").read_text("utf-8"))
SOURCES: Final[Mapping[str, Sources]] = MappingProxyType(_TABLES)
"""The sources of the values of each edition, by the name of the edition."""
TITLES: Final[Mapping[str, str]] = MappingProxyType(_TITLES)
"""A short description of each edition in English for `gettext`, by its name."""


def _rules_from(name: str, sources: Sources) -> RuleSet:
    """Return the rules of an edition; without any source for a field of `stars`, the edition has no stars."""
    parts: dict[str, Any] = {"stars": None}
    hints = get_type_hints(RuleSet)
    for part in fields(RuleSet)[1:]:
        kind = Stars if part.name == "stars" else hints[part.name]
        values = {
            each.name: each.metadata["allowed"].parse(sources[f"{part.name}.{each.name}"].value)
            for each in fields(kind)
            if part.name != "stars" or f"stars.{each.name}" in sources
        }
        if values:
            parts[part.name] = kind(**values)
    return RuleSet(name, **parts)


RULE_SETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {name: _rules_from(name, sources) for name, sources in SOURCES.items()}
)


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

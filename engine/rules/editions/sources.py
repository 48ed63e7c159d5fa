"""The values of an edition, each with its source: a quote from its rulebook, or a ruling if the rulebook is unclear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, get_type_hints

from tilekeeper.engine.rules.ruleset import RuleSet, Stars


class SourceKind(Enum):
    """The kind of source that a value has."""

    PRINTED = "printed"
    """The rulebook states the value."""
    RULING = "ruling"
    """The rulebook is silent, unclear or contradicts itself, so this project decided on the value."""
    ABSENT = "absent"
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


Sources = Mapping[str, Source]
"""The source of each field of a rule set, by the name of the field, such as `opening.minimum_points`."""


def printed(value: str, section: str, quote: str, why: str = "") -> Source:
    """Return the source of a value that the rulebook states."""
    return Source(value, SourceKind.PRINTED, section, quote, why)


def ruling(value: str, why: str, section: str = "", quote: str = "") -> Source:
    """Return the source of a value that this project decided on; with a quote if the rulebook is unclear about it."""
    return Source(value, SourceKind.RULING, section, quote, why)


def absent(value: str, why: str) -> Source:
    """Return the source of a field that does not apply to the edition."""
    return Source(value, SourceKind.ABSENT, "", "", why)


def rules_from(name: str, sources: Sources) -> RuleSet:
    """Return the rules of an edition with the values of all fields.

    Args:
        name: the name of the edition.
        sources: the source of each field. Without any source for a field of `stars`, the edition has no stars.

    Raises:
        KeyError: if a field has no source.
        ValueError: if a field may not have its value.
    """
    parts: dict[str, Any] = {}
    hints = get_type_hints(RuleSet)
    for part in fields(RuleSet)[1:]:
        if part.name == "stars" and not any(field.startswith("stars.") for field in sources):
            parts[part.name] = None
            continue
        kind = Stars if part.name == "stars" else hints[part.name]
        parts[part.name] = kind(
            **{
                each.name: each.metadata["allowed"].parse(sources[f"{part.name}.{each.name}"].value)
                for each in fields(kind)
            }
        )
    return RuleSet(name, **parts)


# Sources of fields about which most rulebooks say nothing. An edition whose rulebook says something overrides them.
SILENT: Final[Mapping[str, Source]] = MappingProxyType(
    {
        "setup.stack_size": absent("none", "tiles are drawn one by one"),
        "setup.joker_drawn": absent("none", "nobody draws to find out who begins"),
        "setup.next_round": ruling("as-first", "the next round starts as the first did"),
        "setup.redeal_pairs": absent("none", "the rulebook has no new deal"),
        "setup.jokers_pair": absent("no", "the rulebook has no new deal"),
        "opening.needs_empty_table": absent("no", "the rulebook says nothing about it"),
        "manipulation.staying_together": absent("0", "the rulebook says nothing about it"),
        "joker.most_in_set": absent("none", "the rulebook gives no limit"),
        "joker.alone": ruling(
            "no", "jokers alone are no set; if a set can be read in several ways, the best valid one counts"
        ),
        "joker.past_end": ruling("nothing", "a joker after the highest number (R12 R13 J) stands for no tile"),
        "joker.rack_tiles": absent("0", "the rulebook gives no number of tiles"),
        "penalty.for_wrong_layout": ruling(
            "yes", "when time is up, or the player sticks to it; before that the player may fix it"
        ),
        "penalty.tiles_before_opening": ruling("3", "the same before the opening as after it"),
        "ending.drawer_plays_last": absent("no", "there are no last turns"),
        "ending.must_lay": absent("no", "the rulebook says nothing about it"),
        "scoring.fewer_tiles_win": ruling("yes", "in a tie, the lowest sum wins, then fewer tiles, then players share"),
    }
)

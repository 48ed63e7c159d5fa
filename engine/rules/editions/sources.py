"""The source of each value of an edition: a quote from its rulebook, or a ruling if the rulebook is unclear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final


class SourceKind(Enum):
    """The kind of source of a value."""

    PRINTED = "printed"
    """The rulebook says so."""
    RULING = "ruling"
    """The rulebook is silent, unclear or contradicts itself; this project decided."""
    ABSENT = "absent"
    """The edition does not have what the field is about."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of one value."""

    kind: SourceKind
    section: str
    """The title of the section in the rulebook, in its language; empty without a section."""
    quote: str
    """The quote; empty if the rulebook prints nothing."""
    why: str
    """The ruling, or a note on the quote, in English for `gettext`; may be empty."""


Sources = Mapping[str, Source]
"""The source of every field, by its name (`opening.minimum_points`)."""


def printed(section: str, quote: str, why: str = "") -> Source:
    """Return the source of a value that the rulebook prints."""
    return Source(SourceKind.PRINTED, section, quote, why)


def ruling(why: str, section: str = "", quote: str = "") -> Source:
    """Return the source of a value that this project decided; with a quote if the rulebook says something similar."""
    return Source(SourceKind.RULING, section, quote, why)


def absent(why: str) -> Source:
    """Return the source of a field that does not apply to the edition."""
    return Source(SourceKind.ABSENT, "", "", why)


def sources(*groups: Mapping[str, Source]) -> Sources:
    """Combine the sources of an edition; the last one for a field counts."""
    return MappingProxyType({name: source for group in groups for name, source in group.items()})


# Values that hardly any rulebook prints. An edition that prints one overrides it here.
SILENT: Final[Mapping[str, Source]] = MappingProxyType(
    {
        "setup.stack_size": absent("tiles are drawn one by one"),
        "setup.joker_drawn": absent("nobody draws to find out who begins"),
        "setup.next_round": ruling("the next round starts as the first did"),
        "setup.redeal_pairs": absent("no new deal is printed"),
        "setup.jokers_pair": absent("no new deal is printed"),
        "opening.needs_empty_table": absent("nothing of the kind is printed"),
        "manipulation.staying_together": absent("nothing of the kind is printed"),
        "joker.most_in_set": absent("no limit is printed"),
        "joker.alone": ruling(
            "jokers alone are no set; if a set can be read in several ways, the best valid one counts"
        ),
        "joker.past_end": ruling("past the end of a run (R12 R13 J) a joker stands for nothing"),
        "joker.rack_tiles": absent("no number of tiles is printed"),
        "turn.timed_before_opening": ruling("the limit holds for every turn"),
        "penalty.for_wrong_layout": ruling(
            "when time is up, or the player sticks to it; before that the player may fix it"
        ),
        "penalty.tiles_before_opening": ruling("the same before the opening as after it"),
        "ending.drawer_plays_last": absent("there are no last turns"),
        "scoring.fewer_tiles_win": ruling("in a tie, the lowest sum wins, then fewer tiles, then players share"),
        "scoring.tile_value": ruling("each tile counts its number"),
    }
)

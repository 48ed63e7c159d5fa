"""The source of each value of an edition: a quote of its rulebook, or a ruling where that is silent or unclear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final


class Kind(Enum):
    """How a value came to be what it is."""

    PRINTED = "printed"
    """The rulebook says so."""
    RULING = "ruling"
    """The rulebook is silent, unclear or contradicts itself, and this is how it is played here."""
    ABSENT = "absent"
    """The edition has no such thing."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where one value comes from."""

    kind: Kind
    section: str
    """The rulebook's section, in its own words; empty where there is none."""
    quote: str
    """What it prints; empty where it prints nothing."""
    why: str
    """The ruling, or what the quote leaves to be said; in English, may be empty."""


Sources = Mapping[str, Source]
"""The source of every field, by its name (`opening.minimum_points`)."""


def printed(section: str, quote: str, why: str = "") -> Source:
    """A value that the rulebook prints."""
    return Source(Kind.PRINTED, section, quote, why)


def ruling(why: str, section: str = "", quote: str = "") -> Source:
    """A value that is ruled here; with a quote where the rulebook says something else, or not quite this."""
    return Source(Kind.RULING, section, quote, why)


def absent(why: str) -> Source:
    """The value of a field that says that the edition has no such thing."""
    return Source(Kind.ABSENT, "", "", why)


def sources(*groups: Mapping[str, Source]) -> Sources:
    """All sources of an edition; of two for one field the last counts."""
    return MappingProxyType({name: source for group in groups for name, source in group.items()})


# What no rulebook says, or hardly one. An edition that does overrides it.
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

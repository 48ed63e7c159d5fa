"""Example turns for the chapters of `rulebook`, by edition: printed ones, and some that are not allowed.

`legal` is what the rulebook says; a test compares it with the judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.language import gettext, gettext_noop
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table


@dataclass(frozen=True, slots=True)
class Example:
    """An example turn from one table to another.

    Attributes:
        before: the table at the start of the turn, in notation.
        after: the table at the end of the turn.
        legal: whether the printed edition allows the turn.
        printed: whether the rulebook has this example.
        opened: whether the player had opened before.
    """

    before: str
    after: str
    _says: str
    legal: bool = True
    printed: bool = False
    opened: bool = True

    @property
    def says(self) -> str:
        """A sentence about the turn, in the current language."""
        return gettext(self._says)

    @property
    def tables(self) -> tuple[Table, Table]:
        """The tables before and after the turn."""
        return parse_table(self.before), parse_table(self.after)


ADDED: Final = gettext_noop("A tile is added to the run, another one to the group.")
TOO_FEW: Final = gettext_noop("That is too few points.")
ENOUGH: Final = gettext_noop("That is enough points.")
REPLACED: Final = gettext_noop("A missing colour replaces the joker, which goes into a new set at once.")
RUN: Final = gettext_noop("A run.")
GROUP: Final = gettext_noop("A group.")
AROUND: Final = gettext_noop("The run is split around the joker.")
TABLE_USED: Final = gettext_noop("In the opening turn, a tile is added to a set on the table.")
LEFT_OVER: Final = gettext_noop("A tile is taken, and the rest is not a set.")
NO_WRAP: Final = gettext_noop("1 does not come after the highest number.")
TWICE: Final = gettext_noop("A group has no colour twice.")

_MOVES: Final = (
    Example("B4 B5 B6 | O8 R8 K8", "B3 B4 B5 B6 | O8 R8 K8 B8", ADDED, printed=True),
    Example(
        "B4 R4 K4 O4",
        "B3 B4 B5 B6 | R4 K4 O4",
        gettext_noop("The fourth tile of a group goes into a new run."),
        printed=True,
    ),
    Example(
        "B8 B9 B10",
        "B9 B10 B11 | B8 K8 O8",
        gettext_noop("The run gets a tile at one end, so that you can take one from the other end."),
        printed=True,
    ),
    Example("R4 R5 R6 R7 R8", "R4 R5 R6 | R6 R7 R8", gettext_noop("One more 6 turns one run into two."), printed=True),
    Example(
        "O1 O2 O3 O4 | R1 B1 K1 O1",
        "B1 O1 R1 | O2 O3 O4 | B1 K1 O1",
        gettext_noop("A tile of a run and one of a group make a new group with one from the rack."),
        printed=True,
    ),
    Example(
        "O5 O6 O7 | R5 R6 R7 | K5 K6 K7 K8 K9",
        "O5 R5 K5 B5 | O6 R6 K6 | O7 R7 K7 | K8 K9 K10",
        gettext_noop("Three runs become three groups and another run."),
        printed=True,
    ),
    Example("R3 R4 R5", "R4 R5 | R3 K3 B3", LEFT_OVER, legal=False),
)
_JOKERS: Final = (
    Example("K8 B8 J", "K8 B8 O8 | R1 R2 J", REPLACED, printed=True),
    Example("R2 R3 R4 J R6 R7 R8", "R2 R3 R4 | R6 R7 R8 | K10 J O10", AROUND, printed=True),
    Example(
        "J B6 B7",
        "B5 B6 B7 | K1 K2 J",
        gettext_noop("Blue 5 completes the run without the joker."),
        printed=True,
    ),
    Example(
        "K1 K2 J | B1 O1 R1 | B2 O2 R2",
        "B1 O1 R1 K1 | B2 O2 R2 K2 | J O9 O10",
        gettext_noop("The tiles beside the joker go to groups, and the joker is free."),
        printed=True,
    ),
    Example(
        "R4 J R6 | K7 K8 K9",
        "R4 R5 R6 | K7 K8 K9 J",
        gettext_noop("The joker is only added to an old set."),
        legal=False,
    ),
)
_NOT_SETS: Final = (
    Example("", "K12 K13 K1", NO_WRAP, legal=False),
    Example("", "R8 B8 R8", TWICE, legal=False),
)
_OPENINGS: Final = (
    Example("", "R10 R11 R12", ENOUGH, opened=False),
    Example("", "K3 B3 O3 | R4 R5 R6", TOO_FEW, legal=False, opened=False),
    Example("B4 B5 B6", "B4 B5 B6 B7 | R10 R11 R12", TABLE_USED, legal=False, opened=False),
)


def _sets(run: str, group: str) -> tuple[Example, ...]:
    return Example("", run, RUN, printed=True), Example("", group, GROUP, printed=True), *_NOT_SETS


Chapters = Mapping[str, tuple[Example, ...]]
"""The examples of one edition, by chapter."""

EXAMPLES: Final[Mapping[str, Chapters]] = MappingProxyType(
    {
        "large-numbers": {
            "melds": _sets("B3 B4 B5 B6", "O8 R8 K8 B8"),
            "opening": _OPENINGS,
            "manipulation": _MOVES,
            "joker": _JOKERS,
        },
        "travel": {
            "melds": _sets("R4 R5 R6 R7", "K3 R3 B3 O3"),
            "opening": _OPENINGS,
            "manipulation": _MOVES,
            "joker": _JOKERS,
        },
        "finnish": {
            "melds": _sets("B3 B4 B5 B6", "K7 R7 B7 O7"),
            "opening": (
                *_OPENINGS,
                Example("", "K10 B10 O10", gettext_noop("30 points are one too few."), legal=False, opened=False),
            ),
            "manipulation": _MOVES,
            "joker": (
                Example("K8 B8 J", "K8 B8 O8 | R1 R2 J", REPLACED),
                Example("R2 R3 R4 J R6 R7 R8", "R2 R3 R4 | R6 R7 R8 | K10 J O10", AROUND, legal=False),
            ),
        },
        "junior": {
            "goal": (
                Example(
                    "",
                    "R7 R8 R9",
                    gettext_noop("A star for each tile of a new run, and one for the run."),
                    printed=True,
                ),
                Example(
                    "R2 R3 R4 | B5 B6 B7",
                    "R2 R3 R4 R5 | B3 B4 B5 B6 B7",
                    gettext_noop("A star for each tile that is added to runs."),
                    printed=True,
                ),
                Example(
                    "K4 K5 K6 | Y2 Y3 Y4",
                    "K3 K4 K5 K6 | Y2 Y3 Y4 Y5 Y6 | R7 R8 R9",
                    gettext_noop("A new run and three tiles added to others."),
                    printed=True,
                ),
            ),
            "melds": (
                Example("", "R2 R3 R4", RUN, printed=True),
                Example("", "B7 B8 B9", RUN, printed=True),
                Example("", "R1 B1 K1", gettext_noop("A run does not go on in another colour."), legal=False),
            ),
            "manipulation": (
                Example(
                    "R2 R3 R4",
                    "R1 R2 R3 R4 | B7 B8 B9",
                    gettext_noop("A tile is added to the run, and a new run is laid."),
                ),
                Example(
                    "R1 R2 R3 R4 R5 R6",
                    "R1 R2 R3 | R4 R5 R6 R7",
                    gettext_noop("A run on the table is split."),
                    legal=False,
                ),
            ),
            "joker": (
                Example("R1 J R3", "R1 R2 R3", gettext_noop("Red 2 replaces the joker, which goes onto the rack.")),
                Example(
                    "R1 R2 R3 J | B1 B2 B3",
                    "R1 R2 R3 | B1 B2 B3 J B5",
                    gettext_noop("The joker moves to another run at once."),
                ),
                Example("R1 R2 R3 J", "R1 R2 R3 | J B2 B3", gettext_noop("The joker moves to a new run."), legal=False),
            ),
        },
        "cards": {
            "melds": _sets("K6 K7 K8 K9", "Y7 B7 K7 R7"),
            "opening": (
                Example("", "R9 R10 R11 R12", ENOUGH, opened=False),
                Example("", "R10 R11 R12", TOO_FEW, legal=False, opened=False),
                Example("B4 B5 B6", "B4 B5 B6 B7 | R9 R10 R11 R12", TABLE_USED, opened=False),
            ),
            "manipulation": (
                Example(
                    "B8 K8 Y8 R8",
                    "B8 K8 Y8 | R7 R8 R9",
                    gettext_noop("The fourth card of a set goes into a new run."),
                    printed=True,
                ),
                Example(
                    "K4 K5 K6 K7 | Y4 Y5 Y6 Y7 | B4 B5 B6",
                    "K4 Y4 B4 R4 | K5 Y5 B5 | K6 Y6 B6 R6 | K7 Y7 R7",
                    gettext_noop("Three runs become four sets of one number each."),
                    printed=True,
                ),
                Example("R3 R4 R5", "R4 R5 | R3 K3 B3", LEFT_OVER, legal=False),
            ),
            "joker": (
                Example("K8 B8 J", "K8 B8 Y8 | R1 R2 J", REPLACED),
                Example("R2 R3 R4 J R6 R7 R8", "R2 R3 R4 | R6 R7 R8 | K10 J Y10", AROUND, legal=False),
            ),
        },
    }
)
"""The examples by the name of the edition."""

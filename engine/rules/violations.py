"""Violations: the rules that a turn can break, as codes and places that know no language.

English words are made of them in `tilekeeper.engine.judge.sentences`; other languages make theirs of the code and its
arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilekeeper.engine.tiles.table import Place


class Code(StrEnum):
    """The rules that a turn can break, in the order in which a verdict lists them.

    The first two are not the player's fault: the table was misread, or another edition is in play.
    """

    UNKNOWN_TILE = "unknown-tile"
    """Tiles that the edition does not have."""
    TOO_MANY_COPIES = "too-many-copies"
    """More of a tile than the box holds; `found` copies, `bound` in the box."""
    MELD_TOO_SHORT = "meld-too-short"
    """A row of `found` tiles, where a meld has at least `bound`."""
    RUN_BROKEN = "run-broken"
    """One colour, but the numbers do not follow each other; the tiles are those on either side of each break."""
    WRAPS_PAST_HIGHEST = "wraps-past-highest"
    """A run that continues past the highest number, `bound`, or below 1; the tiles are those on either side of that."""
    GROUP_COLOUR_TWICE = "group-colour-twice"
    """One number, but a colour more than once; the tiles are those of such colours."""
    GROUPS_NOT_PLAYED = "groups-not-played"
    """One number in several colours, where the edition plays runs only."""
    GROUP_TOO_LONG = "group-too-long"
    """A group of `found` tiles, where one has at most `bound`."""
    RUN_TOO_LONG = "run-too-long"
    """A run of `found` tiles, where there are `bound` numbers; only where 1 follows the highest."""
    TOO_MANY_JOKERS = "too-many-jokers"
    """A set with `found` jokers, where one has at most `bound`; the tiles are the jokers."""
    NOT_A_MELD = "not-a-meld"
    """Neither one colour nor one number, or jokers alone."""
    TILE_TAKEN = "tile-taken"
    """Tiles of the table before that are not on the table after; they are places of the table before."""
    EXTEND_ONLY = "extend-only"
    """Melds that were split, where melds may only be extended; they are places of the table before."""
    ORIGINAL_TOO_SHORT = "original-too-short"
    """Sets that were split so that fewer than `bound` of their tiles, `found`, stayed together in a valid set."""
    JOKER_SET_LOCKED = "joker-set-locked"
    """Sets with a joker that were split, or from which a tile other than a replaced joker was taken."""
    NOTHING_PLACED = "nothing-placed"
    """`found` tiles came from the rack, where a turn needs `bound`."""
    OPENING_TOO_LOW = "opening-too-low"
    """New sets from the rack worth `found` points, where the opening needs `bound`."""
    OPENING_USED_TABLE = "opening-used-table"
    """Melds of the table were used before the player had opened."""
    OPENING_TABLE_NOT_EMPTY = "opening-table-not-empty"
    """An opening on a table with melds, where the table must be empty."""
    JOKER_BEFORE_OPENING = "joker-before-opening"
    """A joker on the table was replaced or moved before the player had opened."""
    JOKER_NOT_FROM_RACK = "joker-not-from-rack"
    """A joker left its set without being replaced by a tile of the rack, which the edition requires.

    With `bound` it may also be taken out where as many tiles remain, as in `junior`.
    """
    JOKER_NOT_REUSED = "joker-not-reused"
    """A freed joker was not laid in the same turn where the edition requires: with `bound` at a run that lies there."""
    JOKER_NEEDS_RACK_TILES = "joker-needs-rack-tiles"
    """A freed joker was laid in a new set with too few tiles of the rack: `found`, where `bound` are needed."""


CODE_RANKS: Final = {code: rank for rank, code in enumerate(Code)}
"""The place of each code in the order in which a verdict lists them."""


class Side(StrEnum):
    """Which of the two tables a violation points into."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: its code, and the melds and tiles it concerns in the table of that side."""

    code: Code
    side: Side
    melds: tuple[int, ...]
    tiles: tuple[Place, ...]
    found: int | None = None
    """What was counted, where the code says what."""
    bound: int | None = None
    """What the edition requires or allows, where the code says what."""

    @classmethod
    def at(
        cls, code: Code, side: Side, tiles: tuple[Place, ...], found: int | None = None, bound: int | None = None
    ) -> Violation:
        """A violation that concerns some tiles and the melds that hold them."""
        return cls(code, side, tuple(sorted({place.meld for place in tiles})), tiles, found, bound)

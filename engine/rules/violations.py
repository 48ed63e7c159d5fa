"""Violations: the rules that a turn can break, as codes, and the places on the table where it breaks them.

`tilekeeper.engine.judge.sentences` makes sentences from violations.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tilekeeper.engine.tiles.table import Place


class Code(StrEnum):
    """The rules that a turn can break, in the order in which a verdict lists them.

    The first two are no mistakes of the player: the table was misread, or another edition is in play.
    """

    UNKNOWN_TILE = "unknown-tile"
    """The edition does not have these tiles."""
    TOO_MANY_COPIES = "too-many-copies"
    """The table has `found` copies of a tile, more than the `bound` copies in the box."""
    MELD_TOO_SHORT = "meld-too-short"
    """A row of `found` tiles; a meld has at least `bound`."""
    RUN_BROKEN = "run-broken"
    """A row of one colour whose numbers are not consecutive; `tiles` are the tiles on either side of each break."""
    WRAPS_PAST_HIGHEST = "wraps-past-highest"
    """A run that continues past the highest number, `bound`, or below 1; `tiles` are on either side of that step."""
    GROUP_COLOUR_TWICE = "group-colour-twice"
    """A row of one number that has a colour more than once; `tiles` are the tiles of that colour."""
    GROUPS_NOT_PLAYED = "groups-not-played"
    """A row of one number in several colours, but the edition has no groups."""
    GROUP_TOO_LONG = "group-too-long"
    """A group of `found` tiles; a group has at most `bound`."""
    RUN_TOO_LONG = "run-too-long"
    """A run of `found` tiles, more than the `bound` numbers; only if 1 may follow the highest number."""
    TOO_MANY_JOKERS = "too-many-jokers"
    """A set with `found` jokers; a set has at most `bound`. `tiles` are the jokers."""
    NOT_A_MELD = "not-a-meld"
    """A row that has neither one colour nor one number, or has jokers alone."""
    TILE_TAKEN = "tile-taken"
    """Tiles that were taken off the table; `tiles` are places on the table at the start of the turn."""
    EXTEND_ONLY = "extend-only"
    """Melds that were split, but melds may only be extended; `tiles` are places on the table at the turn's start."""
    ORIGINAL_TOO_SHORT = "original-too-short"
    """Sets that were split: only `found` of their tiles stayed together in a valid set, but `bound` must."""
    JOKER_SET_LOCKED = "joker-set-locked"
    """Sets with a joker that were split, or that lost a tile other than a replaced joker, but are locked."""
    NOTHING_PLACED = "nothing-placed"
    """`found` tiles came from the rack; a turn needs `bound`."""
    OPENING_TOO_LOW = "opening-too-low"
    """New sets from the rack worth `found` points; the opening needs `bound`."""
    OPENING_USED_TABLE = "opening-used-table"
    """Melds of the table were used before the player had opened."""
    OPENING_TABLE_NOT_EMPTY = "opening-table-not-empty"
    """An opening on a table with melds, but the table must be empty."""
    JOKER_BEFORE_OPENING = "joker-before-opening"
    """A joker on the table was replaced or moved before the player had opened."""
    JOKER_NOT_FROM_RACK = "joker-not-from-rack"
    """A joker left its set, but no tile of the rack replaced it, which the edition requires.

    If `bound` is not None, a joker may also leave if at least `bound` tiles stay in each part, as in `junior`.
    """
    JOKER_NOT_REUSED = "joker-not-reused"
    """A freed joker was not laid in the same turn where the edition requires it.

    If `bound` is not None, that is at a run on the table, and at least `bound` tiles must stay where the joker was.
    """
    JOKER_NEEDS_RACK_TILES = "joker-needs-rack-tiles"
    """A freed joker was laid in a new set with `found` tiles of the rack; `bound` are needed."""


CODE_RANKS: Final = {code: rank for rank, code in enumerate(Code)}
"""The rank of each code in the order of a verdict."""


class Side(StrEnum):
    """Whether the places of a violation are on the table before or after the turn."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, and the melds and tiles on the table that break it."""

    code: Code
    side: Side
    """The table of `melds` and `tiles`."""
    melds: tuple[int, ...]
    """The indices of the melds on that table."""
    tiles: tuple[Place, ...]
    found: int | None = None
    """The number that was counted, as the description of the code says; None if the code counts nothing."""
    bound: int | None = None
    """The number that the edition requires or allows, as the description of the code says; None if it needs none."""

    @classmethod
    def from_tiles(
        cls, code: Code, side: Side, tiles: tuple[Place, ...], found: int | None = None, bound: int | None = None
    ) -> Violation:
        """Return a violation by some tiles and the melds that hold them."""
        return cls(code, side, tuple(sorted({place.meld for place in tiles})), tiles, found, bound)

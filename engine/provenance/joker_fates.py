"""Joker fates: the possible futures of a joker in a valid set, by the rules alone.

Judge and solver both start from here. The judge asks which fate fits the place where a joker lies after the turn; the
solver tries every fate for which the rack has the tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache

from tilekeeper.engine.rules.meld import Kind, readings, stand_ins
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


class Release(Enum):
    """The way in which a joker left its set."""

    STAYED = auto()
    """It is with tiles of its set and stands for the same tile."""
    SHIFTED = auto()
    """It is with tiles of its set, and stands for another tile."""
    TAKEN_OUT = auto()
    """It was taken out of a set whose parts are all valid without it, and laid to a run of the table."""
    REPLACED = auto()
    """A tile was laid in its place."""
    UNRESTRICTED = auto()
    """The edition lets it leave its set in any way."""
    FORBIDDEN = auto()
    """It left its set in a way that the edition does not allow."""


Fates = Mapping[Release, tuple[Tile, ...]]
"""The allowed ways, each with the tiles for which a staying joker may stand, or that may replace it."""


@lru_cache(maxsize=1_024)  # the same sets are asked about again for every place after the turn, and for every plan
def fates(meld: Meld, at: int, rules: RuleSet) -> Fates:
    """Return the possible fates of the joker at a position of a valid set.

    If only jokers are bound to their set, all other tiles of a group may leave it one after another while further ones
    come. So its joker may come to stand for any colour.
    """
    if rules.joker.sets is JokerSets.LIKE_OTHERS:
        return {Release.UNRESTRICTED: ()}
    tiles = stand_ins(meld, at, rules)
    only_jokers_stay = rules.joker.sets is JokerSets.JOKER_STAYS and rules.manipulation.regrouping is Regrouping.ANY
    if only_jokers_stay:
        for reading in readings(meld, rules):
            if reading.kind is Kind.GROUP:
                tiles |= dict.fromkeys(Tile(ink, reading.tiles[0].number) for ink in rules.stock.inks)
    found: dict[Release, tuple[Tile, ...]] = {Release.STAYED: tuple(tiles)}
    if only_jokers_stay:
        found[Release.SHIFTED] = ()
    if rules.joker.sets is JokerSets.JOKER_MOVES:
        found[Release.TAKEN_OUT] = ()
    return found | {Release.REPLACED: tuple(tiles)}


def needs_new_set(rules: RuleSet) -> bool:
    """Return whether a replaced joker must be laid in a new set with tiles of the rack."""
    return rules.joker.freed in (FreedJoker.NEW_SET, FreedJoker.SET_FROM_RACK)

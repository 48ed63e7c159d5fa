"""Joker fates: what the rules of an edition allow to happen to a joker of a valid set in a turn.

Judge and solver both use this list. The judge keeps the fates that fit the place of a joker after the turn; the solver
tries every fate for which the rack has the tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from tilekeeper.engine.rules.meld import Kind, readings, stand_ins
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


class Release(Enum):
    """What happened to a joker of a valid set in a turn."""

    STAYED = auto()
    """The joker kept its place in the set and can still stand for the same tile."""
    SHIFTED = auto()
    """The joker is still with tiles of its set, and may stand for another tile."""
    TAKEN_OUT = auto()
    """The joker was taken out of the set, whose parts are all valid without it, and laid to a run of the table."""
    REPLACED = auto()
    """A tile was laid in the place of the joker."""
    UNRESTRICTED = auto()
    """The edition lets the joker leave its set in any way."""
    FORBIDDEN = auto()
    """The joker left its set in a way that the edition does not allow."""


RELEASED: Final = (Release.REPLACED, Release.FORBIDDEN, Release.UNRESTRICTED)
"""The releases after which a joker may be outside its old set."""

Fates = Mapping[Release, tuple[Tile, ...]]
"""The allowed releases of a joker, each with tiles.

For `STAYED` the joker may stand for these tiles, for `REPLACED` they may replace it; other releases have no tiles.
"""


@lru_cache(maxsize=1_024)  # judge and solver ask for the same joker at every place and in every plan
def fates(meld: Meld, at: int, rules: RuleSet) -> Fates:
    """Return the possible fates of the joker at a position of a valid set.

    If only jokers are bound to their set, all numbered tiles of a group may leave it one after another while others
    join it. So the joker of a group may then stand for a tile of any colour.
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

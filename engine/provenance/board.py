"""The changed melds of a turn, and the possible provenances of their tiles.

The camera can't tell two red 7s apart. The *provenance* of a tile says from which old meld, or from the rack, each
copy of it in a changed meld came. For each tile all possible provenances are listed here; the search tries them.

An *old meld* is a changed meld of the table before the turn; an *old set* is one that was valid. A *new meld* is a
changed meld of the table after the turn.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import permutations
from typing import Final

from tilekeeper.engine.provenance.changes import Changes, joker_places
from tilekeeper.engine.provenance.rows import is_one_place, sets_around
from tilekeeper.engine.rules.meld import is_group, is_valid, readings, stand_ins
from tilekeeper.engine.rules.policies import JokerSets
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import JOKER, Tile

RACK: Final = -1
"""The origin of a tile that came from the rack; every other origin is the index of an old meld."""

Provenance = tuple[tuple[int, int], ...]
"""A pair for each copy of one tile: the old meld from which it came, or `RACK`, and the new meld that holds it."""


class Board:
    """The changed melds of a turn, and the possible provenances of their numbered tiles."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self.changes = changes
        self.rules = rules
        self.before, self.after = changes.before.melds, changes.after.melds
        self.sets_before = tuple(index for index in changes.changed_before if is_valid(self.before[index], rules))
        self.sets_after = frozenset(index for index in changes.changed_after if is_valid(self.after[index], rules))
        self.plain_before = {index: _plain(self.before[index]) for index in self.sets_before}
        self._plain_after = {index: frozenset(_plain(self.after[index])) for index in changes.changed_after}
        joker_origins = joker_places(changes.before, changes.changed_before)
        self.set_jokers = tuple(place for place in joker_origins if place.meld in self.sets_before)
        """The places of the jokers of old valid sets."""
        self.loose_jokers = len(joker_origins) - len(self.set_jokers)
        """The number of jokers in old melds that were not valid."""
        self.joker_goals = tuple(joker_places(changes.after, changes.changed_after))
        """The places of the jokers in new melds."""
        self._origins: defaultdict[Tile, list[int]] = defaultdict(list)
        self._goals: defaultdict[Tile, list[int]] = defaultdict(list)
        for index in changes.changed_before:
            for tile in _plain(self.before[index]):
                self._origins[tile].append(index)
        for tile, count in changes.placed.items():
            if not tile.is_joker:
                self._origins[tile] += [RACK] * count
        for index in changes.changed_after:
            for tile in _plain(self.after[index]):
                self._goals[tile].append(index)
        self.tiles = self._origins.keys() | self._goals.keys()
        """The numbered tiles of all old and new melds."""
        self._provenances: dict[Tile, list[Provenance]] = {}
        self._in_groups: frozenset[Tile] | None = None

    @property
    def was_misread(self) -> bool:
        """Whether the changed melds hold more copies of a tile than the box, so that the turn can't be judged."""
        stock = self.rules.stock
        jokers = max(len(self.set_jokers) + self.loose_jokers + self.changes.placed[JOKER], len(self.joker_goals))
        if jokers > stock.jokers and (self.set_jokers or self.loose_jokers):
            return True
        return any(
            len(melds) > stock.copies_of(tile)
            for melds_of in (self._origins, self._goals)
            for tile, melds in melds_of.items()
        )

    def provenances(self, tile: Tile) -> list[Provenance]:
        """Return every possible provenance of the copies of a tile."""
        if tile not in self._provenances:
            goals = self._goals.get(tile, [])
            found = dict.fromkeys(
                tuple(sorted(zip(order, goals, strict=True)))
                for order in permutations(self._origins.get(tile, []), len(goals))
            )
            self._provenances[tile] = list(found)
        return self._provenances[tile]

    def sets_sharing_tiles(self, goal: int) -> list[int]:
        """Return the old sets that share a numbered tile with a new meld."""
        return [old for old, tiles in self.plain_before.items() if not self._plain_after[goal].isdisjoint(tiles)]

    def goals_of(self, tile: Tile) -> list[int]:
        """Return the new melds that hold a copy of a tile."""
        return self._goals[tile]

    def sets_around(self, goal: Place) -> tuple[tuple[int, ...], ...]:
        """Return the smaller valid sets around the joker at `goal`, each as its positions in the new meld."""
        return sets_around(self.after[goal.meld], goal.position, self.rules)

    def stood_for(self, origin: Place) -> dict[Tile, None]:
        """Return the tiles that a joker of an old set stood for, in any valid reading, as keys."""
        return stand_ins(self.before[origin.meld], origin.position, self.rules)

    def can_be_laid_for(self, origin: Place, tile: Tile) -> bool:
        """Return whether a tile can replace a joker of an old set.

        If the set is a group with a copy of this tile, that copy must be able to leave the group first.
        """
        old_meld = self.plain_before[origin.meld]
        return (
            tile not in old_meld
            or len(self.before[origin.meld]) > self.rules.melds.shortest
            or self._may_gain_colour(old_meld)
        )

    def _may_gain_colour(self, old_meld: Meld) -> bool:
        """Return whether a tile of a new colour can have joined a group, so that one of its tiles could leave."""
        if self._in_groups is None:
            groups = (goal for goal in self.sets_after if is_group(self.after[goal], self.rules))
            self._in_groups = frozenset(tile for goal in groups for tile in self._plain_after[goal])
        same_number = (Tile(ink, old_meld[0].number) for ink in self.rules.stock.inks)
        return any(tile in self._in_groups and tile not in old_meld for tile in same_number)

    def can_stay(self, origin: Place, goal: Place) -> bool:
        """Return whether a joker of an old set, now at `goal`, can have stayed in its place of the set."""
        there, old_meld = self._plain_after[goal.meld], self.plain_before[origin.meld]
        if self.rules.joker.sets is JokerSets.JOKER_STAYS and goal.meld in self.sets_after:
            # All other tiles of the set may have left after enough new tiles had joined it.
            return any(
                is_one_place(was, origin.position, now, goal.position)
                for was in readings(self.before[origin.meld], self.rules)
                for now in readings(self.after[goal.meld], self.rules)
            )
        if there.isdisjoint(old_meld):
            return False
        stands_for = stand_ins(self.after[goal.meld], goal.position, self.rules)
        return not stands_for or not self.stood_for(origin).keys().isdisjoint(stands_for)


@lru_cache(maxsize=1_024)
def _plain(meld: Meld) -> Meld:
    return tuple(tile for tile in meld if tile is not JOKER)

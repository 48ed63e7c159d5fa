"""What a way from one table to another must account for: where each tile of the changed melds may have gone.

The camera can't tell two red 7s apart. A *way* says of every tile in a changed meld from which old meld it came, or
that it came from the rack. For each tile the ways of its copies are listed here; the search goes through them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import Final

from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.joker_choices import joker_places
from tilekeeper.engine.rules.meld import Reading, is_valid, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import JOKER, Tile

RACK: Final = -1
"""Where a tile came from that lay in no meld before."""

Paths = tuple[tuple[int, int], ...]
"""Where the copies of one tile went: pairs of the old meld, or `RACK`, and the new meld."""


class Board:
    """The changed melds of a turn, and the ways of their tiles; jokers are followed by themselves."""

    def __init__(self, changes: Changes, rules: RuleSet) -> None:
        self.changes = changes
        self.rules = rules
        self.before, self.after = changes.before.melds, changes.after.melds
        self._readings_before = {index: readings(self.before[index], rules) for index in changes.gone}
        self._readings_after = {index: readings(self.after[index], rules) for index in changes.new}
        self.sets_before = tuple(index for index in changes.gone if self._readings_before[index])
        self.sets_after = frozenset(index for index in changes.new if self._readings_after[index])
        self.plain_before = {index: _plain(self.before[index]) for index in self.sets_before}
        self._plain_after = {index: frozenset(_plain(self.after[index])) for index in changes.new}
        lain = joker_places(changes.before, changes.gone)
        self.set_jokers = tuple(place for place in lain if self._readings_before[place.meld])
        """Where the jokers of old sets lay."""
        self.loose_jokers = len(lain) - len(self.set_jokers)
        """How many jokers lay in changed rows that were no sets."""
        self.joker_goals = tuple(joker_places(changes.after, changes.new))
        """Where jokers lie in new melds."""
        self._origins: defaultdict[Tile, list[int]] = defaultdict(list)
        self._goals: defaultdict[Tile, list[int]] = defaultdict(list)
        for index in changes.gone:
            for tile in _plain(self.before[index]):
                self._origins[tile].append(index)
        for tile, count in changes.placed.items():
            if not tile.is_joker:
                self._origins[tile] += [RACK] * count
        for index in changes.new:
            for tile in _plain(self.after[index]):
                self._goals[tile].append(index)
        self.tiles = self._origins.keys() | self._goals.keys()
        """Every tile but jokers that lies, or lay, in a changed meld."""
        self._valid: dict[Meld, bool] = {}
        self._hosts: dict[int, list[int]] = {}
        self._paths: dict[Tile, list[Paths]] = {}

    @property
    def was_misread(self) -> bool:
        """Whether there is more of a tile in changed melds than the box holds, so that no way is to be followed."""
        stock = self.rules.stock
        jokers = max(len(self.set_jokers) + self.loose_jokers + self.changes.placed[JOKER], len(self.joker_goals))
        if jokers > stock.jokers and (self.set_jokers or self.loose_jokers):
            return True
        return any(
            len(lie) > stock.copies_of(tile) for lies in (self._origins, self._goals) for tile, lie in lies.items()
        )

    def paths(self, tile: Tile) -> list[Paths]:
        """Every way in which the copies of a tile can have gone, the likeliest first: to melds most like the old."""
        if tile not in self._paths:
            goals = self._goals.get(tile, [])
            found = dict.fromkeys(
                tuple(sorted(zip(order, goals, strict=True)))
                for order in permutations(self._origins.get(tile, []), len(goals))
            )
            self._paths[tile] = list(found)
            if len(found) > 1:
                self._paths[tile].sort(key=lambda paths: -sum(self._likeness(*path) for path in paths))
        return self._paths[tile]

    def _likeness(self, origin: int, goal: int) -> int:
        if origin == RACK:
            return 0
        return (Counter(self.before[origin]) & Counter(self.after[goal])).total()

    def akin(self, goal: int) -> list[int]:
        """The old sets that share a tile with a new meld."""
        return [old for old, tiles in self.plain_before.items() if not self._plain_after[goal].isdisjoint(tiles)]

    def hosts(self, old: int) -> list[int]:
        """The new melds in which as much of an old set can lie as is to stay together, its jokers counted in."""
        if old not in self._hosts:
            wanted = self.rules.manipulation.staying_together - self.before[old].count(JOKER)
            self._hosts[old] = [
                goal
                for goal, there in self._plain_after.items()
                if len(there.intersection(self.plain_before[old])) >= wanted
            ]
        return self._hosts[old]

    def lies_in(self, tile: Tile, goal: int) -> bool:
        """Whether a new meld holds such a tile."""
        return tile in self._plain_after[goal]

    def is_set(self, row: Meld) -> bool:
        """Whether a row would be a valid meld; asked often of the same rows."""
        if row not in self._valid:
            self._valid[row] = is_valid(row, self.rules)
        return self._valid[row]

    def stood_for(self, origin: Place) -> dict[Tile, None]:
        """The tiles for which a joker of an old set stood, in one reading or another."""
        return _stands(self._readings_before[origin.meld], origin.position)

    def can_stay(self, origin: Place, goal: Place) -> bool:
        """Whether a joker can lie with a tile of its old set for a tile for which it stood."""
        if self._plain_after[goal.meld].isdisjoint(self.plain_before[origin.meld]):
            return False
        stands_for = _stands(self._readings_after[goal.meld], goal.position)
        return not stands_for or not self.stood_for(origin).keys().isdisjoint(stands_for)


def _plain(meld: Meld) -> Meld:
    return tuple(tile for tile in meld if not tile.is_joker)


def _stands(found: tuple[Reading, ...], position: int) -> dict[Tile, None]:
    return dict.fromkeys(reading.tiles[position] for reading in found)

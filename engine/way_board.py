"""What a way from one table to another must account for: where each tile of the changed melds may have gone.

The camera can't tell two red 7s apart. A *way* says of every tile in a changed meld from which old meld it came, or
that it came from the rack. For each tile the ways of its copies are listed here; the search goes through them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import Final

from tilekeeper.engine.changes import Changes
from tilekeeper.engine.meld import Reading, readings
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Place
from tilekeeper.engine.tile import Tile

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

    @property
    def tiles(self) -> set[Tile]:
        """Every tile but jokers that lies, or lay, in a changed meld."""
        return set(self._origins) | set(self._goals)

    @property
    def was_misread(self) -> bool:
        """Whether there is more of a tile in changed melds than the box holds, so that no way is to be followed."""
        copies_of = self.rules.stock.copies_of
        return any(len(lie) > copies_of(tile) for lies in (self._origins, self._goals) for tile, lie in lies.items())

    def paths(self, tile: Tile) -> list[Paths]:
        """Every way in which the copies of a tile can have gone, the likeliest first: to melds most like the old."""
        goals = self._goals[tile]
        found = dict.fromkeys(
            tuple(sorted(zip(order, goals, strict=True))) for order in permutations(self._origins[tile], len(goals))
        )
        return sorted(found, key=lambda paths: -sum(self._likeness(*path) for path in paths))

    def _likeness(self, origin: int, goal: int) -> int:
        if origin == RACK:
            return 0
        return (Counter(self.before[origin]) & Counter(self.after[goal])).total()

    def stood_for(self, origin: Place) -> dict[Tile, None]:
        """The tiles for which a joker of an old set stood, in one reading or another."""
        return _stands(self._readings_before[origin.meld], origin.position)

    def can_stay(self, origin: Place, goal: Place) -> bool:
        """Whether a joker can lie with a tile of its old set for a tile for which it stood."""
        if not set(self.plain_before[origin.meld]) & set(self.after[goal.meld]):
            return False
        stands_for = _stands(self._readings_after[goal.meld], goal.position)
        return not stands_for or not self.stood_for(origin).keys().isdisjoint(stands_for)


def _plain(meld: tuple[Tile, ...]) -> tuple[Tile, ...]:
    return tuple(tile for tile in meld if not tile.is_joker)


def _stands(found: tuple[Reading, ...], position: int) -> dict[Tile, None]:
    return dict.fromkeys(reading.tiles[position] for reading in found)

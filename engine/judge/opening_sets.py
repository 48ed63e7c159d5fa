"""Possible sets of an opening: every valid set that the player can have laid with tiles from the rack.

If a player may use the table after the opening, its sets may be regrouped by the end of the turn. Each set comes with
the number of its tiles that are separated then. A set is left out if the rules of manipulation do not allow that its
tiles are where the table after the turn has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.rules.meld import Reading, readings, worth
from tilekeeper.engine.rules.policies import JokerSets, Regrouping
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class RackSet:
    """A valid set of tiles from the rack."""

    meld: Meld
    tiles: Counter[Tile]
    points: int
    apart: int
    """The number of its tiles outside the new meld that holds most of them."""

    def fits(self, rack: Counter[Tile]) -> bool:
        """Return whether a rack holds all tiles of this set."""
        return all(count <= rack[tile] for tile, count in self.tiles.items())


def likely_sets(changes: Changes, rules: RuleSet, budget: Budget, most_jokers: int | None = None) -> list[RackSet]:
    """Return every set that the player can have laid from the rack in this turn.

    The list is empty if all tiles from the rack have too few points for an opening. It is sorted by the number of
    separated tiles and then of jokers, fewest first, and then by points, highest first.

    Args:
        changes: the changes of the turn.
        rules: the edition in play.
        budget: the steps that the search may take.
        most_jokers: the most jokers of a set; None for the number of jokers that came from the rack.

    Raises:
        BudgetExceeded: if there are too many sets to try.
    """
    most = _most_points(changes.placed, rules)
    if most < rules.opening.minimum_points:
        return []
    most = changes.placed[JOKER] if most_jokers is None else most_jokers
    melds_with = _melds_with(changes)
    budget.spend(changes.after.counts.total())
    found = []
    rack = Counter(changes.placed)
    rack[JOKER] = most
    for row in dict.fromkeys(all_rows(rack, rules)):
        budget.spend(4 + len(row))
        found_readings = readings(row, rules)
        together = _count_together(row, found_readings, melds_with, changes.placed, rules)
        if together is not None:
            points = max(worth(row, reading, rules) for reading in found_readings)
            found.append(RackSet(row, Counter(row), points, len(row) - together))
    return sorted(found, key=lambda rack_set: (rack_set.apart, rack_set.tiles[JOKER], -rack_set.points))


def _most_points(rack: Counter[Tile], rules: RuleSet) -> int:
    """Return an upper bound of the points of an opening with these tiles."""
    joker = rules.stock.numbers if rules.opening.joker_points is None else rules.opening.joker_points
    return sum((joker if tile.is_joker else tile.number or 0) * count for tile, count in rack.items())


def _melds_with(changes: Changes) -> dict[Tile, dict[int, int]]:
    """Return for each tile of the rack the new melds with copies of it, and the number of copies in each."""
    found: dict[Tile, dict[int, int]] = {tile: {} for tile in changes.placed}
    for index in changes.changed_after:
        for tile in changes.after.melds[index]:
            if tile in found:
                found[tile][index] = found[tile].get(index, 0) + 1
    return found


def _count_together(
    row: Meld,
    found: Sequence[Reading],
    melds_with: Mapping[Tile, Mapping[int, int]],
    rack: Counter[Tile],
    rules: RuleSet,
) -> int | None:
    """Return how many tiles of a set can be in one new meld; None if the set can't have been laid in this turn.

    A joker of the set counts if the new meld holds a joker, or a tile of the rack that can have replaced the joker.
    """
    shared: dict[int, int] = {}
    plain = [tile for tile in row if not tile.is_joker]
    for tile in plain:
        for meld in melds_with[tile]:
            shared[meld] = shared.get(meld, 0) + 1
    jokers = len(row) - len(plain)
    # In a group a second copy of a neighbour can have replaced the joker, after the neighbour was taken.
    stood_for = (
        {tile for reading in found for tile in reading.tiles if rack[tile] > plain.count(tile)} if jokers else ()
    )
    joker_places: Counter[int] = Counter(melds_with[JOKER]) if jokers else Counter()
    for tile in stood_for:
        joker_places.update(melds_with[tile].keys())
    most = max((count + min(jokers, joker_places[meld]) for meld, count in shared.items()), default=0)
    if rules.joker.sets in (JokerSets.LIKE_OTHERS, JokerSets.JOKER_MOVES):
        most = max(shared.values(), default=0) + jokers
    if rules.manipulation.regrouping is Regrouping.EXTEND_ONLY and rules.joker.sets is not JokerSets.JOKER_MOVES:
        return most if most >= len(row) else None
    return most

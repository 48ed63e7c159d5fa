"""Explanation of a turn: the pairs of old and new melds, and the fewest moved tiles.

Old and new melds are paired one to one so that the most tiles stay in their meld: an assignment problem, solved
exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tilekeeper.engine.language import gettext
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn
from tilekeeper.engine.solver.assignment import best_pairs
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.solver.turn_words import turn_words
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a turn; `str(explanation)` is one line in words."""

    continued_from: Mapping[int, int] = field(hash=False)
    """For each changed meld that continues an old one: its index after, mapped to the index of the old meld before."""
    moves: tuple[TileMove, ...]
    """The tiles that were laid, moved or taken, in the order of the table after; taken ones last."""
    steps: tuple[str, ...]
    """The steps of the player in words: `put red 6 after red 3 4 5`."""

    @property
    def moved(self) -> int:
        """The number of table tiles that were moved or taken."""
        return sum(move.origin is not None for move in self.moves)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The steps as sentences, such as `Put red 6 after red 3 4 5.`"""
        return tuple(f"{step[0].upper()}{step[1:]}." for step in self.steps)

    def __str__(self) -> str:
        return "; ".join(self.steps) or gettext("nothing was moved")


def explain(before: Table, after: Table, context: TurnContext) -> Explanation:
    """Explain the difference between two tables with the fewest moved tiles.

    Args:
        before: the table at the start of the turn.
        after: the table at its end.
        context: the rules; `opened` is ignored.

    Raises:
        ArgumentError: if an argument has another type.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> print(explain(Table("R3 R4 R5"), Table("R3 R4 R5 R6"), context))
    put red 6 after red 3 4 5
    """
    check_turn(context, before=before, after=after)
    changes = find_changes(before, after, context.rules)
    continued_from = _pairs(changes)
    loose: dict[Tile, list[Place]] = {}
    for old in changes.changed_before:
        stayed = Counter(after.melds[_partner(continued_from, old)]) if old in continued_from.values() else Counter()
        for position, tile in enumerate(before.melds[old]):
            if stayed[tile]:
                stayed[tile] -= 1
            else:
                loose.setdefault(tile, []).append(Place(old, position))
    racked = Counter(changes.placed)
    moves = []
    for new in sorted(changes.changed_after, key=lambda index: not _is_from_rack(after.melds[index], changes)):
        moves += _moves_to(new, changes, continued_from, loose, racked)
    moves.sort(key=lambda move: move.goal or Place(0, 0))
    removals = [TileMove(tile, place, None) for tile, places in loose.items() for place in places]
    removals.sort(key=lambda move: move.origin or Place(0, 0))
    all_moves = (*moves, *removals)
    return Explanation(continued_from, all_moves, turn_words(all_moves, continued_from, before, after, context.rules))


def _moves_to(
    new: int,
    changes: Changes,
    continued_from: Mapping[int, int],
    loose: dict[Tile, list[Place]],
    racked: Counter[Tile],
) -> list[TileMove]:
    """Return the moves of tiles to one new meld, and remove these tiles from `loose` and `racked`."""
    meld = changes.after.melds[new]
    stayed = Counter(changes.before.melds[continued_from[new]]) if new in continued_from else Counter()
    rack_first = _is_from_rack(meld, changes)
    moves = []
    for position, tile in enumerate(meld):
        if stayed[tile]:
            stayed[tile] -= 1
        elif racked[tile] and (rack_first or not loose.get(tile)):
            racked[tile] -= 1
            moves.append(TileMove(tile, None, Place(new, position)))
        else:
            moves.append(TileMove(tile, loose[tile].pop(0), Place(new, position)))
    return moves


def _is_from_rack(meld: Meld, changes: Changes) -> bool:
    return Counter(meld) <= changes.placed


def _partner(continued_from: Mapping[int, int], old: int) -> int:
    return next(new for new, other in continued_from.items() if other == old)


def _pairs(changes: Changes) -> dict[int, int]:
    """Pair new melds with old ones so that the most tiles stay; map the index of a new meld to that of its old meld."""
    rows = [Counter(changes.before.melds[index]) for index in changes.changed_before]
    columns = [Counter(changes.after.melds[index]) for index in changes.changed_after]
    shared = [[(row & column).total() for column in columns] for row in rows]
    return {
        changes.changed_after[column]: changes.changed_before[row]
        for row, column in best_pairs(shared)
        if shared[row][column] > 0
    }

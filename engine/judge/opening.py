"""The opening (initial meld): the points of new sets from the rack, and whether the table was left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.judge.manipulation import ManipulationResult
from tilekeeper.engine.provenance.board import Board
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import Tile

_MOST_RIVALS: Final = 10
"""The most competing rows of which every choice is tried, at most 1,024 choices."""


@dataclass(frozen=True, slots=True)
class RackRow:
    """A new row that can consist of tiles from the rack alone."""

    index: int
    """The index of the row in the table after."""
    tiles: Counter[Tile]
    points: int
    """Its points towards the opening; 0 if it is not valid."""

    @property
    def gain(self) -> tuple[int, int]:
        """Points and number of tiles of the row; the chosen rows have the most points, then the most tiles."""
        return (self.points, self.tiles.total())


def judge_closed_table(changes: Changes, rules: RuleSet) -> ManipulationResult:
    """Judge an opening that must leave the melds of the table unchanged.

    If a meld of the table was changed, the points are still those of new sets from the rack alone.
    """
    laid = find_rack_rows(changes, rules)
    points, bound = count_points(laid, rules), rules.opening.minimum_points
    violations = []
    if changes.placed and points < bound:
        melds = tuple(row.index for row in laid)
        tiles = tuple(Place(meld, position) for meld in melds for position in range(len(changes.after.melds[meld])))
        violations.append(Violation(Code.OPENING_TOO_LOW, Side.AFTER, melds, tiles, points, bound))
    if changes.changed_before:
        violations.append(_find_used_table(changes, laid))
    violations += check_table_is_empty(changes, rules)
    violations += _find_moved_jokers(changes, rules)
    return ManipulationResult(tuple(violations), points=points)


def check_table_is_empty(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Yield a violation if the edition requires an empty table for an opening, and the table before has melds."""
    if rules.opening.needs_empty_table and changes.placed and changes.before.melds:
        yield Violation.from_tiles(
            Code.OPENING_TABLE_NOT_EMPTY, Side.BEFORE, tuple(place for place, _ in changes.before.places())
        )


def find_rack_rows(changes: Changes, rules: RuleSet) -> list[RackRow]:
    """Return the new rows that the tiles of the rack alone can form together, with the most points, in order.

    Rows compete for tiles only if the turn changed a meld of the table.
    """
    rows = []
    for index in changes.changed_after:
        meld = changes.after.melds[index]
        tiles = Counter(meld)
        if tiles <= changes.placed:
            rows.append(RackRow(index, tiles, best_worth(meld, rules)))
    if not rules.opening.several_sets:
        # Only the best row counts, so the tiles of the rack are assigned to this row.
        return sorted(rows, key=lambda row: row.gain)[-1:]
    wanted: Counter[Tile] = Counter()
    for row in rows:
        wanted.update(row.tiles)
    contested = (wanted - changes.placed).keys()
    laid = [row for row in rows if contested.isdisjoint(row.tiles)]
    rivals = [row for row in rows if not contested.isdisjoint(row.tiles)]
    # Of rows with equal tiles the last one counts as laid from the rack.
    rivals = sorted(rivals, key=lambda row: (row.gain, row.index), reverse=True)[:_MOST_RIVALS]
    return sorted([*laid, *_choose_rows(rivals, changes.placed)], key=lambda row: row.index)


def count_points(laid: Sequence[RackRow], rules: RuleSet) -> int:
    """Return the sum of the points of all rows, or of the best row if the edition counts only one set."""
    points = [row.points for row in laid]
    return sum(points) if rules.opening.several_sets else max(points, default=0)


def best_worth(meld: Meld, rules: RuleSet) -> int:
    """Return the points of a row in its best reading; 0 if it is not valid."""
    reading = best_reading(meld, rules)
    return 0 if reading is None else worth(meld, reading, rules)


def _choose_rows(rivals: Sequence[RackRow], rack: Counter[Tile]) -> list[RackRow]:
    """Return the choice of rows with the most points, and then the most tiles, that a rack can form together."""
    if not rivals:
        return []
    without = _choose_rows(rivals[1:], rack)
    if not rivals[0].tiles <= rack:
        return without
    chosen = [rivals[0], *_choose_rows(rivals[1:], rack - rivals[0].tiles)]
    return max(chosen, without, key=lambda rows: (sum(row.points for row in rows), sum(row.gain[1] for row in rows)))


def _find_used_table(changes: Changes, laid: Sequence[RackRow]) -> Violation:
    """Return the violation that the opening used the table.

    It names the tiles of the table in new melds that are not in `laid`; without such tiles, the changed old melds.
    """
    rack_tiles = Counter(changes.placed)
    for row in laid:
        rack_tiles -= row.tiles
    laid_indices = {row.index for row in laid}
    tiles = tuple(
        _find_table_tiles(changes, [index for index in changes.changed_after if index not in laid_indices], rack_tiles)
    )
    if tiles:
        return Violation.from_tiles(Code.OPENING_USED_TABLE, Side.AFTER, tiles)
    return Violation(
        Code.OPENING_USED_TABLE,
        Side.BEFORE,
        changes.changed_before,
        tuple(
            Place(meld, position)
            for meld in changes.changed_before
            for position in range(len(changes.before.melds[meld]))
        ),
    )


def _find_table_tiles(changes: Changes, melds: Sequence[int], rack_tiles: Counter[Tile]) -> Iterator[Place]:
    """Yield the places in `melds` with tiles of the table; of identical tiles the last ones count as from the rack."""
    table_has = Counter(tile for index in melds for tile in changes.after.melds[index]) - rack_tiles
    for index in melds:
        for position, tile in enumerate(changes.after.melds[index]):
            if table_has[tile] > 0:
                table_has[tile] -= 1
                yield Place(index, position)


def _find_moved_jokers(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Yield the violations of a player who moved jokers of the table.

    If the changed melds hold more copies of a tile than the box, the table was misread and nothing is yielded.
    """
    board = Board(changes, rules)
    if board.was_misread:
        return
    goals, moved = list(board.joker_goals), []
    for origin in board.set_jokers:
        stayed = next((goal for goal in goals if board.can_stay(origin, goal)), None)
        if stayed is None:
            moved.append(origin)
        else:
            goals.remove(stayed)
    if on_table := tuple(goals[: len(moved)]):
        yield Violation.from_tiles(Code.JOKER_BEFORE_OPENING, Side.AFTER, on_table)
    if missing := tuple(moved[len(on_table) :]):
        yield Violation.from_tiles(Code.JOKER_BEFORE_OPENING, Side.BEFORE, missing)

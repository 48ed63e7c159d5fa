"""The opening (initial meld): the points of new sets from the rack, and whether the table was left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.judge.jokers import judge_jokers
from tilekeeper.engine.judge.manipulation import ManipulationResult
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.provenance.search import connected
from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import Tile

_CHOICE_BUDGET: Final = 8_000
"""Steps of the choice among rows that compete for the same tiles; real turns need a small part of them."""
_MOST_RIVALS: Final = 200
"""The most competing rows to consider; no real turn has so many."""


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
        """The points and the number of tiles of the row: the choice of rows maximises their sums in this order."""
        return (self.points, self.tiles.total())


@dataclass(frozen=True, slots=True)
class OpeningResult:
    """The verdict on the opening and on the use of the table."""

    points: int | None
    """The points of new sets from the rack alone; None if the player had opened or the edition requires no points."""
    violations: tuple[Violation, ...]
    """The violations of the opening."""
    manipulated: ManipulationResult
    """The verdict on the use of the table after the opening."""
    proved: bool = True
    """Whether the search for a legal turn was complete; if not, violations that depend on it are missing."""


@dataclass(frozen=True, slots=True)
class RackRows:
    """The new rows that count as laid from the rack alone, chosen for the most points."""

    rows: tuple[RackRow, ...]
    """The rows, sorted by index."""
    proved: bool
    """Whether it is proved that no other choice has more points."""

    def points(self, rules: RuleSet) -> int:
        """Return the sum of the points of all rows, or of the best row if the edition counts only one set."""
        points = [row.points for row in self.rows]
        return sum(points) if rules.opening.several_sets else max(points, default=0)


def judge_opening(changes: Changes, rules: RuleSet, budget: Budget) -> OpeningResult:
    """Judge an opening in an edition in which the opening must leave the melds of the table unchanged.

    If a meld of the table was changed, the points are still those of new sets from the rack alone.

    Args:
        changes: the changes of the turn.
        rules: the edition in play.
        budget: the steps that the search may take.
    """
    return judge_closed_table(changes, find_rack_rows(changes, rules), rules, budget)


def judge_closed_table(changes: Changes, laid: RackRows, rules: RuleSet, budget: Budget) -> OpeningResult:
    """Judge an opening that must leave the melds of the table unchanged; `laid` are its rows from the rack."""
    points = laid.points(rules)
    too_low = points < rules.opening.minimum_points
    violations = []
    if changes.placed and too_low and laid.proved:
        melds = tuple(row.index for row in laid.rows)
        tiles = tuple(Place(meld, position) for meld in melds for position in range(len(changes.after.melds[meld])))
        bound = rules.opening.minimum_points
        violations.append(Violation(Code.OPENING_TOO_LOW, Side.AFTER, melds, tiles, points, bound))
    if changes.changed_before:
        violations.append(_find_used_table(changes, laid.rows))
    violations += check_table_is_empty(changes, rules)
    proved = laid.proved or not too_low
    try:
        violations += judge_jokers(changes, rules, budget)
    except BudgetExceeded:
        proved = False
    return OpeningResult(points, tuple(violations), ManipulationResult(), proved)


def check_table_is_empty(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Yield a violation if the edition requires an empty table for an opening, and the table before has melds."""
    if rules.opening.needs_empty_table and changes.placed and changes.before.melds:
        yield Violation.from_tiles(
            Code.OPENING_TABLE_NOT_EMPTY, Side.BEFORE, tuple(place for place, _ in changes.before.places())
        )


def find_rack_rows(changes: Changes, rules: RuleSet) -> RackRows:
    """Choose the new rows that the tiles of the rack alone can form together, with the most points."""
    rack_rows = []
    for index in changes.changed_after:
        meld = changes.after.melds[index]
        tiles = Counter(meld)
        if tiles <= changes.placed:
            rack_rows.append(RackRow(index, tiles, best_worth(meld, rules)))
    if not rules.opening.several_sets:
        # Only the best row counts, so the tiles of the rack are assigned to this row.
        best = max(rack_rows, key=lambda row: row.gain, default=None)
        return RackRows(() if best is None else (best,), True)
    wanted: Counter[Tile] = Counter()
    for row in rack_rows:
        wanted.update(row.tiles)
    contested = {tile for tile, count in wanted.items() if count > changes.placed[tile]}
    laid = [row for row in rack_rows if contested.isdisjoint(row.tiles)]
    rivals = [row for row in rack_rows if not contested.isdisjoint(row.tiles)]
    budget = Budget(_CHOICE_BUDGET)
    # Of rows with equal tiles the last one counts as laid from the rack.
    for component in connected((contested.intersection(row.tiles), row) for row in reversed(rivals)):
        laid += _best_choice(component, {tile: changes.placed[tile] for tile in contested}, budget)
    return RackRows(tuple(sorted(laid, key=lambda row: row.index)), budget.left > 0)


def best_worth(meld: Meld, rules: RuleSet) -> int:
    """Return the points of a row in its best reading; 0 if it is not valid."""
    reading = best_reading(meld, rules)
    return 0 if reading is None else worth(meld, reading, rules)


def _best_choice(rivals: Sequence[RackRow], rack: dict[Tile, int], budget: Budget) -> list[RackRow]:
    """Return the choice of rows with the most points, by branch and bound; the rows compete for tiles.

    If the search exceeds the budget, return the best choice so far.

    Args:
        rivals: the rows to choose from.
        rack: the number of copies of each contested tile on the rack.
        budget: the steps that the search may take.
    """
    if len(rivals) > _MOST_RIVALS:
        budget.exhaust()
    rivals = sorted(rivals, key=lambda row: row.gain, reverse=True)[:_MOST_RIVALS]
    needs = [[tile for tile in row.tiles.elements() if tile in rack] for row in rivals]
    bounds = [(0, 0)]
    for row in reversed(rivals):
        bounds.append(_add(bounds[-1], row.gain))
    bounds.reverse()
    remaining = dict(rack)
    chosen: list[RackRow] = []
    best: tuple[tuple[int, int], list[RackRow]] = ((0, 0), [])

    def search(position: int, gain: tuple[int, int]) -> None:
        nonlocal best
        if gain > best[0]:
            best = (gain, list(chosen))
        if _add(gain, bounds[position]) <= best[0]:
            return
        budget.spend(1)
        for tile in needs[position]:
            remaining[tile] -= 1
        if all(remaining[tile] >= 0 for tile in needs[position]):
            chosen.append(rivals[position])
            search(position + 1, _add(gain, rivals[position].gain))
            chosen.pop()
        for tile in needs[position]:
            remaining[tile] += 1
        search(position + 1, gain)

    with suppress(BudgetExceeded):
        search(0, (0, 0))
    return best[1]


def _add(gain: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return (gain[0] + other[0], gain[1] + other[1])


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

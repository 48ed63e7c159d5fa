"""The opening: what new sets from the rack are worth, and whether the table was left alone."""

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
from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place
from tilekeeper.engine.tiles.tile import Tile

_CHOICE_BUDGET: Final = 8_000
"""Steps for the choice among rows that compete for the same tiles; real turns need a small part of them."""
_MOST_RIVALS: Final = 200
"""How many such rows are considered; no real turn has as many."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new row that can be made of tiles from the rack alone."""

    index: int
    """Its index in the table after."""
    tiles: Counter[Tile]
    points: int
    """What it counts towards the opening; 0 where it is not valid."""

    @property
    def gain(self) -> tuple[int, int]:
        """Its value in the choice: points first, then the number of tiles."""
        return (self.points, self.tiles.total())


@dataclass(frozen=True, slots=True)
class OpeningResult:
    """How a player used the table, and whether the opening was made."""

    points: int | None
    """What the new sets from the rack alone are worth; none where the player had opened before."""
    violations: tuple[Violation, ...]
    """What is wrong with the opening."""
    manipulated: ManipulationResult
    """How the table was used once that was allowed."""
    proved: bool = True
    """Whether the search for a legal turn was complete; if not, violations that depend on it are left out."""


@dataclass(frozen=True, slots=True)
class RackRows:
    """The new rows that count as laid from the rack alone, chosen in the player's favour."""

    rows: tuple[Candidate, ...]
    """The rows, by index."""
    best: bool
    """Whether it is proved that no other choice is worth more."""

    def points(self, rules: RuleSet) -> int:
        """What they count together; where only one set may count, the best of them."""
        points = [candidate.points for candidate in self.rows]
        return sum(points) if rules.opening.several_sets else max(points, default=0)


def judge_opening(changes: Changes, rules: RuleSet, budget: Budget) -> OpeningResult:
    """Judge the turn of a player who had not opened before, where the table must be left alone.

    Every meld of the table must be unchanged. Where one is not, the points are those of the new sets that can be made
    of the rack's tiles alone, chosen in the player's favour.
    """
    return judge_closed_table(changes, from_rack(changes, rules), rules, budget)


def judge_closed_table(changes: Changes, laid: RackRows, rules: RuleSet, budget: Budget) -> OpeningResult:
    """Judge a turn in which the table must be left alone, given the rows that were laid from the rack."""
    points = laid.points(rules)
    too_low = points < rules.opening.minimum_points
    violations = []
    if changes.placed and too_low and laid.best:
        melds = tuple(candidate.index for candidate in laid.rows)
        tiles = tuple(Place(meld, position) for meld in melds for position in range(len(changes.after.melds[meld])))
        bound = rules.opening.minimum_points
        violations.append(Violation(Code.OPENING_TOO_LOW, Side.AFTER, melds, tiles, points, bound))
    if changes.changed_before:
        violations.append(_used_table(changes, laid.rows))
    violations += table_not_empty(changes, rules)
    proved = laid.best or not too_low
    try:
        violations += judge_jokers(changes, False, rules, budget)
    except BudgetExceeded:
        proved = False
    return OpeningResult(points, tuple(violations), ManipulationResult(), proved)


def table_not_empty(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """The violation of an opening on a table with melds, where the edition wants an empty table."""
    if rules.opening.needs_empty_table and changes.placed and changes.before.melds:
        yield Violation.from_tiles(
            Code.OPENING_TABLE_NOT_EMPTY, Side.BEFORE, tuple(place for place, _ in changes.before.places())
        )


def from_rack(changes: Changes, rules: RuleSet) -> RackRows:
    """Find the new rows that were laid from the rack alone, chosen in the player's favour."""
    candidates = []
    for index in changes.changed_after:
        meld = changes.after.melds[index]
        tiles = Counter(meld)
        if tiles <= changes.placed:
            candidates.append(Candidate(index, tiles, _best_worth(meld, rules)))
    if not rules.opening.several_sets:
        # Only the best row counts, so it gets the rack's tiles.
        best = max(candidates, key=lambda candidate: candidate.gain, default=None)
        return RackRows(() if best is None else (best,), True)
    wanted: Counter[Tile] = Counter()
    for candidate in candidates:
        wanted.update(candidate.tiles)
    contested = {tile for tile, count in wanted.items() if count > changes.placed[tile]}
    laid = [candidate for candidate in candidates if contested.isdisjoint(candidate.tiles)]
    rivals = [candidate for candidate in candidates if not contested.isdisjoint(candidate.tiles)]
    budget = Budget(_CHOICE_BUDGET)
    for component in _components(rivals, contested):
        laid += _best_choice(component, {tile: changes.placed[tile] for tile in contested}, budget)
    return RackRows(tuple(sorted(laid, key=lambda candidate: candidate.index)), budget.left > 0)


def _best_worth(meld: Meld, rules: RuleSet) -> int:
    reading = best_reading(meld, rules)
    return 0 if reading is None else worth(meld, reading, rules)


def _components(rivals: Sequence[Candidate], contested: set[Tile]) -> list[list[Candidate]]:
    """The rivals in groups that compete for no tile in common."""
    components: list[tuple[set[Tile], list[Candidate]]] = []
    for rival in rivals:
        tiles, members = contested.intersection(rival.tiles), [rival]
        others = []
        for component in components:
            if component[0].isdisjoint(tiles):
                others.append(component)
            else:
                tiles |= component[0]
                members += component[1]
        components = [*others, (tiles, members)]
    return [members for _, members in components]


def _best_choice(rivals: Sequence[Candidate], rack: dict[Tile, int], budget: Budget) -> list[Candidate]:
    """The best choice of the rows that compete for the tiles in `rack`, by an exact search.

    Where the budget is exceeded, it is the best choice that was found.
    """
    if len(rivals) > _MOST_RIVALS:
        budget.exhaust()
    rivals = sorted(rivals, key=lambda candidate: candidate.gain, reverse=True)[:_MOST_RIVALS]
    needs = [[tile for tile in candidate.tiles.elements() if tile in rack] for candidate in rivals]
    bounds = [(0, 0)]
    for candidate in reversed(rivals):
        bounds.append(_plus(bounds[-1], candidate.gain))
    bounds.reverse()
    left = dict(rack)
    chosen: list[Candidate] = []
    best: tuple[tuple[int, int], list[Candidate]] = ((0, 0), [])

    def search(position: int, gain: tuple[int, int]) -> None:
        nonlocal best
        if gain > best[0]:
            best = (gain, list(chosen))
        if _plus(gain, bounds[position]) <= best[0]:
            return
        budget.spend(1)
        for tile in needs[position]:
            left[tile] -= 1
        if all(left[tile] >= 0 for tile in needs[position]):
            chosen.append(rivals[position])
            search(position + 1, _plus(gain, rivals[position].gain))
            chosen.pop()
        for tile in needs[position]:
            left[tile] += 1
        search(position + 1, gain)

    with suppress(BudgetExceeded):
        search(0, (0, 0))
    return best[1]


def _plus(gain: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return (gain[0] + other[0], gain[1] + other[1])


def _used_table(changes: Changes, laid: Sequence[Candidate]) -> Violation:
    """The violation at the tiles of the table that are in other melds now; where none are, at their old melds."""
    from_rack = Counter(changes.placed)
    for candidate in laid:
        from_rack -= candidate.tiles
    own = {candidate.index for candidate in laid}
    tiles = tuple(_table_tiles(changes, [index for index in changes.changed_after if index not in own], from_rack))
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


def _table_tiles(changes: Changes, melds: Sequence[int], from_rack: Counter[Tile]) -> Iterator[Place]:
    """The places of the table's tiles in some new melds; of identical tiles the last ones count as the rack's."""
    table_has = Counter(tile for index in melds for tile in changes.after.melds[index]) - from_rack
    for index in melds:
        for position, tile in enumerate(changes.after.melds[index]):
            if table_has[tile] > 0:
                table_has[tile] -= 1
                yield Place(index, position)

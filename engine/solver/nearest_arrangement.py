"""The arrangement that is nearest to a table: a search by the number of moved tiles.

A valid meld whose tiles are not needed elsewhere is unchanged. Every other meld becomes a row that keeps some of its
tiles in their order, or is taken apart. A tile counts as moved once it is lifted, wherever it goes. The search is
repeated with a growing budget of moves (iterative deepening), so the first arrangement found is the nearest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.candidate_rows import all_rows
from tilekeeper.engine.solver.tile_moves import kept_tiles
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile

_Lying = tuple[Meld | None, ...]
_Row = tuple[Meld, frozenset[Tile], int]
"""A row, its kinds of tiles, and how many of its tiles are of a kind that it has already: jokers."""


class TooFar(Exception):  # noqa: N818 - says what the nearest arrangement is
    """The search was given up after as many states as it may visit."""


@dataclass(frozen=True, slots=True)
class _State:
    """A state of the search; rows that are final are not part of it."""

    lying: _Lying
    """What remains of each old meld in its place; none once it is final, or nothing remains."""
    loose: Meld
    """The tiles that were lifted and not laid down, sorted."""
    removable: int
    """How many tiles must still be taken off the table."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One row that a meld can become."""

    row: Meld
    lifted: int
    """How many of its tiles are lifted."""
    wanted: Meld
    """The tiles that must come from elsewhere."""
    over: Meld
    """The tiles of the meld that are not in the row."""

    @property
    def cost(self) -> int:
        """How many tiles are moved for it, if all wanted tiles must be lifted somewhere."""
        return self.lifted + len(self.wanted)


class NearSearch:
    """Finds the arrangement with the fewest moved tiles.

    Args:
        melds: the melds of the table.
        rules: the edition in play.
        removable: exactly how many tiles are taken off the table.
        most_moved: how many tiles may be moved.
        most_steps: how many states the search may visit.
    """

    def __init__(
        self, melds: Sequence[Meld], rules: RuleSet, removable: int = 0, most_moved: int = 12, most_steps: int = 3_000
    ) -> None:
        self._rules, self._most_moved, self._steps_left = rules, most_moved, most_steps
        self._melds = tuple(melds)
        self._fine = [is_valid(meld, rules) for meld in melds]
        self._removable = removable
        self._rows: defaultdict[Tile, list[_Row]] = defaultdict(list)
        for row in all_rows(Counter(tile for meld in melds for tile in meld), rules):
            kinds = frozenset(row)
            for tile in kinds:
                self._rows[tile].append((row, kinds, len(row) - len(kinds)))
        self._begin(0)

    def _begin(self, budget: int) -> None:
        """Start a search with a larger budget; results of the smaller one do not hold any more."""
        # Lifted tiles have used a part of the budget, so no change that costs more than the whole of it can be made.
        self._budget = budget
        self._changes_known: dict[Meld, list[_Change]] = {}
        self._changes_with_known: dict[tuple[Tile, Meld], list[_Change]] = {}
        self._least: dict[Meld, tuple[int, int]] = {}
        self._failed: dict[_State, int] = {}
        self._settled: list[Meld] = []

    def nearest(self) -> tuple[Table, int] | None:
        """The nearest arrangement and how many tiles are moved for it; none where it takes more than `most_moved`.

        Raises:
            TooFar: if the search needs too many states.
        """
        start = _State(self._melds, (), self._removable)
        for budget in range(self._most_moved + 1):
            self._begin(budget)
            lying = self._search(start, budget) if self._bound(start) <= budget else None
            if lying is not None:
                return Table((*self._settled, *[meld for meld in lying if meld is not None])), budget
        return None

    def _search(self, state: _State, budget: int) -> _Lying | None:
        """The unchanged melds of a solution, its other rows being in `_settled`; none if the budget is too small."""
        if self._failed.get(state, -1) >= budget:
            return None
        self._steps_left -= 1
        if self._steps_left < 0:
            raise TooFar
        if state.loose:
            onward = self._place(state, state.loose[0], budget)
        else:
            unsettled = self._unsettled(state.lying)
            if not unsettled:
                return None if state.removable else state.lying
            # The meld that needs the most moves has the fewest changes within the budget.
            onward = self._settle(state, max(unsettled, key=lambda at: self._least_of(state.lying[at] or ())), budget)
        for row, after, cost in onward:
            if self._bound(after) > budget - cost:
                continue
            self._settled += [row] if row else []
            found = self._search(after, budget - cost)
            if found is not None:
                return found
            if row:
                self._settled.pop()
        self._failed[state] = budget
        return None

    def _unsettled(self, lying: _Lying) -> list[int]:
        """The indices of the melds that are invalid or lack tiles by now."""
        return [
            index
            for index, meld in enumerate(lying)
            if meld is not None and (meld is not self._melds[index] or not self._fine[index])
        ]

    def _bound(self, state: _State) -> int:
        """A lower bound of the tiles that must still be moved.

        Every moved tile leaves a meld and comes to one; a tile that is lifted already only comes to one.
        """
        both, lifted = 0, 0
        for index in self._unsettled(state.lying):
            least_both, least_lifted = self._least_of(state.lying[index] or ())
            both, lifted = both + least_both, lifted + least_lifted
        return max((both - len(state.loose) + 1) // 2, lifted, state.removable - len(state.loose), 0)

    def _least_of(self, meld: Meld) -> tuple[int, int]:
        """How many tiles at least leave an unsettled meld or come to it, and how many leave it."""
        found = self._least.get(meld)
        if found is None:
            if is_valid(meld, self._rules):
                found = (0, 0)
            else:
                changes = self._changes_of(meld)
                apart = min(len(meld), self._budget + 1)
                found = (
                    min([apart, *[change.cost for change in changes[:1]]]),
                    min([apart, *[change.lifted for change in changes]]),
                )
            self._least[meld] = found
        return found

    def _changes_of(self, meld: Meld) -> list[_Change]:
        """Every row that a meld can become, those with fewest moved tiles first."""
        found = self._changes_known.get(meld)
        if found is None:
            rows = dict.fromkeys(row for tile in dict.fromkeys(meld) for row in self._rows[tile])
            found = self._changes_known[meld] = self._among(rows, meld)
        return found

    def _changes_with(self, meld: Meld, tile: Tile) -> list[_Change]:
        """The changes of a meld that take up a lifted tile."""
        key = (tile, meld)
        found = self._changes_with_known.get(key)
        if found is None:
            changes = self._among(self._rows[tile], meld)
            found = self._changes_with_known[key] = [change for change in changes if tile in change.wanted]
        return found

    def _among(self, rows: Iterable[_Row], meld: Meld) -> list[_Change]:
        """The changes of a meld to one of some rows that cost no more than the whole budget."""
        counts, kinds, length = Counter(meld), frozenset(meld), len(meld)
        found = []
        for row, its_kinds, doubled in rows:
            shared = len(kinds & its_kinds)
            if not shared or length + len(row) - 2 * (shared + doubled) > self._budget:
                continue
            lifted = length - len(kept_tiles(meld, row, _is_group(row)))
            wanted = Counter(row) - counts
            if lifted < length and lifted + wanted.total() <= self._budget:
                found.append(_Change(row, lifted, tuple(wanted.elements()), tuple((counts - Counter(row)).elements())))
        return sorted(found, key=lambda change: change.cost)

    def _place(self, state: _State, tile: Tile, budget: int) -> Iterator[tuple[Meld, _State, int]]:
        """Every row for a lifted tile, with the state after it and its cost; also taking the tile off the table."""
        hand = Counter(state.loose)
        for index, meld in enumerate(state.lying):
            if meld is None:
                continue
            for change in self._changes_with(meld, tile):
                if change.cost > budget + len(state.loose):
                    break
                yield from self._lay(state, change, hand, index, budget)
        for row, kinds, doubled in self._rows[tile]:
            if len(row) - len(kinds.intersection(state.loose)) - doubled <= budget:
                yield from self._lay(state, _Change(row, 0, row, ()), hand, None, budget)
        if state.removable:
            yield (), _State(state.lying, state.loose[1:], state.removable - 1), 0

    def _settle(self, state: _State, index: int, budget: int) -> Iterator[tuple[Meld, _State, int]]:
        """Every row that an unsettled meld can become, and taking it apart."""
        meld = state.lying[index] or ()
        gone = _replaced(state.lying, index, None)
        if is_valid(meld, self._rules):
            yield meld, _State(gone, (), state.removable), 0
        for change in self._changes_of(meld):
            if change.cost > budget:
                break
            yield from self._lay(state, change, Counter(), index, budget)
        if len(meld) <= budget:
            yield (), _State(gone, _sorted(Counter(meld)), state.removable), len(meld)

    def _lay(
        self, state: _State, change: _Change, hand: Counter[Tile], index: int | None, budget: int
    ) -> Iterator[tuple[Meld, _State, int]]:
        """Lay a row of the kept tiles of an old meld, lifted tiles, and tiles of other melds."""
        wanted = Counter(change.wanted)
        missing = wanted - hand
        cost = change.lifted + missing.total()
        if cost > budget:
            return
        loose = _sorted(hand - wanted + Counter(change.over))
        lying = state.lying if index is None else _replaced(state.lying, index, None)
        for taken in _taking(lying, tuple(missing.elements())):
            yield change.row, _State(taken, loose, state.removable), cost


def _is_group(row: Meld) -> bool:
    return len({tile.number for tile in row if not tile.is_joker}) == 1


def _taking(lying: _Lying, wanted: Meld) -> Iterator[_Lying]:
    """Every choice of melds to take some tiles from; of equal melds only the first."""
    if not wanted:
        yield lying
        return
    tried: set[Meld] = set()
    for index, meld in enumerate(lying):
        if meld and meld not in tried and wanted[0] in meld:
            tried.add(meld)
            at = meld.index(wanted[0])
            yield from _taking(_replaced(lying, index, (*meld[:at], *meld[at + 1 :]) or None), wanted[1:])


def _replaced(lying: _Lying, index: int, meld: Meld | None) -> _Lying:
    return (*lying[:index], meld, *lying[index + 1 :])


def _sorted(tiles: Counter[Tile]) -> Meld:
    return tuple(sorted(tiles.elements(), key=lambda tile: tile.order))

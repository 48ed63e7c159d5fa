"""The arrangement that is nearest to how tiles lie: a search by the number of tiles that are moved.

A meld that is valid and of which nothing is wanted stays as it is. Each other one becomes a row that keeps some of its
tiles in their order, or is taken apart. A tile counts as moved once it is lifted, wherever it goes. The search asks
first for arrangements with as few moves as might do, then with one more, and so on, so the first found is the nearest.
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
"""A row, its kinds of tiles, and how many of its tiles are of a kind that is there already: jokers."""


class TooFar(Exception):  # noqa: N818 - says what the nearest arrangement is
    """No arrangement was found in as many steps as were allowed."""


@dataclass(frozen=True, slots=True)
class _State:
    """Where the search stands; the rows that are settled don't matter to what is left to do."""

    lying: _Lying
    """What is left of each old meld where it lies; none once it is settled what becomes of it, or nothing is left."""
    loose: Meld
    """Tiles in the hand, sorted."""
    removable: int
    """How many tiles are still to be taken off the table."""


@dataclass(frozen=True, slots=True)
class _Way:
    """What a meld can become."""

    row: Meld
    lifted: int
    """How many of its tiles are lifted."""
    wanted: Meld
    """What must come from elsewhere."""
    over: Meld
    """What is left over of the meld."""

    @property
    def cost(self) -> int:
        """How many tiles are moved for it, where all that is wanted is to be lifted somewhere."""
        return self.lifted + len(self.wanted)


class NearSearch:
    """Finds the arrangement with the fewest moved tiles.

    Args:
        melds: how the tiles lie now.
        rules: the edition in play.
        removable: how many tiles are taken off the table: exactly so many.
        most_moved: how many tiles may be moved.
        most_steps: how many states the search may look at.
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
        """Forget what was found out with a smaller budget."""
        # Every tile in the hand was paid for, so no way that costs more than the whole budget can be gone.
        self._budget = budget
        self._ways: dict[Meld, list[_Way]] = {}
        self._ways_with: dict[tuple[Tile, Meld], list[_Way]] = {}
        self._least: dict[Meld, tuple[int, int]] = {}
        self._failed: dict[_State, int] = {}
        self._settled: list[Meld] = []

    def nearest(self) -> tuple[Table, int] | None:
        """The nearest arrangement and how many tiles are moved for it; none where more than the most would be.

        Raises:
            TooFar: if it takes too many steps to find out.
        """
        start = _State(self._melds, (), self._removable)
        for budget in range(self._most_moved + 1):
            self._begin(budget)
            lying = self._search(start, budget) if self._bound(start) <= budget else None
            if lying is not None:
                return Table((*self._settled, *[meld for meld in lying if meld is not None])), budget
        return None

    def _search(self, state: _State, budget: int) -> _Lying | None:
        """What stays as it lies, beside the rows that were settled; none where the budget is too small."""
        if self._failed.get(state, -1) >= budget:
            return None
        self._steps_left -= 1
        if self._steps_left < 0:
            raise TooFar
        if state.loose:
            onward = self._place(state, state.loose[0], budget)
        else:
            troubled = self._troubled(state.lying)
            if not troubled:
                return None if state.removable else state.lying
            # The meld for which most is to be done has the fewest ways within the budget.
            onward = self._settle(state, max(troubled, key=lambda at: self._least_of(state.lying[at] or ())), budget)
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

    def _troubled(self, lying: _Lying) -> list[int]:
        """The melds of which it must be settled what becomes of them."""
        return [
            index
            for index, meld in enumerate(lying)
            if meld is not None and (meld is not self._melds[index] or not self._fine[index])
        ]

    def _bound(self, state: _State) -> int:
        """How many tiles must still be moved at least.

        Each that is moved leaves one meld and comes to one; what is in the hand only comes to one.
        """
        both, lifted = 0, 0
        for index in self._troubled(state.lying):
            least_both, least_lifted = self._least_of(state.lying[index] or ())
            both, lifted = both + least_both, lifted + least_lifted
        return max((both - len(state.loose) + 1) // 2, lifted, state.removable - len(state.loose), 0)

    def _least_of(self, meld: Meld) -> tuple[int, int]:
        """How many tiles at least leave a troubled meld or come to it, and how many leave it."""
        found = self._least.get(meld)
        if found is None:
            if is_valid(meld, self._rules):
                found = (0, 0)
            else:
                ways = self._ways_of(meld)
                apart = min(len(meld), self._budget + 1)
                found = (min([apart, *[way.cost for way in ways[:1]]]), min([apart, *[way.lifted for way in ways]]))
            self._least[meld] = found
        return found

    def _ways_of(self, meld: Meld) -> list[_Way]:
        """Every row that can become of a meld, those for which fewest tiles are moved first."""
        found = self._ways.get(meld)
        if found is None:
            rows = dict.fromkeys(row for tile in dict.fromkeys(meld) for row in self._rows[tile])
            found = self._ways[meld] = self._among(rows, meld)
        return found

    def _ways_of_with(self, meld: Meld, tile: Tile) -> list[_Way]:
        """Those of the rows with a certain tile that comes to the meld from the hand."""
        key = (tile, meld)
        found = self._ways_with.get(key)
        if found is None:
            ways = self._among(self._rows[tile], meld)
            found = self._ways_with[key] = [way for way in ways if tile in way.wanted]
        return found

    def _among(self, rows: Iterable[_Row], meld: Meld) -> list[_Way]:
        """The ways to make a meld one of some rows that cost no more than the whole budget."""
        counts, kinds, length = Counter(meld), frozenset(meld), len(meld)
        found = []
        for row, its_kinds, doubled in rows:
            shared = len(kinds & its_kinds)
            if not shared or length + len(row) - 2 * (shared + doubled) > self._budget:
                continue
            lifted = length - len(kept_tiles(meld, row, _is_group(row)))
            wanted = Counter(row) - counts
            if lifted < length and lifted + wanted.total() <= self._budget:
                found.append(_Way(row, lifted, tuple(wanted.elements()), tuple((counts - Counter(row)).elements())))
        return sorted(found, key=lambda way: way.cost)

    def _place(self, state: _State, tile: Tile, budget: int) -> Iterator[tuple[Meld, _State, int]]:
        """Every row in which a tile of the hand can lie, with where the search stands then and what it took."""
        hand = Counter(state.loose)
        for index, meld in enumerate(state.lying):
            if meld is None:
                continue
            for way in self._ways_of_with(meld, tile):
                if way.cost > budget + len(state.loose):
                    break
                yield from self._lay(state, way, hand, index, budget)
        for row, kinds, doubled in self._rows[tile]:
            if len(row) - len(kinds.intersection(state.loose)) - doubled <= budget:
                yield from self._lay(state, _Way(row, 0, row, ()), hand, None, budget)
        if state.removable:
            yield (), _State(state.lying, state.loose[1:], state.removable - 1), 0

    def _settle(self, state: _State, index: int, budget: int) -> Iterator[tuple[Meld, _State, int]]:
        """Everything that can become of a meld that can't stay as it is."""
        meld = state.lying[index] or ()
        gone = _replaced(state.lying, index, None)
        if is_valid(meld, self._rules):
            yield meld, _State(gone, (), state.removable), 0
        for way in self._ways_of(meld):
            if way.cost > budget:
                break
            yield from self._lay(state, way, Counter(), index, budget)
        if len(meld) <= budget:
            yield (), _State(gone, _sorted(Counter(meld)), state.removable), len(meld)

    def _lay(
        self, state: _State, way: _Way, hand: Counter[Tile], index: int | None, budget: int
    ) -> Iterator[tuple[Meld, _State, int]]:
        """Lay a row of what is kept of an old meld, of the hand, and of tiles of other melds."""
        wanted = Counter(way.wanted)
        missing = wanted - hand
        cost = way.lifted + missing.total()
        if cost > budget:
            return
        loose = _sorted(hand - wanted + Counter(way.over))
        lying = state.lying if index is None else _replaced(state.lying, index, None)
        for taken in _taking(lying, tuple(missing.elements())):
            yield way.row, _State(taken, loose, state.removable), cost


def _is_group(row: Meld) -> bool:
    return len({tile.number for tile in row if not tile.is_joker}) == 1


def _taking(lying: _Lying, wanted: Meld) -> Iterator[_Lying]:
    """Every way to take tiles off the melds that lie there; of melds that look alike from the first."""
    if not wanted:
        yield lying
        return
    seen: set[Meld] = set()
    for index, meld in enumerate(lying):
        if meld and meld not in seen and wanted[0] in meld:
            seen.add(meld)
            at = meld.index(wanted[0])
            yield from _taking(_replaced(lying, index, (*meld[:at], *meld[at + 1 :]) or None), wanted[1:])


def _replaced(lying: _Lying, index: int, meld: Meld | None) -> _Lying:
    return (*lying[:index], meld, *lying[index + 1 :])


def _sorted(tiles: Counter[Tile]) -> Meld:
    return tuple(sorted(tiles.elements(), key=lambda tile: tile.order))

"""The arrangement that is nearest to how tiles lie: a search by the number of tiles that are moved.

A meld that is valid and of which nothing is wanted stays as it is. Each other one becomes a row that keeps some of its
tiles in their order, or is taken apart. A tile counts as moved once it is lifted, wherever it goes. The search asks
first for arrangements with no tile moved, then with one, and so on, so the first that is found is a nearest one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tilekeeper.engine.meld import is_valid
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import Tile
from tilekeeper.engine.untangle.moves import kept_tiles
from tilekeeper.engine.untangle.rows import all_rows


class TooFar(Exception):  # noqa: N818 - says what the nearest arrangement is
    """No arrangement was found in as many steps as were allowed."""


@dataclass(frozen=True, slots=True)
class _State:
    """Where the search stands."""

    lying: tuple[Meld | None, ...]
    """What is left of each old meld where it lies; none once it is settled what becomes of it."""
    loose: tuple[Tile, ...]
    """Tiles in the hand, sorted."""
    settled: tuple[Meld, ...]
    """Rows of which nothing will be taken any more."""
    removable: int
    """How many tiles may still be taken off the table."""


class NearSearch:
    """Finds the arrangement with the fewest moved tiles.

    Args:
        melds: how the tiles lie now.
        loose: tiles that are in the hand already, and count as moved by nobody.
        rules: the edition in play.
        removable: how many tiles are taken off the table: exactly so many.
        accept: what an arrangement must fulfil besides; it is asked with the table as it would lie.
        most_steps: how many candidates the search may look at.
    """

    def __init__(
        self,
        melds: Sequence[Meld],
        loose: Counter[Tile],
        rules: RuleSet,
        removable: int = 0,
        accept: Callable[[Table], bool] = lambda _: True,
        most_steps: int = 60_000,
    ) -> None:
        self._melds = tuple(melds)
        self._fine = [is_valid(meld, rules) for meld in melds]
        self._accept = accept
        self._steps_left = most_steps
        self._start = _State(self._melds, _sorted(loose), (), removable)
        self._there = Counter(tile for meld in melds for tile in meld) + loose
        self._rows: defaultdict[Tile, list[tuple[Meld, Counter[Tile]]]] = defaultdict(list)
        longest = max(map(len, self._melds), default=0) + 2
        for row in all_rows(self._there, rules):
            if len(row) <= max(longest, 2 * rules.melds.shortest - 1):
                counts = Counter(row)
                if counts <= self._there:
                    for tile in counts:
                        self._rows[tile].append((row, counts))
        self._rules = rules
        self._failed: dict[_State, int] = {}

    def nearest(self, most_moved: int) -> tuple[Table, int] | None:
        """The nearest arrangement and how many tiles are moved for it; none where more than the most would be.

        Raises:
            TooFar: if it takes too many steps to find out.
        """
        broken = sum(not fine for fine in self._fine)
        for budget in range((broken + 1) // 2, most_moved + 1):
            for table in self._search(self._start, budget):
                if self._accept(table):
                    return table, budget
        return None

    def _search(self, state: _State, budget: int) -> Iterator[Table]:
        if self._failed.get(state, -1) >= budget:
            return
        found = False
        for after, moved in self._onward(state, budget):
            for table in self._search(after, budget - moved):
                found = True
                yield table
        if not state.loose and not state.removable and self._troubled(state) is None:
            yield Table((*state.settled, *[meld for meld in state.lying if meld is not None]))
            return
        if not found:
            self._failed[state] = budget

    def _troubled(self, state: _State) -> int | None:
        """The first meld of which it must be settled what becomes of it."""
        for index, meld in enumerate(state.lying):
            if meld is not None and (meld is not self._melds[index] or not self._fine[index]):
                return index
        return None

    def _onward(self, state: _State, budget: int) -> Iterator[tuple[_State, int]]:
        if state.loose:
            yield from self._place(state, state.loose[0], budget)
        elif (index := self._troubled(state)) is not None:
            yield from self._settle(state, index, budget)

    def _step(self) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise TooFar

    def _place(self, state: _State, tile: Tile, budget: int) -> Iterator[tuple[_State, int]]:
        """Every row in which a tile of the hand can lie."""
        if state.removable:
            yield _State(state.lying, state.loose[1:], state.settled, state.removable - 1), 0
        hand = Counter(state.loose)
        for row, counts in self._rows[tile]:
            self._step()
            if (counts - hand).total() <= budget:
                yield from self._lay(state, row, counts, hand, None, (), budget)
            for index, meld in enumerate(state.lying):
                if not meld:
                    continue
                shared = sum(other in meld for other in counts if other != tile)
                if not shared or len(row) - 1 - shared > budget + len(hand):
                    continue
                self._step()
                rest = list(row)
                rest.remove(tile)
                kept = kept_tiles(meld, tuple(rest), self._is_group(row))
                yield from self._lay(state, row, counts, hand, index, kept, budget)

    def _settle(self, state: _State, index: int, budget: int) -> Iterator[tuple[_State, int]]:
        """Everything that can become of a meld that can't stay as it is."""
        meld = state.lying[index]
        assert meld is not None
        if not meld:
            yield _State(_replaced(state.lying, index, None), state.loose, state.settled, state.removable), 0
            return
        if len(meld) < len(self._melds[index]) and is_valid(meld, self._rules):
            lying = _replaced(state.lying, index, None)
            yield _State(lying, state.loose, (*state.settled, meld), state.removable), 0
        seen: set[Meld] = set()
        for tile in dict.fromkeys(meld):
            for row, counts in self._rows[tile]:
                if row in seen:
                    continue
                seen.add(row)
                self._step()
                shared = sum((counts & Counter(meld)).values())
                if max(len(row), len(meld)) - shared > budget:
                    continue
                kept = kept_tiles(meld, row, self._is_group(row))
                yield from self._lay(state, row, counts, Counter(), index, kept, budget)
        if len(meld) <= budget:
            lying = _replaced(state.lying, index, None)
            yield _State(lying, _sorted(Counter(meld)), state.settled, state.removable), len(meld)

    def _is_group(self, row: Meld) -> bool:
        return len({tile.number for tile in row if not tile.is_joker}) == 1

    def _lay(
        self,
        state: _State,
        row: Meld,
        counts: Counter[Tile],
        hand: Counter[Tile],
        index: int | None,
        kept: Sequence[int],
        budget: int,
    ) -> Iterator[tuple[_State, int]]:
        """Lay a row of what is kept of an old meld, of the hand, and of tiles of other melds."""
        meld = state.lying[index] if index is not None else ()
        assert meld is not None
        lifted = Counter(tile for at, tile in enumerate(meld) if at not in kept)
        missing = counts - Counter(meld[at] for at in kept)
        in_hand = hand + lifted
        wanted = missing - in_hand
        cost = lifted.total() + wanted.total()
        if cost > budget:
            return
        loose = _sorted(in_hand - missing)
        lying = state.lying if index is None else _replaced(state.lying, index, None)
        for taken in _taking(lying, tuple(wanted.elements())):
            yield _State(taken, loose, (*state.settled, row), state.removable), cost


def _taking(lying: tuple[Meld | None, ...], wanted: Meld) -> Iterator[tuple[Meld | None, ...]]:
    """Every way to take tiles off the melds that lie there; of melds that look alike from the first."""
    if not wanted:
        yield lying
        return
    seen: set[Meld] = set()
    for index, meld in enumerate(lying):
        if meld and meld not in seen and wanted[0] in meld:
            seen.add(meld)
            at = meld.index(wanted[0])
            yield from _taking(_replaced(lying, index, (*meld[:at], *meld[at + 1 :])), wanted[1:])


def _replaced(lying: tuple[Meld | None, ...], index: int, meld: Meld | None) -> tuple[Meld | None, ...]:
    return (*lying[:index], meld, *lying[index + 1 :])


def _sorted(tiles: Counter[Tile]) -> Meld:
    return tuple(sorted(tiles.elements(), key=lambda tile: tile.order))

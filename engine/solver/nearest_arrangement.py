"""The nearest arrangement to a table, by branch and price: the one in which the most tiles stay in place.

The choice of rows, and of the old meld that continues as each row, is an integer linear programme. Its relaxation is
solved exactly by column generation; the value is an upper bound that hardly ever exceeds the optimum by a whole tile.
Then the search branches: it fixes rows one after another, the surest first, and solves the rest again, until all
levels are whole. Branches below the bound are pruned; if all branches are pruned, the bound falls.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Final

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.continuations import NEW, Continuation, Continuations
from tilekeeper.engine.solver.keeping import keeping
from tilekeeper.engine.solver.simplex import ENOUGH, Simplex
from tilekeeper.engine.solver.tile_moves import continued, in_any_order
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile

_FORCE: Final = 10.0
"""The cost of a tile in no row, and the extra gain of a fixed row: more than any row is worth."""
_SAFE: Final = 1e-3
"""More than the error of the bound, since no column that is left out gains `ENOUGH`."""
_STEPS: Final = 15
"""The search yields to the caller after this many new columns in use."""
_LIMITS: Final = (30, 150, 600)
"""The most nodes visited for one bound before a lower one is tried; the last round visits all nodes."""
_SLACK: Final = 0.5
_ROUNDS: Final = 5
"""After this many searches for better columns, the rows most in use are tried as an arrangement."""
_WHOLE: Final = 0.01

Rows = tuple[Meld, ...]


class NearestSearch:
    """The search for the arrangement of some tiles in which the most tiles stay in place.

    Args:
        continuations: the rows of these tiles.
        tiles: the tiles to arrange; tiles of the melds that are not among them are removed for good.
        removable: the number of tiles to take off the table, as small as possible.
        rules: the edition in play.
    """

    def __init__(self, continuations: Continuations, tiles: Counter[Tile], removable: int, rules: RuleSet) -> None:
        self._all, self._tiles, self._removable, self._rules = continuations, tiles, removable, rules
        sizes = [*[tiles[tile] for tile in continuations.kinds], *[1] * len(continuations.melds)]
        unused = [*[-_FORCE] * len(continuations.kinds), *[0.0] * len(continuations.melds)]
        if removable:
            sizes, unused = [*sizes, removable], [*unused, 0.0]
        self._need_not: Final = list(range(len(continuations.kinds), len(sizes)))
        self._programme = Simplex(sizes, unused)
        self._columns: dict[tuple[int, int], int] = {}
        self._meaning: dict[int, tuple[int, int]] = {}
        self._best: Rows = ()
        self.known = 0
        """The number of tiles that stay in the best known arrangement."""
        # A move fixes at most two melds: the one that the tile leaves, and the one that it joins.
        wrong = sum(not is_valid(meld, rules) for meld in continuations.melds)
        self.most = min(tiles.total() - removable, sum(map(len, continuations.melds)) - (wrong + 1) // 2)
        """The proved upper bound of the number of tiles that stay."""

    def know(self, rows: Rows, kept: int) -> None:
        """Store a known arrangement and how many tiles stay in it; the search then looks only for better ones."""
        self._best, self.known = rows, kept

    def arrangements(self) -> Iterator[Rows | None]:
        """Yield arrangements in which more tiles stay than in the known one, and None every few milliseconds.

        The caller passes each arrangement to `know`. In the end `most` equals `known`, unless equal rows prevent the
        proof.
        """
        yield from self._solve(self._columns_of_best())
        for limit in (*_LIMITS, math.inf):
            goal = self.most
            while goal > self.known:
                yield (yield from self._reach(goal, limit))
                goal = min(goal - 1, self.most)

    def _columns_of_best(self) -> list[int]:
        rows = {_unordered(row): at for at, row in enumerate(self._all.rows)}
        kept = {(row, meld): count for count, row, meld in self._all.kept}
        old_of = {new: old for old, new in continued(self._all.melds, self._best)}
        columns = []
        for new, row in enumerate(self._best):
            at = rows.get(_unordered(row), rows.get(row[::-1]))
            if at is not None:
                meld = old_of.get(new, NEW)
                count = kept.get((at, meld), 1 if meld in self._all.sharing[at] else 0)
                columns.append(self._column(Continuation(0.0, count, at, meld if count else NEW)))
        return columns

    def _solve(self, columns: list[int]) -> Iterator[Rows | None]:
        """Solve the linear programme by column generation, starting with these columns; try its surest rows, too."""
        programme = self._programme
        count = 0
        while columns:
            count += 1
            yield from self._optimise(columns)
            if count % _ROUNDS == 0:
                yield from self._rounded()
            better = self._all.improving(programme.prices, ENOUGH)
            columns = [*(self._column(each) for each in better), *self._gaining(self._need_not)]
        self.most = min(self.most, math.floor(programme.bound + _SAFE))
        yield None

    def _rounded(self) -> Iterator[Rows]:
        """Yield arrangements with the rows that are most in use at present."""
        used = [(level, self._meaning[column]) for column, level in self._programme.in_use() if column in self._meaning]
        used.sort(reverse=True)
        surest = [key for _, key in used if key[1] != NEW and len(self._all.rows[key[0]]) > 1]
        yield from keeping(self._all, self._tiles, self._removable, self._rules, surest)

    def _column(self, each: Continuation) -> int:
        key = (each.row, each.meld)
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = self._programme.add(each.kept, self._all.constraints(each))
            self._meaning[found] = key
        return found

    def _gaining(self, columns: Iterable[int]) -> list[int]:
        return [column for column in columns if self._programme.gain(column) >= ENOUGH]

    def _optimise(self, columns: Sequence[int]) -> Iterator[None]:
        while columns:
            self._programme.optimise(columns, _STEPS)
            yield None
            columns = self._gaining(columns)

    def _reach(self, goal: int, limit: float) -> Generator[Rows | None, None, Rows | None]:
        """Search for an arrangement in which `goal` tiles stay; lower `most` if none is proved to exist."""
        programme = self._programme
        yield from self._solve(self._need_not)
        # A column whose reduced cost is worse than this limit is in no such arrangement.
        needed = programme.bound - goal + _SAFE
        slack = needed if limit == math.inf else max(programme.bound - self.most + _SAFE, _SLACK)
        columns = [self._column(each) for each in self._all.gaining(programme.prices, -slack)]
        branch = _Branch(programme)
        complete, found = slack >= needed, None
        while limit > 0:
            limit -= 1
            while gaining := self._gaining((*columns, *self._need_not)):
                yield from self._optimise(gaining)
            if branch.bound() + _SAFE >= goal:
                levels = dict(programme.in_use())
                choice = self._choice(levels, columns)
                if choice is not None:
                    branch.take(choice)
                    continue
                found = self._rows(levels)
                if found is not None:
                    break
                complete = False
            if not branch.turn():
                if complete:
                    self.most = min(self.most, goal - 1)
                break
        branch.leave()
        return found

    def _choice(self, levels: dict[int, float], columns: Iterable[int]) -> tuple[int, ...] | None:
        """Choose the branch: the columns of the row whose level has the largest fraction; None if all levels are whole.

        These are all columns of the row, or only one of them if the row can be used twice.
        """
        part, row = max(((_part(level), row) for row, level in self._of_rows(levels).items()), default=(0.0, 0))
        if part <= _WHOLE:
            return None
        of_row = [column for column in columns if self._meaning[column][0] == row]
        if any(self._tiles[tile] < 2 for tile in self._all.rows[row]):
            return tuple(of_row)
        return (max(of_row, key=lambda column: _part(levels.get(column, 0.0))),)

    def _of_rows(self, levels: dict[int, float]) -> dict[int, float]:
        """Return the level of each row, from the levels of its columns."""
        of_rows: dict[int, float] = defaultdict(float)
        for column, level in levels.items():
            if column in self._meaning:
                of_rows[self._meaning[column][0]] += level
        return of_rows

    def _rows(self, levels: dict[int, float]) -> Rows | None:
        """Return the rows in use, with rounded levels; None if they do not hold all tiles exactly once."""
        rows = [self._all.rows[row] for row, level in self._of_rows(levels).items() for _ in range(round(level))]
        if Counter(tile for row in rows for tile in row) != self._tiles:
            return None
        return tuple(row for row in rows if len(row) > 1)


def _unordered(row: Meld) -> Meld:
    """Return a key of a row that ignores the order of its tiles if the order does not matter."""
    return tuple(sorted(row, key=lambda tile: tile.order)) if in_any_order(row) else row


def _part(level: float) -> float:
    """Return the fraction of a level, 0 for a whole number."""
    return level - math.floor(level + _WHOLE)


class _Branch:
    """The columns that are fixed or excluded at one node of the search.

    A fixed column gains `_FORCE` more, an excluded one `_FORCE` less, so that the present solution remains a
    solution. The bound stays right, because fixed columns gain as much in every arrangement of the branch.
    """

    def __init__(self, programme: Simplex) -> None:
        self._programme = programme
        self._path: list[tuple[tuple[int, ...], bool]] = []

    def bound(self) -> float:
        """Return the upper bound of the number of tiles that stay."""
        return self._programme.bound - _FORCE * sum(taken for _, taken in self._path)

    def take(self, columns: tuple[int, ...]) -> None:
        """Fix one of some columns."""
        self._programme.revalue(columns, _FORCE)
        self._path.append((columns, True))

    def turn(self) -> bool:
        """Backtrack: exclude the columns that were fixed last; return whether there were any."""
        while self._path:
            columns, taken = self._path.pop()
            if taken:
                self._programme.revalue(columns, -2 * _FORCE)
                self._path.append((columns, False))
                return True
            self._programme.revalue(columns, _FORCE)
        return False

    def leave(self) -> None:
        """Remove all fixings and exclusions."""
        for columns, taken in self._path:
            self._programme.revalue(columns, -_FORCE if taken else _FORCE)
        self._path.clear()

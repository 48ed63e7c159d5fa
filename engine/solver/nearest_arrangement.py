"""The nearest arrangement to a table, the one in which the most tiles stay in place: a large neighbourhood search.

First the rows in which many tiles stay are kept, if the other tiles can be arranged. Then two or three rows at a time
are taken apart, and every arrangement of their tiles is tried by exact cover. Small tables are taken apart as a whole,
which proves the result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Final

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.assignment import best_pairs
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.solver.tile_moves import continued, stays
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

_ADDED: Final = 0.4
"""The cost of a tile that is added to a row from elsewhere; a tile that stays counts 1."""
_SMALL: Final = 14
"""The most tiles of a table that is taken apart as a whole."""
_MOST_STATES: Final = 20_000
"""The most states of the exact cover for such a small table, and for the tiles beside the rows that are kept."""
_MOST_STATES_OF_FEW: Final = 1_000
"""The most states of the exact cover for a few rows; with more, these rows are left as they are."""

Rows = tuple[Meld, ...]


class NearestSearch:
    """The search for the arrangement of some tiles in which the most tiles stay in place.

    Tiles of the melds that are not to be arranged are taken off the table. At least `removable` of the others must be
    left over in a valid arrangement; `rows` are such an arrangement.
    """

    def __init__(self, melds: Sequence[Meld], tiles: Counter[Tile], removable: int, rules: RuleSet, rows: Rows) -> None:
        self._melds, self._tiles, self._removable, self._rules = melds, tiles, removable, rules
        self._holding: defaultdict[Tile, list[int]] = defaultdict(list)
        for index, meld in enumerate(melds):
            for tile in set(meld):
                self._holding[tile].append(index)
        self._staying = cache(self._count_staying)
        self.known = -1
        """The number of tiles that stay in the best known arrangement."""
        self.most = min(tiles.total() - removable, sum(map(len, melds)) - self._fewest_moves())
        """The proved upper bound of the number of tiles that stay."""
        self._take(rows)

    def _fewest_moves(self) -> int:
        """Return a lower bound of the number of moves, from the tiles that can't stay together in an invalid meld."""
        wrong = [meld for meld in self._melds if not is_valid(meld, self._rules)]
        leaving = [len(meld) - _most_together(meld, self._tiles) for meld in wrong]
        # A move fixes at most two melds: the one that the tile leaves, and the one that it joins.
        rest_count = leaving.count(0) - sum(leaving)
        return sum(leaving) + max(0, (rest_count + 1) // 2)

    def _take(self, rows: Rows) -> bool:
        """Make an arrangement the best known one if more tiles stay in it; return whether that was done."""
        old_of = {new: old for old, new in continued(self._melds, rows)}
        known = sum(self._staying(old, rows[new]) for new, old in old_of.items())
        if known <= self.known:
            return False
        self._rows, self._old_of, self.known = rows, old_of, known
        return True

    def _count_staying(self, old: int, row: Meld) -> int:
        """Return how many tiles of an old meld stay when it becomes a row."""
        return len(stays(self._melds[old], row))

    def arrangements(self) -> Iterator[Rows | None]:
        """Yield arrangements in which more tiles stay than in the known one, and None every few milliseconds.

        In the end `most` equals `known` if it is proved that no arrangement is nearer.
        """
        if self._tiles.total() <= _SMALL:
            yield self._better(range(len(self._rows)), _MOST_STATES)
            return
        for rows in self._keep(self._promising(), []):
            yield rows if rows is not None and self._take(rows) else None
        tried = set[tuple[Meld, ...]]()
        is_better = True
        while is_better:
            is_better = False
            for chosen in self._neighbourhoods():
                taken_apart = tuple(self._rows[at] for at in chosen)
                if taken_apart not in tried:
                    tried.add(taken_apart)
                    better = self._better(chosen, _MOST_STATES_OF_FEW)
                    yield better
                    if better is not None:
                        is_better = True
                        break

    def _promising(self) -> list[Meld]:
        """Return rows in which many tiles of one meld stay and few are added; no two rows share a tile or a meld."""
        worth = []
        valid = [meld for meld in self._melds if is_valid(meld, self._rules)]
        for row in dict.fromkeys((*valid, *all_rows(self._tiles, self._rules))):
            shared = Counter(old for tile in set(row) for old in self._holding[tile])
            for old, count in shared.items():
                if count - 1 > _ADDED * (len(row) - count):
                    kept = self._staying(old, row)
                    worth.append((kept - 1 - _ADDED * (len(row) - kept), row, old))
        unplaced, melds, chosen = Counter(self._tiles), set[int](), []
        for value, row, old in sorted(worth, key=lambda each: -each[0]):
            if value > 0 and old not in melds and Counter(row) <= unplaced:
                unplaced -= Counter(row)
                melds.add(old)
                chosen.append(row)
        return chosen

    def _keep(self, rows: list[Meld], kept: list[Meld]) -> Iterator[Rows | None]:
        """Yield an arrangement with all these rows, if the other tiles can be arranged.

        Else yield None, so that the caller can look at the clock, and try each half of the rows.
        `kept` has the rows of earlier calls, which are in each arrangement; the new rows that can be kept are added.
        """
        if not rows:
            return
        solution = self._arrange_others([*kept, *rows])
        if solution is not None:
            kept += rows
            yield (*kept, *solution.melds)
            return
        yield None
        if len(rows) > 1:
            yield from self._keep(rows[: len(rows) // 2], kept)
            yield from self._keep(rows[len(rows) // 2 :], kept)

    def _arrange_others(self, kept: list[Meld]) -> Solution | None:
        """Arrange the tiles that are not in `kept`; return None if more than `removable` would be left over.

        Also return None under house rules that make the search too large.
        """
        task = Task(Counter(), self._tiles - _count(kept), most_left=self._removable)
        try:
            solution = solve(task, self._rules, _MOST_STATES)
        except SearchTooLarge:
            return None
        return solution if solution is not None and solution.left.total() <= self._removable else None

    def _neighbourhoods(self) -> Iterator[tuple[int, ...]]:
        """Yield the indices of one, two or three rows to take apart.

        Of two or three rows, at least two hold tiles of one old meld.
        """
        holding: defaultdict[int, dict[int, None]] = defaultdict(dict)
        for at, row in enumerate(self._rows):
            for old in {old for tile in row for old in self._holding[tile]}:
                holding[old][at] = None
        for at, old in self._old_of.items():
            if self._staying(old, self._rows[at]) == len(self._melds[old]):
                del holding[old]  # no tile of this meld has moved
        pairs = list(dict.fromkeys(pair for rows in holding.values() for pair in combinations(rows, 2)))
        yield from ((at,) for at in range(len(self._rows)))
        yield from pairs
        for pair in pairs:
            yield from ((*pair, at) for at in range(len(self._rows)) if at not in pair)

    def _better(self, chosen: Sequence[int], most_states: int) -> Rows | None:
        """Return the best arrangement that differs from the known one only in `chosen` rows; None if none is better.

        If all rows are chosen and the search is complete, `most` becomes the proved number of tiles that stay.
        """
        other_rows = [row for at, row in enumerate(self._rows) if at not in chosen]
        occupied = {old for at, old in self._old_of.items() if at not in chosen}
        tiles = self._tiles - _count(other_rows)
        free = sorted({old for tile in tiles for old in self._holding[tile]} - occupied)
        known = sum(self._staying(self._old_of[at], self._rows[at]) for at in chosen if at in self._old_of)
        best: Rows | None = None
        cover = Cover(Task(Counter(), tiles), self._rules, every_row=True, most_states=most_states)
        try:
            for solution in cover.arrangements(self._removable):
                kept = self._most_staying(free, solution.melds, known)
                if kept > known:
                    best, known = solution.melds, kept
            if not other_rows:
                self.most = known
        except SearchTooLarge:
            pass
        rows = None if best is None else (*other_rows, *best)
        return rows if rows is not None and self._take(rows) else None

    def _most_staying(self, melds: Sequence[int], rows: Sequence[Meld], known: int) -> int:
        """Return the most tiles that stay if melds become rows; maybe 0 if no more than `known` tiles can stay."""
        staying = [[self._staying(old, row) for row in rows] for old in melds]
        if sum(map(max, zip(*staying, strict=True))) <= known:
            return 0
        return sum(staying[at][new] for at, new in best_pairs(staying))


def _count(rows: Iterable[Meld]) -> Counter[Tile]:
    return Counter(tile for row in rows for tile in row)


def _most_together(meld: Meld, tiles: Counter[Tile]) -> int:
    """Return an upper bound of the number of tiles of a meld that can be in one row together."""
    plain = {tile for tile in meld if tiles[tile] and not tile.is_joker}
    jokers = sum(tile.is_joker for tile in meld) if tiles[JOKER] else 0
    colours, numbers = Counter(tile.colour for tile in plain), Counter(tile.number for tile in plain)
    return jokers + max((*colours.values(), *numbers.values()), default=0)

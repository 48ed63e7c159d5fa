"""A fast good arrangement: keep the rows in which many tiles stay, if the other tiles can be arranged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.continuations import Continuations
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile

_WANTED: Final = 0.4
"""The cost of a tile that comes from elsewhere to a row, measured in tiles that stay."""


def keeping(
    continuations: Continuations,
    tiles: Counter[Tile],
    removable: int,
    rules: RuleSet,
    candidates: Iterable[tuple[int, int]] | None = None,
) -> Iterator[tuple[Meld, ...]]:
    """Yield arrangements that keep more and more rows as they are, within some hundredths of a second.

    All candidates are kept if possible; otherwise each half of them is tried by itself.

    Args:
        continuations: the rows of the tiles.
        tiles: the tiles.
        removable: the number of tiles to take off the table.
        rules: the edition in play.
        candidates: the rows to keep and the melds that continue as them, by their indices, the best first; by default
            those in which many tiles stay.
    """
    keeper = _Keeper(continuations, tiles, removable, rules)
    yield from keeper.keep(keeper.chosen(_promising(continuations) if candidates is None else candidates))


def _promising(continuations: Continuations) -> Iterator[tuple[int, int]]:
    """Yield rows in which many tiles stay and few are added, and the melds that they continue."""
    worth = [
        (kept - 1 - _WANTED * (len(continuations.rows[row]) - kept), row, meld)
        for kept, row, meld in continuations.kept
        if kept
    ]
    worth.sort(key=lambda each: (-each[0], each[1], each[2]))
    return ((row, meld) for value, row, meld in worth if value > 0)


class _Keeper:
    def __init__(self, continuations: Continuations, tiles: Counter[Tile], removable: int, rules: RuleSet) -> None:
        self._rows, self._rest, self._removable, self._rules = continuations.rows, tiles, removable, rules
        self._kept: list[Meld] = []

    def chosen(self, candidates: Iterable[tuple[int, int]]) -> list[Meld]:
        """Return the best rows that share no tile and no meld."""
        left, melds, chosen = Counter(self._rest), set[int](), []
        for at, meld in candidates:
            needed = Counter(self._rows[at])
            if meld not in melds and needed <= left:
                left -= needed
                melds.add(meld)
                chosen.append(self._rows[at])
        return chosen

    def keep(self, rows: list[Meld]) -> Iterator[tuple[Meld, ...]]:
        """Keep all these rows if the other tiles can be arranged, or as many of both halves as possible."""
        if not rows:
            return
        rest = self._rest - Counter(tile for row in rows for tile in row)
        solution = self._arranged(rest)
        if solution is not None:
            self._rest = rest
            self._kept += rows
            yield (*self._kept, *solution.melds)
        elif len(rows) > 1:
            yield from self.keep(rows[: len(rows) // 2])
            yield from self.keep(rows[len(rows) // 2 :])

    def _arranged(self, rest: Counter[Tile]) -> Solution | None:
        if not self._removable:
            return solve(Task(rest), self._rules)
        solution = solve(Task(Counter(), rest), self._rules)
        return solution if solution is not None and solution.left.total() <= self._removable else None

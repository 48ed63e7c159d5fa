"""Arrange tiles in valid melds: all of them or as many as possible, with few moves from the table.

The first arrangement takes milliseconds; better ones follow.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from tilekeeper.engine.language import gettext, ngettext
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn, tiles_of
from tilekeeper.engine.solver.nearest_arrangement import NearestSearch
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.solver.tile_moves import TileMove, continued, find_moves, lay_in_place
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.errors import ArgumentError, describe, expect
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile

SECONDS = 2.0
"""The default time limit of the search for better arrangements, in seconds."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Tiles in valid melds; `str(arrangement)` is what the command line prints."""

    before: Table
    """The table before; each loose tile is a meld of one."""
    table: Table
    """The melds: first continued melds of the table before, in the same order, then new ones."""
    left: tuple[Tile, ...]
    """The tiles in no meld, sorted and as few as possible. If there are any, it is proved that not all tiles fit."""
    moves: tuple[TileMove, ...]
    """The fewest moves from the table before to this one, moves of left-over tiles included."""
    proved: bool
    """Whether it is proved that no arrangement of as many tiles takes fewer moves."""

    @property
    def complete(self) -> bool:
        """Whether all tiles are in valid melds."""
        return not self.left

    @property
    def steps(self) -> tuple[str, ...]:
        """One line for each move: `take K7 from R3 R4 R5 K7, for K7 K8 K9 K10`."""
        return tuple(_step(move, self.before, self.table) for move in self.moves)

    def __str__(self) -> str:
        if not self.moves:
            return gettext("All sets are valid.")
        if not self.table.melds:
            head = gettext("These tiles make no set:")
        elif self.complete:
            head = gettext("All tiles can be arranged, with {moves}:", moves=_counted(self.moves, self.proved))
            head = f"{head}\n  {self.table}"
        else:
            counted = _counted(self.moves, self.proved)
            head = gettext("Not all tiles can be arranged; these can, with {moves}:", moves=counted)
            head = f"{head}\n  {self.table}"
        return "\n".join([head, *(f"- {step}" for step in self.steps)])


def _counted(moves: tuple[TileMove, ...], fewest: bool) -> str:
    if fewest:
        return ngettext("{count} move (fewer are not enough)", "{count} moves (fewer are not enough)", len(moves))
    return ngettext("{count} move (maybe fewer are enough)", "{count} moves (maybe fewer are enough)", len(moves))


def _step(move: TileMove, before: Table, after: Table) -> str:
    assert move.origin is not None  # every tile lay on the table
    source = " ".join(map(str, before.melds[move.origin.meld]))
    if move.goal is None:
        return gettext("take {tile} off the table, from {source}", tile=move.tile, source=source)
    goal = " ".join(map(str, after.melds[move.goal.meld]))
    return gettext("take {tile} from {source}, for {goal}", tile=move.tile, source=source, goal=goal)


def arrangements(
    tiles: Table | Iterable[Tile],
    rules: RuleSet,
    seconds: float = SECONDS,
    clock_s: Callable[[], float] = time.monotonic,
) -> Iterator[Arrangement]:
    """Yield arrangements of tiles in valid melds, of as many tiles as possible, each with fewer moves.

    All have the same number of tiles, which is proved to be the greatest. The last arrangement is `proved` if
    the search ended in time with the proof that fewer moves are not enough. It may repeat the arrangement before it.

    Args:
        tiles: a table, or loose tiles. Tiles that the edition does not have are left over.
        rules: the edition in play; its rules of manipulation and of jokers on the table are ignored.
        seconds: the time limit for better arrangements, in seconds; the first arrangement comes in any case.
        clock_s: a clock in seconds. The result depends on nothing else, so a clock that counts its calls makes two runs
            equal.

    Raises:
        ArgumentError: if an argument has another type, or the seconds are below 0.
        SearchTooLarge: if house rules make the search too large; no printed edition does.
    """
    expect("rules", rules, RuleSet, "rule_set('large-numbers')")
    if not isinstance(seconds, int | float) or not seconds >= 0:  # not even NaN
        raise ArgumentError(f"seconds must be a number from 0 up, such as 2.0, not {describe(seconds)}")
    lying = tiles if isinstance(tiles, Table) else Table(tuple((tile,) for tile in tiles_of(tiles, "tiles")))
    return _better_and_better(lying, rules, clock_s() + seconds, clock_s)


def _better_and_better(
    lying: Table, rules: RuleSet, end_s: float, clock_s: Callable[[], float]
) -> Iterator[Arrangement]:
    if all(is_valid(meld, rules) for meld in lying.melds):
        yield Arrangement(lying, lying, (), (), True)
        return
    counts = Counter({tile: count for tile, count in lying.counts.items() if rules.stock.copies_of(tile)})
    solution = solve(Task(counts), rules) or solve(Task(Counter(), counts), rules)
    assert solution is not None  # no tile at all is always an arrangement
    best = _arrangement(lying, solution.melds)
    yield best
    search = NearestSearch(lying.melds, counts, solution.left.total(), rules, solution.melds)
    for rows in search.arrangements():
        if rows is not None:
            best = _arrangement(lying, rows)
            yield best
        if search.known >= search.most:
            break
        if clock_s() > end_s:
            return
    if search.known >= search.most:
        yield replace(best, proved=True)


def _arrangement(lying: Table, rows: Iterable[Meld]) -> Arrangement:
    """Return an arrangement of these rows: each at the index of the meld that it continues, new ones at the end."""
    new_rows = tuple(rows)
    table, matched = lay_in_place(lying.melds, new_rows, continued(lying.melds, new_rows))
    missing = sorted((lying.counts - table.counts).elements(), key=lambda tile: tile.order)
    return Arrangement(lying, table, tuple(missing), find_moves(lying, table, matched), False)


def arrange(tiles: Table | Iterable[Tile], rules: RuleSet, seconds: float = SECONDS) -> Arrangement:
    """Return the last of `arrangements`: with the fewest moves, or the fewest that were found within the time limit.

    >>> print(arrange(Table("R3 R4 R5 K7 | K8 K9 K10"), rule_set("large-numbers")))
    All tiles can be arranged, with 1 move (fewer are not enough):
      R3 R4 R5 | K7 K8 K9 K10
    - take K7 from R3 R4 R5 K7, for K7 K8 K9 K10

    Arguments and errors are as for `arrangements`.
    """
    *_, last = arrangements(tiles, rules, seconds)
    return last


@dataclass(frozen=True, slots=True)
class Fix:
    """The moves that make an illegal table legal; `str(fix)` is what the command line prints."""

    before: Table
    """The illegal table."""
    moves: tuple[TileMove, ...]
    """The moves, from a place in `before` to a place in `after`; a move without a goal goes off the table."""
    after: Table
    """The table after these moves."""
    proved: bool
    """Whether it is proved that fewer moves are not enough, with equally few tiles off the table."""

    @property
    def steps(self) -> tuple[str, ...]:
        """One line for each move: `take K7 from R3 R4 R5 K7, for K7 K8 K9 K10`."""
        return tuple(_step(move, self.before, self.after) for move in self.moves)

    def __str__(self) -> str:
        if not self.moves:
            return gettext("The table is already in order.")
        head = gettext("The table is in order after {moves}:", moves=_counted(self.moves, self.proved))
        head = f"{head}\n  {self.after}"
        return "\n".join([head, *(f"- {step}" for step in self.steps)])


def nearest_fix(table: Table, context: TurnContext, seconds: float = SECONDS) -> Fix:
    """Return the fewest tile moves that make a table legal; no moves if it is legal.

    If the time ends first, return the fewest moves found so far; `proved` is False then.

    Tiles are taken off the table only if not all can be arranged, and then as few as possible.

    Args:
        table: the table after the turn.
        context: the rules; `opened` is ignored.
        seconds: the time limit of the search, in seconds.

    Raises:
        ArgumentError: if an argument has another type.
        SearchTooLarge: if house rules make the search too large; no printed edition does.
    """
    check_turn(context, table=table)
    arrangement = arrange(table, context.rules, seconds)
    return Fix(table, arrangement.moves, arrangement.table, arrangement.proved)

"""A turn in steps to draw: one set is laid or changed after another, with the table after each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.explanation import explain
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile

_Row: TypeAlias = list[tuple[Tile, Place | None]]
"""The tiles of a set, with their places before the turn; None for a tile that was put there."""


@dataclass(frozen=True, slots=True)
class PlayStep:
    """One step of a turn: all tiles that go to one set."""

    from_rack: tuple[Tile, ...]
    from_table: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    """The table after the step; during the turn sets may be incomplete."""
    moved: tuple[Place, ...]
    """The places of the step's tiles in `melds`."""


def play_steps(before: Table, after: Table, context: TurnContext) -> tuple[PlayStep, ...]:
    """Return the steps from one table to another; the last one has the melds of `after`, in the order of `before`.

    Steps without tiles of the table come first.

    Args:
        before: the table before the turn.
        after: the table after it; no tile of `before` is missing.
        context: the rules.
    """
    explanation = explain(before, after, context)
    moves = (move for move in explanation.moves if move.goal is not None)
    steps = [tuple(group) for _, group in groupby(moves, key=_goal_meld)]
    steps.sort(key=lambda step: sum(move.origin is not None for move in step))
    return tuple(_drawn(before, after, explanation.continued_from, steps))


def _goal_meld(move: TileMove) -> int:
    assert move.goal is not None  # moves without a goal are left out
    return move.goal.meld


def _drawn(
    before: Table, after: Table, continued_from: Mapping[int, int], steps: list[tuple[TileMove, ...]]
) -> Iterator[PlayStep]:
    rows: list[_Row] = [
        [(tile, Place(meld, position)) for position, tile in enumerate(tiles)]
        for meld, tiles in enumerate(before.melds)
    ]
    row_of = dict(continued_from)
    for step in steps:
        left = {move.origin for move in step if move.origin is not None}
        rows = [[entry for entry in row if entry[1] not in left] for row in rows]
        goal = _goal_meld(step[0])
        put = {move.goal.position for move in step if move.goal is not None}
        row = row_of.setdefault(goal, len(rows))
        if row == len(rows):
            rows.append([])
        rows[row] = _laid(after.melds[goal], put, rows[row])
        for finished, at in row_of.items():
            rows[at] = _in_final_order(after.melds[finished], rows[at])
        shown = [index for index, entries in enumerate(rows) if entries]
        yield PlayStep(
            from_rack=tuple(move.tile for move in step if move.origin is None),
            from_table=tuple(move.tile for move in step if move.origin is not None),
            melds=tuple(tuple(tile for tile, _ in rows[index]) for index in shown),
            moved=tuple(Place(shown.index(row), position) for position in sorted(put)),
        )


def _laid(meld: Meld, put: set[int], stayed: _Row) -> _Row:
    """Return a set after its step, followed by the tiles that leave it in a later step."""
    remaining = list(stayed)
    laid: _Row = []
    for position, tile in enumerate(meld):
        known = None if position in put else next((entry for entry in remaining if entry[0] == tile), None)
        if known is not None:
            remaining.remove(known)
        laid.append((tile, None) if known is None else known)
    return laid + remaining


def _in_final_order(meld: Meld, row: _Row) -> _Row:
    """Return a set in the order of `meld` if it has the same tiles, since a joker may get another place in it."""
    return _laid(meld, set(), row) if Counter(tile for tile, _ in row) == Counter(meld) else row

"""Moves of tiles as the page gets them, and in words."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.companion.observation.observed_table import NOT_SEEN
from tilekeeper.companion.text.verdicts import meld_words, tile_words
from tilekeeper.companion.web.schemas.table import MoveJson
from tilekeeper.companion.web.serializers.tiles import tile_json
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.table import Table


def moves_json(moves: Sequence[TileMove], wanted: Table, rows: Sequence[Sequence[int]]) -> list[MoveJson]:
    """The moves that lead from a table to the one that is wanted.

    Args:
        moves: from places of the table as it lies to places of the one that is wanted.
        wanted: that table.
        rows: for each place of the table as it lies the index of the tile in the reading; empty where nobody saw it.
    """
    return [_move_json(move, wanted, rows) for move in moves]


def _move_json(move: TileMove, wanted: Table, rows: Sequence[Sequence[int]]) -> MoveJson:
    origin, goal = move.origin, move.goal
    index = NOT_SEEN if origin is None or not rows else rows[origin.meld][origin.position]
    return {
        "tile": tile_json(move.tile),
        "from_meld": None if origin is None else origin.meld,
        "from_position": None if origin is None else origin.position,
        "from_tile": None if index == NOT_SEEN else index,
        "to_meld": None if goal is None else goal.meld,
        "to_position": None if goal is None else goal.position,
        "text": _move_words(move, wanted),
    }


def _move_words(move: TileMove, wanted: Table) -> str:
    tile = tile_words(move.tile)
    if move.goal is None:
        return f"take {tile} off the table"
    return f"{'lay' if move.origin is None else 'move'} {tile}: {meld_words(wanted.melds[move.goal.meld])}"

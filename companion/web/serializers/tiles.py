"""What the page needs to draw a tile, a meld or a move of a tile, as plain data for JSON."""

from collections.abc import Iterable, Sequence
from functools import cache

from tilekeeper.companion.observation.observed_table import NO_INDEX, tile_of
from tilekeeper.companion.session.game_night import FoundFix
from tilekeeper.companion.text.names import label_words, move_words
from tilekeeper.companion.web.schemas.table import ChoiceJson, FixJson, MoveJson, PartJson, TileJson
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile


def tile_json(tile: Tile) -> TileJson:
    """Return a tile's notation, ink and number; a joker has neither of the last two.

    It is the same value each time, which nobody may change: a state names four hundred tiles.
    """
    return _tile_json(tile, label_words(tile.label))


@cache
def _tile_json(tile: Tile, name: str) -> TileJson:
    return {
        "text": str(tile),
        "name": name,
        "ink": None if tile.colour is None else tile.colour.word,
        "number": tile.number,
    }


def choice_json(label: str) -> ChoiceJson:
    """Return a label to choose, with what it takes to draw its tile where it names one."""
    tile = tile_of(label)
    return {"label": label, "name": label_words(label), "tile": None if tile is None else tile_json(tile)}


def melds_json(table: Table) -> list[list[TileJson]]:
    """Return the melds of a table, tile by tile."""
    return [[tile_json(tile) for tile in meld] for meld in table.melds]


def parts_json(parts: Iterable[str | Meld]) -> list[PartJson]:
    """Return a sentence in parts, words and tiles."""
    return [
        {"text": part, "tiles": []} if isinstance(part, str) else {"text": "", "tiles": [*map(tile_json, part)]}
        for part in parts
    ]


def moves_json(moves: Sequence[TileMove], wanted: Table, rows: Sequence[Sequence[int]]) -> list[MoveJson]:
    """Return the moves that lead from a table to the one that is wanted.

    Args:
        moves: from places of the table as it lies to places of the one that is wanted.
        wanted: that table.
        rows: for each place of the table as it lies the index of the tile in the reading; empty for a table that was
            entered by hand.
    """
    return [_move_json(move, wanted, rows) for move in moves]


def fix_json(fix: FoundFix, rows: Sequence[Sequence[int]]) -> FixJson:
    """Return the smallest fix so far of a wrong layout; `rows` as in `moves_json`."""
    arrangement = fix.arrangement
    return {
        "moves": moves_json(arrangement.moves, arrangement.table, rows),
        "melds": melds_json(arrangement.table),
        "smallest": arrangement.nearest,
        "improving": fix.improving,
    }


def _move_json(move: TileMove, wanted: Table, rows: Sequence[Sequence[int]]) -> MoveJson:
    origin, goal = move.origin, move.goal
    index = NO_INDEX if origin is None or not rows else rows[origin.meld][origin.position]
    return {
        "tile": tile_json(move.tile),
        "from_meld": None if origin is None else origin.meld,
        "from_position": None if origin is None else origin.position,
        "from_tile": None if index == NO_INDEX else index,
        "to_meld": None if goal is None else goal.meld,
        "to_position": None if goal is None else goal.position,
        "text": move_words(move.tile, None if goal is None else wanted.melds[goal.meld], from_table=origin is not None),
    }

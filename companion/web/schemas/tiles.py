"""Answers about tiles: what the page needs to draw a tile, a meld, a sentence with tiles in it, or a move of a tile."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Self

from tilekeeper.companion.observation.observed_table import NO_INDEX, ObservedTable, quad_px, tile_of
from tilekeeper.companion.text.names import label_words, move_words
from tilekeeper.companion.web.schemas.answer import Answer
from tilekeeper.engine.solver.tile_moves import TileMove
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.types import TableReading


class TileJson(Answer):
    """A tile, with what it takes to draw it."""

    text: str
    """In the notation: `R7`, `J`; empty where the camera saw that it is no tile."""
    name: str
    """In words: `red 7`, `joker`."""
    ink: str | None
    """`black`, `blue`, `orange`, `red` or `yellow`; null for a joker."""
    number: int | None

    @staticmethod
    def from_tile(tile: Tile) -> "TileJson":
        """Return a tile's notation, ink and number; the same value each time, since a state names 400 tiles."""
        return _tile_json(tile, label_words(tile.label))


@cache
def _tile_json(tile: Tile, name: str) -> TileJson:
    ink = None if tile.colour is None else tile.colour.word
    return TileJson(text=str(tile), name=name, ink=ink, number=tile.number)


def melds_json(table: Table) -> list[list[TileJson]]:
    """Return the melds of a table, tile by tile."""
    return [[TileJson.from_tile(tile) for tile in meld] for meld in table.melds]


class ReadTileJson(TileJson):
    """A tile as it was read; its place in the list is its index everywhere else."""

    there: bool
    """Whether it is a tile at all."""
    label: str
    """What it was read as: `red-7`, `joker`, `no-tile`."""
    quad: list[list[float]]
    """Its corners, clockwise from its own top left, in pixels of the reading's `width` and `height`."""
    confidence: float
    doubtful: bool
    hidden: bool
    """Whether something covers it now, so that it is told as it was seen last."""
    runner_up: str
    """What else it may be, in words."""
    runner_up_label: str
    """The same as a label; `no-tile` where it may be none."""

    @classmethod
    def from_reading(cls, reading: TableReading) -> list[Self]:
        """Return the tiles of a reading, as the page draws them."""
        return [cls._from_index(reading, index) for index in range(len(reading.tiles))]

    @classmethod
    def _from_index(cls, reading: TableReading, index: int) -> Self:
        tile = reading.tiles[index]
        named = tile_of(tile.label)
        no_tile = TileJson(text="", name=label_words(tile.label), ink=None, number=None)
        return cls(
            **dict(no_tile if named is None else TileJson.from_tile(named)),
            there=named is not None,
            label=tile.label,
            quad=[list(corner) for corner in quad_px(reading, index)],
            confidence=round(tile.confidence, 4),
            doubtful=tile.doubtful,
            hidden=tile.sighting.hidden,
            runner_up=label_words(tile.runner_up),
            runner_up_label=tile.runner_up,
        )


class GoneJson(TileJson):
    """A tile that lay on the table before the turn."""

    quad: list[list[float]]
    """Where it lay; empty where nobody saw it."""

    @classmethod
    def from_place(cls, before: ObservedTable, place: Place) -> Self:
        """Return the tile at a place of the table before."""
        corners = before.quads_px[place.meld][place.position]
        return cls(**dict(TileJson.from_tile(before.table.tile_at(place))), quad=[list(corner) for corner in corners])


class PartJson(Answer):
    """A part of a sentence: words, or tiles to be drawn."""

    text: str
    """Empty where it is tiles."""
    tiles: list[TileJson]
    """Tiles that stand in a row; none where it is words."""

    @classmethod
    def from_parts(cls, parts: Iterable[str | Meld]) -> list[Self]:
        """Return a sentence in parts, words and tiles."""
        return [
            cls(text=part, tiles=[])
            if isinstance(part, str)
            else cls(text="", tiles=[TileJson.from_tile(tile) for tile in part])
            for part in parts
        ]


class ChoiceJson(Answer):
    """A name that a doubtful tile may have."""

    label: str
    name: str
    tile: TileJson | None
    """Null for "no tile"."""

    @classmethod
    def from_label(cls, label: str) -> Self:
        """Return a label to choose, with what it takes to draw its tile where it names one."""
        tile = tile_of(label)
        return cls(label=label, name=label_words(label), tile=None if tile is None else TileJson.from_tile(tile))


class MoveJson(Answer):
    """A tile to be moved."""

    tile: TileJson
    from_meld: int | None
    """The meld in which it lies now; null for a tile that lies nowhere on the table."""
    from_position: int | None
    from_tile: int | None
    """Its index in the reading, where it was seen."""
    to_meld: int | None
    """The meld of the table that is wanted; null for off the table."""
    to_position: int | None
    text: str
    """The move in words."""

    @classmethod
    def from_moves(cls, moves: Iterable[TileMove], wanted: Table, rows: Sequence[Sequence[int]]) -> list[Self]:
        """Return the moves that lead from a table to the one that is wanted.

        Args:
            moves: from places of the table as it lies to places of the one that is wanted.
            wanted: that table.
            rows: for each place of the table as it lies the index of the tile in the reading; empty for a table that
                was entered by hand.
        """
        return [cls._from_move(move, wanted, rows) for move in moves]

    @classmethod
    def _from_move(cls, move: TileMove, wanted: Table, rows: Sequence[Sequence[int]]) -> Self:
        origin, goal = move.origin, move.goal
        index = NO_INDEX if origin is None or not rows else rows[origin.meld][origin.position]
        to_meld = None if goal is None else wanted.melds[goal.meld]
        return cls(
            tile=TileJson.from_tile(move.tile),
            from_meld=None if origin is None else origin.meld,
            from_position=None if origin is None else origin.position,
            from_tile=None if index == NO_INDEX else index,
            to_meld=None if goal is None else goal.meld,
            to_position=None if goal is None else goal.position,
            text=move_words(move.tile, to_meld, from_table=origin is not None),
        )

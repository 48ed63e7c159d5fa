"""Parts of answers that pages show as pictures of tiles: tiles, melds, sentences with tiles, moves of tiles."""

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
    """A tile that a page shows as a picture."""

    text: str
    """The tile in the notation: `R7`, `J`; empty for `no-tile`."""
    name: str
    """The tile in words: `red 7`, `joker`."""
    ink: str | None
    """`black`, `blue`, `orange`, `red` or `yellow`; null for a joker."""
    number: int | None

    @staticmethod
    def from_tile(tile: Tile) -> "TileJson":
        """Return the answer for a tile; cached, since a state has about 400 tiles."""
        return _tile_json(tile, label_words(tile.label))


@cache
def _tile_json(tile: Tile, name: str) -> TileJson:
    ink = None if tile.colour is None else tile.colour.word
    return TileJson(text=str(tile), name=name, ink=ink, number=tile.number)


def melds_json(table: Table) -> list[list[TileJson]]:
    """Return the melds of a table as lists of tiles."""
    return [[TileJson.from_tile(tile) for tile in meld] for meld in table.melds]


class ReadTileJson(TileJson):
    """A tile as it was read; other answers refer to it by its index in the list."""

    there: bool
    """False if the label is `no-tile`."""
    label: str
    """The likeliest label: `red-7`, `joker` or `no-tile`."""
    quad: list[list[float]]
    """The corners, clockwise from the tile's own top left, in pixels of the reading's `width` and `height`."""
    confidence: float
    doubtful: bool
    """Whether a person should check the tile."""
    hidden: bool
    """Whether something covers the tile now; its values are then those of its last reading."""
    runner_up: str
    """The second likeliest label, in words."""
    runner_up_label: str
    """The second likeliest label; `no-tile` if there may be no tile."""

    @classmethod
    def from_reading(cls, reading: TableReading) -> list[Self]:
        """Return the tiles of a reading, in the order of the reading."""
        return [cls._from_index(reading, index) for index in range(len(reading.tiles))]

    @classmethod
    def _from_index(cls, reading: TableReading, index: int) -> Self:
        tile = reading.tiles[index]
        labelled = tile_of(tile.label)
        no_tile = TileJson(text="", name=label_words(tile.label), ink=None, number=None)
        return cls(
            **dict(no_tile if labelled is None else TileJson.from_tile(labelled)),
            there=labelled is not None,
            label=tile.label,
            quad=[list(corner) for corner in quad_px(reading, index)],
            confidence=round(tile.confidence, 4),
            doubtful=tile.doubtful,
            hidden=tile.sighting.hidden,
            runner_up=label_words(tile.runner_up),
            runner_up_label=tile.runner_up,
        )


class GoneJson(TileJson):
    """A tile of the table before the turn; a page marks the place where it was."""

    quad: list[list[float]]
    """The tile's corners at the start of the turn; empty if the table was entered by hand."""

    @classmethod
    def from_place(cls, before: ObservedTable, place: Place) -> Self:
        """Return the tile at a place of the table `before`."""
        corners = before.quads_px[place.meld][place.position]
        return cls(**dict(TileJson.from_tile(before.table.tile_at(place))), quad=[list(corner) for corner in corners])


class PartJson(Answer):
    """A part of a sentence: words, or tiles that the page shows as pictures."""

    text: str
    """The words; empty for tiles."""
    tiles: list[TileJson]
    """The tiles of a row; empty for words."""

    @classmethod
    def from_parts(cls, parts: Iterable[str | Meld]) -> list[Self]:
        """Return the parts of a sentence."""
        return [
            cls(text=part, tiles=[])
            if isinstance(part, str)
            else cls(text="", tiles=[TileJson.from_tile(tile) for tile in part])
            for part in parts
        ]


class ChoiceJson(Answer):
    """A label that a doubtful tile may have."""

    label: str
    name: str
    tile: TileJson | None
    """The tile of this label; null for `no-tile`."""

    @classmethod
    def from_label(cls, label: str) -> Self:
        """Return a label that a person may choose, with its tile."""
        tile = tile_of(label)
        return cls(label=label, name=label_words(label), tile=None if tile is None else TileJson.from_tile(tile))


class MoveJson(Answer):
    """A move of one tile, from its place on the current table to its place on the wanted table."""

    tile: TileJson
    from_meld: int | None
    """The index of the tile's current meld; null for a tile that is not on the table."""
    from_position: int | None
    from_tile: int | None
    """The tile's index in the reading; null if the reading does not have the tile."""
    to_meld: int | None
    """The index of the meld on the wanted table; null if the tile leaves the table."""
    to_position: int | None
    text: str
    """The move in words."""

    @classmethod
    def from_moves(cls, moves: Iterable[TileMove], wanted: Table, rows: Sequence[Sequence[int]]) -> list[Self]:
        """Return the moves from the current table to the wanted table.

        Args:
            moves: the moves, from places of the current table to places of the wanted table.
            wanted: the wanted table.
            rows: the tile's index in the reading for each place of the current table; empty for a table that was
                entered by hand.
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

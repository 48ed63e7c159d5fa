"""Tiles: the colour and number of one, its notation, and its label."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Colour(Enum):
    """A colour in which some edition prints numbers; the value is its letter in the notation."""

    BLACK = "K"
    BLUE = "B"
    ORANGE = "O"
    RED = "R"
    YELLOW = "Y"

    # Members are singletons, so identity is enough; the hash of Enum is a slow call, and the judge hashes every tile.
    __hash__ = object.__hash__

    @property
    def letter(self) -> str:
        """The colour in the notation of a table, one upper-case letter."""
        return self.value

    @property
    def word(self) -> str:
        """The colour in labels and in English, `"black"`."""
        return self.name.lower()


COLOURS_BY_LETTER: Final = {colour.letter: colour for colour in Colour}
_COLOURS_BY_WORD: Final = {colour.word: colour for colour in Colour}
_RANKS: Final = {colour: rank for rank, colour in enumerate(Colour)}
JOKER_LETTER: Final = "J"
JOKER_LABEL: Final = "joker"


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Tile:
    """One printed tile, or the joker, which has neither colour nor number.

    Two red 7s are equal, and are the same object. So tiles are compared and hashed as objects, which makes counting and
    searching fast. Every number from 0 up is a tile; which tiles an edition has is answered by `Stock.copies_of`.

    Raises:
        ValueError: if only one of colour and number is given, or the number is negative.
    """

    colour: Colour | None
    number: int | None
    order: tuple[int, int] = field(init=False)
    """A key that sorts tiles by colour and number, jokers last."""

    def __new__(cls, colour: Colour | None, number: int | None) -> Tile:
        tile = _TILES.get((colour, number))
        # Where two threads make the same tile at once, both get the first one.
        return _TILES.setdefault((colour, number), _new_tile(colour, number)) if tile is None else tile

    def __reduce__(self) -> tuple[type[Tile], tuple[Colour | None, int | None]]:
        return Tile, (self.colour, self.number)

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker."""
        return self.colour is None

    @property
    def label(self) -> str:
        """The tile's name in readings and data sets, `"red-7"` or `"joker"`."""
        return JOKER_LABEL if self.colour is None else f"{self.colour.word}-{self.number}"

    @classmethod
    def from_label(cls, label: str) -> Tile:
        """The tile that a label names, `"red-7"` or `"joker"`.

        Raises:
            ValueError: if the label names no tile.
        """
        if label == JOKER_LABEL:
            return JOKER
        word, _, digits = label.partition("-")
        if word not in _COLOURS_BY_WORD or not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"no tile is labelled {label!r}; labels look like 'red-7' or 'joker'")
        return cls(_COLOURS_BY_WORD[word], int(digits))

    def __str__(self) -> str:
        return JOKER_LETTER if self.colour is None else f"{self.colour.letter}{self.number}"

    def __repr__(self) -> str:
        return f"Tile.from_label({self.label!r})"


_TILES: Final[dict[tuple[Colour | None, int | None], Tile]] = {}
"""Every tile that exists."""


def _new_tile(colour: Colour | None, number: int | None) -> Tile:
    if (colour is None) != (number is None):
        raise ValueError(f"a tile has a colour and a number, a joker neither: {colour}, {number}")
    if number is not None and number < 0:
        raise ValueError(f"a tile's number is 0 or more, not {number}")
    # Numbers of other types, such as NumPy's, become int.
    number = None if number is None else int(number)
    order = (len(_RANKS), 0) if colour is None or number is None else (_RANKS[colour], number)
    tile = object.__new__(Tile)
    for name, value in (("colour", colour), ("number", number), ("order", order)):
        object.__setattr__(tile, name, value)
    return tile


JOKER: Final = Tile(None, None)

"""Tiles: the colour and number of a tile, its notation (`R7`), and its label (`red-7`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, overload

from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.errors import ArgumentError, NotationError, describe, expect


class Colour(Enum):
    """The colour of a number on a tile in any edition; the value is its letter in the notation."""

    BLACK = "K"
    BLUE = "B"
    ORANGE = "O"
    RED = "R"
    YELLOW = "Y"

    # Members are singletons, so the hash of the object is enough. The hash of Enum is slow, and every tile is hashed.
    __hash__ = object.__hash__

    @property
    def letter(self) -> str:
        """The upper-case letter of the colour in the notation, such as `"K"`."""
        return self.value

    @property
    def word(self) -> str:
        """The English word for the colour, which labels also contain, such as `"black"`."""
        return self.name.lower()


COLOURS_BY_LETTER: Final = {colour.letter: colour for colour in Colour}
_COLOURS_BY_WORD: Final = {colour.word: colour for colour in Colour}
_RANKS: Final = {colour: rank for rank, colour in enumerate(Colour)}
JOKER_LETTER: Final = "J"
JOKER_LABEL: Final = "joker"


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Tile:
    """One printed tile, or the joker, which has neither colour nor number.

    A tile is made from its notation, `Tile("R7")` or `Tile("J")`, which its `repr` shows, or from its colour and
    number, `Tile(Colour.RED, 7)`; a joker is `Tile(None, None)`. All red 7s are the same object, so comparing and
    hashing tiles is fast. Tiles sort by colour and number, jokers last. Every number from 0 up makes a tile;
    `Stock.copies_of` says which tiles an edition has.

    Raises:
        NotationError: if the text is not one tile.
        ArgumentError: if the colour or the number is missing or has another type, or the number is below 0.
    """

    colour: Colour | None
    number: int | None
    order: tuple[int, int] = field(init=False)
    """The sort key: colour, then number, jokers last."""

    @overload
    def __new__(cls, text: str, /) -> Tile: ...

    @overload
    def __new__(cls, colour: Colour | None, number: int | None) -> Tile: ...

    def __new__(cls, colour: object, number: object = ...) -> Tile:
        # One argument is a notation. None alone is refused, so that a missing reading does not become a joker.
        try:
            tile = _TILES.get((colour, number))
        except TypeError:  # an argument without a hash, such as a list
            tile = None
        return _new_tile(colour, number) if tile is None else tile

    def __reduce__(self) -> tuple[type[Tile], tuple[Colour | None, int | None]]:
        return Tile, (self.colour, self.number)

    def __lt__(self, other: object) -> bool:
        return self.order < other.order if isinstance(other, Tile) else NotImplemented

    @property
    def is_joker(self) -> bool:
        """Whether the tile is a joker."""
        return self.colour is None

    @property
    def label(self) -> str:
        """The label of the tile in readings and data sets, such as `"red-7"` or `"joker"`."""
        return JOKER_LABEL if self.colour is None else f"{self.colour.word}-{self.number}"

    @classmethod
    def from_label(cls, label: str) -> Tile:
        """Return the tile with a label, such as `"red-7"` or `"joker"`.

        Raises:
            ArgumentError: if the label names no tile.
        """
        expect("label", label, str, "'red-7'")
        if label == JOKER_LABEL:
            return JOKER
        word, _, digits = label.partition("-")
        if word not in _COLOURS_BY_WORD or not (digits.isascii() and digits.isdigit()):
            raise ArgumentError(f"no tile is labelled {label!r}; labels look like 'red-7' or 'joker'")
        return cls(_COLOURS_BY_WORD[word], int(digits))

    def __str__(self) -> str:
        return JOKER_LETTER if self.colour is None else f"{self.colour.letter}{self.number}"

    def __repr__(self) -> str:
        return f"Tile({str(self)!r})"


_TILES: Final[dict[tuple[object, object], Tile]] = {}
"""All tiles made so far; each has two keys, `(colour, number)` and `(notation, ...)` with an `Ellipsis`."""


def _new_tile(colour: object, number: object) -> Tile:
    if isinstance(colour, str) and number is ...:
        return _parse_single_tile(colour)
    if colour is None and number is None:
        rank, whole = len(_RANKS), None
    elif isinstance(colour, Colour) and (whole := _whole_number(number)) is not None:
        rank = _RANKS[colour]
    else:
        raise ArgumentError(
            "a tile is made of its notation, such as 'R7', or of a Colour and a whole number from 0 up, "
            f"a joker of None and None, not of {describe(colour)}{'' if number is ... else f' and {describe(number)}'}"
        )
    tile = object.__new__(Tile)
    for name, value in (("colour", colour), ("number", whole), ("order", (rank, whole or 0))):
        object.__setattr__(tile, name, value)
    # If two threads make the same tile at once, both get the first one.
    tile = _TILES.setdefault((colour, whole), tile)
    return _TILES.setdefault((str(tile), ...), tile)


def _whole_number(number: object) -> int | None:
    """Return a whole number from 0 up, even of a NumPy type, as an `int`; None for any other value."""
    try:
        whole = int(number)  # type: ignore[call-overload]  # other types raise
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if whole == number and whole >= 0 else None


JOKER: Final = Tile(None, None)

_WORD: Final = re.compile(r"\S+")
_DIGITS: Final = re.compile(r"[0-9]*")
_LONGEST_NUMBER: Final = 9  # digits; more than any edition prints, and few enough for a fast `int()` on hostile input


def notation_help() -> str:
    """Return how a tile looks in the notation, for error messages."""
    return gettext(
        "a tile is a colour letter (K black, B blue, O orange, R red, Y yellow) and a number, or J for a joker"
    )


def _parse_single_tile(text: str) -> Tile:
    words = [*_WORD.finditer(text)]
    if not words:
        raise NotationError(gettext("this text has no tile: {tiles_look}", tiles_look=notation_help()), len(text))
    tile = read_tile(words[0][0], words[0].start())
    if len(words) > 1:
        raise NotationError(gettext("one tile is expected, but another one begins here"), words[1].start())
    return tile


def read_tile(word: str, start: int) -> Tile:
    """Return the tile that one word of the notation stands for.

    Args:
        word: one or more characters, none of them a space.
        start: the index of the word in the whole text, for errors.

    Raises:
        NotationError: if the word is not a tile; `position` is an index into the whole text.
    """
    known = _TILES.get((word, ...))
    if known is not None:
        return known
    letter = word[0].upper() if word[0].isascii() else word[0]
    if letter == JOKER_LETTER:
        if word[1:2] and word[1] in "0123456789":
            raise NotationError(gettext("a joker has no number"), start + 1)
        _refuse_rest(word, 1, start)
        return JOKER
    if letter not in COLOURS_BY_LETTER:
        if "0" <= letter <= "9":
            message = gettext("a colour is missing before this number: {tiles_look}", tiles_look=notation_help())
        else:
            message = gettext("{letter!r} is not a colour: {tiles_look}", letter=word[0], tiles_look=notation_help())
        raise NotationError(message, start)
    digits = _DIGITS.match(word, 1)
    assert digits is not None  # the pattern also matches the empty text
    if not digits[0]:
        if len(word) == 1:
            raise NotationError(
                gettext("{word!r} has no number: {tiles_look}", word=word, tiles_look=notation_help()), start
            )
        raise NotationError(
            gettext("{letter!r} is not a number: {tiles_look}", letter=word[1], tiles_look=notation_help()), start + 1
        )
    if len(digits[0]) > _LONGEST_NUMBER:
        raise NotationError(gettext("no tile has a number with {count} digits", count=len(digits[0])), start + 1)
    _refuse_rest(word, digits.end(), start)
    return Tile(COLOURS_BY_LETTER[letter], int(digits[0]))


def _refuse_rest(word: str, end: int, start: int) -> None:
    if end < len(word):
        raise NotationError(
            gettext("{letter!r} can't follow {tile!r}: put a space between tiles", letter=word[end], tile=word[:end]),
            start + end,
        )

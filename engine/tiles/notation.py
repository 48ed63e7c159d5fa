"""The one-line notation of a table: `R3 R4 J | K7 B7 O7`.

Melds are separated by ` | `, tiles by a space. A tile is a colour letter (`K` black, `B` blue, `O` orange, `R` red,
`Y` yellow) and a number, a joker is `J`. Upper or lower case is read, upper case is written. The empty table is the
empty text.
"""

from __future__ import annotations

import re
from typing import Final

from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import COLOURS_BY_LETTER, JOKER, JOKER_LETTER, Tile

_TOKEN: Final = re.compile(r"[|]|[^\s|]+")
_DIGITS: Final = re.compile(r"[0-9]*")
_LONGEST_NUMBER: Final = 9  # digits; more than any edition prints, and short enough for int() at any length of input
_LETTERS: Final = ", ".join(f"{letter} {colour.word}" for letter, colour in COLOURS_BY_LETTER.items())
_TILES_LOOK: Final = f"a tile is a colour letter ({_LETTERS}) and a number, or {JOKER_LETTER} for a joker"


class NotationError(ValueError):
    """Text that can't be read as a table.

    Args:
        message: what is wrong, in English, for people.
        position: where, as an index into the text, from 0 up to its length.
    """

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position

    def __str__(self) -> str:
        return self.message


def parse_table(text: str) -> Table:
    """The table that a line of notation describes; spaces too many do no harm.

    Raises:
        NotationError: if the text can't be read, with the place of the first fault.
    """
    melds: list[Meld] = []
    tiles: list[Tile] = []
    last_bar: int | None = None
    for token in _TOKEN.finditer(text):
        if token[0] == "|":
            if not tiles:
                raise NotationError("there is no tile before this bar; a meld has at least one tile", token.start())
            melds.append(tuple(tiles))
            tiles.clear()
            last_bar = token.start()
        else:
            tiles.append(_parse_tile(token[0], token.start()))
    if tiles:
        melds.append(tuple(tiles))
    elif last_bar is not None:
        raise NotationError("there is no tile after this bar; a meld has at least one tile", last_bar)
    return Table(tuple(melds))


def _parse_tile(word: str, start: int) -> Tile:
    """The tile that one word names; `start` is the word's place in the whole text."""
    letter = word[0].upper() if word[0].isascii() else word[0]
    if letter == JOKER_LETTER:
        if word[1:2] and word[1] in "0123456789":
            raise NotationError("a joker has no number", start + 1)
        _refuse_rest(word, 1, start)
        return JOKER
    if letter not in COLOURS_BY_LETTER:
        what = "a colour is missing before this number" if "0" <= letter <= "9" else f"{word[0]!r} is no colour"
        raise NotationError(f"{what}: {_TILES_LOOK}", start)
    digits = _DIGITS.match(word, 1)
    assert digits is not None  # the pattern matches the empty text as well
    if not digits[0]:
        if len(word) == 1:
            raise NotationError(f"{word!r} has no number: {_TILES_LOOK}", start)
        raise NotationError(f"{word[1]!r} is no number: {_TILES_LOOK}", start + 1)
    if len(digits[0]) > _LONGEST_NUMBER:
        raise NotationError(f"a number of {len(digits[0])} digits is no tile's", start + 1)
    _refuse_rest(word, digits.end(), start)
    return Tile(COLOURS_BY_LETTER[letter], int(digits[0]))


def _refuse_rest(word: str, end: int, start: int) -> None:
    if end < len(word):
        raise NotationError(f"{word[end]!r} can't follow {word[:end]!r}: tiles are parted by a space", start + end)


def format_table(table: Table) -> str:
    """The table as one line, which `parse_table` reads back with every order kept."""
    return str(table)


def point_at(text: str, position: int, width: int = 72) -> str:
    """Two lines that show a place: the text around it, and a caret under it.

    Args:
        text: the whole text; line breaks and tabs are shown as spaces.
        position: the place, an index from 0 up to the length of the text.
        width: how many characters of the text to show at most; what is left out is marked with an ellipsis.
    """
    flat = "".join(" " if character.isspace() else character for character in text)
    first = max(0, min(position - width // 2, len(flat) - width))
    head = "…" if first else ""
    tail = "…" if first + width < len(flat) else ""
    return f"{head}{flat[first : first + width]}{tail}\n{' ' * (len(head) + position - first)}^"

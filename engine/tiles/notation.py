"""The one-line notation of a table: `R3 R4 J | K7 B7 O7`.

Melds are separated by ` | `, or each has a line of its own; tiles are separated by a space. A tile is a colour letter
(`K` black, `B` blue, `O` orange, `R` red, `Y` yellow) and a number, a joker is `J`. Letters are read in either case and
written in upper case. The empty text is the empty table.
"""

from __future__ import annotations

import re

from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.errors import ArgumentError, NotationError, expect
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile, notation_help


def parse_tile(text: str) -> Tile:
    """Parse one tile, such as `"R5"` or `"J"`; spaces around it are ignored.

    Raises:
        NotationError: if the text is not one tile; `position` is the index of the first fault.
        ArgumentError: if the argument is not a string.

    >>> parse_tile("r5")
    Tile('R5')
    """
    expect("the notation of a tile", text, str, "'R5'")
    return Tile(text)


def parse_meld(text: str) -> Meld:
    """Parse the tiles of one meld, in order: `"R3 R4 J"`.

    Raises:
        NotationError: if the text is not one meld of one or more tiles; `position` is the index of the first fault.
        ArgumentError: if the argument is not a string.

    >>> parse_meld("R3 R4 J")
    (Tile('R3'), Tile('R4'), Tile('J'))
    """
    melds = parse_table(text).melds
    if not melds:
        raise NotationError(gettext("this text has no tile: {tiles_look}", tiles_look=notation_help()), len(text))
    if len(melds) > 1:
        second = [*re.finditer(r"[^\s|]+", text)][len(melds[0])].start()
        raise NotationError(gettext("one set is expected, but another one begins here"), second)
    return melds[0]


def parse_rack(text: str) -> tuple[Tile, ...]:
    """Parse the tiles of a rack, in order: `"R5 K7 J"`; bars and line breaks are ignored.

    Raises:
        NotationError: if the text can't be read; `position` is the index of the first fault.
        ArgumentError: if the argument is not a string.

    >>> parse_rack("R5 K7 J")
    (Tile('R5'), Tile('K7'), Tile('J'))
    """
    return tuple(tile for row in parse_table(text).melds for tile in row)


def parse_table(text: str) -> Table:
    """Parse a table from its notation; extra spaces and empty lines are ignored.

    Raises:
        NotationError: if the text can't be read; `position` is the index of the first fault.
        ArgumentError: if the argument is not a string.

    >>> parse_table("r3 r4 j|k7 b7 o7")
    Table('R3 R4 J | K7 B7 O7')
    """
    expect("the notation of a table", text, str, "'R3 R4 R5 | K7 B7 O7'")
    return Table(text)


def format_table(table: Table) -> str:
    """Return a table as one line of notation, from which `parse_table` makes the table again in the same order."""
    return str(table)


def point_at(text: str, position: int, width: int = 72) -> str:
    """Return two lines that point at a position: the text around it, and a caret under it.

    Args:
        text: the whole text; line breaks and tabs are shown as spaces.
        position: an index into the text, from 0 up to its length.
        width: the largest number of characters to show; an ellipsis marks text that was cut off.

    Raises:
        ArgumentError: if the text is not a string, or the position is outside it.

    >>> print(point_at("R3 Q4", 3))
    R3 Q4
       ^
    """
    expect("text", text, str, "'R3 Q4'")
    expect("position", position, int, "3")
    if not 0 <= position <= len(text):
        raise ArgumentError(f"position must be a place in the text, from 0 to {len(text)}, not {position}")
    flat = "".join(" " if character.isspace() else character for character in text)
    first = max(0, min(position - width // 2, len(flat) - width))
    head = "…" if first else ""
    tail = "…" if first + width < len(flat) else ""
    return f"{head}{flat[first : first + width]}{tail}\n{' ' * (len(head) + position - first)}^"

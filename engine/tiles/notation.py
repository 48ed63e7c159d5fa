"""The one-line notation of a table: `R3 R4 J | K7 B7 O7`.

Melds are separated by ` | `, tiles by a space. A tile is a colour letter (`K` black, `B` blue, `O` orange, `R` red,
`Y` yellow) and a number, a joker is `J`. Upper or lower case is read, upper case is written. The empty table is the
empty text.
"""

from __future__ import annotations

from tilekeeper.engine.tiles.errors import ArgumentError, expect
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


def parse_tile(text: str) -> Tile:
    """The tile that a text names, `"R5"` or `"J"`; spaces around it do no harm.

    Raises:
        NotationError: if the text is not one tile, with the place of the first fault.
        ArgumentError: if it is no text.

    >>> parse_tile("r5")
    Tile('R5')
    """
    expect("the notation of a tile", text, str, "'R5'")
    return Tile(text)


def parse_rack(text: str) -> tuple[Tile, ...]:
    """The tiles of a rack in the order in which they stand, `"R5 K7 J"`; bars may part its rows.

    Raises:
        NotationError: if the text can't be read, with the place of the first fault.
        ArgumentError: if it is no text.

    >>> parse_rack("R5 K7 J")
    (Tile('R5'), Tile('K7'), Tile('J'))
    """
    return tuple(tile for row in parse_table(text).melds for tile in row)


def parse_table(text: str) -> Table:
    """The table that a line of notation describes; spaces too many do no harm.

    Raises:
        NotationError: if the text can't be read, with the place of the first fault.
        ArgumentError: if it is no text.

    >>> parse_table("r3 r4 j|k7 b7 o7")
    Table('R3 R4 J | K7 B7 O7')
    """
    expect("the notation of a table", text, str, "'R3 R4 R5 | K7 B7 O7'")
    return Table(text)


def format_table(table: Table) -> str:
    """The table as one line, which `parse_table` reads back with every order kept."""
    return str(table)


def point_at(text: str, position: int, width: int = 72) -> str:
    """Two lines that show a place: the text around it, and a caret under it.

    Args:
        text: the whole text; line breaks and tabs are shown as spaces.
        position: the place, an index from 0 up to the length of the text.
        width: how many characters of the text to show at most; what is left out is marked with an ellipsis.

    Raises:
        ArgumentError: if the text is none, or the position is no place in it.

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

"""Tiles and melds in words of the current language, and sentences that contain tiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from tilekeeper.engine.language import gettext, gettext_noop, join_with_and
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Colour, Tile

_TILES = {
    # Translators: a tile by its colour and number, in a form that can stand anywhere in a sentence, such as "Rot 7".
    Colour.BLACK: gettext_noop("black {number}"),
    Colour.BLUE: gettext_noop("blue {number}"),
    Colour.ORANGE: gettext_noop("orange {number}"),
    Colour.RED: gettext_noop("red {number}"),
    Colour.YELLOW: gettext_noop("yellow {number}"),
}
_COLOURS = {
    Colour.BLACK: gettext_noop("black"),
    Colour.BLUE: gettext_noop("blue"),
    Colour.ORANGE: gettext_noop("orange"),
    Colour.RED: gettext_noop("red"),
    Colour.YELLOW: gettext_noop("yellow"),
}


def tile_words(tile: Tile) -> str:
    """Return a tile in words, such as `red 7` or `joker`."""
    return gettext("joker") if tile.colour is None else numbers_words(tile.colour, str(tile.number))


def numbers_words(colour: Colour, numbers: str) -> str:
    """Return tiles of one colour in words, such as `red 7 8 9`."""
    return gettext(_TILES[colour], number=numbers)


def colour_words(colour: Colour) -> str:
    """Return the word for a colour."""
    return gettext(_COLOURS[colour])


def meld_words(meld: Meld) -> str:
    """Return a meld in words, tile by tile: `red 5, red 6 and joker`."""
    return join_with_and(map(tile_words, meld))


def capitalize(text: str) -> str:
    """Return a text with a capital first letter; unlike `str.capitalize`, this leaves the other letters unchanged."""
    return f"{text[:1].upper()}{text[1:]}"


@dataclass(frozen=True, slots=True)
class TileText:
    """A sentence that contains tiles; `str(text)` is the sentence with the tiles in words."""

    template: str
    """The sentence, with a name in braces wherever tiles belong."""
    rows: Mapping[str, tuple[Meld, ...]]
    """The tiles for each name in braces, as one or more rows."""

    def parts(self) -> Iterator[str | Meld]:
        """Yield the pieces of the sentence in order: a text, or the tiles of a row, which a page shows as pictures."""
        for words, name, _, _ in Formatter().parse(self.template):
            if words:
                yield words
            for at, row in enumerate(self.rows[name] if name else ()):
                if at:
                    yield "; "
                yield row

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else meld_words(part) for part in self.parts())

"""Tiles and rows in words, and sentences in which they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from tilekeeper.engine.language import gettext, gettext_noop, listed
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
    """A tile in words, `red 7` or `joker`."""
    return gettext("joker") if tile.colour is None else numbers_words(tile.colour, str(tile.number))


def numbers_words(colour: Colour, numbers: str) -> str:
    """Tiles of one colour in words, `red 7 8 9`."""
    return gettext(_TILES[colour], number=numbers)


def colour_words(colour: Colour) -> str:
    """A colour in words."""
    return gettext(_COLOURS[colour])


def meld_words(meld: Meld) -> str:
    """A row in words, in the order in which it lies, `red 5, red 6 and joker`."""
    return listed(map(tile_words, meld))


def capitalized(text: str) -> str:
    """A text with a capital letter at its start."""
    return f"{text[:1].upper()}{text[1:]}"


@dataclass(frozen=True, slots=True)
class TileText:
    """A sentence in which tiles stand; `str(text)` has them in words."""

    template: str
    """The sentence, with names in braces where tiles stand."""
    rows: Mapping[str, tuple[Meld, ...]]
    """The tiles by those names, in rows that are told one by one."""

    def parts(self) -> Iterator[str | Meld]:
        """Words and tiles in their order, for those who draw tiles."""
        for words, name, _, _ in Formatter().parse(self.template):
            if words:
                yield words
            for at, row in enumerate(self.rows[name] if name else ()):
                if at:
                    yield "; "
                yield row

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else meld_words(part) for part in self.parts())

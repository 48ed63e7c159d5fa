"""Tiles and rows in English words, and what sentences about them are put together from."""

from __future__ import annotations

from collections.abc import Iterable

from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile


def tile_words(tile: Tile) -> str:
    """A tile in words, `red 7` or `joker`."""
    return "joker" if tile.colour is None else f"{tile.colour.word} {tile.number}"


def meld_words(meld: Meld) -> str:
    """A row in words, in the order in which it lies, `red 5, red 6 and joker`."""
    return listed(map(tile_words, meld))


def listed(words: Iterable[str], last: str = "and") -> str:
    """One or more words as a list, `red 5, red 6 and joker`."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def counted(number: int, noun: str) -> str:
    """A number of things, `1 tile` or `3 tiles`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""What a namer saw of each tile, as the best look at it so far; and what a namer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilekeeper.vision.geometry.quads import upside_down
from tilekeeper.vision.types import NOT_A_TILE, sureness_of


class NamesOfTiles(Protocol):
    """What a namer returns: `(N, 15)`, `(N, 4)`, see `TileNames`, and `(N,)`, above 0 where a tile is on its head.

    `quads_px (N, 4, 2)` are the quads it was given with their corners mended, `ink_colours (N, 3)` what the inks take
    from red, green and blue light, `figures (N, K)` what the figures look like (`FigureSpace`; K is 0 without one).
    """

    @property
    def number_log_probs(self) -> np.ndarray: ...
    @property
    def ink_log_probs(self) -> np.ndarray: ...
    @property
    def upside_down_log_odds(self) -> np.ndarray: ...
    @property
    def quads_px(self) -> np.ndarray: ...
    @property
    def ink_colours(self) -> np.ndarray: ...
    @property
    def figures(self) -> np.ndarray: ...


Namer = Callable[[np.ndarray, np.ndarray], NamesOfTiles]


@dataclass(slots=True)
class Looked:
    """The best look at each of N tiles, upright, as `NamesOfTiles` has it; the arrays are its own, to be written to."""

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    upside_down_log_odds: np.ndarray
    quads_px: np.ndarray
    ink_colours: np.ndarray
    figures: np.ndarray

    @classmethod
    def of(cls, names: NamesOfTiles) -> Looked:
        """Return a copy of what a namer says."""
        return cls(*(np.array(getattr(names, field)) for field in cls.__slots__))

    def take(self, at: np.ndarray, names: NamesOfTiles, which: np.ndarray) -> None:
        """Put what `names` says of its tiles `which` in the places `at`."""
        for field in self.__slots__:
            getattr(self, field)[at] = getattr(names, field)[which]

    def parts(self, count: int) -> tuple[Looked, Looked]:
        """Return the first so many looks, and the rest."""
        fields = [getattr(self, field) for field in self.__slots__]
        return Looked(*(values[:count] for values in fields)), Looked(*(values[count:] for values in fields))

    def with_more(self, other: Looked, which: np.ndarray) -> Looked:
        """Return these looks and after them those of `other` at its tiles `which`."""
        fields = ((getattr(self, field), getattr(other, field)[which]) for field in self.__slots__)
        return Looked(*(np.concatenate(both) for both in fields))

    def sureness(self) -> np.ndarray:
        """How likely the likeliest name of each is, `(N,)`; 0 for what is likeliest no tile."""
        return sureness_of_looks(self)


def sureness_of_looks(names: NamesOfTiles) -> np.ndarray:
    """How likely the likeliest name of each is, `(N,)`; 0 for what is likeliest no tile."""
    numbers = np.asarray(names.number_log_probs)
    likely = np.exp(sureness_of(numbers, np.asarray(names.ink_log_probs)))
    return np.where(numbers.argmax(axis=1) == NOT_A_TILE, 0.0, likely)


def name_upright(namer: Namer, image_bgr: np.ndarray, places: np.ndarray) -> Looked:
    """Name what lies at places `(N, 4, 2)`, those on their heads once more the other way up."""
    seen = Looked.of(namer(image_bgr, places))
    over = np.flatnonzero(seen.upside_down_log_odds > 0)
    if len(over):
        seen.take(over, namer(image_bgr, upside_down(seen.quads_px[over])), np.arange(len(over)))
    return seen

"""What a namer saw of each tile, as the best look at it so far; and what a namer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Floats, Image, Ints
from tilekeeper.vision.geometry.quads import upside_down
from tilekeeper.vision.types import NOT_A_TILE, sureness_of


@dataclass(slots=True)
class Appearances:
    """What a namer says of N tiles at their quads; the arrays are its own, to be written to.

    `number_log_probs (N, 15)` and `ink_log_probs (N, 4)` as in `TileNames`; `upside_down_log_odds (N,)`, above 0 where
    a tile is on its head; `quads_px (N, 4, 2)`, the quads that were named, their corners moved onto the tile's;
    `ink_colours (N, 3)`, what the inks take from red, green and blue light (`absorbed`); `figures (N, K)`, what the
    figures look like (`FigureSpace`), K = 0 where nothing tells.
    """

    number_log_probs: Floats
    ink_log_probs: Floats
    upside_down_log_odds: Floats
    quads_px: Floats
    ink_colours: Floats
    figures: Floats

    def take(self, at: Ints, other: Appearances, which: Ints) -> None:
        """Put what `other` has of its tiles `which` in the places `at`."""
        for field in self.__slots__:
            getattr(self, field)[at] = getattr(other, field)[which]

    def part(self, which: slice) -> Appearances:
        """Return some of the looks."""
        return Appearances(*(getattr(self, field)[which] for field in self.__slots__))

    def parts(self, count: int) -> tuple[Appearances, Appearances]:
        """Return the first so many looks, and the rest."""
        return self.part(slice(count)), self.part(slice(count, None))

    def with_more(self, other: Appearances, which: Ints) -> Appearances:
        """Return these looks and after them those of `other` at its tiles `which`."""
        fields = ((getattr(self, field), getattr(other, field)[which]) for field in self.__slots__)
        return Appearances(*(np.concatenate(both) for both in fields))

    def certainty(self) -> Floats:
        """How likely the likeliest name of each is, `(N,)`; 0 for what is likeliest no tile."""
        likely = np.exp(sureness_of(self.number_log_probs, self.ink_log_probs))
        return np.where(self.number_log_probs.argmax(axis=1) == NOT_A_TILE, 0.0, likely)


Namer = Callable[[Image, Floats], Appearances]
"""Names what lies at quads `(N, 4, 2)` in a picture."""


def name_upright(namer: Namer, image_bgr: Image, places: Floats) -> Appearances:
    """Name what lies at places `(N, 4, 2)`, those on their heads once more the other way up."""
    seen = namer(image_bgr, places)
    over = np.flatnonzero(seen.upside_down_log_odds > 0)
    if len(over):
        seen.take(over, namer(image_bgr, upside_down(seen.quads_px[over])), np.arange(len(over)))
    return seen

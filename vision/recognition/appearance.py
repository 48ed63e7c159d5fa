"""What a classifier saw of each tile, as the best look at it so far; and what a classifier is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image
from tilekeeper.vision.geometry.quads import turn_upside_down
from tilekeeper.vision.types import INKS, JOKER, NOT_A_TILE, NUMBERS, best_label_log_probs

# From this label probability on, a tile is confident: it sets the shape and size expected of other tiles.
MIN_CONFIDENT_LABEL_PROB = 0.9
# Above this probability of any label, a candidate is surely a tile: it is flagged rather than missed.
MIN_SURE_TILE_PROB = 0.97
# A sure tile is kept and flagged if some number, and its best label, have at least this probability.
MIN_FLAGGED_LABEL_PROB = 0.3


@dataclass(slots=True, eq=False)
class Appearances(Columns):
    """What a classifier says of N tiles at their quads; the arrays are its own, to be written to.

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

    @classmethod
    def empty(cls, places: int = 0) -> Appearances:
        """Return no appearances, in a space of figures with so many `places`."""
        shapes = (NUMBERS + 2,), (len(INKS),), (), (4, 2), (3,), (places,)
        return Appearances(*(np.zeros((0, *shape), np.float32) for shape in shapes))

    @property
    def is_tile(self) -> Bools:
        """Which are likelier a tile than none, whatever its name, `(N,)`."""
        return likelier_tiles(self.number_log_probs)

    @property
    def is_surely_a_tile(self) -> Bools:
        """Which are a tile as surely as `surely_a_tile` says, whatever its name, `(N,)`."""
        return np.asarray(self.number_log_probs[:, NOT_A_TILE] < np.log(1 - MIN_SURE_TILE_PROB))

    @property
    def is_surely_numbered(self) -> Bools:
        """Which are surely a tile, and a number with at least `open_name`, whichever, `(N,)`."""
        numbered = np.exp(self.number_log_probs[:, :NUMBERS]).sum(axis=1)
        return np.asarray(self.is_surely_a_tile & (numbered >= MIN_FLAGGED_LABEL_PROB))

    @property
    def is_joker(self) -> Bools:
        """Which are likeliest jokers, `(N,)`."""
        return np.asarray(self.number_log_probs.argmax(axis=1) == JOKER)

    def certainty(self) -> Floats:
        """How likely the likeliest name of each is, `(N,)`; 0 for what is likelier no tile."""
        names = self.number_log_probs[:, :NOT_A_TILE]
        return np.where(self.is_tile, np.exp(best_label_log_probs(names, self.ink_log_probs)), 0.0)


Classifier = Callable[[Image, Floats], Appearances]
"""Names what lies at quads `(N, 4, 2)` in a picture."""


def likelier_tiles(number_log_probs: Floats) -> Bools:
    """Return which of N are likelier a tile than none, `(N,)`, by log-probabilities of numbers `(N, 15)`.

    A number that can't be read may be any of several, each of them less likely than no tile. Means of logarithms over
    several looks don't add up to one.
    """
    chances = np.exp(number_log_probs)
    return np.asarray(chances[:, NOT_A_TILE] < chances[:, :NOT_A_TILE].sum(axis=1))


def name_upright(classifier: Classifier, image_bgr: Image, places: Floats) -> Appearances:
    """Name what lies at places `(N, 4, 2)`, those on their heads once more the other way up."""
    seen = classifier(image_bgr, places)
    over = np.flatnonzero(seen.upside_down_log_odds > 0)
    if len(over):
        seen.put(over, classifier(image_bgr, turn_upside_down(seen.quads_px[over])))
    return seen

"""Names found tiles as they stand: turned where they are on their heads, looked at from all sides where they lie askew.

The finder can't always tell which way a tile lies: of a 1 above a sign as dark as itself it sees the middle, and little
more. Such a find is cut out in the shape of the sure tiles near it, in eight directions; the namer says which is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilekeeper.vision.cuts import CUTS, cuts_of, mean_of_cuts
from tilekeeper.vision.geometry import TILE_ASPECT, centres_px, sizes_wh_px, upside_down
from tilekeeper.vision.namer import sureness_of
from tilekeeper.vision.plane import SIZED, TablePlane, axes_of, fit_plane, straightened
from tilekeeper.vision.sighting import JOKER, NOT_A_TILE

LOOK_AGAIN, UNLESS_SURE, FAR_OFF = 0.06, 0.98, 0.15
"""A tile whose corners the namer moves further than the first, in tile widths, is cut out anew and named again, unless
it was named this surely and is not as far off as the last."""
MENDINGS = 3
"""So often at most."""
ASKEW, AT_MOST = 0.6, 12
"""Tiles named less surely than this are looked at from all sides, the best found first, and so many of them at most:
more would take longer than the rest of the reading."""
SURE, FEWEST = 0.9, 3
"""Tiles named this surely lend the others their shape, where there are so many of them."""
FLATTER, BENT, AS_SURE = 2, 0.15, 0.02
"""So often what differs by more from the plane is looked at again, and believed where it is named about as surely."""
TURNED, LYING, UPRIGHT = 0.2, 1.15, 0.9
"""A quad lies on its side where a quarter turn makes it fit the plane better by the first, or where no plane is known
is so many times as wide as high. It is believed to stand where it is then named this surely, or more surely."""
DIRECTIONS = 8
"""Ways to lie within half a turn; the namer says itself which end is up."""
WORTH = 0.2
"""By so much surer another direction must be to be believed."""
CLOSER, MOST_CLOSER = 0.95, 24
"""Tiles named less surely than this are looked at in other cuts, the least sure first and so many at most."""
FROM_NOTHING, JOKER_FROM_NOTHING = 0.85, 0.97
"""And at least this sure where the first look saw no tile: what is none looks most like a joker from some side."""


class NamesOfTiles(Protocol):
    """What a namer returns: `(N, 15)`, `(N, 4)`, see `TileNames`, and `(N,)`, above 0 where a tile is on its head.

    `quads_px (N, 4, 2)` are the quads it was given with their corners mended, `ink_colours (N, 3)` what the inks take
    from red, green and blue light.
    """

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    upside_down_log_odds: np.ndarray
    quads_px: np.ndarray
    ink_colours: np.ndarray


Namer = Callable[[np.ndarray, np.ndarray], NamesOfTiles]


@dataclass(slots=True)
class Looked:
    """The best look at each of N tiles, upright, as `NamesOfTiles` has it; the arrays are its own, to be written to."""

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    upside_down_log_odds: np.ndarray
    quads_px: np.ndarray
    ink_colours: np.ndarray

    @classmethod
    def of(cls, names: NamesOfTiles) -> Looked:
        """Return a copy of what a namer says."""
        return cls(*(np.array(getattr(names, field)) for field in cls.__slots__))

    def take(self, at: np.ndarray, names: NamesOfTiles, which: np.ndarray) -> None:
        """Put what `names` says of its tiles `which` in the places `at`."""
        for field in self.__slots__:
            getattr(self, field)[at] = getattr(names, field)[which]

    def with_more(self, other: Looked, which: np.ndarray) -> Looked:
        """Return these looks and after them those of `other` at its tiles `which`."""
        fields = ((getattr(self, field), getattr(other, field)[which]) for field in self.__slots__)
        return Looked(*(np.concatenate(both) for both in fields))

    def sureness(self) -> np.ndarray:
        """How likely the likeliest name of each is, `(N,)`; 0 for what is likeliest no tile."""
        return _sureness(self)


def look_at(namer: Namer, image_bgr: np.ndarray, found_px: np.ndarray) -> Looked:
    """Name the tiles found at `found_px (N, 4, 2) float32`, N at least 1, and return the best look at each."""
    looked = Looked.of(namer(image_bgr, found_px))
    turned, moved, unsure = looked.upside_down_log_odds > 0, _moved(looked.quads_px, found_px), _unsure(looked)
    again = np.flatnonzero(turned | (moved > FAR_OFF) | (unsure & (moved > LOOK_AGAIN)))
    for turn in range(MENDINGS):
        if not len(again):
            break
        over, mended = looked.upside_down_log_odds[again] > 0, looked.quads_px[again]
        shown = np.where(over[:, None, None], upside_down(mended), mended)
        anew = namer(image_bgr, shown)
        # turned it must look less turned than before: else neither way is right, and it stays as it was found
        better = ~over | (anew.upside_down_log_odds < looked.upside_down_log_odds[again])
        # what was found far off may need more than one look to be mended; later ones may also lead astray
        better = np.flatnonzero(better & ((turn == 0) | (_sureness(anew) > looked.sureness()[again])))
        looked.take(again[better], anew, better)
        still = (_moved(anew.quads_px, shown) > LOOK_AGAIN)[better] & _unsure(looked)[again[better]]
        again = again[better[still]]
    _look_upright(namer, image_bgr, looked, found_px)
    _look_flat(namer, image_bgr, looked)
    _look_round(namer, image_bgr, looked, found_px)
    looked.quads_px = straightened(looked.quads_px, looked.sureness() >= SURE)
    _look_closer(namer, image_bgr, looked)
    return looked


def _moved(quads_px: np.ndarray, from_px: np.ndarray) -> np.ndarray:
    """How far the corners were moved in the mean, `(N,)` in tile widths."""
    widths = np.maximum(sizes_wh_px(from_px)[:, 0], 1.0)
    return np.linalg.norm(quads_px - from_px, axis=2).mean(axis=1) / widths


def _unsure(looked: Looked) -> np.ndarray:
    """Which are named less surely than `UNLESS_SURE`, `(N,)` bool; what is surely no tile is sure."""
    return np.exp(sureness_of(looked.number_log_probs, looked.ink_log_probs)) < UNLESS_SURE


def _look_upright(namer: Namer, image_bgr: np.ndarray, looked: Looked, found_px: np.ndarray) -> None:
    """Look again, a quarter turned, at quads that lie on their sides, and at jokers.

    The finder took the long side for the short one, and the corners were mended all the same: a figure so squeezed
    looks like no tile, or like a joker's face. A joker's corners may have been mended to anything, so that it is also
    looked at where it was found, in the shape that a tile has there.
    """
    sureness = looked.sureness()
    plane = fit_plane(looked.quads_px[sureness >= SURE])
    whose = np.flatnonzero(_on_their_sides(looked.quads_px, plane))
    places, suspects = np.roll(looked.quads_px[whose], 1, axis=1), len(whose)
    if plane is not None:
        jokers = np.flatnonzero(looked.number_log_probs.argmax(axis=1) == JOKER)
        astray = jokers[_moved(looked.quads_px, found_px)[jokers] > LOOK_AGAIN]
        middles = np.concatenate([centres_px(looked.quads_px[jokers]), centres_px(found_px[astray])])
        whose = np.concatenate([whose, jokers, astray])
        turned = np.roll(looked.quads_px[whose[suspects:]], 1, axis=1)
        flat = plane.shapes(middles, axes_of(turned, plane.aspect)).astype(np.float32)
        places = np.concatenate([places, flat])
    if not len(whose):
        return
    seen = _turned_upright(namer, image_bgr, places)
    worth = np.where(seen.upside_down_log_odds > 0, 0.0, seen.sureness())
    least = sureness[whose]
    least[:suspects] = np.minimum(least[:suspects], UPRIGHT)
    for place in np.argsort(worth, kind="stable"):  # the surest last, so that it stays
        if worth[place] > least[place]:
            looked.take(whose[[place]], seen, np.array([place]))


def _turned_upright(namer: Namer, image_bgr: np.ndarray, places: np.ndarray) -> Looked:
    """Name what lies at places `(N, 4, 2)`, those on their heads once more the other way up."""
    seen = Looked.of(namer(image_bgr, places))
    over = np.flatnonzero(seen.upside_down_log_odds > 0)
    if len(over):
        seen.take(over, namer(image_bgr, upside_down(seen.quads_px[over])), np.arange(len(over)))
    return seen


def _on_their_sides(quads_px: np.ndarray, plane: TablePlane | None) -> np.ndarray:
    """Which quads are wider than tiles are at their places, and a quarter turned would not be, `(N,)` bool."""
    if plane is None:
        sizes_wh = sizes_wh_px(quads_px)
        return sizes_wh[:, 0] > LYING * sizes_wh[:, 1]
    turned = np.roll(quads_px, 1, axis=1)
    return plane.misfits(quads_px) - plane.misfits(turned) > TURNED


def _look_flat(namer: Namer, image_bgr: np.ndarray, looked: Looked) -> None:
    """Look again at what lies askew on the plane of the sure tiles, as it would lie there.

    Seen from far aside, most quads are a little too upright; each look shows the plane better.
    """
    for _ in range(FLATTER):
        sureness = looked.sureness()
        plane = fit_plane(looked.quads_px[sureness >= SURE])
        if plane is None:
            return
        bent = (plane.misfits(looked.quads_px) > BENT) & (np.abs(plane.sizes(looked.quads_px)) < SIZED)
        at = np.flatnonzero(bent)
        if not len(at):
            return
        quads_px = looked.quads_px[at]
        flat = plane.shapes(centres_px(quads_px), axes_of(quads_px, plane.aspect)).astype(np.float32)
        seen = namer(image_bgr, flat)
        better = np.flatnonzero((_sureness(seen) > sureness[at] - AS_SURE) & (seen.upside_down_log_odds < 0))
        looked.take(at[better], seen, better)


def _look_round(namer: Namer, image_bgr: np.ndarray, looked: Looked, found_px: np.ndarray) -> None:
    """Look at what can't be named, in the shape of the sure tiles near it, from all sides.

    What turned out to be no tile is looked at where it was found, too: its corners may have been mended to those of
    something else.
    """
    sureness = looked.sureness()
    sure, askew = np.flatnonzero(sureness >= SURE), np.flatnonzero(sureness < ASKEW)[:AT_MOST]
    if len(sure) < FEWEST or not len(askew):
        return
    astray = askew[(sureness[askew] == 0) & (_moved(looked.quads_px, found_px)[askew] > LOOK_AGAIN)]
    of = np.concatenate([askew, astray])
    middles = np.concatenate([centres_px(looked.quads_px[askew]), centres_px(found_px[astray])])
    plane = fit_plane(looked.quads_px[sure])
    if plane is None:
        apart = np.linalg.norm(middles[:, None] - centres_px(looked.quads_px[sure])[None], axis=2)
        places = _turned(looked.quads_px[sure[apart.argmin(axis=1)]], middles)
    else:
        places = plane.turned(middles, DIRECTIONS).astype(np.float32)
    places = places.reshape(-1, 4, 2)
    whose = np.repeat(of, DIRECTIONS)
    seen = _turned_upright(namer, image_bgr, places)
    worth = np.where(seen.upside_down_log_odds > 0, 0.0, seen.sureness())
    for at in askew:
        mine = np.flatnonzero(whose == at)
        best = mine[worth[mine].argmax()]
        joker = seen.number_log_probs[best].argmax() == JOKER
        least = (JOKER_FROM_NOTHING if joker else FROM_NOTHING) if sureness[at] == 0 else sureness[at] + WORTH
        if worth[best] > least:
            looked.take(np.array([at]), seen, np.array([best]))


def _look_closer(namer: Namer, image_bgr: np.ndarray, looked: Looked) -> None:
    """Look at other cuts of what is not quite sure, and name it by the mean of them; corners stay as they are."""
    sureness = looked.sureness()
    at = np.flatnonzero((sureness > 0) & (sureness < CLOSER) & (looked.upside_down_log_odds <= 0))
    at = at[np.argsort(sureness[at], kind="stable")][:MOST_CLOSER]
    if not len(at):
        return
    seen = namer(image_bgr, cuts_of(looked.quads_px[at], np.zeros(len(at), int)).reshape(-1, 4, 2))
    for field in ("number_log_probs", "ink_log_probs"):
        of_cuts = mean_of_cuts(np.asarray(getattr(seen, field))) * CUTS + getattr(looked, field)[at]
        of_cuts /= CUTS + 1
        getattr(looked, field)[at] = of_cuts - np.logaddexp.reduce(of_cuts, axis=1, keepdims=True)


def _turned(shapes_px: np.ndarray, middles_px: np.ndarray) -> np.ndarray:
    """Quads of the shapes `(N, 4, 2)` about the middles `(N, 2)`, turned on the table: `(N, DIRECTIONS, 4, 2)`.

    A shape tells how the camera sees the table there: one step along a tile's width and one along its height.
    """
    across = (shapes_px[:, 1] - shapes_px[:, 0] + shapes_px[:, 2] - shapes_px[:, 3]) / 2
    down = (shapes_px[:, 3] - shapes_px[:, 0] + shapes_px[:, 2] - shapes_px[:, 1]) / 2 / TILE_ASPECT
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (1, TILE_ASPECT)
    turns = np.arange(DIRECTIONS) * np.pi / DIRECTIONS
    cos, sin = np.cos(turns), np.sin(turns)
    rotations = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
    on_table = corners @ rotations  # (DIRECTIONS, 4, 2)
    frames = np.stack([across, down], axis=1)
    return (middles_px[:, None, None] + on_table[None] @ frames[:, None]).astype(np.float32)


def _sureness(names: NamesOfTiles) -> np.ndarray:
    numbers = np.asarray(names.number_log_probs)
    likely = np.exp(sureness_of(numbers, np.asarray(names.ink_log_probs)))
    return np.where(numbers.argmax(axis=1) == NOT_A_TILE, 0.0, likely)

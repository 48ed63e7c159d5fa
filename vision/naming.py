"""Names the tiles of one table from what was seen of each: how sure each name is, what is in doubt, and what is none.

One picture's looks and those of many frames, averaged, are told in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tilekeeper.vision.decoding import decode
from tilekeeper.vision.figures import FigureSpace, joint_numbers
from tilekeeper.vision.geometry import centres_px, distances_px, shares_inside, sizes_wh_px
from tilekeeper.vision.looked import Looked
from tilekeeper.vision.palette import joint_inks
from tilekeeper.vision.peers import alone, belongs
from tilekeeper.vision.rims import rimless
from tilekeeper.vision.sighting import (
    JOINT_JOKER,
    JOINT_NOT_A_TILE,
    NOT_A_TILE,
    ReadTile,
    Sighting,
    TileNames,
    in_inks,
    label_of,
    labels_of,
    log_probs_of,
)

LEAST_INSIDE, LEAST_SURE_INSIDE = 0.65, 0.5
"""A tile of which the picture shows a smaller share than this, the first where it is in doubt, is cut off: there is no
telling what it is, and what is cut off looks most like a joker."""

INSISTED, SURELY_NONE = 0.6, 0.95
"""What the finder is as sure of as the first, and the namer not surer than the second that it is none, is asked about
where it lies beside a tile: in a meld one that goes missing in silence is worse than a question."""
PEER, UNLIKELY = 0.8, 0.3
"""Tiles with as much confidence as the first are what the others are held against, wherever doubt begins. What has
less than the second and lies by itself must look all the more like a tile."""
HARDLY_SURE = 0.99
"""What is in doubt, and a joker, must end as tiles do where it has less confidence than this: most that is no tile is
taken for a joker."""


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What the reader is sure of; the manifest of the networks may bring its own.

    `doubtful_below`: a tile with less confidence is doubtful; with less than `no_tile_below` it is none. `sure_score`:
    from this score on, the finder's word for "a tile" is taken as certain; that it is none is for the namer to say.
    `working_px`: pictures with more pixels are read smaller.
    """

    doubtful_below: float = 0.8
    sure_score: float = 0.5
    no_tile_below: float = 0.2
    working_px: int = 12_000_000

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReaderLimits:
        """Return the limits that the manifest names under `reader`, the rest as they are here."""
        own = manifest.get("reader", {})
        return cls(**{name: own[name] for name in cls.__dataclass_fields__ if name in own})


def named(
    looked: Looked,
    scores: np.ndarray,
    limits: ReaderLimits,
    inks: tuple[str, str, str, str],
    colourless: bool,
    weigh: Callable[[Sequence[TileNames]], np.ndarray] | None = None,
    insist: bool = False,
    space: FigureSpace | None = None,
) -> list[ReadTile]:
    """Return the tiles among N looks, each with its best name once the table's figures and inks are compared.

    `scores (N,)` are the finder's; the `track` of a tile is the index of its look. What is no tile is left out. `weigh`
    makes the confidences `(N,)` of the N names; without it the networks' own word is taken. To `insist` is to
    tell, in doubt, what only the finder takes for a tile (`INSISTED`). `space` is that of the looks' `figures`.
    """
    numbers = joint_numbers(looked.number_log_probs, looked.figures, space)
    inks_of = joint_inks(looked.ink_log_probs, looked.ink_colours, numbers)
    names = list(map(TileNames, numbers, inks_of, looked.number_log_probs))
    weighed = weigh(names) if weigh else None
    log_probs, every = in_inks(numbers, inks_of), np.arange(len(names))
    best = log_probs[:, :JOINT_NOT_A_TILE].argmax(axis=1)
    word = np.exp(log_probs[every, best]) * np.minimum(1.0, scores / limits.sure_score)
    word = np.clip(word.astype(np.float64), 0.0, 1.0)
    rest = log_probs.copy()
    rest[every, best] = -np.inf
    second = rest.shape[1] - 1 - rest[:, ::-1].argmax(axis=1)  # of equals the last: "no tile" rather than some name
    none = np.exp(log_probs[:, JOINT_NOT_A_TILE])
    is_none = numbers.argmax(axis=1) == NOT_A_TILE
    told = np.where(is_none, insist & (scores >= INSISTED) & (none < SURELY_NONE), word >= limits.no_tile_below)
    confidences = word if weighed is None else weighed
    doubtful = is_none | (confidences < limits.doubtful_below) | (colourless & (best != JOINT_JOKER))
    labels = labels_of(inks)
    of_each = zip(
        told, looked.quads_px, names, *(one.tolist() for one in (best, confidences, second, doubtful)), strict=True
    )
    return [
        ReadTile(Sighting(track, quad_px, seen), labels[name], confidence, labels[next_best], in_doubt)
        for track, (is_told, quad_px, seen, name, confidence, next_best, in_doubt) in enumerate(of_each)
        if is_told
    ]


def without_doubles(tiles: list[ReadTile]) -> list[ReadTile]:
    """Return the tiles less those whose middle lies well inside a surer one: a place holds one tile."""
    if len(tiles) < 2:
        return tiles
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px).min(axis=1)
    apart = distances_px(middles, middles)
    same = apart < 0.4 * np.maximum(widths[:, None], widths[None])
    if np.count_nonzero(same) == len(tiles):  # each only with itself
        return tiles
    order = np.argsort([-tile.confidence for tile in tiles], kind="stable")
    dropped = np.zeros(len(tiles), bool)
    for surer, other in zip(*np.nonzero(np.triu(same[order][:, order], 1)), strict=True):
        dropped[order[other]] |= not dropped[order[surer]]
    return [tile for tile, is_double in zip(tiles, dropped, strict=True) if not is_double]


def insisted_in_rows(tiles: list[ReadTile]) -> list[ReadTile]:
    """Return the tiles less those that only the finder takes for some and that lie beside no sure one."""
    if not tiles:
        return tiles
    insisted = np.array([tile.sighting.names.number_log_probs for tile in tiles]).argmax(axis=1) == NOT_A_TILE
    if not insisted.any():
        return tiles
    sure = np.array([tile.confidence >= PEER for tile in tiles]) & ~insisted
    away = insisted & alone(np.array([tile.sighting.quad_px for tile in tiles]), sure)
    return [tile for tile, left_out in zip(tiles, away, strict=True) if not left_out]


def of_one_set(image: np.ndarray, tiles: list[ReadTile], whole: bool = True) -> list[ReadTile]:
    """Return the tiles less what differs in size, white and rim from those around it, and stumps at the edge.

    A joker of which less than `LEAST_INSIDE` is seen goes where it lies by itself, and is asked about in a row. Where
    they are not the `whole` table, but some of it, less can be told from them all (`peers.belongs`).
    """
    if not tiles:
        return tiles
    confidences = np.array([tile.confidence for tile in tiles])
    sure = confidences >= PEER
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    inside = shares_inside(quads_px, image.shape[1::-1])
    joker = label_of(JOINT_JOKER)
    cut = np.array([tile.label == joker for tile in tiles]) & (inside < LEAST_INSIDE)
    lone_jokers = cut & alone(quads_px, sure & ~cut) if cut.any() else cut
    stays = belongs(image, quads_px, sure, confidences < UNLIKELY, whole)
    stays &= (inside >= np.where(sure, LEAST_SURE_INSIDE, LEAST_INSIDE)) & ~lone_jokers
    left = np.flatnonzero(stays)
    some = [replace(tiles[at], doubtful=True) if cut[at] else tiles[at] for at in left]
    return [tile for tile in _with_rims(image, some, quads_px[left], sure[left]) if tile]


def _with_rims(
    image: np.ndarray, tiles: list[ReadTile], quads_px: np.ndarray, sure: np.ndarray
) -> list[ReadTile | None]:
    """Return the tiles, None for one in doubt that lies by itself and does not end as tiles do.

    A joker that nobody doubts is one in doubt then: it may lie on paper as white as itself.
    """
    joker = label_of(JOINT_JOKER)
    asked = [tile.confidence < HARDLY_SURE and (tile.doubtful or tile.label == joker) for tile in tiles]
    without = rimless(image, quads_px, sure, np.array(asked, bool))
    return [
        tile if not gone else None if tile.doubtful else replace(tile, doubtful=True)
        for tile, gone in zip(tiles, without, strict=True)
    ]


def decoded(
    tiles: list[ReadTile], rows: tuple[tuple[int, ...], ...], inks: tuple[str, str, str, str]
) -> tuple[ReadTile, ...]:
    """Return the tiles with the names that they have together, all those in doubt that are then."""
    if not tiles:
        return ()
    doubtful = np.array([tile.doubtful for tile in tiles])
    names, asked = decode(log_probs_of([tile.sighting.names for tile in tiles]), doubtful, rows)
    return tuple(
        _in_question(tile, int(name), inks) if in_doubt else tile
        for tile, name, in_doubt in zip(tiles, names, asked, strict=True)
    )


def _in_question(tile: ReadTile, name: int, inks: tuple[str, str, str, str]) -> ReadTile:
    label = label_of(name, inks)
    if label == tile.label:
        return replace(tile, doubtful=True)
    confidence = min(tile.confidence, float(np.exp(tile.sighting.log_probs[name])))
    return replace(tile, label=label, confidence=confidence, runner_up=tile.label, doubtful=True)

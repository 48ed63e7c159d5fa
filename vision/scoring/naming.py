"""Names the tiles of one table from what was seen of each: how sure each name is, what is in doubt, and what is none.

One picture's looks and those of many frames, averaged, are told in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tilekeeper.vision.geometry.quads import (
    areas_px,
    centres_px,
    distances_px,
    share_covered,
    shares_inside,
    sizes_wh_px,
)
from tilekeeper.vision.recognition.appearance import Looked
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace, joint_numbers
from tilekeeper.vision.recognition.ink_mixture import joint_inks
from tilekeeper.vision.scoring.features import FEWEST, alone, belongs, differences_of
from tilekeeper.vision.scoring.set_decoding import decode
from tilekeeper.vision.scoring.tileness import HARDLY_SURE, AmongTiles, IsTile, worth_asking
from tilekeeper.vision.types import (
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
HARDLY_FOUND = 0.5
"""What the finder scores less, where few tiles are sure, is asked about."""
UPRIGHT_INSIDE = 0.8
"""A 6 or 9 of which the picture shows a smaller share is asked about: the rest would say which end is up."""

INSISTED, SURELY_NONE = 0.6, 0.95
"""What the finder is as sure of as the first, and the namer not surer than the second that it is none, is asked about
where it lies beside a tile: in a meld one that goes missing in silence is worse than a question."""
PEER, AS_SURE, UNLIKELY = 0.8, 0.7, 0.3
"""Tiles with as much confidence as the first, which the finder scores at least so many times as much as the best of
them, are what the others are held against, wherever doubt begins: a digit on paper may be named as surely as a tile.
What has less confidence than the third and lies by itself is none where hardly anything is sure."""
MOST_STRAYS = 12
"""Where more than this can hardly be read and nothing is sure, it is the picture that is bad, and they stay."""
COVERED, AS_SMALL = 0.6, 0.25
"""What is in doubt and lies under a sure tile by more than the first share is part of it (where tiles overlap, it is
less), unless it is smaller than the second share of it."""
NO_TILE, BESIDE_ONE, SURELY_NO_TILE, ASKED_ABOUT = 0.15, 0.04, 0.02, 0.7
"""What is in doubt and no likelier a tile than the first is left out, beside a sure one no likelier than the second,
where one that goes missing makes a fault of a meld, and what nobody doubts no likelier than the third. What is less
likely one than the last is asked about."""
TAKEN_FOR_ONE = 0.05
"""What is less likely no tile than this, by the namer, and lies beside a sure one or where few are sure, is not left
out: under a reflection or a shadow a tile is not white, and one that goes missing from a meld makes a fault of it."""


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
    weigh: Callable[[Sequence[TileNames]], np.ndarray | None] | None = None,
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
        told,
        looked.quads_px,
        names,
        *(one.tolist() for one in (scores, best, confidences, second, doubtful)),
        strict=True,
    )
    return [
        ReadTile(Sighting(at, quad_px, seen, score=score), labels[name], confidence, labels[next_best], in_doubt)
        for at, (is_told, quad_px, seen, score, name, confidence, next_best, in_doubt) in enumerate(of_each)
        if is_told
    ]


def without_doubles(tiles: list[ReadTile]) -> list[ReadTile]:
    """Return the tiles less those whose middle lies well inside a surer one: a place holds one tile.

    What is in doubt goes, too, where a sure one covers most of it (`COVERED`): it is the maker's name on that one.
    """
    if len(tiles) < 2:
        return tiles
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px).min(axis=1)
    apart = distances_px(middles, middles)
    same = apart < 0.4 * np.maximum(widths[:, None], widths[None])
    dropped = np.zeros(len(tiles), bool)
    if np.count_nonzero(same) > len(tiles):  # not each only with itself
        order = np.argsort([-tile.confidence for tile in tiles], kind="stable")
        for surer, other in zip(*np.nonzero(np.triu(same[order][:, order], 1)), strict=True):
            dropped[order[other]] |= not dropped[order[surer]]
    doubtful = np.array([tile.doubtful for tile in tiles])
    seen = np.array([tile.confidence >= PEER and not tile.sighting.hidden for tile in tiles])
    sure, sizes = ~dropped & ~doubtful & seen, areas_px(quads_px)
    for at in np.flatnonzero(~dropped & doubtful):
        over = sure & (sizes[at] > AS_SMALL * sizes)
        dropped[at] = share_covered(quads_px[at], quads_px[over]) > COVERED
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


def of_one_set(
    image: np.ndarray, tiles: list[ReadTile], is_tile: IsTile | None = None, whole: bool = True
) -> list[ReadTile]:
    """Return the tiles less stumps at the edge of the picture and what is no tile of the set around it.

    `is_tile` tells how likely something is one; without it what differs in size and white is none. A joker of which
    less than `LEAST_INSIDE` is seen goes where it lies by itself, and is in doubt in a row; so is a 6 or 9 that it
    cuts (`UPRIGHT_INSIDE`), and where few are sure what was `HARDLY_FOUND`. Where they are not the
    `whole` table, but some of it, less can be told from them all.
    """
    if not tiles:
        return tiles
    named_surely = np.array([tile.confidence >= PEER for tile in tiles])
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    inside = shares_inside(quads_px, image.shape[1::-1])
    asked = np.array([tile.label == label_of(JOINT_JOKER) for tile in tiles]) & (inside < LEAST_INSIDE)
    lone_jokers = asked & alone(quads_px, named_surely & ~asked) if asked.any() else asked
    sure = named_surely & _surely_found(tiles, named_surely)
    off = differences_of(image, quads_px, sure)
    alike = belongs(quads_px, sure, off, whole)
    whole_enough = (inside >= np.where(named_surely, LEAST_SURE_INSIDE, LEAST_INSIDE)) & ~lone_jokers
    asked |= (inside < UPRIGHT_INSIDE) & [tile.label.endswith(("-6", "-9")) for tile in tiles]
    if np.count_nonzero(sure) < FEWEST:  # then hardly anything speaks against what is its own witness
        asked |= np.array([tile.sighting.score < HARDLY_FOUND for tile in tiles])
    told = is_tile is not None and (sure & alike & whole_enough).any()
    left = np.flatnonzero(whole_enough & (told | alike))
    some = [replace(tiles[at], doubtful=True) if asked[at] else tiles[at] for at in left]
    if told:
        return _only_tiles(AmongTiles(image, some, (sure & alike)[left], off.of(left)), ~alike[left], is_tile)
    if not whole or np.count_nonzero(sure[left]) >= FEWEST:
        return some
    return [tile for tile, stray in zip(some, _strays(some), strict=True) if not stray]


def _surely_found(tiles: list[ReadTile], named_surely: np.ndarray) -> np.ndarray:
    """Which of N the finder sees as surely as it does the best of those `named_surely (N,) bool`, `(N,) bool`."""
    scores = np.array([tile.sighting.score for tile in tiles])
    return scores >= AS_SURE * scores[named_surely].max(initial=0.0)


def _only_tiles(among: AmongTiles, odd: np.ndarray, is_tile: IsTile) -> list[ReadTile]:
    """Return the tiles less what is hardly one; what nobody doubts and may be none is put in doubt.

    What is in doubt may go, and, where it is hardly a tile at all, what nobody doubts, unless it is `_spared`; so may
    what is `odd (N,) bool`, however sure its name is.
    """
    chance = np.ones(len(among.tiles))
    asked = np.union1d(worth_asking(among), np.flatnonzero(odd))
    if not len(asked):
        return list(among.tiles)
    chance[asked] = is_tile(among, asked)
    doubtful = np.array([tile.doubtful for tile in among.tiles])
    away = alone(among.quads_px, ~odd & (among.confidences >= PEER))
    spared = _spared(among, away)
    gone = (chance < np.where(away, NO_TILE, BESIDE_ONE)) & (odd | (doubtful & ~spared))
    gone |= (chance < SURELY_NO_TILE) & ~spared
    return [
        _asked_about(among.tiles[at], float(chance[at])) if chance[at] < ASKED_ABOUT else among.tiles[at]
        for at in np.flatnonzero(~gone)
    ]


def _asked_about(tile: ReadTile, chance: float) -> ReadTile:
    """The tile in doubt; its confidence is how likely its name is right and it is a tile at all."""
    return replace(tile, doubtful=True, confidence=tile.confidence * chance)


def _spared(among: AmongTiles, away: np.ndarray) -> np.ndarray:
    """Which of N is told though hardly a tile, `(N,) bool`: it is in doubt for its name alone, or better asked about.

    That is what is named surely, as in a picture without colour, what only the finder takes for a tile and lies in a
    row (`insisted_in_rows`), and what is taken for one by the namer (`TAKEN_FOR_ONE`) and does not lie `away (N,) bool`
    from sure ones, or where these are too few to be held against.
    """
    numbers = np.array([tile.sighting.names.number_log_probs for tile in among.tiles])
    few = np.count_nonzero(among.sure) < FEWEST
    taken = (few | ~away) & (numbers[:, NOT_A_TILE] < np.log(TAKEN_FOR_ONE))
    return taken | (among.confidences >= HARDLY_SURE) | (numbers.argmax(axis=1) == NOT_A_TILE)


def _strays(tiles: list[ReadTile]) -> np.ndarray:
    """Which of N are none where hardly anything is sure: what can hardly be read, and jokers in doubt, by themselves.

    Where they are many, none is: then it is the picture that is bad.
    """
    if not tiles:
        return np.zeros(0, bool)
    confidences = np.array([tile.confidence for tile in tiles])
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    sure = confidences >= PEER
    jokers = np.array([tile.label == label_of(JOINT_JOKER) for tile in tiles])
    strays = (confidences < UNLIKELY) & alone(quads_px, sure)
    strays |= jokers & ~sure & alone(quads_px, np.ones(len(tiles), bool))
    return strays if np.count_nonzero(strays) <= MOST_STRAYS else np.zeros(len(tiles), bool)


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

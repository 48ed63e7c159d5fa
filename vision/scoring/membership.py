"""Leaves out what is no tile of the set: its size, white and rims are compared with those of the tiles around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import distances_px, shares_inside
from tilekeeper.vision.scoring.candidates import Candidate, Standing
from tilekeeper.vision.scoring.features import alone, as_large, differences_of
from tilekeeper.vision.scoring.tileness import AmongTiles, IsTile, worth_asking
from tilekeeper.vision.types import JOINT_JOKER, NO_TILE_LABEL, NOT_A_TILE, Doubt, DoubtReason, ReadTile, label_of

Comparisons = dict[int, tuple[ReadTile, ReadTile | None]]
"""Tiles as they were before and after they were compared with those around them, None where they are none; by track."""


def of_the_set(
    image_bgr: np.ndarray, tiles: Sequence[ReadTile], candidates: Mapping[int, Candidate], is_tile: IsTile | None
) -> tuple[list[ReadTile], Comparisons]:
    """Return the tiles less those that are not of the set around them, and the comparisons that tell of a standing.

    Only what was not compared before, or is to be compared again, is compared, and nothing that something covers or
    that a person named. What was suspect before still is.
    """
    asked = {
        tile.sighting.track
        for tile in tiles
        if candidates[tile.sighting.track].standing.is_to_be_compared
        and not (tile.sighting.hidden or tile.sighting.locked_by_person)
    }
    after = compared(image_bgr, [tile for tile in tiles if not tile.sighting.hidden], asked, is_tile)
    left: list[ReadTile] = []
    comparisons: Comparisons = {}
    for tile in tiles:
        track = tile.sighting.track
        candidate = candidates[track]
        result = after[track] if track in after else _as_before(tile, candidate)
        if result is not None:
            left.append(result)
        if result is None or candidate.standing.is_to_be_compared:
            comparisons[track] = tile, result
    return left, comparisons


def judged(candidate: Candidate, before: ReadTile, after: ReadTile | None) -> Candidate:
    """Return the candidate of a tile after it was compared; it is suspect where that alone puts it in doubt."""
    if after is None:
        return replace(candidate, standing=Standing.FOREIGN)
    if not _is_named(before):
        return candidate
    if before.doubtful or not after.doubtful:
        return replace(candidate, standing=Standing.MEMBER, doubts=(), tile_chance=1.0)
    chance = after.confidence / max(before.confidence, 1e-9)
    return replace(candidate, standing=Standing.SUSPECT, doubts=after.doubts, tile_chance=chance)


def _as_before(tile: ReadTile, candidate: Candidate) -> ReadTile:
    if candidate.standing is not Standing.SUSPECT or tile.sighting.locked_by_person:
        return tile
    return replace(tile.doubted(*candidate.doubts), confidence=tile.confidence * candidate.tile_chance)


def _is_named(tile: ReadTile) -> bool:
    """Whether the classifier takes it for a tile, and not the detector alone."""
    return int(tile.sighting.names.number_log_probs.argmax()) != NOT_A_TILE


def compared(
    image_bgr: np.ndarray, tiles: Sequence[ReadTile], asked: Set[int], is_tile: IsTile | None
) -> dict[int, ReadTile | None]:
    """Compare some tiles of a table with those around them: return each of them by its track, None where it is no tile.

    `asked` are the tracks of those to compare. Each is compared with the nearest, and where all are asked,
    with the whole table.
    """
    at = [index for index, tile in enumerate(tiles) if tile.sighting.track in asked]
    if not at:
        return {}
    some = list(tiles)
    if len(at) < len(tiles):
        middles = np.array([tile.sighting.quad_px for tile in tiles]).mean(axis=1)
        nearest = np.argsort(distances_px(middles[at], middles), axis=1)[:, : config().scoring.neighbours + 1]
        some = [tiles[index] for index in sorted({*nearest.ravel().tolist(), *at})]
    left = {tile.sighting.track: tile for tile in of_one_set(image_bgr, some, is_tile, whole=len(at) == len(tiles))}
    return {tiles[index].sighting.track: left.get(tiles[index].sighting.track) for index in at}


def of_one_set(
    image: np.ndarray, tiles: list[ReadTile], is_tile: IsTile | None = None, whole: bool = True
) -> list[ReadTile]:
    """Return the tiles less stumps at the edge of the picture and what is no tile of the set around it.

    `is_tile` tells how likely something is one; without it what differs in size and white is none. A joker of which
    less than `least_inside` is seen goes where it lies by itself, and is in doubt in a row; so is a 6 or 9 that it
    cuts (`upright_inside`), and where few are sure what was `hardly_found`. Where they are not the
    `whole` table, but some of it, less can be told from them all.
    """
    limits = config().scoring
    if not tiles:
        return tiles
    named_surely = np.array([tile.confidence >= limits.peer_confidence for tile in tiles])
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    inside = shares_inside(quads_px, image.shape[1::-1])
    cut = np.array([tile.label == label_of(JOINT_JOKER) for tile in tiles]) & (inside < limits.least_inside)
    lone_jokers = cut & alone(quads_px, named_surely & ~cut) if cut.any() else cut
    sure = named_surely & _surely_found(tiles, named_surely)
    off = differences_of(image, quads_px, sure)
    alike = as_large(off.size, sure)
    whole_enough = (inside >= np.where(named_surely, limits.least_inside_certain, limits.least_inside)) & ~lone_jokers
    no_end = (inside < limits.upright_inside) & [tile.label.endswith(("-6", "-9")) for tile in tiles]
    # where hardly anything is sure, hardly anything speaks against what is its own witness
    few = np.count_nonzero(sure) < limits.compared_fewest
    hardly_found = few & np.array([tile.sighting.score < limits.hardly_found for tile in tiles])
    chance_of = is_tile if (sure & alike & whole_enough).any() else None
    left = np.flatnonzero(whole_enough if chance_of else whole_enough & alike)
    reasons = (
        (DoubtReason.CUT_BY_THE_EDGE, cut),
        (DoubtReason.UNSURE_END, no_end),
        (DoubtReason.HARDLY_FOUND, hardly_found),
    )
    some = [tiles[at].doubted(*(Doubt(reason) for reason, holds in reasons if holds[at])) for at in left]
    if chance_of:
        return _only_tiles(AmongTiles(image, some, (sure & alike)[left], off.of(left)), ~alike[left], chance_of)
    if not whole or np.count_nonzero(sure[left]) >= limits.compared_fewest:
        return some
    return [tile for tile, stray in zip(some, _strays(some), strict=True) if not stray]


def _surely_found(tiles: list[ReadTile], named_surely: np.ndarray) -> np.ndarray:
    """Which of N the finder sees as surely as it does the best of those `named_surely (N,) bool`, `(N,) bool`."""
    limits = config().scoring
    scores = np.array([tile.sighting.score for tile in tiles])
    surely: np.ndarray = scores >= limits.peer_score_share * scores[named_surely].max(initial=0.0)
    return surely


def _only_tiles(among: AmongTiles, odd: np.ndarray, is_tile: IsTile) -> list[ReadTile]:
    """Return the tiles less what is hardly one; what nobody doubts and may be none is put in doubt.

    What is in doubt may go, unless its name is sure, as in a picture without colours, only the detector takes it for a
    tile and it lies in a row (`unnamed`), or the classifier takes it for one (`named_a_tile`) and it lies beside a sure
    one; so may what is `odd (N,) bool`, however sure its name is.
    """
    limits = config().scoring
    chance = np.ones(len(among.tiles))
    asked = np.union1d(worth_asking(among), np.flatnonzero(odd))
    if not len(asked):
        return list(among.tiles)
    chance[asked] = is_tile(among, asked)
    doubtful = np.array([tile.doubtful for tile in among.tiles])
    away = alone(among.quads_px, ~odd & (among.confidences >= limits.peer_confidence))
    numbers = np.array([tile.sighting.names.number_log_probs for tile in among.tiles])
    spared = (numbers.argmax(axis=1) == NOT_A_TILE) | (~away & (np.exp(numbers[:, NOT_A_TILE]) < limits.named_a_tile))
    may_go = odd | (doubtful & ~spared & (among.confidences < limits.tile_asked_below))
    gone = may_go & (chance < np.where(away, limits.no_tile, limits.no_tile_beside))
    return [
        _asked_about(among.tiles[at], float(chance[at])) if chance[at] < limits.ask_below else among.tiles[at]
        for at in np.flatnonzero(~gone).tolist()
    ]


def _asked_about(tile: ReadTile, chance: float) -> ReadTile:
    """The tile in doubt; its confidence is how likely its name is right and it is a tile at all."""
    doubt = Doubt(DoubtReason.UNLIKE_THE_OTHERS, NO_TILE_LABEL)
    return replace(tile.doubted(doubt), confidence=tile.confidence * chance)


def _strays(tiles: list[ReadTile]) -> np.ndarray:
    """Which of N are none where hardly anything is sure: what can hardly be read, and jokers in doubt, by themselves.

    Where they are many, none is: then it is the picture that is bad.
    """
    limits = config().scoring
    if not tiles:
        return np.zeros(0, bool)
    confidences = np.array([tile.confidence for tile in tiles])
    quads_px = np.array([tile.sighting.quad_px for tile in tiles])
    sure = confidences >= limits.peer_confidence
    jokers = np.array([tile.label == label_of(JOINT_JOKER) for tile in tiles])
    strays = (confidences < limits.stray_below) & alone(quads_px, sure)
    strays |= jokers & ~sure & alone(quads_px, np.ones(len(tiles), bool))
    return strays if np.count_nonzero(strays) <= limits.most_strays else np.zeros(len(tiles), bool)

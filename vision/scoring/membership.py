"""Leaves out what is no tile of the set: its size, white and rims are compared with those of the tiles around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Image, Ints, Objects, are_among
from tilekeeper.vision.geometry.quads import distances_px, shares_inside
from tilekeeper.vision.scoring.candidates import Candidates, Standing, no_doubts
from tilekeeper.vision.scoring.features import MIN_PEER_TILES, PEER_NEIGHBOUR_COUNT, alone, are_as_large, differences_of
from tilekeeper.vision.scoring.naming import MIN_PEER_CONFIDENCE_PROB
from tilekeeper.vision.scoring.tileness import MIN_UNCHECKED_CONFIDENCE_PROB, AmongTiles, IsTile, worth_asking
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NOT_A_TILE, DoubtReason, number_and_ink

# A doubtful tile with a smaller share in the frame is dropped; cut-off tiles are mostly read as jokers.
MIN_DOUBTFUL_INSIDE_SHARE = 0.65
# A certain tile with a smaller share inside the frame is dropped.
MIN_CERTAIN_INSIDE_SHARE = 0.5
# With few certain tiles a detection with a lower score is flagged.
MIN_FEW_PEERS_SCORE = 0.55
# Candidates on pale ground that the detector missed get this score, and are always flagged.
PALE_PLACE_SCORE = 0.25
# A 6 or 9 with a smaller share inside the frame is flagged; the missing part would show which end is up.
MIN_UPRIGHT_INSIDE_SHARE = 0.8
# Reference tiles have at least this share of the best score; a digit on paper may be labelled as surely.
MIN_PEER_SCORE_SHARE = 0.7
# With few certain tiles an isolated one with less confidence is dropped, unless the classifier sees a tile.
MIN_ISOLATED_CONFIDENCE_PROB = 0.3
# If more strays than this would be dropped, the frame is bad and all of them stay.
MAX_STRAY_TILES = 12
# A doubtful, isolated tile that is less likely a tile is dropped.
MIN_ISOLATED_TILE_PROB = 0.15
# Beside a certain tile a doubtful one is dropped only below this; a missing tile makes a meld illegal.
MIN_ADJACENT_TILE_PROB = 0.04
# A tile that is less likely a tile is flagged.
MIN_UNFLAGGED_TILE_PROB = 0.7
# Below this "not a tile" probability a doubtful tile is kept; in a reflection or shadow tiles are not white.
MAX_NOT_A_TILE_PROB = 0.05


def of_the_set(
    image_bgr: Image, tiles: Tiles, candidates: Candidates, is_tile: IsTile | None
) -> tuple[Tiles, Candidates]:
    """Return the tiles less those that are not of the set around them, and the candidates with what that tells of them.

    `candidates` are those of the tiles, one each. Only what was not compared before, or is to be compared again, is
    compared, and nothing that something covers or that a person named. What was suspect before still is; what the
    comparison puts in doubt is suspect from now on, whether or not its name is in doubt as well.
    """
    asked = candidates.is_to_be_compared & ~tiles.hidden & ~tiles.by_person
    after, gone = compared(image_bgr, tiles, asked, is_tile)
    suspect = (candidates.standing == Standing.SUSPECT) & ~tiles.by_person
    for at in np.flatnonzero(suspect):
        for reason, alternative in candidates.doubts[at]:
            after.doubt(np.arange(len(after)) == at, reason, alternative)
    after.confidence = after.confidence * np.where(suspect, candidates.tile_chance, 1.0)
    told = candidates.is_to_be_compared & tiles.is_tile & ~gone
    added = _added_doubts(tiles, after)
    doubted = told & added.astype(bool)
    standing = np.where(told, np.where(doubted, Standing.SUSPECT, Standing.MEMBER), candidates.standing)
    doubts = np.where(told, added, candidates.doubts)
    chance = np.where(doubted, after.confidence / np.maximum(tiles.confidence, 1e-9), 1.0)
    return after.at(~gone), replace(
        candidates,
        standing=np.where(gone, Standing.FOREIGN, standing),
        doubts=doubts,
        tile_chance=np.where(told, chance, candidates.tile_chance),
    )


def _added_doubts(before: Tiles, after: Tiles) -> Objects:
    """Return the doubts `(N,)` that tiles have after and did not have before, those that they had come first."""
    added = no_doubts(len(after))
    for at in np.flatnonzero(after.doubtful):
        added[at] = after.doubts[at][len(before.doubts[at]) :]
    return added


def compared(image_bgr: Image, tiles: Tiles, asked: Bools, is_tile: IsTile | None) -> tuple[Tiles, Bools]:
    """Compare some tiles of a table with those around them: return all after it, and which are none, `(N,)`.

    `asked (N,)` are those to compare. Each is compared with the nearest that nothing covers, and where all of these are
    asked, with the whole table.
    """
    after, gone = tiles.copy(), np.zeros(len(tiles), bool)
    seen, ask = np.flatnonzero(~tiles.hidden), np.flatnonzero(asked)
    if not len(ask):
        return after, gone
    whole = len(ask) == len(seen)
    if not whole:
        middles = tiles.quads_px.mean(axis=1)
        nearest = np.argsort(distances_px(middles[ask], middles[seen]), axis=1)[:, : PEER_NEIGHBOUR_COUNT + 1]
        seen = np.union1d(seen[nearest], ask)
    some, left = of_one_set(image_bgr, tiles.at(seen), is_tile, whole)
    of_seen = asked[seen]
    after.put(ask, some.at(of_seen))
    gone[ask] = ~left[of_seen]
    return after, gone


def of_one_set(image: Image, tiles: Tiles, is_tile: IsTile | None = None, whole: bool = True) -> tuple[Tiles, Bools]:
    """Return the tiles with new doubts, and which are left, `(N,)`: no stumps at the edge, and only those of one set.

    `is_tile` tells how likely something is one; without it what differs in size and white is none. A joker of which
    less than `least_inside` is seen goes where it lies by itself, and is in doubt in a row; so is a 6 or 9 that it
    cuts (`upright_inside`), and where few are sure what was `hardly_found`. Where they are not the
    `whole` table, but some of it, less can be told from them all.
    """
    tiles, quads_px = tiles.copy(), tiles.quads_px
    if not len(tiles):
        return tiles, np.zeros(0, bool)
    undoubted = ~tiles.doubtful
    named_surely = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB
    inside = shares_inside(quads_px, image.shape[1::-1])
    cut = (tiles.name == JOINT_JOKER) & (inside < MIN_DOUBTFUL_INSIDE_SHARE)
    lone_jokers = cut & alone(quads_px, named_surely & ~cut) if cut.any() else cut
    # seen by the detector as surely as the best of them
    sure = named_surely & (tiles.score >= MIN_PEER_SCORE_SHARE * tiles.score[named_surely].max(initial=0.0))
    alike = are_as_large(quads_px, sure)
    whole_enough = (
        inside >= np.where(named_surely, MIN_CERTAIN_INSIDE_SHARE, MIN_DOUBTFUL_INSIDE_SHARE)
    ) & ~lone_jokers
    # where hardly anything is sure, hardly anything speaks against what is its own witness
    few = np.count_nonzero(sure) < MIN_PEER_TILES
    tiles.doubt(cut, DoubtReason.CUT_BY_THE_EDGE)
    tiles.doubt((inside < MIN_UPRIGHT_INSIDE_SHARE) & are_among(tiles.name, EITHER_END_UP), DoubtReason.UNSURE_END)
    tiles.doubt(tiles.score <= PALE_PLACE_SCORE, DoubtReason.HARDLY_FOUND)
    tiles.doubt(few & (tiles.score < MIN_FEW_PEERS_SCORE), DoubtReason.HARDLY_FOUND)
    if is_tile and (sure & alike & whole_enough).any():
        left, some = whole_enough, tiles.at(whole_enough)
        asked = worth_asking(some, (sure & alike)[left]) | ~alike[left]
        if not asked.any():
            return tiles, left
        differences = differences_of(image, quads_px, sure).at(left)
        among = AmongTiles(image, some, (sure & alike)[left], differences)
        far = few & undoubted[left] & (differences.size < 0)
        gone = _are_none(among, ~alike[left], np.flatnonzero(asked), is_tile, far)
        tiles.put(left, some)
        return tiles, _less(left, gone)
    left = whole_enough & alike
    if not whole or np.count_nonzero(sure[left]) >= MIN_PEER_TILES:
        return tiles, left
    return tiles, _less(left, _strays(tiles.at(left)))


def _less(left: Bools, gone: Bools) -> Bools:
    """Return what is left without those of them that are gone."""
    rest = left.copy()
    rest[np.flatnonzero(left)[gone]] = False
    return rest


EITHER_END_UP = [name for name in range(JOINT_JOKER) if number_and_ink(name)[0] + 1 in (6, 9)]
"""The names that another tile has when it stands on its head."""


def _are_none(among: AmongTiles, odd: Bools, asked: Ints, is_tile: IsTile, far: Bools) -> Bools:
    """Return which of the tiles, `(N,)`, are hardly any; what nobody doubts and may be none is put in doubt.

    Only those `asked (A,)` may be none. What is in doubt may go, unless its name is sure, as in a picture without
    colours, only the detector takes it for a tile and it lies in a row (`unnamed`), or the classifier takes it for one
    (`named_a_tile`) and it lies beside a sure one; so may what is `odd (N,) bool`, however sure its name is, unless it
    is surely a number and may only be `far (N,) bool`: before a low camera far tiles are far smaller than near ones,
    and where few are sure no plane tells. The confidence of one in doubt is how likely its name is right and it is a
    tile at all.
    """
    tiles = among.tiles
    chance = np.ones(len(tiles))
    chance[asked] = is_tile(among, asked)
    away = alone(tiles.quads_px, ~odd & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB))
    named_a_tile = np.exp(tiles.number_log_probs[:, NOT_A_TILE]) < MAX_NOT_A_TILE_PROB
    spared = ~tiles.is_tile | (~away & named_a_tile)
    numbered = named_a_tile & (tiles.name != JOINT_JOKER) & (tiles.confidence >= MIN_UNCHECKED_CONFIDENCE_PROB)
    odd = odd & ~(far & numbered)
    may_go = odd | (tiles.doubtful & ~spared & (tiles.confidence < MIN_UNCHECKED_CONFIDENCE_PROB))
    gone: Bools = may_go & (chance < np.where(away, MIN_ISOLATED_TILE_PROB, MIN_ADJACENT_TILE_PROB))
    hardly = chance < MIN_UNFLAGGED_TILE_PROB
    tiles.doubt(hardly, DoubtReason.UNLIKE_THE_OTHERS, JOINT_NOT_A_TILE)
    tiles.confidence = np.where(hardly, tiles.confidence * chance, tiles.confidence)
    return gone


def _strays(tiles: Tiles) -> Bools:
    """Which of N are none where hardly anything is sure: what can hardly be read, and jokers in doubt, by themselves.

    What the classifier takes for a tile (`named_a_tile`) is asked about, however little of it can be read, but for
    jokers, for which letters and keys are taken. Where they are many, none is: then it is the picture that is bad.
    """
    sure, nobody = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB, np.zeros(len(tiles), bool)
    if not len(tiles):
        return nobody
    jokers = (tiles.name == JOINT_JOKER) & ~sure & alone(tiles.quads_px, ~nobody)
    strays = (tiles.confidence < MIN_ISOLATED_CONFIDENCE_PROB) & alone(tiles.quads_px, sure)
    if np.count_nonzero(strays | jokers) > MAX_STRAY_TILES:
        return nobody
    none = np.exp(tiles.number_log_probs[:, NOT_A_TILE])
    return np.asarray(jokers | (strays & (none >= MAX_NOT_A_TILE_PROB)))

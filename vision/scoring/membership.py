"""Compares tiles with those around them: what differs in size, white or rims is no tile of their set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, are_among
from tilekeeper.vision.geometry.quads import distances_px, shares_inside
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.features import MIN_PEER_TILES, PEER_NEIGHBOUR_COUNT, alone, are_as_large, differences_of
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.scoring.tileness import MIN_UNCHECKED_CONFIDENCE_PROB, AmongTiles, IsTile, worth_asking
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NOT_A_TILE, DoubtReason, number_and_ink

# Tiles with at least this confidence are the references for the others.
MIN_PEER_CONFIDENCE_PROB = 0.8
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

LABELS_THAT_TURN = [label for label in range(JOINT_JOKER) if number_and_ink(label)[0] + 1 in (6, 9)]
"""The labels of 6s and 9s: upside down each looks like the other."""

NewDoubt = tuple[Bools, DoubtReason, int | None]
"""Which of N tiles are in doubt, `(N,)`, for what reason, and the label that they may have instead."""


@dataclass(frozen=True, slots=True, eq=False)
class SetComparison:
    """What comparing N tiles with each other tells: new `doubts`, and which are foreign to the set.

    `tile_prob (N,)` is how likely each flagged tile is one at all, 0 to 1, and 1 for all others.
    """

    doubts: list[NewDoubt]
    is_foreign: Bools
    tile_prob: Floats


def compare_with_set(scene: Scene, tiles: TileTable, to_compare: Bools, is_tile: IsTile | None) -> SetComparison:
    """Compare those of N tiles of a table that are `to_compare (N,)` with the tiles around them.

    Each is compared with the nearest tiles that nothing covers; if all of these are to be compared, with the whole
    table. `is_tile` estimates how likely something is a tile; without it, what differs in size is foreign.
    """
    visible, asked = np.flatnonzero(~tiles.covered), np.flatnonzero(to_compare)
    is_foreign, tile_prob = np.zeros(len(tiles), bool), np.ones(len(tiles))
    if not len(asked):
        return SetComparison([], is_foreign, tile_prob)
    is_whole = len(asked) == len(visible)
    if not is_whole:
        centres = tiles.quads_px.mean(axis=1)
        nearest = np.argsort(distances_px(centres[asked], centres[visible]), axis=1)[:, : PEER_NEIGHBOUR_COUNT + 1]
        visible = np.union1d(visible[nearest], asked)
    compared = compare_all(scene, tiles.at(visible), is_tile, is_whole=is_whole)
    of_asked = to_compare[visible]
    is_foreign[asked], tile_prob[asked] = compared.is_foreign[of_asked], compared.tile_prob[of_asked]
    doubts: list[NewDoubt] = []
    for which, reason, alternative in compared.doubts:
        of_all = np.zeros(len(tiles), bool)
        of_all[asked] = which[of_asked]
        doubts.append((of_all, reason, alternative))
    return SetComparison(doubts, is_foreign, tile_prob)


def compare_all(
    scene: Scene, tiles: TileTable, is_tile: IsTile | None = None, *, is_whole: bool = True
) -> SetComparison:
    """Compare N tiles with each other; foreign are stumps at the edge of the image and what is not of their set.

    A joker that the edge cuts (`MIN_DOUBTFUL_INSIDE_SHARE`) is foreign if it is isolated, and flagged in a row; a 6 or
    a 9 that it cuts (`MIN_UPRIGHT_INSIDE_SHARE`) is flagged, and so is a weak detection where few tiles are certain. If
    the tiles are not the whole table (`is_whole`), less can be concluded from all of them.
    """
    doubts: list[NewDoubt] = []
    quads_px, tile_prob = tiles.quads_px, np.ones(len(tiles))
    if not len(tiles):
        return SetComparison(doubts, np.zeros(0, bool), tile_prob)
    is_labelled_surely = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB
    scores, inside = tiles.trusted_score, shares_inside(quads_px, scene.wh)
    is_cut = (tiles.label == JOINT_JOKER) & (inside < MIN_DOUBTFUL_INSIDE_SHARE)
    is_lone_joker = is_cut & alone(quads_px, is_labelled_surely & ~is_cut) if is_cut.any() else is_cut
    # a peer is also detected with nearly the best score
    is_peer = is_labelled_surely & (scores >= MIN_PEER_SCORE_SHARE * scores[is_labelled_surely].max(initial=0.0))
    is_as_large = are_as_large(quads_px, is_peer)
    min_inside = np.where(is_labelled_surely, MIN_CERTAIN_INSIDE_SHARE, MIN_DOUBTFUL_INSIDE_SHARE)
    is_inside = (inside >= min_inside) & ~is_lone_joker
    has_few_peers = bool(np.count_nonzero(is_peer) < MIN_PEER_TILES)
    doubts.append((is_cut, DoubtReason.CUT_BY_THE_EDGE, None))
    is_cut_6_or_9 = (inside < MIN_UPRIGHT_INSIDE_SHARE) & are_among(tiles.label, LABELS_THAT_TURN)
    doubts.append((is_cut_6_or_9, DoubtReason.UNSURE_END, None))
    is_weak = (scores <= PALE_PLACE_SCORE) | (has_few_peers & (scores < MIN_FEW_PEERS_SCORE))
    doubts.append((is_weak, DoubtReason.HARDLY_FOUND, None))
    was_doubtful = tiles.is_doubtful
    is_doubtful = was_doubtful | is_cut | is_cut_6_or_9 | is_weak
    if is_tile and (is_peer & is_as_large & is_inside).any():
        part, peers, odd = tiles.at(is_inside), (is_peer & is_as_large)[is_inside], ~is_as_large[is_inside]
        asked = np.flatnonzero(worth_asking(part, is_doubtful[is_inside], peers) | odd)
        if not len(asked):
            return SetComparison(doubts, ~is_inside, tile_prob)
        differences = differences_of(scene, quads_px, is_peer).at(is_inside)
        among = AmongTiles(scene.image_bgr, part, peers, differences)
        may_be_far = has_few_peers & ~was_doubtful[is_inside] & (differences.size < 0)
        prob, is_none = _judge_tiles(among, is_doubtful[is_inside], odd, asked, is_tile, may_be_far)
        is_suspect = np.zeros(len(tiles), bool)
        is_suspect[is_inside] = prob < MIN_UNFLAGGED_TILE_PROB
        doubts.append((is_suspect, DoubtReason.UNLIKE_THE_OTHERS, JOINT_NOT_A_TILE))
        tile_prob[is_inside] = np.where(prob < MIN_UNFLAGGED_TILE_PROB, prob, 1.0)
        return SetComparison(doubts, ~_without(is_inside, is_none), tile_prob)
    stays = is_inside & is_as_large
    if is_whole and np.count_nonzero(is_peer[stays]) < MIN_PEER_TILES:
        stays = _without(stays, _are_strays(tiles.at(stays)))
    return SetComparison(doubts, ~stays, tile_prob)


def _without(stays: Bools, is_none: Bools) -> Bools:
    """Return which of N stay without those of the M that stay, `stays (N,)`, which `is_none (M,)` marks."""
    remaining = stays.copy()
    remaining[np.flatnonzero(stays)[is_none]] = False
    return remaining


def _judge_tiles(
    among: AmongTiles, is_doubtful: Bools, is_odd: Bools, asked: Ints, is_tile: IsTile, may_be_far: Bools
) -> tuple[Floats, Bools]:
    """Return how likely each of N is a tile at all, 0 to 1, and which are none, `(N,)` each; only those `asked (A,)`.

    None is what is unlikely a tile and may go: first what is doubtful, unless its label is sure (a frame without
    colours), or only the detector takes it for a tile and it is in a row, or the classifier takes it for a tile
    (`MAX_NOT_A_TILE_PROB`) beside a certain one. Second what is odd in size, however sure its label, unless it is
    surely a number and may only be far away: before a low camera far tiles are much smaller than near ones, and with
    few certain tiles there is no table plane to compare with.
    """
    tiles, prob = among.tiles, np.ones(len(among.tiles))
    prob[asked] = is_tile(among, asked)
    is_isolated = alone(tiles.quads_px, ~is_odd & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB))
    is_classified_tile = np.exp(tiles.joint_number_log_probs[:, NOT_A_TILE]) < MAX_NOT_A_TILE_PROB
    is_spared = ~tiles.is_joint_tile | (~is_isolated & is_classified_tile)
    is_surely_numbered = (
        is_classified_tile & (tiles.label != JOINT_JOKER) & (tiles.confidence >= MIN_UNCHECKED_CONFIDENCE_PROB)
    )
    may_go = is_odd & ~(may_be_far & is_surely_numbered)
    may_go |= is_doubtful & ~is_spared & (tiles.confidence < MIN_UNCHECKED_CONFIDENCE_PROB)
    is_none: Bools = may_go & (prob < np.where(is_isolated, MIN_ISOLATED_TILE_PROB, MIN_ADJACENT_TILE_PROB))
    return prob, is_none


def _are_strays(tiles: TileTable) -> Bools:
    """Return which of N are no tiles where hardly any is certain: isolated and hardly readable, or isolated jokers.

    A hardly readable one that the classifier takes for a tile (`MAX_NOT_A_TILE_PROB`) is flagged instead, except
    jokers, for which letters and keys are taken. If there are many, none is a stray: then the image is bad.
    """
    if not len(tiles):
        return np.zeros(0, bool)
    is_sure, nobody = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB, np.zeros(len(tiles), bool)
    is_joker = (tiles.label == JOINT_JOKER) & ~is_sure & alone(tiles.quads_px, ~nobody)
    is_stray = (tiles.confidence < MIN_ISOLATED_CONFIDENCE_PROB) & alone(tiles.quads_px, is_sure)
    if np.count_nonzero(is_stray | is_joker) > MAX_STRAY_TILES:
        return nobody
    none_prob = np.exp(tiles.joint_number_log_probs[:, NOT_A_TILE])
    return np.asarray(is_joker | (is_stray & (none_prob >= MAX_NOT_A_TILE_PROB)))

"""Comparison of tiles with those around them: one that differs in size, white or rims is no tile of their set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, are_among, median
from tilekeeper.vision.geometry.proximity import nearest_neighbours
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    centres_px,
    distances_px,
    lengths,
    shares_inside,
    sizes_wh_px,
)
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.scoring.tileness import (
    MAX_DOUBTFUL_SIZE_LOG,
    MAX_ROW_NEIGHBOUR_WIDTHS,
    MIN_UNCHECKED_CONFIDENCE_PROB,
    AmongTiles,
    Differences,
    IsTile,
    worth_asking,
)
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NOT_A_TILE, DoubtReason, number_and_ink

MIN_PEER_CONFIDENCE_PROB = 0.8  # tiles with at least this confidence are the references for the others
MIN_DOUBTFUL_INSIDE_SHARE = 0.65  # a doubtful tile less inside is dropped; cut-off tiles mostly look like jokers
MIN_CERTAIN_INSIDE_SHARE = 0.5  # a certain tile with a smaller share inside the frame is dropped
MIN_FEW_PEERS_SCORE = 0.55  # with few certain tiles a detection with a lower score is flagged
MIN_UPRIGHT_INSIDE_SHARE = 0.8  # a 6 or 9 less inside is flagged; the missing part would show which end is up
MIN_PEER_SCORE_SHARE = 0.7  # reference tiles have this share of the best score; digits on paper may look as sure
MIN_ISOLATED_CONFIDENCE_PROB = 0.3  # with few certain tiles isolated ones below it go, unless classified tiles
MAX_STRAY_TILES = 12  # if more strays than this would be dropped, the frame is bad and all of them stay
MIN_ISOLATED_TILE_PROB = 0.15  # a doubtful, isolated tile that is less likely a tile is dropped
MIN_ADJACENT_TILE_PROB = 0.04  # beside a certain tile a doubtful one is dropped only below this; else melds lack a tile
MIN_UNFLAGGED_TILE_PROB = 0.7  # a tile that is less likely a tile is flagged
MAX_NOT_A_TILE_PROB = 0.05  # below this a doubtful tile is kept; in a reflection or shadow tiles are not white
PEER_NEIGHBOUR_COUNT = 6  # a tile is compared with this many of its nearest certain tiles (its peers)
MIN_PEER_TILES = 3  # with fewer certain tiles only a very different size speaks against a doubtful tile
MAX_FEW_PEERS_SIZE_LOG = 1.2  # with few certain tiles a doubtful one differs by at most this (natural log): three times
MAX_CERTAIN_SIZE_LOG = 0.5  # a certain tile that differs by more may be none; measured: photos 0.24, calculators 0.5

# The labels of 6s and 9s; upside down each looks like the other.
LABELS_THAT_TURN = [label for label in range(JOINT_JOKER) if number_and_ink(label)[0] + 1 in (6, 9)]

NewDoubt = tuple[Bools, DoubtReason, int | None]
"""Which of N tiles are in doubt, `(N,)`, for what reason, and the label that they may have instead."""


@dataclass(frozen=True, slots=True, eq=False)
class SetComparison:
    """New doubts about N tiles, which are foreign to the set, and how likely each flagged one is a tile (others 1)."""

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
    """Compare N tiles with each other; stumps at the edge of the image and tiles of another set are foreign.

    A joker that the edge cuts is foreign if it is isolated, and flagged in a row; a 6 or a 9 that it cuts is flagged,
    and so is a weak detection where few tiles are certain, and a tile that was only read at the place of another one
    and has the score 0. Strays are foreign only on a whole table.
    """
    quads_px, tile_prob = tiles.quads_px, np.ones(len(tiles))
    if not len(tiles):
        return SetComparison([], np.zeros(0, bool), tile_prob)
    is_labelled_surely = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB
    scores, inside = tiles.trusted_score, shares_inside(quads_px, scene.wh)
    is_cut = (tiles.label == JOINT_JOKER) & (inside < MIN_DOUBTFUL_INSIDE_SHARE)
    is_lone_joker = is_cut & are_isolated(quads_px, is_labelled_surely & ~is_cut) if is_cut.any() else is_cut
    # a peer is also detected with nearly the best score
    is_peer = is_labelled_surely & (scores >= MIN_PEER_SCORE_SHARE * scores[is_labelled_surely].max(initial=0.0))
    is_as_large = are_as_large(quads_px, is_peer)
    min_inside = np.where(is_labelled_surely, MIN_CERTAIN_INSIDE_SHARE, MIN_DOUBTFUL_INSIDE_SHARE)
    is_inside = (inside >= min_inside) & ~is_lone_joker
    has_few_peers = bool(np.count_nonzero(is_peer) < MIN_PEER_TILES)
    is_cut_6_or_9 = (inside < MIN_UPRIGHT_INSIDE_SHARE) & are_among(tiles.label, LABELS_THAT_TURN)
    is_weak = (scores == 0) | (has_few_peers & (scores < MIN_FEW_PEERS_SCORE))
    doubts: list[NewDoubt] = [(is_cut, DoubtReason.CUT_BY_THE_EDGE, None)]
    doubts += [(is_cut_6_or_9, DoubtReason.UNSURE_END, None), (is_weak, DoubtReason.HARDLY_FOUND, None)]
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

    Two kinds of unlikely tiles are none. First doubtful ones, unless the label is sure (a frame without colours), or
    only the detector takes it for a tile, or the classifier does beside a certain one. Second those of odd size, unless
    a sure number may only be far away: for a low camera far tiles are much smaller than near ones, and few certain
    tiles show no table plane.
    """
    tiles, prob = among.tiles, np.ones(len(among.tiles))
    prob[asked] = is_tile(among, asked)
    is_isolated = are_isolated(tiles.quads_px, ~is_odd & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB))
    is_classified_tile = np.exp(tiles.joint_number_log_probs[:, NOT_A_TILE]) < MAX_NOT_A_TILE_PROB
    is_spared = ~tiles.is_joint_tile | (~is_isolated & is_classified_tile)
    is_sure = tiles.confidence >= MIN_UNCHECKED_CONFIDENCE_PROB
    is_sure_number = is_sure & is_classified_tile & (tiles.label != JOINT_JOKER)
    may_go = (is_odd & ~(may_be_far & is_sure_number)) | (is_doubtful & ~is_spared & ~is_sure)
    is_unlikely = prob < np.where(is_isolated, MIN_ISOLATED_TILE_PROB, MIN_ADJACENT_TILE_PROB)
    return prob, np.asarray(may_go & is_unlikely)


def _are_strays(tiles: TileTable) -> Bools:
    """Return which of N are no tiles, if few tiles are certain: isolated and hardly readable ones, or isolated jokers.

    A hardly readable one that the classifier takes for a tile is flagged instead, except a joker, which may be a letter
    or a key. If there are many, none is a stray: then the image is bad.
    """
    if not len(tiles):
        return np.zeros(0, bool)
    is_sure = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB
    is_joker = (tiles.label == JOINT_JOKER) & ~is_sure & are_isolated(tiles.quads_px, np.ones(len(tiles), bool))
    is_stray = (tiles.confidence < MIN_ISOLATED_CONFIDENCE_PROB) & are_isolated(tiles.quads_px, is_sure)
    if np.count_nonzero(is_stray | is_joker) > MAX_STRAY_TILES:
        return np.zeros(len(tiles), bool)
    none_prob = np.exp(tiles.joint_number_log_probs[:, NOT_A_TILE])
    return np.asarray(is_joker | (is_stray & (none_prob >= MAX_NOT_A_TILE_PROB)))


def differences_of(scene: Scene, quads_px: Floats, is_sure: Bools) -> Differences:
    """Return how quads `(N, 4, 2)` differ from the certain ones, `is_sure (N,)`, near them.

    The size is compared with the plane of the table as well; the smaller difference counts.
    """
    differences = against_peers(scene, quads_px, is_sure)
    return replace(differences, size=_sizes_on_plane(differences.size, quads_px, is_sure))


def against_peers(scene: Scene, quads_px: Floats, is_sure: Bools) -> Differences:
    """Return the median differences of quads `(N, 4, 2)` from their nearest certain ones; 0 if there are none."""
    quads_px = as_quads(quads_px)
    if not is_sure.any():
        return Differences(*np.zeros((2, len(quads_px))))
    nearest, exists = _peers(quads_px, is_sure)
    whites = scene.face_whites(quads_px)
    values = np.stack([whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    tint = np.hypot(*(values - _medians(values[:, nearest], exists)))
    return Differences(_sizes(quads_px, nearest, exists), np.where(exists.any(axis=1), tint, 0.0))


def _peers(quads_px: Floats, is_sure: Bools) -> tuple[Ints, Bools]:
    """Return the certain tiles, at least one, nearest to each quad, and which of these entries exist: `(N, K)`."""
    indices = np.arange(len(quads_px))
    return nearest_neighbours(centres_px(quads_px), indices, np.flatnonzero(is_sure), PEER_NEIGHBOUR_COUNT)


def _medians(values: Floats, exists: Bools) -> Floats:
    """Return the medians of values `(V, N, K)` over the entries that exist, `(V, N)`; over all if none exists."""
    if exists.all():  # ten times as fast
        return median(values)
    return np.asarray(np.nanmedian(np.where(exists | ~exists.any(axis=1, keepdims=True), values, np.nan), axis=2))


def _sizes(quads_px: Floats, nearest: Ints, exists: Bools) -> Floats:
    """Return `Differences.size` from the peers, `(N,)`; each peer measures in its own axes, however turned."""
    axes = axes_of(quads_px, TILE_ASPECT)
    axes[np.abs(np.linalg.det(axes)) < 1e-6] = np.eye(2)
    in_peer_widths = np.linalg.inv(axes)[nearest] @ axes[:, None]  # columns: across and down
    logs = np.log(np.maximum(lengths(in_peer_widths.swapaxes(2, 3)), 1e-6)).transpose(2, 0, 1)
    wide, high = _medians(logs, exists)
    return np.where(exists.any(axis=1), np.where(np.abs(wide) >= np.abs(high), wide, high), 0.0)


def _sizes_on_plane(sizes: Floats, quads_px: Floats, is_sure: Bools) -> Floats:
    """Return `sizes (N,)`, or the difference from the plane of the certain tiles where that is smaller."""
    plane = fit_plane(quads_px[is_sure])
    if plane is None:
        return sizes
    on_plane = plane.side_deviations(quads_px)  # the peers may be askew themselves
    return np.where(np.abs(on_plane) < np.abs(sizes), on_plane, sizes)


def as_large(sizes: Floats, is_sure: Bools) -> Bools:
    """Return which tiles are about as large as the certain ones near them, by `Differences.size`, `(N,)`.

    If these are too few, certain tiles stay.
    """
    has_peers = np.count_nonzero(is_sure) - is_sure >= MIN_PEER_TILES
    limits = np.where(is_sure, MAX_CERTAIN_SIZE_LOG, MAX_DOUBTFUL_SIZE_LOG)
    few_limits = np.where(is_sure, np.inf, MAX_FEW_PEERS_SIZE_LOG)
    return np.asarray(np.abs(sizes) <= np.where(has_peers, limits, few_limits))


def are_as_large(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return `as_large` of the sizes that `differences_of` gives, `(N,)`."""
    if not is_sure.any():
        return as_large(np.zeros(len(quads_px)), is_sure)
    quads = as_quads(quads_px)
    sizes = _sizes(quads, *_peers(quads, is_sure))
    result = as_large(sizes, is_sure)
    # The plane makes no difference larger.
    return result if result.all() else as_large(_sizes_on_plane(sizes, quads_px, is_sure), is_sure)


def are_isolated(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return which tiles have no other certain tile beside them, `(N,)`."""
    if not is_sure.any():
        return np.ones(len(quads_px), bool)
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px)[:, 0]
    distances = distances_px(middles, middles[is_sure]) / np.maximum(widths[is_sure], 1e-6)
    distances[np.flatnonzero(is_sure), np.arange(np.count_nonzero(is_sure))] = np.inf
    return np.asarray(distances.min(axis=1) > MAX_ROW_NEIGHBOUR_WIDTHS)

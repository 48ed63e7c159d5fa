"""Outlier detection: a candidate that differs in size, white or rims from the tiles around is not of their set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, are_among, median
from tilekeeper.vision.geometry.proximity import nearest_distances_widths, nearest_neighbours
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
from tilekeeper.vision.scoring.tileness import (
    MAX_DOUBTFUL_SIZE_LOG,
    MIN_ISOLATED_DISTANCE_WIDTHS,
    AmongTiles,
    Differences,
    IsTile,
)
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, NOT_A_TILE, DoubtReason, number_and_ink

MIN_UNCHECKED_CONFIDENCE_PROB = 0.99  # a tile with less confidence is checked for being a tile at all
MIN_UNCHECKED_ISOLATED_PROB = 0.9995  # an isolated tile, or a joker, with less confidence is checked for being a tile
MAX_ROW_NEIGHBOUR_WIDTHS = 1.3  # the middle of the next tile in a row is at most this far away
MIN_PEER_CONFIDENCE_PROB = 0.8  # tiles with at least this confidence are the references for the others
MIN_DOUBTFUL_INSIDE_SHARE = 0.65  # a doubtful tile with less inside the frame is dropped; it mostly looks like a joker
MIN_CERTAIN_INSIDE_SHARE = 0.5  # a certain tile with a smaller share inside the frame is dropped
MIN_FEW_PEERS_SCORE = 0.55  # with few certain tiles a detection with a lower score is flagged
MIN_UPRIGHT_INSIDE_SHARE = 0.8  # a 6 or 9 with less inside the frame is flagged; its cut part shows which end is up
MIN_PEER_SCORE_SHARE = 0.7  # reference tiles have this share of the best score; digits on paper may be as confident
MIN_ISOLATED_CONFIDENCE_PROB = 0.3  # with few certain tiles, isolated tiles with less confidence may be dropped
MAX_STRAY_TILES = 12  # if more strays than this would be dropped, the frame is bad and all of them stay
MIN_ISOLATED_TILE_PROB = 0.15  # a doubtful, isolated tile that is less likely a tile is dropped
MIN_ADJACENT_TILE_PROB = 0.04  # beside a certain tile a doubtful one that is less likely a tile is dropped
MIN_UNFLAGGED_TILE_PROB = 0.7  # a tile that is less likely a tile is flagged
MAX_NOT_A_TILE_PROB = 0.05  # a tile that is less likely "not a tile" is kept; reflections and shadows change its white
PEER_NEIGHBOUR_COUNT = 6  # a tile is compared with this many of its nearest certain tiles (its peers)
MIN_PEER_TILES = 3  # with fewer certain tiles only a very different size speaks against a doubtful tile
MAX_FEW_PEERS_SIZE_LOG = 1.2  # with few certain tiles a doubtful one differs by at most this (natural log): three times
MAX_CERTAIN_SIZE_LOG = 0.5  # a certain tile that differs by more is checked; measured: photos 0.24, calculators 0.5

# The labels of 6s and 9s; upside down each looks like the other.
LABELS_THAT_TURN = [label for label in range(JOINT_JOKER) if number_and_ink(label)[0] + 1 in (6, 9)]

NewDoubt = tuple[Bools, DoubtReason, int | None]
"""A mask `(N,)` of tiles to doubt, the reason, and the label that they may have instead, or None."""


@dataclass(frozen=True, slots=True, eq=False)
class SetComparison:
    """New doubts about N tiles, a mask `(N,)` of the tiles foreign to the set, and the probability `(N,)` to be a tile.

    `tile_prob` is below 1 only for tiles that are flagged as unlike the others.
    """

    doubts: list[NewDoubt]
    is_foreign: Bools
    tile_prob: Floats


def compare_with_set(scene: Scene, tiles: TileTable, to_compare: Bools, is_tile: IsTile | None) -> SetComparison:
    """Compare the tiles in the mask `to_compare (N,)` with the nearest visible tiles.

    If all visible tiles are to be compared, the whole table is compared at once. `is_tile` estimates how likely a
    candidate is a tile; without it, a candidate that differs in size is foreign.
    """
    visible, targets = np.flatnonzero(~tiles.covered), np.flatnonzero(to_compare)
    is_foreign, tile_prob = np.zeros(len(tiles), bool), np.ones(len(tiles))
    if not len(targets):
        return SetComparison([], is_foreign, tile_prob)
    is_whole = len(targets) == len(visible)
    if not is_whole:
        centres = tiles.quads_px.mean(axis=1)
        nearest = np.argsort(distances_px(centres[targets], centres[visible]), axis=1)[:, : PEER_NEIGHBOUR_COUNT + 1]
        visible = np.union1d(visible[nearest], targets)
    compared = compare_all(scene, tiles.at(visible), is_tile, is_whole=is_whole)
    is_target = to_compare[visible]
    is_foreign[targets], tile_prob[targets] = compared.is_foreign[is_target], compared.tile_prob[is_target]
    doubts: list[NewDoubt] = []
    for which, reason, alternative in compared.doubts:
        of_all = np.zeros(len(tiles), bool)
        of_all[targets] = which[is_target]
        doubts.append((of_all, reason, alternative))
    return SetComparison(doubts, is_foreign, tile_prob)


def compare_all(
    scene: Scene, tiles: TileTable, is_tile: IsTile | None = None, *, is_whole: bool = True
) -> SetComparison:
    """Compare N tiles with each other: tiles of another set, and tiles mostly outside the image, are foreign.

    A joker that the image's edge cuts is foreign if it is isolated, else flagged. Also flagged are a 6 or 9 that the
    edge cuts, a weak detection if few tiles are certain, and a tile with score 0. `is_whole`: whether the tiles are the
    whole table; if few of these are certain, strays are foreign, too.
    """
    quads_px, tile_prob = tiles.quads_px, np.ones(len(tiles))
    if not len(tiles):
        return SetComparison([], np.zeros(0, bool), tile_prob)
    is_labelled_surely = tiles.confidence >= MIN_PEER_CONFIDENCE_PROB
    scores, inside = tiles.trusted_score, shares_inside(quads_px, scene.wh)
    is_cut = (tiles.label == JOINT_JOKER) & (inside < MIN_DOUBTFUL_INSIDE_SHARE)
    is_lone_joker = is_cut & are_isolated(quads_px, is_labelled_surely & ~is_cut) if is_cut.any() else is_cut
    # A reference tile (peer) must also have nearly the best score of the detector.
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
        to_judge = np.flatnonzero(need_tile_check(part, is_doubtful[is_inside], peers) | odd)
        if not len(to_judge):
            return SetComparison(doubts, ~is_inside, tile_prob)
        differences = differences_of(scene, quads_px, is_peer).at(is_inside)
        among = AmongTiles(scene.image_bgr, part, peers, differences)
        may_be_far = has_few_peers & ~was_doubtful[is_inside] & (differences.size < 0)
        prob, is_none = _judge_tiles(among, is_doubtful[is_inside], odd, to_judge, is_tile, may_be_far)
        is_suspect = np.zeros(len(tiles), bool)
        is_suspect[is_inside] = prob < MIN_UNFLAGGED_TILE_PROB
        doubts.append((is_suspect, DoubtReason.UNLIKE_THE_OTHERS, JOINT_NOT_A_TILE))
        tile_prob[is_inside] = np.where(prob < MIN_UNFLAGGED_TILE_PROB, prob, 1.0)
        return SetComparison(doubts, ~_without(is_inside, is_none), tile_prob)
    stays = is_inside & is_as_large
    if is_whole and np.count_nonzero(is_peer[stays]) < MIN_PEER_TILES:
        stays = _without(stays, _are_strays(tiles.at(stays)))
    return SetComparison(doubts, ~stays, tile_prob)


def need_tile_check(tiles: TileTable, is_doubtful: Bools, is_sure: Bools) -> Bools:
    """Return a mask `(N,)` of the candidates to check for being a tile; `is_sure (N,)` marks the certain tiles.

    These are doubtful candidates, candidates of low confidence, and isolated tiles or jokers of a bit more confidence.
    """
    may_be_none = is_doubtful | (tiles.confidence < MIN_UNCHECKED_CONFIDENCE_PROB)
    rest = np.flatnonzero(~may_be_none & (tiles.confidence < MIN_UNCHECKED_ISOLATED_PROB))
    if len(rest):
        # Only certain neighbours count, because keys and days of a calendar are in rows, too.
        distances = nearest_distances_widths(tiles.quads_px, rest, is_sure)
        is_lone_joker = (tiles.label[rest] == JOINT_JOKER) & (distances > MAX_ROW_NEIGHBOUR_WIDTHS)
        may_be_none[rest] = (distances > MIN_ISOLATED_DISTANCE_WIDTHS) | is_lone_joker
    return may_be_none


def _without(stays: Bools, is_none: Bools) -> Bools:
    """Return the mask `stays (N,)`, false also where `is_none (M,)` marks one of its M true entries."""
    remaining = stays.copy()
    remaining[np.flatnonzero(stays)[is_none]] = False
    return remaining


def _judge_tiles(
    among: AmongTiles, is_doubtful: Bools, is_odd: Bools, to_judge: Ints, is_tile: IsTile, may_be_far: Bools
) -> tuple[Floats, Bools]:
    """Return each candidate's probability `(N,)` to be a tile, 1 unless in `to_judge (A,)`, and a mask `(N,)` to drop.

    Two kinds of unlikely tiles are dropped. First, candidates of odd size, except numbers with a certain label that
    `may_be_far (N,)`: for a low camera far tiles are much smaller, and few certain tiles show no table plane. Second,
    doubtful candidates, with three exceptions: the label is certain (a frame without colours); only the detector takes
    it for a tile; or it is beside a certain tile and the classifier takes it for a tile.
    """
    tiles, prob = among.tiles, np.ones(len(among.tiles))
    prob[to_judge] = is_tile(among, to_judge)
    is_isolated = are_isolated(tiles.quads_px, ~is_odd & (tiles.confidence >= MIN_PEER_CONFIDENCE_PROB))
    is_classified_tile = np.exp(tiles.joint_number_log_probs[:, NOT_A_TILE]) < MAX_NOT_A_TILE_PROB
    is_spared = ~tiles.is_joint_tile | (~is_isolated & is_classified_tile)
    is_sure = tiles.confidence >= MIN_UNCHECKED_CONFIDENCE_PROB
    is_sure_number = is_sure & is_classified_tile & (tiles.label != JOINT_JOKER)
    may_go = (is_odd & ~(may_be_far & is_sure_number)) | (is_doubtful & ~is_spared & ~is_sure)
    is_unlikely = prob < np.where(is_isolated, MIN_ISOLATED_TILE_PROB, MIN_ADJACENT_TILE_PROB)
    return prob, np.asarray(may_go & is_unlikely)


def _are_strays(tiles: TileTable) -> Bools:
    """Return a mask `(N,)` of likely false detections (strays) on a table with few certain tiles.

    Two kinds count. First, uncertain jokers with no tile beside them, since these may be letters or keys. Second, tiles
    of very low confidence with no certain tile beside them, unless the classifier hardly doubts that they are tiles. If
    more than `MAX_STRAY_TILES` are suspected, the image is bad and the mask is all False.
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
    """Return how quads `(N, 4, 2)` differ from the certain tiles near them; `is_sure (N,)`: mask of certain tiles.

    The size is compared with the table plane as well; the smaller difference counts.
    """
    differences = against_peers(scene, quads_px, is_sure)
    return replace(differences, size=_sizes_on_plane(differences.size, quads_px, is_sure))


def against_peers(scene: Scene, quads_px: Floats, is_sure: Bools) -> Differences:
    """Return how quads `(N, 4, 2)` differ from the median of the nearest certain tiles; 0 if no tile is certain."""
    quads_px = as_quads(quads_px)
    if not is_sure.any():
        return Differences(*np.zeros((2, len(quads_px))))
    nearest, exists = _peers(quads_px, is_sure)
    whites = scene.face_whites(quads_px)
    values = np.stack([whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    tint = np.hypot(*(values - _medians(values[:, nearest], exists)))
    return Differences(_sizes(quads_px, nearest, exists), np.where(exists.any(axis=1), tint, 0.0))


def _peers(quads_px: Floats, is_sure: Bools) -> tuple[Ints, Bools]:
    """Return the certain tiles nearest to each quad, `(N, K)`, and a mask `(N, K)` of the entries that exist."""
    indices = np.arange(len(quads_px))
    return nearest_neighbours(centres_px(quads_px), indices, np.flatnonzero(is_sure), PEER_NEIGHBOUR_COUNT)


def _medians(values: Floats, exists: Bools) -> Floats:
    """Return the medians `(V, N)` of values `(V, N, K)` over the entries that exist; over all if none exists."""
    if exists.all():  # ten times as fast
        return median(values)
    return np.asarray(np.nanmedian(np.where(exists | ~exists.any(axis=1, keepdims=True), values, np.nan), axis=2))


def _sizes(quads_px: Floats, nearest: Ints, exists: Bools) -> Floats:
    """Return each quad's difference in size from its peers, `Differences.size (N,)`, along the axes of each peer."""
    axes = axes_of(quads_px, TILE_ASPECT)
    axes[np.abs(np.linalg.det(axes)) < 1e-6] = np.eye(2)
    in_peer_widths = np.linalg.inv(axes)[nearest] @ axes[:, None]  # columns: across and down
    logs = np.log(np.maximum(lengths(in_peer_widths.swapaxes(2, 3)), 1e-6)).transpose(2, 0, 1)
    wide, high = _medians(logs, exists)
    return np.where(exists.any(axis=1), np.where(np.abs(wide) >= np.abs(high), wide, high), 0.0)


def _sizes_on_plane(sizes: Floats, quads_px: Floats, is_sure: Bools) -> Floats:
    """Return `sizes (N,)`, each replaced by its difference from the table plane if that is smaller."""
    plane = fit_plane(quads_px[is_sure])
    if plane is None:
        return sizes
    on_plane = plane.side_deviations(quads_px)  # the peers may be askew themselves
    return np.where(np.abs(on_plane) < np.abs(sizes), on_plane, sizes)


def as_large(sizes: Floats, is_sure: Bools) -> Bools:
    """Return a mask `(N,)` of the tiles about as large as the certain tiles near them; `sizes`: `Differences.size`.

    If few other tiles are certain, the limit is wider, and certain tiles always pass.
    """
    has_peers = np.count_nonzero(is_sure) - is_sure >= MIN_PEER_TILES
    limits = np.where(is_sure, MAX_CERTAIN_SIZE_LOG, MAX_DOUBTFUL_SIZE_LOG)
    few_limits = np.where(is_sure, np.inf, MAX_FEW_PEERS_SIZE_LOG)
    return np.asarray(np.abs(sizes) <= np.where(has_peers, limits, few_limits))


def are_as_large(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return a mask `(N,)` of the quads about as large as the certain tiles near them, as `as_large` decides."""
    if not is_sure.any():
        return as_large(np.zeros(len(quads_px)), is_sure)
    quads = as_quads(quads_px)
    sizes = _sizes(quads, *_peers(quads, is_sure))
    result = as_large(sizes, is_sure)
    # The plane makes no difference larger.
    return result if result.all() else as_large(_sizes_on_plane(sizes, quads_px, is_sure), is_sure)


def are_isolated(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return a mask `(N,)` of the tiles that have no other certain tile beside them."""
    if not is_sure.any():
        return np.ones(len(quads_px), bool)
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px)[:, 0]
    distances = distances_px(middles, middles[is_sure]) / np.maximum(widths[is_sure], 1e-6)
    distances[np.flatnonzero(is_sure), np.arange(np.count_nonzero(is_sure))] = np.inf
    return np.asarray(distances.min(axis=1) > MAX_ROW_NEIGHBOUR_WIDTHS)

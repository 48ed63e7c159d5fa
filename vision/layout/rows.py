"""Row grouping: join adjacent tiles to chains and split the chains at wide gaps, from the tiles' corners alone.

Each tile is compared in its neighbour's own frame, which removes perspective. Two tiles are neighbours if a long side
of one is next to a long side of the other, about as long and about parallel. Each side is joined to at most one
neighbour; the joint that fits best is taken first.

The gap of a joint is measured relative to the usual gap at its place. Camera angle, lens and rounded edges change the
quads of neighbouring tiles alike, and most tiles touch the next one.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from tilekeeper.vision.arrays import Columns, Floats, Ints, median
from tilekeeper.vision.geometry.quads import TILE_ASPECT, as_quads, centres_px, distances_px, homographies, lengths
from tilekeeper.vision.types import AlternativeGrouping, Rows

MAX_TOUCHING_GAP_WIDTHS = 0.18  # a gap up to this never splits a row; measured: at most 0.07 inside a row on the photos
MAX_LOOSE_GAP_WIDTHS = 0.24  # a gap up to this splits off no part shorter than a meld; nobody lays one on purpose
MIN_MELD_TILES = 3  # the shortest meld that a player lays on purpose has this many tiles
GAP_SOFTNESS_WIDTHS = 0.015  # at this distance from the gap limit the other grouping has a probability of about 1/4
JOINT_MISFIT_SOFTNESS = 0.12  # at this difference in misfit the other neighbour has a probability of about a quarter
MIN_ALTERNATIVE_PROB = 0.2  # a grouping with a lower probability is not offered as an alternative
LOOSE_ROW_GAP_RATIO = 2.5  # a gap up to this times the row's own gap, plus the margin, does not split a loose row
LOOSE_ROW_GAP_MARGIN_WIDTHS = 0.05  # this margin is added to the gap limit of a loosely laid row
MAX_GAP_BIAS_WIDTHS = 0.25  # all quads of a region may be too wide or too narrow by at most this
MAX_FITTED_GAP_WIDTHS = 0.35  # only narrower gaps enter the fit of the usual gap; wider ones separate tiles
MAX_JOINT_OVERLAP_WIDTHS = 0.35  # the adjacent sides of two neighbours overlap by less than this
MAX_JOINT_GAP_WIDTHS = 0.5  # the adjacent sides of two neighbours are less than this apart
MAX_JOINT_TILT_SINE = 0.42  # the adjacent sides of two neighbours differ in direction by an angle with a smaller sine
MIN_JOINT_CONTACT_SHARE = 0.45  # adjacent sides share more of their height: staggered tiles join, corners do not
MIN_JOINT_HORIZON_DEPTH_RATIO = 0.2  # corners at a lower depth, in the tile's own, are ignored: too near its horizon
NEIGHBOUR_SIDE_RANGE_HEIGHTS = (0.45, 2.2)  # range of a neighbour's side; the edge cuts tiles, near ones appear larger
NEIGHBOUR_WIDTH_RANGE_WIDTHS = (0.15, 3.0)  # range of a neighbour's width; the edge cuts tiles, near ones appear larger
MIN_FITTED_GAP_COUNT = 4  # fewer gaps do not show the usual gap, so it counts as 0
GAP_CAUCHY_SCALE_WIDTHS = 0.1  # a gap with this residual has half its weight in the next round of the fit
GAP_FIT_ROUNDS = 6  # the usual gap is fitted this many times, each time with new weights
GAP_RIDGE_PENALTY = 2.0  # this many gaps must agree before the usual gap varies with place or direction

CORNERS_OF_SIDE = ((0, 3), (1, 2))  # top and bottom corner of the left and the right side of a quad

OpenGaps = dict[frozenset[int], float]
"""Probability of the other decision at an ambiguous gap, by the two tiles beside it."""


@dataclass(frozen=True, slots=True)
class Joints(Columns):
    """K joints, each a pair of adjacent sides of two tiles.

    `sides`: `(K, 2)`, where a side is twice the index of its tile, plus one if it is the right side; `gaps`: `(K,)` in
    tile widths; `askew`: misalignment `(K,)`, 0 is a perfect fit.
    """

    sides: Ints
    gaps: Floats
    askew: Floats

    @classmethod
    def empty(cls) -> Joints:
        return cls(np.zeros((0, 2), int), np.zeros(0), np.zeros(0))

    @property
    def tiles(self) -> Ints:
        """The two tiles of each joint, `(K, 2)`."""
        return self.sides >> 1

    @property
    def misfits(self) -> Floats:
        """How badly the two sides of each joint fit, `(K,)`, by misalignment and gap; 0 is a perfect fit."""
        return np.asarray(self.askew + 2 * np.abs(self.gaps))


def group_rows(quads_px: np.ndarray) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, each in reading order; a lone tile is a row of one.

    A row is read as most of its tiles stand; in a tie, from left to right in the image. Rows are ordered by their
    topmost tile, from top to bottom, then from left to right. Raises `ValueError` for other shapes.
    """
    quads = as_quads(quads_px)
    joints = subtract_usual_gaps(find_joints(quads), quads)
    return _rows(quads, joints.at(select_joints(joints)))


def group_with_alternatives(quads_px: np.ndarray) -> tuple[Rows, tuple[AlternativeGrouping, ...]]:
    """Return the rows of `group_rows`, and other likely groupings, most likely first.

    An alternative comes from a gap near the limit, or from a tile that could belong to either of two rows. It holds
    only the rows that differ; its probability is from `MIN_ALTERNATIVE_PROB` to 0.5.
    """
    return _group_cached(as_quads(quads_px).tobytes())


@functools.lru_cache(maxsize=8)
def _group_cached(quads_px: bytes) -> tuple[Rows, tuple[AlternativeGrouping, ...]]:
    """Group the bytes of float64 quads; cached because a table often stays the same over many frames."""
    quads = np.frombuffer(quads_px).reshape(-1, 4, 2)
    joints = subtract_usual_gaps(find_joints(quads), quads)
    selected = select_joints(joints)
    kept = joints.at(selected)
    open_gaps: OpenGaps = {}
    rows = _rows(quads, kept, open_gaps=open_gaps)
    candidates = [(weight, _rows(quads, kept, flipped_gap=tile_pair)) for tile_pair, weight in open_gaps.items()]
    for index, weight in _contested_joints(joints, selected):
        without_joint = joints.at(np.arange(len(joints.gaps)) != index)
        candidates.append((weight, _rows(quads, without_joint.at(select_joints(without_joint)))))
    alternatives: dict[frozenset[tuple[int, ...]], AlternativeGrouping] = {}
    for weight, other_rows in sorted(candidates, key=lambda weighed: -weighed[0]):
        changed = tuple(row for row in other_rows if row not in rows)
        if changed:
            alternatives.setdefault(frozenset(changed), AlternativeGrouping(changed, weight))
    return rows, tuple(alternatives.values())


def _contested_joints(joints: Joints, selected: np.ndarray) -> list[tuple[int, float]]:
    """Return the selected joints that have a rival nearly as good, and the probability of the rival.

    A rival is a joint of other tiles that would need one of the same sides.
    """
    is_contested = np.bincount(joints.sides.ravel())[joints.sides[selected]].max(axis=1, initial=0) > 1
    misfits, tiles, result = joints.misfits, np.sort(joints.tiles, axis=1), []
    for index in selected[is_contested].tolist():
        is_rival = np.isin(joints.sides, joints.sides[index]).any(axis=1) & (tiles != tiles[index]).any(axis=1)
        weight = _other_probability((misfits[is_rival].min(initial=math.inf) - misfits[index]) / JOINT_MISFIT_SOFTNESS)
        if weight >= MIN_ALTERNATIVE_PROB:
            result.append((index, weight))
    return result


def _other_probability(distance: float) -> float:
    """Return the probability, 0 to 0.5, of the worse of two decisions: logistic in `distance`, how much worse it is."""
    return 1 / (1 + math.exp(min(max(distance, 0.0), 50.0)))


def _rows(
    quads: np.ndarray, joints: Joints, flipped_gap: frozenset[int] = frozenset(), open_gaps: OpenGaps | None = None
) -> Rows:
    """Return the rows that the joints make; `flipped_gap` and `open_gaps` are passed on to `_split`."""
    chains = _chains(len(quads), joints)
    rows = [part for chain in chains for part in _split(chain, flipped_gap, open_gaps)]
    middles = centres_px(quads).tolist()
    directed = [_in_reading_order(row, middles) for row in rows]
    return tuple(sorted(directed, key=lambda row: tuple(min(middles[tile][k] for tile in row) for k in (1, 0))))


@dataclass(frozen=True, slots=True)
class _Chain:
    """Joined tiles in order, whether the order enters each tile at its left side, and the gaps between them."""

    tiles: tuple[int, ...]
    rightward: tuple[bool, ...]
    gaps: tuple[float, ...]


def _chains(count: int, joints: Joints) -> list[_Chain]:
    """Return the chains that the joints make of `count` tiles."""
    opposite_sides: dict[int, tuple[int, float]] = {}
    for (first, second), gap in zip(joints.sides.tolist(), joints.gaps.tolist(), strict=True):
        opposite_sides[first], opposite_sides[second] = (second, gap), (first, gap)
    chains, visited = [], set[int]()
    for start in range(count):
        free_sides = [side for side in (2 * start, 2 * start + 1) if side not in opposite_sides]
        if start in visited or not free_sides:
            continue
        entry_sides, gaps = [free_sides[0]], []
        while (step := opposite_sides.get(entry_sides[-1] ^ 1)) is not None:
            entry_sides.append(step[0])
            gaps.append(step[1])
        tiles = tuple(side >> 1 for side in entry_sides)
        visited.update(tiles)
        chains.append(_Chain(tiles, tuple(side % 2 == 0 for side in entry_sides), tuple(gaps)))
    return chains


def _split(chain: _Chain, flipped_gap: frozenset[int], open_gaps: OpenGaps | None) -> list[_Chain]:
    """Split the chain at its widest gap, recursively, while that gap is above the limit.

    Ambiguous gaps are added to `open_gaps`; at the gap between the tiles `flipped_gap` the decision is reversed.
    """
    if not chain.gaps:
        return [chain]
    widest = max(chain.gaps)
    position = chain.gaps.index(widest)
    other_gaps = chain.gaps[:position] + chain.gaps[position + 1 :]
    shortest = min(position + 1, len(chain.tiles) - position - 1)
    limit = MAX_TOUCHING_GAP_WIDTHS if shortest >= MIN_MELD_TILES else MAX_LOOSE_GAP_WIDTHS
    if len(other_gaps) >= 2:
        # In a loosely laid row a gap of the same size does not split.
        limit = max(limit, LOOSE_ROW_GAP_RATIO * median_low(other_gaps) + LOOSE_ROW_GAP_MARGIN_WIDTHS)
    tile_pair = frozenset(chain.tiles[position : position + 2])
    weight = _other_probability(abs(widest - limit) / GAP_SOFTNESS_WIDTHS)
    if open_gaps is not None and weight >= MIN_ALTERNATIVE_PROB:
        open_gaps[tile_pair] = weight
    if (widest <= limit) is not (tile_pair == flipped_gap):
        return [chain]
    head = _Chain(chain.tiles[: position + 1], chain.rightward[: position + 1], chain.gaps[:position])
    tail = _Chain(chain.tiles[position + 1 :], chain.rightward[position + 1 :], chain.gaps[position + 1 :])
    return _split(head, flipped_gap, open_gaps) + _split(tail, flipped_gap, open_gaps)


def _in_reading_order(chain: _Chain, middles: list[list[float]]) -> tuple[int, ...]:
    """Return the tiles from left to right; the direction in which most tiles stand decides, in a tie the image."""
    balance: float = sum(1 if rightward else -1 for rightward in chain.rightward)
    if balance == 0:
        run = [last - first for first, last in zip(middles[chain.tiles[0]], middles[chain.tiles[-1]], strict=True)]
        # Rightwards in the image; a vertical row is read from its top.
        balance = run[0] if abs(run[0]) > 1e-3 * abs(run[1]) else run[1]
    return chain.tiles if balance > 0 else chain.tiles[::-1]


def find_joints(quads_px: Floats) -> Joints:
    """Return a joint for each pair of long sides of quads `(N, 4, 2)` that both tiles see as adjacent.

    The gaps are as measured, so joints whose gap is too wide by up to `MAX_GAP_BIAS_WIDTHS` are included.
    """
    firsts, seconds = _near_pairs(quads_px)
    if not len(firsts):
        return Joints.empty()
    # Each pair is measured in the frames of both tiles.
    tiles, pairs = np.unique(np.stack([firsts, seconds]), return_inverse=True)
    pairs = pairs.reshape(2, -1)
    corners = _corners_in_frames(quads_px[tiles], *np.concatenate([pairs, pairs[::-1]], axis=1))
    # In the frames of the second tiles own and other side are swapped.
    gaps, askew = (fit[: len(firsts)] + fit[len(firsts) :].swapaxes(1, 2) for fit in _measure_joints(corners))
    pair, side, other_side = finite = np.nonzero(np.isfinite(askew))
    sides = np.stack([2 * firsts[pair] + side, 2 * seconds[pair] + other_side], axis=1)
    return Joints(sides, gaps[finite] / 2, askew[finite])


def subtract_usual_gaps(joints: Joints, quads_px: Floats) -> Joints:
    """Return the joints with gaps relative to the usual gap at their place, without those whose gap is too wide."""
    middles = centres_px(quads_px)[joints.tiles]
    likely = select_joints(joints)
    likely = likely[joints.gaps[likely] < MAX_FITTED_GAP_WIDTHS]
    usual = fit_usual_gaps(middles[likely], joints.gaps[likely], middles)
    gaps = joints.gaps - np.clip(usual, -MAX_GAP_BIAS_WIDTHS, MAX_GAP_BIAS_WIDTHS)
    near = (gaps > -MAX_JOINT_OVERLAP_WIDTHS) & (gaps < MAX_JOINT_GAP_WIDTHS)
    return Joints(joints.sides[near], gaps[near], joints.askew[near])


def fit_usual_gaps(fitted_px: Floats, gaps: Floats, middles_px: Floats) -> Floats:
    """Return the usual gap `(M,)`, in tile widths, between touching tiles at M places; 0 if there are too few gaps.

    Iteratively reweighted least squares with a ridge penalty, so that the result is constant unless the gaps show
    otherwise. `fitted_px`: centres `(K, 2, 2)` of pairs of tiles that probably touch; `gaps`: their gaps `(K,)` in
    tile widths; `middles_px`: centres `(M, 2, 2)` of the pairs of tiles whose usual gap is returned.
    """
    if len(gaps) < MIN_FITTED_GAP_COUNT:
        return np.zeros(len(middles_px))
    fitted_middles = fitted_px.mean(axis=1)
    origin, scale = fitted_middles.mean(axis=0), max(float(np.ptp(fitted_middles, axis=0).max()) / 2, 1.0)
    design = _gap_design(fitted_px, origin, scale)
    ridge = np.diag([1e-6, *(GAP_RIDGE_PENALTY,) * (design.shape[1] - 1)])
    residuals: Floats = gaps - median(gaps)
    for _ in range(GAP_FIT_ROUNDS):
        weighted_design = design.T / (1 + (residuals / GAP_CAUCHY_SCALE_WIDTHS) ** 2)
        coefficients = np.linalg.solve(weighted_design @ design + ridge, weighted_design @ gaps)
        residuals = gaps - design @ coefficients
    return np.asarray(_gap_design(middles_px, origin, scale) @ coefficients)


def _gap_design(middles_px: Floats, origin_px: Floats, scale_px: float) -> Floats:
    """Return the design matrix `(K, 5)`: constant, x, y, and two terms of the row's direction.

    The direction matters because perspective shortens one direction.
    """
    x, y = ((middles_px.mean(axis=1) - origin_px) / scale_px).T
    along_x, along_y = (middles_px[:, 1] - middles_px[:, 0]).T
    square = np.maximum(along_x**2 + along_y**2, 1e-9)
    runs = (along_x**2 - along_y**2) / square, 2 * along_x * along_y / square  # equal for both directions of the row
    return np.stack([np.ones(len(x)), x, y, *runs], axis=1)


def select_joints(joints: Joints) -> Ints:
    """Greedy matching: return the indices `(H,)` of the joints to keep, best first; one per side, without cycles."""
    used_sides: set[int] = set()
    opposite_ends: dict[int, int] = {}  # from each end tile of a chain to its other end
    selected = []
    order = np.lexsort((joints.sides[:, 1], joints.sides[:, 0], joints.misfits))
    for index, (side, other_side) in zip(order.tolist(), joints.sides[order].tolist(), strict=True):
        if side in used_sides or other_side in used_sides:
            continue
        head, tail = opposite_ends.get(side >> 1, side >> 1), opposite_ends.get(other_side >> 1, other_side >> 1)
        if head == other_side >> 1:
            continue
        used_sides |= {side, other_side}
        opposite_ends[head], opposite_ends[tail] = tail, head
        selected.append(index)
    return np.array(selected, int)


def _near_pairs(quads: Floats) -> tuple[Ints, Ints]:
    """Return the pairs of tiles near enough to touch in any direction, as two arrays `(P,)`, first index lower."""
    middles = centres_px(quads)
    reach = lengths(quads - middles[:, None]).max(axis=1)
    distances = distances_px(middles, middles)
    near = distances < 1.3 * (reach[:, None] + reach[None])
    firsts, seconds = np.nonzero(np.triu(near, k=1))
    return firsts, seconds


def _corners_in_frames(quads: Floats, firsts: Floats, seconds: Floats) -> Floats:
    """Return the corners `(P, 4, 2)` of tiles `seconds` in the frames of tiles `firsts`; NaN near a frame's horizon."""
    frames = homographies(quads)
    points = np.concatenate([quads, np.ones((*quads.shape[:2], 1))], axis=2)
    own_depth = (points @ frames[:, 2, :, None]).mean(axis=(1, 2))[firsts, None]
    projected = points[seconds] @ frames[firsts].swapaxes(1, 2)
    # Far from its tile, the frame of a small quad is inaccurate.
    depth = np.where(projected[..., 2] / own_depth > MIN_JOINT_HORIZON_DEPTH_RATIO, projected[..., 2], np.nan)
    return np.asarray(projected[..., :2] / depth[..., None])


def _measure_joints(corners: Floats) -> tuple[Floats, Floats]:
    """Measure P tiles with `corners (P, 4, 2)` in the frame of another; return gaps and misalignments `(P, 2, 2)`.

    The axes of the result are the side of the frame's tile, then the side of the tile with the corners. The
    misalignment is infinite if these are not adjacent. The limits of width and length are wide, because a tile that the
    edge of the image cuts has the quad of its visible part.
    """
    sides = corners[:, CORNERS_OF_SIDE, :]
    near_x = (sides[:, :, 0, 0] + sides[:, :, 1, 0]) / 2
    width = near_x[:, ::-1] - near_x
    # at the own left side, and at the own right side
    gap, width = np.stack([-near_x, near_x - 1], axis=1), np.stack([-width, width], axis=1)
    x, y = np.moveaxis(sides[:, :, 1] - sides[:, :, 0], -1, 0)
    length = np.maximum(np.hypot(x, y), 1e-6)
    tilt = np.abs(x) / length
    ends = sides[:, :, 0, 1], sides[:, :, 1, 1]
    top, bottom = np.minimum(*ends), np.maximum(*ends)
    overlap = (np.minimum(bottom, TILE_ASPECT) - np.maximum(top, 0)) / np.minimum(length, TILE_ASPECT)
    is_aligned = (tilt < MAX_JOINT_TILT_SINE) & (overlap > MIN_JOINT_CONTACT_SHARE)
    shortest, longest = NEIGHBOUR_SIDE_RANGE_HEIGHTS
    is_aligned &= (length > shortest * TILE_ASPECT) & (length < longest * TILE_ASPECT)
    narrowest, widest = NEIGHBOUR_WIDTH_RANGE_WIDTHS
    is_near = (width > narrowest) & (width < widest)
    is_near &= gap > -MAX_JOINT_OVERLAP_WIDTHS - MAX_GAP_BIAS_WIDTHS
    is_near &= gap < MAX_JOINT_GAP_WIDTHS + MAX_GAP_BIAS_WIDTHS
    askew = tilt + (1 - overlap) + 0.5 * np.abs(np.log(length / TILE_ASPECT))
    return gap, np.where(is_near & is_aligned[:, None], askew[:, None], np.inf)

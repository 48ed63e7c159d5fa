"""Row grouping: join adjacent tiles to chains and split the chains at wide gaps, from the tiles' corners alone."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median_low

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.geometry.quads import areas_px, as_quads, axes_px, centres_px, sizes_wh_px, turn_upside_down
from tilekeeper.vision.layout.adjacency import Joints, find_joints, select_joints, subtract_usual_gaps
from tilekeeper.vision.types import AlternativeGrouping, Doubt, DoubtReason, ReadTile, Rows, TableReading

MAX_TOUCHING_GAP_WIDTHS = 0.18  # a gap up to this never splits a row; measured: at most 0.07 inside a row on the photos
MAX_LOOSE_GAP_WIDTHS = 0.24  # a gap up to this splits off no part shorter than a meld; nobody lays one on purpose
MIN_MELD_TILES = 3  # the shortest meld that a player lays on purpose has this many tiles
GAP_SOFTNESS_WIDTHS = 0.015  # at this distance from the gap limit the other grouping has a probability of about 1/4
JOINT_MISFIT_SOFTNESS = 0.12  # at this difference in misfit the other neighbour has a probability of about a quarter
MIN_ALTERNATIVE_PROB = 0.2  # a grouping with a lower probability is not offered as an alternative
LOOSE_ROW_GAP_RATIO = 2.5  # a gap up to this times the row's own gap, plus the margin, does not split a loose row
LOOSE_ROW_GAP_MARGIN_WIDTHS = 0.05  # this margin is added to the gap limit of a loosely laid row

OpenGaps = dict[frozenset[int], float]
"""Probability of the other decision at an ambiguous gap, by the two tiles beside it."""


def group_rows(quads_px: np.ndarray) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, each in reading order; a lone tile is a row of one.

    The direction in which most tiles of a row stand decides what is left; in a tie, the image does. Rows are ordered
    by their topmost tile, from top to bottom, then from left to right. Raises `ValueError` for other shapes.
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


MIN_RACK_ROW_DISTANCE_HEIGHTS = 0.45  # rows of a rack are further apart; the back row shows at least half of itself
MAX_RACK_OVERLAP_SHARE = 0.65  # more overlap is one tile, detected twice; tiles of two rows overlap by at most 0.55
RACK_SLOPE_RANGE_HEIGHTS = (0.3, 4.0)  # tile pairs this far apart along a rack show the slope of its rows
MAX_RACK_SLOPE_FALL_RATIO = 0.35  # pairs with a larger fall (over height or half distance) are not in one row


def read_as_rack(reading: TableReading) -> TableReading:
    """Return the reading with its tiles grouped in the rows of a rack by `rack_rows`, instead of melds.

    Of two detections of one tile only the more confident one is in a row. All tiles of a rack stand the same way up, so
    a 6 or 9 that seems upside down there is relabelled 9 or 6, and is doubtful.
    """
    quads = reading.quads_px
    areas = areas_px(quads)
    kept: list[int] = []
    for index in sorted(range(len(quads)), key=lambda index: -reading.tiles[index].confidence):
        limits = MAX_RACK_OVERLAP_SHARE * np.minimum(areas[kept], areas[index])
        shared = (cv2.intersectConvexConvex(quads[other], quads[index])[0] for other in kept)
        if all(area <= limit for area, limit in zip(shared, limits, strict=True)):
            kept.append(index)
    kept.sort()
    rows = tuple(tuple(kept[place] for place in row) for row in rack_rows(quads[kept]))
    return replace(reading, tiles=tuple(_turn_upright(reading.tiles, quads)), rows=rows)


def _turn_upright(tiles: Sequence[ReadTile], quads: Floats) -> Iterator[ReadTile]:
    """Yield the tiles of a rack; a 6 or 9 that is upside down becomes a doubtful 9 or 6."""
    is_upside_down = axes_px(quads)[0] @ _direction(quads) < 0 if len(quads) else ()
    for tile, is_turned in zip(tiles, is_upside_down, strict=True):
        ink, _, number = tile.label.partition("-")
        if not is_turned or number not in ("6", "9") or tile.sighting.locked_by_person:
            yield tile
        else:
            sighting = replace(tile.sighting, quad_px=turn_upside_down(tile.sighting.quad_px))
            doubts = (Doubt(DoubtReason.UNSURE_END, tile.label),)
            yield replace(
                tile, sighting=sighting, label=f"{ink}-{15 - int(number)}", runner_up=tile.label, doubts=doubts
            )


def rack_rows(quads_px: Floats) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, the back row first, each from left to right.

    The majority of the tiles decides which way is up, so that one tile upside down does not turn the rack.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return ()
    direction = _direction(quads)
    down = np.array([-direction[1], direction[0]])
    middles = quads.mean(axis=1)
    # Perspective tilts a line of tiles, so its slope is subtracted before the rows are split.
    height = float(np.median(np.abs(axes_px(quads)[1] @ down)))
    height = max(height, float(np.median(sizes_wh_px(quads).min(axis=1))) / 2, 1.0)
    depth, across = middles @ down, middles @ direction
    depth = depth - _slope(across, depth, height) * across
    order = np.argsort(depth, kind="stable")
    rows: list[list[int]] = [[int(order[0])]]
    for before, tile in pairwise(order):
        if depth[tile] - depth[before] > MIN_RACK_ROW_DISTANCE_HEIGHTS * height:
            rows.append([])
        rows[-1].append(int(tile))
    return tuple(tuple(sorted(row, key=lambda tile: across[tile])) for row in rows)


def _direction(quads: Floats) -> Floats:
    """Return the unit vector from left to right of most tiles; in a tie, the one that points right in the image."""
    rightward, _ = axes_px(quads)
    rightward = rightward / np.maximum(np.linalg.norm(rightward, axis=1, keepdims=True), 1e-6)
    angles = np.arctan2(rightward[:, 1], rightward[:, 0])
    # Doubled angles are equal for tiles that are upside down.
    doubled_angle = np.arctan2(np.median(np.sin(2 * angles)), np.median(np.cos(2 * angles)))
    direction = np.array([np.cos(doubled_angle / 2), np.sin(doubled_angle / 2)])
    balance = np.sign(rightward @ direction).sum()
    if balance == 0:
        balance = direction[0] if abs(direction[0]) > 1e-3 else direction[1]
    return direction if balance > 0 else -direction


def _slope(across: Floats, depth: Floats, height: float) -> float:
    """Return the slope of the rows, depth over width: the median over pairs of tiles that may be in one row."""
    gap = across[:, None] - across[None]
    fall = depth[:, None] - depth[None]
    nearest, farthest = RACK_SLOPE_RANGE_HEIGHTS
    is_level = np.abs(fall) < MAX_RACK_SLOPE_FALL_RATIO * np.maximum(height, gap * 0.5)
    is_near = (gap > nearest * height) & is_level & (gap < farthest * height)
    return float(np.median(fall[is_near] / gap[is_near])) if is_near.any() else 0.0

"""Groups tiles that lie side by side into rows, from nothing but their four corners.

Every tile is looked at in its neighbour's own frame, where perspective is undone: two tiles are neighbours where a long
side of one lies against a long side of the other, about as long and about parallel. Each side takes one neighbour, the
best first, so that rows are chains. A chain is then parted where a gap stands out, as a person parts two melds laid end
to end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

import numpy as np

from tilekeeper.vision.geometry import TILE_ASPECT, as_quads, centres_px, homographies
from tilekeeper.vision.sighting import Grouping

LEFT, RIGHT = 0, 1
GAP_SOFT, MISFIT_SOFT = 0.015, 0.12
"""So far from where it is decided, in tile widths or in misfit, the other way is about a quarter as likely."""
LEAST_WEIGHT = 0.2
"""What is less likely is no alternative."""
CORNERS_OF_SIDE = ((0, 3), (1, 2))
"""Top and bottom corner of the left and the right side of a quad."""


@dataclass(frozen=True, slots=True)
class GroupingLimits:
    """When tiles count as neighbours; lengths in tile widths, angles as sine, shares from 0 to 1.

    `overlap` to `gap`: how far the near sides may reach into each other or stand apart at all. `touching`: a gap up to
    this never parts a row, on the photos the widest inside a row is 0.10. `loose`: a gap up to this does not part off
    fewer than `usual_length` tiles, for nobody lays such a meld on purpose. `tilt`: how far the sides may turn from
    parallel. `shared`: how much of their height two sides have in common, so that staggered rows hold together and
    tiles that meet corner to corner do not.
    """

    overlap: float = 0.35
    gap: float = 0.5
    touching: float = 0.18
    loose: float = 0.26
    usual_length: int = 3
    tilt: float = 0.42
    shared: float = 0.45


@dataclass(frozen=True, slots=True)
class _Joint:
    """Two sides that lie together: `(tile, side)` twice, the gap in tile widths, and how well they fit (0 is best)."""

    one: tuple[int, int]
    two: tuple[int, int]
    gap: float
    misfit: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """A gap between two tiles that could part two melds or not, and how likely the other way is."""

    between: frozenset[int]
    weight: float


def group_rows(quads_px: np.ndarray, limits: GroupingLimits | None = None) -> tuple[tuple[int, ...], ...]:
    """Return the rows as indices into `quads_px` `(N, 4, 2)`, each in reading order; a lone tile is a row of one.

    A row runs from left to right as the majority of its tiles stand upright; a tie takes the camera's reading
    direction. The rows themselves come from top to bottom, then from left to right, by their topmost tile. Raises
    `ValueError` where the quads are no quads.
    """
    quads = as_quads(quads_px)
    limits = limits or GroupingLimits()
    return _rows(quads, _pair_up(_find_joints(quads, limits)), limits)


def group_with_doubt(
    quads_px: np.ndarray, limits: GroupingLimits | None = None
) -> tuple[tuple[tuple[int, ...], ...], tuple[Grouping, ...]]:
    """Return the rows, as `group_rows` does, and what they could as well be, likeliest first.

    Each alternative holds the rows that would lie in the place of some of the others, with a weight from `LEAST_WEIGHT`
    to 0.5: a gap hardly wider or narrower than what parts two melds, or a tile that could belong to either of two.
    """
    quads = as_quads(quads_px)
    limits = limits or GroupingLimits()
    joints = _find_joints(quads, limits)
    kept = _pair_up(joints)
    asked: list[_Asked] = []
    rows = _rows(quads, kept, limits, asked=asked)
    ways = [(asked_at.weight, _rows(quads, kept, limits, turned=asked_at.between)) for asked_at in asked]
    at_side: dict[tuple[int, int], list[_Joint]] = {}
    for joint in joints:
        for side in (joint.one, joint.two):
            at_side.setdefault(side, []).append(joint)
    for joint in kept:
        # only one joint can hold at a side of a tile; another way round to the same tile is no other row
        rivals = [
            one.misfit - joint.misfit
            for side in (joint.one, joint.two)
            for one in at_side[side]
            if {one.one[0], one.two[0]} != {joint.one[0], joint.two[0]}
        ]
        weight = _weight(min(rivals, default=math.inf) / MISFIT_SOFT)
        if weight >= LEAST_WEIGHT:
            ways.append((weight, _rows(quads, _pair_up([one for one in joints if one is not joint]), limits)))
    others: dict[frozenset[tuple[int, ...]], Grouping] = {}
    for weight, way in sorted(ways, key=lambda weighed: -weighed[0]):
        changed = tuple(row for row in way if row not in rows)
        if changed:
            others.setdefault(frozenset(changed), Grouping(changed, weight))
    return rows, tuple(others.values())


def _weight(distance: float) -> float:
    """Return how likely the other way is, 0 to 0.5, of two that lie so far apart."""
    return 1 / (1 + math.exp(min(max(distance, 0.0), 50.0)))


def _rows(
    quads: np.ndarray,
    joints: list[_Joint],
    limits: GroupingLimits,
    turned: frozenset[int] = frozenset(),
    asked: list[_Asked] | None = None,
) -> tuple[tuple[int, ...], ...]:
    """Return the rows that joints make; between the two tiles `turned` the chain is parted if it was not, or not."""
    chains = _chains(len(quads), joints)
    usual_gap = median(joint.gap for joint in joints) if len(joints) >= 4 else None
    rows = [part for chain in chains for part in _part(chain, usual_gap, limits, turned, asked)]
    middles = centres_px(quads)
    directed = [_in_reading_order(row, middles) for row in rows]
    return tuple(sorted(directed, key=lambda row: tuple(middles[list(row)].min(axis=0)[::-1])))


def _find_joints(quads: np.ndarray, limits: GroupingLimits) -> list[_Joint]:
    """Return every pair of long sides that could lie against each other, as both of its tiles see it."""
    ones, twos = _near_pairs(quads)
    if not len(ones):
        return []
    flat = homographies(quads)
    seen, seen_back = _seen(flat, quads, ones, twos), _seen(flat, quads, twos, ones)
    joints = []
    for side in (LEFT, RIGHT):
        for other in (LEFT, RIGHT):
            gaps, misfits = _fit(seen, side, other, limits)
            back_gaps, back_misfits = _fit(seen_back, other, side, limits)
            for at in np.flatnonzero(np.isfinite(misfits + back_misfits)):
                gap, misfit = (gaps[at] + back_gaps[at]) / 2, misfits[at] + back_misfits[at]
                joints.append(_Joint((int(ones[at]), side), (int(twos[at]), other), float(gap), float(misfit)))
    return joints


def _near_pairs(quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs i < j, as two `(P,)` arrays, whose tiles are near enough to touch however they lie."""
    middles = centres_px(quads)
    reach = np.linalg.norm(quads - middles[:, None], axis=2).max(axis=1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    ones, twos = np.nonzero(np.triu(apart < 1.3 * (reach[:, None] + reach[None]), k=1))
    return ones, twos


def _seen(flat: np.ndarray, quads: np.ndarray, ones: np.ndarray, twos: np.ndarray) -> np.ndarray:
    """Return `(P, 4, 2)`: the corners of tiles `twos` in the frames of `ones`; NaN where they lie near its horizon."""
    points = np.concatenate([quads, np.ones((*quads.shape[:2], 1))], axis=2)
    own_depth = np.einsum("pb,pkb->pk", flat[ones, 2], points[ones]).mean(axis=1)[:, None]
    seen = np.einsum("pab,pkb->pka", flat[ones], points[twos])
    # far beyond the tile the frame of one small quad says nothing any more
    depth = np.where(seen[..., 2] / own_depth > 0.2, seen[..., 2], np.nan)
    return seen[..., :2] / depth[..., None]


def _fit(seen: np.ndarray, side: int, other: int, limits: GroupingLimits) -> tuple[np.ndarray, np.ndarray]:
    """Return `(P,)` gaps and misfits of side `other` of the tile seen at one's own `side`; infinite where none fits.

    Widths and lengths are let vary much: a tile that the edge of the picture cuts has the quad of what is left of it.
    """
    near = seen[:, CORNERS_OF_SIDE[other], :]
    far = seen[:, CORNERS_OF_SIDE[1 - other], :]
    near_x, far_x = near[..., 0].mean(axis=1), far[..., 0].mean(axis=1)
    gap = near_x - 1 if side == RIGHT else -near_x
    width = far_x - near_x if side == RIGHT else near_x - far_x
    along = near[:, 1] - near[:, 0]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-6)
    tilt = np.abs(along[:, 0]) / length
    top, bottom = near[..., 1].min(axis=1), near[..., 1].max(axis=1)
    shared = (np.minimum(bottom, TILE_ASPECT) - np.maximum(top, 0)) / np.minimum(length, TILE_ASPECT)
    fits = (gap > -limits.overlap) & (gap < limits.gap) & (tilt < limits.tilt) & (shared > limits.shared)
    fits &= (width > 0.15) & (width < 3) & (length > 0.45 * TILE_ASPECT) & (length < 2.2 * TILE_ASPECT)
    misfit = np.abs(gap) + tilt + (1 - shared) + 0.5 * np.abs(np.log(length / TILE_ASPECT))
    return np.where(fits, gap, np.inf), np.where(fits, misfit, np.inf)


def _pair_up(joints: list[_Joint]) -> list[_Joint]:
    """Return the joints that hold: the best first, one neighbour a side, and no ring."""
    taken: set[tuple[int, int]] = set()
    chain_of: dict[int, int] = {}

    def chain(tile: int) -> int:
        while chain_of.setdefault(tile, tile) != tile:
            tile = chain_of[tile]
        return tile

    kept = []
    for joint in sorted(joints, key=lambda joint: (joint.misfit, joint.one, joint.two)):
        ends = chain(joint.one[0]), chain(joint.two[0])
        if joint.one in taken or joint.two in taken or ends[0] == ends[1]:
            continue
        taken |= {joint.one, joint.two}
        chain_of[ends[0]] = ends[1]
        kept.append(joint)
    return kept


@dataclass(frozen=True, slots=True)
class _Chain:
    """Tiles from one end to the other, whether each is walked through from its left to its right, and the gaps."""

    tiles: tuple[int, ...]
    rightward: tuple[bool, ...]
    gaps: tuple[float, ...]


def _chains(count: int, joints: list[_Joint]) -> list[_Chain]:
    """Return the chains that the joints make of `count` tiles."""
    across: dict[tuple[int, int], tuple[tuple[int, int], float]] = {}
    for joint in joints:
        across[joint.one] = (joint.two, joint.gap)
        across[joint.two] = (joint.one, joint.gap)
    chains, seen = [], set()
    for start in range(count):
        free = [side for side in (LEFT, RIGHT) if (start, side) not in across]
        if start in seen or not free:
            continue
        tiles, rightward, gaps = [], [], []
        tile, enter = start, free[0]
        while True:
            seen.add(tile)
            tiles.append(tile)
            rightward.append(enter == LEFT)
            step = across.get((tile, 1 - enter))
            if step is None:
                break
            (tile, enter), gap = step
            gaps.append(gap)
        chains.append(_Chain(tuple(tiles), tuple(rightward), tuple(gaps)))
    return chains


def _part(
    chain: _Chain,
    usual_gap: float | None,
    limits: GroupingLimits,
    turned: frozenset[int] = frozenset(),
    asked: list[_Asked] | None = None,
) -> list[_Chain]:
    """Return the chain, parted at its widest gap for as long as that one stands out.

    To `asked` is added each gap at which it could as well be otherwise; at the one between the tiles `turned` it is.
    """
    if not chain.gaps:
        return [chain]
    widest = max(chain.gaps)
    at = chain.gaps.index(widest)
    others = chain.gaps[:at] + chain.gaps[at + 1 :]
    usual = median(others) if len(others) >= 2 else usual_gap
    shortest = min(at + 1, len(chain.tiles) - at - 1)
    limit = limits.touching if shortest >= limits.usual_length else limits.loose
    if usual is not None:
        # who lays every tile with a gap does not part a row by one more of the same size
        limit = max(limit, 2.5 * usual + 0.05)
    between = frozenset(chain.tiles[at : at + 2])
    weight = _weight(abs(widest - limit) / GAP_SOFT)
    if asked is not None and weight >= LEAST_WEIGHT:
        asked.append(_Asked(between, weight))
    if (widest <= limit) is not (between == turned):
        return [chain]
    head = _Chain(chain.tiles[: at + 1], chain.rightward[: at + 1], chain.gaps[:at])
    tail = _Chain(chain.tiles[at + 1 :], chain.rightward[at + 1 :], chain.gaps[at + 1 :])
    return _part(head, usual_gap, limits, turned, asked) + _part(tail, usual_gap, limits, turned, asked)


def _in_reading_order(chain: _Chain, middles: np.ndarray) -> tuple[int, ...]:
    """Return the tiles from left to right as most of them stand upright, a tie as the camera reads."""
    balance = sum(1 if rightward else -1 for rightward in chain.rightward)
    if balance == 0:
        run = middles[chain.tiles[-1]] - middles[chain.tiles[0]]
        # rightwards on the picture; a row that runs straight up or down is read from its top
        balance = run[0] if abs(run[0]) > 1e-3 * abs(run[1]) else run[1]
    return chain.tiles if balance > 0 else chain.tiles[::-1]

"""Groups tiles that lie side by side into rows, from nothing but their four corners.

Joints (`joints`) make chains of tiles. A chain is then parted where a gap stands out, as a person parts two melds laid
end to end.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from tilekeeper.vision.geometry.quads import as_quads, centres_px
from tilekeeper.vision.layout.adjacency import Joints, find_joints, less_usual, pair_up
from tilekeeper.vision.types import AlternativeGrouping, Rows

# A gap up to this, less the usual gap, never splits a row. Measured: at most 0.07 inside a row on the photos.
MAX_TOUCHING_GAP_WIDTHS = 0.18
# A gap up to this splits off no part shorter than a meld; nobody lays so short a meld on purpose.
MAX_LOOSE_GAP_WIDTHS = 0.24
# The shortest meld that a player lays on purpose has this many tiles.
MIN_MELD_TILES = 3
# At this distance from the gap limit the other grouping has a probability of about a quarter.
GAP_SOFTNESS_WIDTHS = 0.015
# At this difference in misfit a tile belongs to the other neighbour with a probability of about a quarter.
JOINT_MISFIT_SOFTNESS = 0.12
# The gap limit of a tighter row than usual is lowered by this share of the difference.
TIGHT_ROW_GAP_SHARE = 0.75
# A grouping with a lower probability is not offered as an alternative.
MIN_ALTERNATIVE_PROB = 0.2
# A gap up to this times the row's own usual gap, plus the margin, does not split a loosely laid row.
LOOSE_ROW_GAP_RATIO = 2.5
# This margin is added to the gap limit of a loosely laid row.
LOOSE_ROW_GAP_MARGIN_WIDTHS = 0.05


Open = dict[frozenset[int], float]
"""Gaps, by the two tiles between which they are, that could part two melds or not, and how likely the other way is."""


def group_rows(quads_px: np.ndarray) -> Rows:
    """Return the rows as indices into `quads_px` `(N, 4, 2)`, each in reading order; a lone tile is a row of one.

    A row runs from left to right as the majority of its tiles stand upright; a tie takes the camera's reading
    direction. The rows themselves come from top to bottom, then from left to right, by their topmost tile. Raises
    `ValueError` where the quads are no quads.
    """
    quads = as_quads(quads_px)
    joints = less_usual(find_joints(quads), quads)
    return _rows(quads, joints.at(pair_up(joints)))


def group_with_doubt(quads_px: np.ndarray) -> tuple[Rows, tuple[AlternativeGrouping, ...]]:
    """Return the rows, as `group_rows` does, and what they could as well be, likeliest first.

    Each alternative holds the rows that would lie in the place of some of the others, with a weight from `least_weight`
    to 0.5: a gap hardly wider or narrower than what parts two melds, or a tile that could belong to either of two.
    """
    return _grouped(as_quads(quads_px).tobytes())


@functools.lru_cache(maxsize=8)
def _grouped(quads_px: bytes) -> tuple[Rows, tuple[AlternativeGrouping, ...]]:
    """Group quads, as bytes of their float64: a table that lies still is grouped again and again."""
    quads = np.frombuffer(quads_px).reshape(-1, 4, 2)
    joints = less_usual(find_joints(quads), quads)
    hold = pair_up(joints)
    kept = joints.at(hold)
    asked: Open = {}
    rows = _rows(quads, kept, asked=asked)
    ways = [(weight, _rows(quads, kept, turned=between)) for between, weight in asked.items()]
    for at, weight in _rivalled(joints, hold):
        rest = joints.at(np.arange(len(joints.gaps)) != at)
        ways.append((weight, _rows(quads, rest.at(pair_up(rest)))))
    others: dict[frozenset[tuple[int, ...]], AlternativeGrouping] = {}
    for weight, way in sorted(ways, key=lambda weighed: -weighed[0]):
        changed = tuple(row for row in way if row not in rows)
        if changed:
            others.setdefault(frozenset(changed), AlternativeGrouping(changed, weight))
    return rows, tuple(others.values())


def _rivalled(joints: Joints, hold: np.ndarray) -> list[tuple[int, float]]:
    """Return which of the joints that hold could as well not, and how likely that is: another is nearly as good.

    Only one joint can hold at a side of a tile; another way round to the same tile is no other row.
    """
    contested = np.bincount(joints.sides.ravel())[joints.sides[hold]].max(axis=1, initial=0) > 1
    misfits, tiles, rivalled = joints.misfits, np.sort(joints.tiles, axis=1), []
    for at in hold[contested].tolist():
        rivals = np.isin(joints.sides, joints.sides[at]).any(axis=1) & (tiles != tiles[at]).any(axis=1)
        weight = _weight((misfits[rivals].min(initial=math.inf) - misfits[at]) / JOINT_MISFIT_SOFTNESS)
        if weight >= MIN_ALTERNATIVE_PROB:
            rivalled.append((at, weight))
    return rivalled


def _weight(distance: float) -> float:
    """Return how likely the other way is, 0 to 0.5, of two that lie so far apart."""
    return 1 / (1 + math.exp(min(max(distance, 0.0), 50.0)))


def _rows(
    quads: np.ndarray,
    joints: Joints,
    turned: frozenset[int] = frozenset(),
    asked: Open | None = None,
) -> Rows:
    """Return the rows that joints make; between the two tiles `turned` the chain is parted if it was not, or not."""
    chains = _chains(len(quads), joints)
    rows = [part for chain in chains for part in _part(chain, turned, asked)]
    middles = centres_px(quads).tolist()
    directed = [_in_reading_order(row, middles) for row in rows]
    return tuple(sorted(directed, key=lambda row: tuple(min(middles[tile][k] for tile in row) for k in (1, 0))))


@dataclass(frozen=True, slots=True)
class _Chain:
    """Tiles from one end to the other, whether each is walked through from its left to its right, and the gaps."""

    tiles: tuple[int, ...]
    rightward: tuple[bool, ...]
    gaps: tuple[float, ...]


def _chains(count: int, joints: Joints) -> list[_Chain]:
    """Return the chains that the joints make of `count` tiles."""
    across: dict[int, tuple[int, float]] = {}
    for (one, two), gap in zip(joints.sides.tolist(), joints.gaps.tolist(), strict=True):
        across[one], across[two] = (two, gap), (one, gap)
    chains, seen = [], set()
    for start in range(count):
        free = [side for side in (2 * start, 2 * start + 1) if side not in across]
        if start in seen or not free:
            continue
        tiles, rightward, gaps = [], [], []
        enter = free[0]
        while True:
            seen.add(enter >> 1)
            tiles.append(enter >> 1)
            rightward.append(enter % 2 == 0)
            step = across.get(enter ^ 1)
            if step is None:
                break
            enter, gap = step
            gaps.append(gap)
        chains.append(_Chain(tuple(tiles), tuple(rightward), tuple(gaps)))
    return chains


def _part(chain: _Chain, turned: frozenset[int], asked: Open | None) -> list[_Chain]:
    """Return the chain, parted at its widest gap for as long as that one stands out.

    To `asked` is added each gap at which it could as well be otherwise; at the one between the tiles `turned` it is.
    """
    if not chain.gaps:
        return [chain]
    widest = max(chain.gaps)
    at = chain.gaps.index(widest)
    others = chain.gaps[:at] + chain.gaps[at + 1 :]
    shortest = min(at + 1, len(chain.tiles) - at - 1)
    limit = MAX_TOUCHING_GAP_WIDTHS if shortest >= MIN_MELD_TILES else MAX_LOOSE_GAP_WIDTHS
    if len(others) >= 2:
        # who lays every tile with a gap does not part a row by one more of the same size
        # and where the others lie tighter than is usual on the table, less of a gap stands out
        own = median_low(others)
        limit = max(
            limit + TIGHT_ROW_GAP_SHARE * min(own, 0.0), LOOSE_ROW_GAP_RATIO * own + LOOSE_ROW_GAP_MARGIN_WIDTHS
        )
    between = frozenset(chain.tiles[at : at + 2])
    weight = _weight(abs(widest - limit) / GAP_SOFTNESS_WIDTHS)
    if asked is not None and weight >= MIN_ALTERNATIVE_PROB:
        asked[between] = weight
    if (widest <= limit) is not (between == turned):
        return [chain]
    head = _Chain(chain.tiles[: at + 1], chain.rightward[: at + 1], chain.gaps[:at])
    tail = _Chain(chain.tiles[at + 1 :], chain.rightward[at + 1 :], chain.gaps[at + 1 :])
    return _part(head, turned, asked) + _part(tail, turned, asked)


def _in_reading_order(chain: _Chain, middles: list[list[float]]) -> tuple[int, ...]:
    """Return the tiles from left to right as most of them stand upright, a tie as the camera reads."""
    balance: float = sum(1 if rightward else -1 for rightward in chain.rightward)
    if balance == 0:
        run = [last - first for first, last in zip(middles[chain.tiles[0]], middles[chain.tiles[-1]], strict=True)]
        # rightwards on the picture; a row that runs straight up or down is read from its top
        balance = run[0] if abs(run[0]) > 1e-3 * abs(run[1]) else run[1]
    return chain.tiles if balance > 0 else chain.tiles[::-1]

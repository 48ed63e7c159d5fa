"""Finds the joints at which tiles lie side by side, from nothing but their four corners.

Every tile is looked at in its neighbour's own frame, where perspective is undone: two tiles are neighbours where a long
side of one lies against a long side of the other, about as long and about parallel. Each side takes one neighbour, the
best first.

How wide a gap is, is told from what is usual where it lies. What a camera's angle, its lens or a set's rounded edges do
to the quads of one tile they do to those of its neighbours, evenly over the picture, and most tiles touch the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Columns, Floats, Ints
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, distances_px, homographies, lengths
from tilekeeper.vision.geometry.quantiles import median

# All quads of a region may be too wide or too narrow by at most this.
MAX_GAP_BIAS_WIDTHS = 0.25
# Only narrower gaps enter the fit of the usual gap; wider ones separate tiles that do not touch.
MAX_FITTED_GAP_WIDTHS = 0.35
# The adjacent sides of two neighbours overlap by less than this.
MAX_JOINT_OVERLAP_WIDTHS = 0.35
# The adjacent sides of two neighbours are less than this apart.
MAX_JOINT_GAP_WIDTHS = 0.5
# The adjacent sides of two neighbours differ in direction by an angle with a smaller sine.
MAX_JOINT_TILT_SINE = 0.42
# Adjacent sides share more than this of their height: staggered tiles are joined, corner-to-corner ones not.
MIN_JOINT_CONTACT_SHARE = 0.45
# Corners at a depth below this times the tile's own are ignored; one quad says little near its horizon.
MIN_JOINT_HORIZON_DEPTH_RATIO = 0.2
# A neighbour's side has a length in this range; the frame's edge cuts tiles and near ones appear larger.
NEIGHBOUR_SIDE_RANGE_HEIGHTS = (0.45, 2.2)
# A neighbour's width is in this range; the frame's edge cuts tiles and near ones appear larger.
NEIGHBOUR_WIDTH_RANGE_WIDTHS = (0.15, 3.0)
# Fewer gaps do not show the usual gap, so it counts as 0.
MIN_FITTED_GAP_COUNT = 4
# A gap with this residual has half its weight in the next round of the fit of the usual gap.
GAP_CAUCHY_SCALE_WIDTHS = 0.1
# The usual gap is fitted this many times, each time with new weights.
GAP_FIT_ROUNDS = 6
# Ridge penalty, in gaps: this many must agree before the usual gap varies with place or direction.
GAP_RIDGE_PENALTY = 2.0


CORNERS_OF_SIDE = ((0, 3), (1, 2))
"""Top and bottom corner of the left and the right side of a quad."""


@dataclass(frozen=True, slots=True)
class Joints(Columns):
    """Pairs of sides that lie together: `sides (K, 2)`, `gaps (K,)` in tile widths, `askew (K,)`, 0 where they fit.

    A side is twice the number of its tile, and one more if it is the right one.
    """

    sides: Ints
    gaps: Floats
    askew: Floats

    @classmethod
    def none(cls) -> Joints:
        """No joints."""
        return cls(np.zeros((0, 2), int), np.zeros(0), np.zeros(0))

    @property
    def tiles(self) -> Ints:
        """The two tiles of each, `(K, 2)`."""
        return self.sides >> 1

    @property
    def misfits(self) -> Floats:
        """How badly they fit in all, as both tiles see it, `(K,)`; 0 is best."""
        misfits: Floats = self.askew + 2 * np.abs(self.gaps)
        return misfits


def find_joints(quads_px: Floats) -> Joints:
    """Return every pair of long sides of quads `(N, 4, 2)` that could lie against each other, as both tiles see it.

    Gaps are as seen, wider and narrower by `gap_astray` than they may be.
    """
    ones, twos = _near_pairs(quads_px)
    if not len(ones):
        return Joints.none()
    # both ways, each tile with a frame of its own
    at, pairs = np.unique(np.stack([ones, twos]), return_inverse=True)
    pairs = pairs.reshape(2, -1)
    seen = _seen(quads_px[at], *np.concatenate([pairs, pairs[::-1]], axis=1))
    # what is the other tile's side to the one is the own side to the other
    gaps, askew = (fit[: len(ones)] + fit[len(ones) :].swapaxes(1, 2) for fit in _fit(seen))
    pair, side, other = fits = np.nonzero(np.isfinite(askew))
    sides = np.stack([2 * ones[pair] + side, 2 * twos[pair] + other], axis=1)
    return Joints(sides, gaps[fits] / 2, askew[fits])


def less_usual(joints: Joints, quads_px: Floats) -> Joints:
    """Return the joints with gaps less what is usual where they lie, those that are narrow enough then."""
    middles = centres_px(quads_px)[joints.tiles]
    likely = pair_up(joints)
    likely = likely[joints.gaps[likely] < MAX_FITTED_GAP_WIDTHS]
    usual = usual_gaps(middles[likely], joints.gaps[likely], middles)
    gaps = joints.gaps - np.clip(usual, -MAX_GAP_BIAS_WIDTHS, MAX_GAP_BIAS_WIDTHS)
    near = (gaps > -MAX_JOINT_OVERLAP_WIDTHS) & (gaps < MAX_JOINT_GAP_WIDTHS)
    return Joints(joints.sides[near], gaps[near], joints.askew[near])


def usual_gaps(likely_px: Floats, gaps: Floats, middles_px: Floats) -> Floats:
    """Return how wide a gap looks between tiles that touch, `(M,)` in tile widths, 0 where nothing tells.

    `middles_px (M, 2, 2)` are those of the two tiles of each. What is usual is fitted to `gaps (K,)` between tiles that
    likely touch, with middles `likely_px (K, 2, 2)`, by least squares in which what is far off has little say. A gap on
    a table is as wide here as there, so that the fit is flat where the gaps do not show otherwise.
    """
    if len(gaps) < MIN_FITTED_GAP_COUNT:
        return np.zeros(len(middles_px))
    places = likely_px.mean(axis=1)
    origin, scale = places.mean(axis=0), max(float(np.ptp(places, axis=0).max()) / 2, 1.0)
    design = _gap_design(likely_px, origin, scale)
    stiff = np.diag([1e-6, *(GAP_RIDGE_PENALTY,) * (design.shape[1] - 1)])
    off: Floats = gaps - median(gaps)
    for _ in range(GAP_FIT_ROUNDS):
        weighed = design.T / (1 + (off / GAP_CAUCHY_SCALE_WIDTHS) ** 2)
        coefficients = np.linalg.solve(weighed @ design + stiff, weighed @ gaps)
        off = gaps - design @ coefficients
    usual: Floats = _gap_design(middles_px, origin, scale) @ coefficients
    return usual


def _gap_design(middles_px: Floats, origin_px: Floats, scale_px: float) -> Floats:
    """`(K, 5)`: one, where the gap is in x and y, and how its row runs: a camera at an angle shortens one way only."""
    x, y = ((middles_px.mean(axis=1) - origin_px) / scale_px).T
    along_x, along_y = (middles_px[:, 1] - middles_px[:, 0]).T
    square = np.maximum(along_x**2 + along_y**2, 1e-9)
    runs = (along_x**2 - along_y**2) / square, 2 * along_x * along_y / square  # the same from either end
    return np.stack([np.ones(len(x)), x, y, *runs], axis=1)


def pair_up(joints: Joints) -> Ints:
    """Return which joints hold, `(H,)` int: the best first, one neighbour a side, and no ring."""
    taken: set[int] = set()
    other_end: dict[int, int] = {}  # of each tile at an end of a chain of several
    hold = []
    order = np.lexsort((joints.sides[:, 1], joints.sides[:, 0], joints.misfits))
    for at, (one, two) in zip(order.tolist(), joints.sides[order].tolist(), strict=True):
        if one in taken or two in taken:
            continue
        head, tail = other_end.get(one >> 1, one >> 1), other_end.get(two >> 1, two >> 1)
        if head == two >> 1:
            continue
        taken |= {one, two}
        other_end[head], other_end[tail] = tail, head
        hold.append(at)
    return np.array(hold, int)


def _near_pairs(quads: Floats) -> tuple[Ints, Ints]:
    """Return the pairs i < j, as two `(P,)` arrays, whose tiles are near enough to touch however they lie."""
    middles = centres_px(quads)
    reach = lengths(quads - middles[:, None]).max(axis=1)
    apart = distances_px(middles, middles)
    near = apart < 1.3 * (reach[:, None] + reach[None])
    ones, twos = np.nonzero(np.triu(near, k=1))
    return ones, twos


def _seen(quads: Floats, ones: Floats, twos: Floats) -> Floats:
    """Return `(P, 4, 2)`: the corners of tiles `twos` in the frames of `ones`; NaN where they lie near its horizon."""
    flat = homographies(quads)
    points = np.concatenate([quads, np.ones((*quads.shape[:2], 1))], axis=2)
    own_depth = (points @ flat[:, 2, :, None]).mean(axis=(1, 2))[ones, None]
    seen = points[twos] @ flat[ones].swapaxes(1, 2)
    # far beyond the tile the frame of one small quad says nothing any more
    depth = np.where(seen[..., 2] / own_depth > MIN_JOINT_HORIZON_DEPTH_RATIO, seen[..., 2], np.nan)
    corners: Floats = seen[..., :2] / depth[..., None]
    return corners


def _fit(seen: Floats) -> tuple[Floats, Floats]:
    """Return gaps and how askew sides lie, `(P, 2, 2)` each: by one's own side, then by that of the tile `seen`.

    How askew is infinite where none fits. Widths and lengths are let vary much: a tile that the edge of the picture
    cuts has the quad of what is left of it.
    """
    sides = seen[:, CORNERS_OF_SIDE, :]
    near_x = (sides[:, :, 0, 0] + sides[:, :, 1, 0]) / 2
    width = near_x[:, ::-1] - near_x
    # as seen at one's own left, and at one's own right
    gap, width = np.stack([-near_x, near_x - 1], axis=1), np.stack([-width, width], axis=1)
    along = sides[:, :, 1] - sides[:, :, 0]
    length = np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-6)
    tilt = np.abs(along[..., 0]) / length
    ends = sides[:, :, 0, 1], sides[:, :, 1, 1]
    top, bottom = np.minimum(*ends), np.maximum(*ends)
    shared = (np.minimum(bottom, TILE_ASPECT) - np.maximum(top, 0)) / np.minimum(length, TILE_ASPECT)
    fits = (tilt < MAX_JOINT_TILT_SINE) & (shared > MIN_JOINT_CONTACT_SHARE)
    shortest, longest = NEIGHBOUR_SIDE_RANGE_HEIGHTS
    fits &= (length > shortest * TILE_ASPECT) & (length < longest * TILE_ASPECT)
    narrowest, widest = NEIGHBOUR_WIDTH_RANGE_WIDTHS
    near = (
        (gap > -MAX_JOINT_OVERLAP_WIDTHS - MAX_GAP_BIAS_WIDTHS)
        & (gap < MAX_JOINT_GAP_WIDTHS + MAX_GAP_BIAS_WIDTHS)
        & (width > narrowest)
        & (width < widest)
    )
    askew = tilt + (1 - shared) + 0.5 * np.abs(np.log(length / TILE_ASPECT))
    return gap, np.where(near & fits[:, None], askew[:, None], np.inf)

"""Explains why a track has no match in a scene: each lost tile gets one reason.

The reasons are tried in this order; a tile gets the first that applies:

1. glare: a reflection came over the tile, and the rest of its print is unchanged. It stays, as covered.
2. covered: its place shows neither the table nor another tile, so something was put on it. It stays, as covered.
3. in the hand: a hand is over the table, so the tile may be put down again elsewhere. It is remembered until then.
4. cut by the edge: the camera was moved, and its image no longer shows the tile's place. It is dropped.
5. taken: no other reason applies. It is dropped.

Before that, a frame that is out of focus is not read (`registration.py`), and tiles under a hand or a sleeve that
reaches in over the edge are not searched for (`tracks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, are_among
from tilekeeper.vision.geometry.proximity import are_free, are_same_place, are_taken, in_boxes, points_in_boxes
from tilekeeper.vision.geometry.quads import as_quads, enlarge, grid_points, points_in_quads, shares_inside, sizes_wh_px
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.scene import Scene, State
from tilekeeper.vision.scoring.membership import MIN_CERTAIN_INSIDE_SHARE
from tilekeeper.vision.tile_table import NONE, TileTable
from tilekeeper.vision.tracking.motion_detection import MIN_PATTERN_STD_LOG, local_contrast

MIN_SAME_SCENE_SHARE = 0.5  # if fewer of the tiles stay in place, it is another scene
MIN_GLARE_LEVELS = 245  # a pixel with every channel at this level or above is saturated and shows no print
MIN_GLARE_SHARE = 0.04  # glare has come if at least this share of a tile's face is newly saturated
MAX_GLARE_DARKENING_LEVELS = 60.0  # glare darkens nothing: a channel that drops by more shows another print
MIN_GLARE_HEADROOM_LEVELS = 90.0  # only a channel this far below 255 shows which share of the gap glare filled
MAX_GLARE_IMBALANCE_SHARE = 0.35  # the shares of the gap that glare fills differ less by channel; more is another ink
MAX_GLARE_MISMATCH_SHARE = 0.01  # if light cannot cause the change of more of a face, it is another tile
MIN_GLARE_FREE_SHARE = 0.3  # if less than this share of the face is free of glare, its print is not compared
MIN_GLARE_PRINT_CORRELATION = 0.75  # of the visible print with the earlier one, if a tile under glare is the same
TABLE_SAMPLE_MARGINS_WIDTHS = (0.25, 0.7, 1.2)  # around a changed box, where the table's colour is sampled
PLACE_RING_SIZE_RATIOS = (1.25, 1.45)  # the table beside a tile is sampled along its outline enlarged by these
TILE_WITH_SHADOW_RATIO = 1.25  # a tile outline scaled by this holds the tile's sides and shadow, which are not table
TABLE_SAMPLE_POINTS_PER_SIDE = 40  # the table is sampled at this many points of each side of a box around a change
MAX_TABLE_DIFFERENCE_LOG = np.array([0.12, 0.12, 0.35])  # in log B/G, R/G, brightness; a shadow changes the last much
MIN_BARE_TABLE_SHARE = 0.7  # a lost tile is covered if less of its place looks like the table
MIN_UNOCCUPIED_SHARE = 0.5  # a lost tile is covered only if other tiles leave this free; else its row was pushed along
MAX_NEIGHBOUR_DISTANCE_WIDTHS = 1.5  # lost tiles closer than this to a covered one, between centres, are covered too
MIN_TABLE_POINTS = 20  # with fewer samples of the table a missing tile stays as it was, covered or not
FACE_US, FACE_VS = np.linspace(0.06, 0.94, 20), np.linspace(0.05, 0.95, 28)  # sample points, shares of a face's sides
PLACE_US, PLACE_VS = ((np.arange(count) + 0.5) / count * 0.8 + 0.1 for count in (7, 9))  # the same, of a lost place


class LossReason(IntEnum):
    """Why a track has no match in a scene; the reasons are explained at the top of this file."""

    GLARE = 0
    COVERED = 1
    IN_HAND = 2
    CUT_BY_EDGE = 3
    TAKEN = 4


@dataclass(frozen=True, slots=True, eq=False)
class OtherTiles:
    """The other tiles of a scene in which some tiles are lost."""

    before: TileTable  # all tiles that were visible before this scene, at their places in it
    unchanged: TileTable  # tiles that were not classified again, because nothing changed there
    found: TileTable  # matched tiles, and new tiles, whose tracks are `next_track` or higher
    next_track: int


def explain_lost_tiles(scene: Scene, lost: TileTable, others: OtherTiles) -> tuple[Ints, TileTable]:
    """Return a `LossReason` for each of the lost tiles, `(N,)`, and `others.found` without tiles under glare.

    A new detection at the place of a tile under glare is that tile, so it is left out.
    """
    reasons = np.full(len(lost), LossReason.TAKEN)
    for reason, applies in REASONS.items():
        unexplained = np.flatnonzero(reasons == LossReason.TAKEN)
        if not len(unexplained):
            break
        reasons[unexplained[applies(scene, lost.at(unexplained), others)]] = reason
        if reason is LossReason.GLARE:
            found, under_px = others.found, lost.quads_px[reasons == LossReason.GLARE]
            is_same = (found.track >= others.next_track) & are_taken(found.quads_px, under_px)
            others = replace(others, found=found.at(~is_same))
    return reasons, others.found


def _are_under_glare(scene: Scene, lost: TileTable, others: OtherTiles) -> Bools:
    """Return a mask `(N,)` of the lost tiles that are under glare.

    The visible part of a print identifies only a tile whose label is certain, and only if the image before is known.
    """
    is_certain = np.asarray((lost.locked_label != NONE) | (lost.person_label != NONE))
    if scene.before_bgr is None or not is_certain.any():
        return np.zeros(len(lost), bool)
    is_certain[is_certain] = under_glare(scene.before_bgr, scene.image_bgr, lost.quads_px[is_certain])
    return is_certain


def _are_covered(scene: Scene, lost: TileTable, others: OtherTiles) -> Bools:
    """Return a mask `(N,)` of the lost tiles on which something was put."""
    rest, visible = scene.rest, TileTable.concatenate([others.unchanged, others.found])
    in_part = rest.changed_px is not None
    if rest.shift is None and is_another_scene(others.before, visible, in_part):
        # An object that was not moved still covers the same tiles, even if all tiles beside it were replaced.
        return np.asarray(lost.covered & in_part & ~in_boxes(lost.quads_px, rest.parts_px))
    # A napkin may be detected as a non-tile, which must not count as a new tile in place of those under it.
    visible_px = visible.quads_px[visible.is_tile & ~visible.covered]
    return covered(scene, lost.quads_px, lost.covered, visible_px)


def _may_be_in_hand(scene: Scene, lost: TileTable, others: OtherTiles) -> Bools:
    """Return a mask `(N,)` of the lost tiles that may be in a hand: all of them while a hand is over the table."""
    return np.full(len(lost), scene.rest.state is State.HIDDEN)


def _are_cut_by_edge(scene: Scene, lost: TileTable, others: OtherTiles) -> Bools:
    """Return a mask `(N,)` of the lost tiles that the edge of the camera's image cuts off."""
    quads_px = lost.quads_px
    shown = shares_inside(quads_px, scene.wh) if scene.view is None else scene.view.shares_shown(quads_px)
    return np.asarray(shown < MIN_CERTAIN_INSIDE_SHARE)


REASONS = {
    LossReason.GLARE: _are_under_glare,
    LossReason.COVERED: _are_covered,
    LossReason.IN_HAND: _may_be_in_hand,
    LossReason.CUT_BY_EDGE: _are_cut_by_edge,
}


def is_another_scene(before: TileTable, now: TileTable, in_part: bool) -> bool:
    """Return whether most tiles of `before` are gone from their places, so that it may be another table.

    If only parts of the image changed (`in_part`), something large may cover the tiles. Then it is another scene only
    if there are new tiles, more than half as many as missing tiles.
    """
    before, now = before.at(before.is_tile & ~before.covered), now.at(now.is_tile & ~now.covered)
    if not len(before):
        return not in_part
    in_place = np.count_nonzero(are_taken(before.quads_px, now.quads_px) & are_among(before.track, now.track))
    missing, other_tiles = len(before) - in_place, len(now) - in_place
    is_most_missing = in_place < MIN_SAME_SCENE_SHARE * len(before)
    return bool(is_most_missing and (not in_part or other_tiles > MIN_SAME_SCENE_SHARE * missing))


def under_glare(before_bgr: Image, now_bgr: Image, quads_px: Floats) -> Bools:
    """Return a mask `(N,)` of the quads `(N, 4, 2)` that hold the same tile in both images, now partly under glare.

    Both images are `(H, W, 3) uint8` of a camera that was not moved. If hardly any print is visible beside the
    reflection, it may be another tile, and the mask is false.
    """
    if not len(quads_px):
        return np.zeros(0, bool)
    points = grid_points(quads_px, FACE_US, FACE_VS)
    before, now = (remap(image, points).astype(np.float32) for image in (before_bgr, now_bgr))
    return np.array([_have_same_print(*pair) for pair in zip(before, now, strict=True)], bool)


def _have_same_print(before_bgr: Floats, now_bgr: Floats) -> bool:
    """Return whether two crops `(28, 20, 3)`, in levels, show the same print, the second one with glare on a part."""
    before, now = before_bgr.min(axis=2), now_bgr.min(axis=2)
    is_glare = (now >= MIN_GLARE_LEVELS) & (before < MIN_GLARE_LEVELS)
    # The soft rim of glare is not print.
    is_free = cv2.dilate(is_glare.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    if is_glare.mean() < MIN_GLARE_SHARE or is_free.mean() < MIN_GLARE_FREE_SHARE:
        return False
    if _not_made_by_light(before_bgr, now_bgr).mean() > MAX_GLARE_MISMATCH_SHARE:
        return False
    prints = [local_contrast(levels)[is_free] for levels in (before, now)]
    has_print = min(part.std() for part in prints) >= MIN_PATTERN_STD_LOG
    return has_print and float(np.corrcoef(*prints)[0, 1]) >= MIN_GLARE_PRINT_CORRELATION


def _not_made_by_light(before_bgr: Floats, now_bgr: Floats) -> Bools:
    """Return a mask `(28, 20)` of where a face `(28, 20, 3)` changed in a way that a reflection cannot cause.

    A reflection makes nothing darker, and fills the same share of each channel's gap to white.
    """
    is_darker = (before_bgr - now_bgr > MAX_GLARE_DARKENING_LEVELS).any(axis=2)
    gaps = 255 - before_bgr
    has_headroom = gaps >= MIN_GLARE_HEADROOM_LEVELS
    shares = (now_bgr - before_bgr) / np.maximum(gaps, 1)
    largest = np.where(has_headroom, shares, -np.inf).max(axis=2)
    smallest = np.where(has_headroom, shares, np.inf).min(axis=2)
    return np.asarray(is_darker | (largest - smallest > MAX_GLARE_IMBALANCE_SHARE))


def covered(scene: Scene, lost_px: Floats, was_covered: Bools, visible_px: Floats) -> Bools:
    """Return a mask `(K,)` of the lost tiles, last seen at `lost_px (K, 4, 2)`, that something covers now.

    A cup on a meld does not reach in over the edge of the image, as an arm does. So each place is compared with the
    table: around the change, and right beside the place if that is unchanged, such as a stain. A place that looks
    different and holds none of the tiles at `visible_px (N, 4, 2)` is covered. If nothing changed there, a tile in the
    mask `was_covered (K,)` is still covered.
    """
    image_bgr, changed_px = scene.image_bgr, scene.rest.parts_px
    lost, visible = as_quads(lost_px), as_quads(visible_px).astype(np.float32)
    result = was_covered.copy()
    if not len(lost):
        return result
    covered_before = lost[result].mean(axis=1)
    within = points_in_boxes(lost.mean(axis=1), changed_px)
    # Right beside a tile are its sides and its shadow, which are not table.
    all_tiles = enlarge(np.concatenate([visible, lost]), TILE_WITH_SHADOW_RATIO).astype(np.float32)
    points = grid_points(lost, PLACE_US, PLACE_VS).reshape(len(lost), -1, 2)
    free = [inside[~points_in_quads(inside, visible).any(axis=1)] for inside in points]
    for box in range(len(changed_px)):
        in_this_box = np.flatnonzero(within[:, box] & ~within[:, :box].any(axis=1))
        if not len(in_this_box):
            continue
        width_px = float(np.median(sizes_wh_px(lost[in_this_box])[:, 0]))
        around = _points_around(changed_px[box], width_px, scene.wh)
        is_bare = ~points_in_quads(around, all_tiles).any(axis=1) & ~points_in_boxes(around, changed_px).any(axis=1)
        # The area beside a tile that was covered already may show its cover instead of the table.
        is_bare &= are_free(around, covered_before, MAX_NEIGHBOUR_DISTANCE_WIDTHS * width_px)
        table = _colours(image_bgr, around[is_bare])
        if len(table) < MIN_TABLE_POINTS:
            continue
        for at in in_this_box:
            colours, known = _colours(image_bgr, free[at]), table
            if scene.before_bgr is not None:
                ring, other_quads_px = _ring_around(lost[at]), np.delete(all_tiles, len(visible) + at, axis=0)
                ring = ring[~points_in_quads(ring, other_quads_px).any(axis=1)]
                known = np.concatenate([table, _unchanged_colours(scene.before_bgr, image_bgr, ring, around[is_bare])])
            result[at] = not len(colours) or _are_like_table(colours, known).mean() < MIN_BARE_TABLE_SHARE
    result &= np.array([len(part) for part in free]) >= MIN_UNOCCUPIED_SHARE * points.shape[1]
    return np.asarray(result | _with_neighbours(result & ~was_covered, lost))


def _with_neighbours(is_covered: Bools, lost: Floats) -> Bools:
    """Extend the mask `is_covered (K,)` to lost tiles beside covered tiles: their cover may look like the table."""
    middles, within_px = lost.mean(axis=1), MAX_NEIGHBOUR_DISTANCE_WIDTHS * sizes_wh_px(lost)[:, :1]
    beside = are_same_place(middles, middles, within_px)
    while True:
        more = is_covered | beside[:, is_covered].any(axis=1)
        if (more == is_covered).all():
            return is_covered
        is_covered = more


def _are_like_table(colours: Floats, table: Floats) -> Bools:
    """Return a mask `(P,)` of the colours `(P, 3)` that are similar to any colour of the table, `table (Q, 3)`."""
    like = np.ones((len(colours), len(table)), bool)
    for channel, max_difference in enumerate(MAX_TABLE_DIFFERENCE_LOG):
        like &= np.abs(colours[:, channel, None] - table[:, channel]) / max_difference <= 1
    return np.asarray(like.any(axis=1))


def _unchanged_colours(before_bgr: Image, now_bgr: Image, points_px: Floats, table_px: Floats) -> Floats:
    """Return the colours `(Q, 3)` at the points among `points_px (P, 2)` that look alike in both images.

    The median change at points of the table, `table_px (T, 2)`, counts as a change of the light and is subtracted.
    """
    before, now = (_colours(image, points_px) for image in (before_bgr, now_bgr))
    light = np.median(_colours(now_bgr, table_px) - _colours(before_bgr, table_px), axis=0)
    return np.asarray(now[(np.abs(now - before - light) <= MAX_TABLE_DIFFERENCE_LOG).all(axis=1)])


def _colours(image_bgr: Image, points_px: Floats) -> Floats:
    """Return log B/G, log R/G and log brightness `(P, 3)` at points `(P, 2)`, averaged over 3 × 3 pixels."""
    if not len(points_px):
        return np.zeros((0, 3))
    steps = np.stack(np.meshgrid((-1, 0, 1), (-1, 0, 1)), axis=-1).reshape(-1, 1, 2)
    bgr = remap(image_bgr, (points_px[None] + steps).astype(np.float32)).astype(np.float64)
    logs = np.log(bgr.mean(axis=0) + 4)  # a nearly black point has no tint
    return np.column_stack([logs[:, 0] - logs[:, 1], logs[:, 2] - logs[:, 1], logs.mean(axis=1)])


def _ring_around(quad_px: Floats) -> Floats:
    """Return sample points `(P, 2)` on two outlines closely around a tile's place."""
    middle, along = quad_px.mean(axis=0), np.linspace(0, 1, 12, endpoint=False)[:, None]
    rings = [middle + (quad_px - middle) * larger for larger in PLACE_RING_SIZE_RATIOS]
    return np.concatenate([ring[at] + along * (ring[(at + 1) % 4] - ring[at]) for ring in rings for at in range(4)])


def _points_around(box_px: Floats, width_px: float, image_wh: tuple[int, int]) -> Floats:
    """Return sample points `(P, 2)` on rectangles around a box, without those outside the image."""
    rectangles = []
    for margin in TABLE_SAMPLE_MARGINS_WIDTHS:
        low, high = box_px[:2] - margin * width_px, box_px[2:] + margin * width_px
        xs, ys = (np.linspace(low[at], high[at], TABLE_SAMPLE_POINTS_PER_SIDE) for at in range(2))
        rectangles += [np.column_stack([xs, np.full_like(xs, y)]) for y in (low[1], high[1])]
        rectangles += [np.column_stack([np.full_like(ys, x), ys]) for x in (low[0], high[0])]
    points = np.concatenate(rectangles)
    return points[((points > 1) & (points < np.array(image_wh) - 2)).all(axis=1)]

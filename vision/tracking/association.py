"""Decides which tile of now is which of before: by place, else by their appearance."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Ints, are_among
from tilekeeper.vision.geometry.proximity import match_nearest_first
from tilekeeper.vision.geometry.quads import as_quads, axes_px, centres_px, distances_px, lengths, sizes_wh_px
from tilekeeper.vision.scoring.tile_table import NONE, SetMembership, TileTable, similarity
from tilekeeper.vision.tracking.redetection import moved_with, taken

# A tile whose centre moved less than this is in the same place; also the RANSAC tolerance of a table's move.
MAX_SAME_PLACE_WIDTHS = 0.35
# A tile turned further than this was placed anew; a half turn does not count.
MIN_SAME_ANGLE_COSINE = 0.85
# The scene is another if a smaller share of tiles stayed in place; a common move must match as large a share.
MIN_SAME_SCENE_SHARE = 0.5
# A homography counts as a move of the whole table only if it matches at least this many tiles.
MIN_COMMON_MOVE_TILES = 8
# A track matches a detection if the Bhattacharyya coefficient of their class probabilities is at least this.
MIN_MATCH_SIMILARITY = 0.5
# A tile whose centre moved further than this has a new place, and its crop there is new evidence.
MIN_MOVED_WIDTHS = 0.12
# A tile that the detector missed stays if the crop at its old place has at least this Bhattacharyya coefficient.
MIN_STILL_PRESENT_SIMILARITY = 0.7
# Weight of the distance in matching: below one step of similarity (0.1), so it decides only between equal tiles.
TIE_BREAK_DISTANCE_WEIGHT = 0.09


def matched(touched: TileTable, seen: TileTable, next_track: int) -> TileTable:
    """Return the candidates of a part of the table after it was looked at again.

    `touched` are those that were there before, `seen` what each look shows. Each look goes to one candidate at most;
    those that no look goes to are gone, and looks that go to none are new ones, numbered from `next_track` on, where
    the detector found them.
    """
    look_of, free, found = np.full(len(touched), -1), np.ones(len(seen), bool), seen.score > 0

    def give(pairs: dict[int, int], of: Ints, to: Ints, least: float, in_place: bool = False) -> None:
        if not pairs:
            return
        ones, others = of[list(pairs)], to[list(pairs.values())]
        lay, there = touched.at(ones), seen.at(others)
        alike = similarity(lay, there) >= least
        if in_place and (named := lay.person_label != NONE).any():
            # it may look at last like what a person said it is, and not as it did
            alike |= named & (similarity(lay.tempered(), there) >= least)
        look_of[ones[alike]], free[others[alike]] = others[alike], False

    for which, least in ((found, MIN_MATCH_SIMILARITY), (~found, MIN_STILL_PRESENT_SIMILARITY)):
        of, to = np.flatnonzero(look_of < 0), np.flatnonzero(which)
        give(by_place(touched.quads_px[of], seen.quads_px[to]), of, to, least, in_place=True)
    # what may as well be no tile is not made one by what was known of a tile elsewhere, nor by what a person said of it
    gone = np.flatnonzero((look_of < 0) & touched.is_tile)
    new = np.flatnonzero(free & found & seen.is_tile & seen.is_surely_a_tile)
    if len(gone) and len(new):
        give(by_look(touched.at(gone), seen.at(new)), gone, new, MIN_MATCH_SIMILARITY)
    stays = look_of >= 0
    fresh = seen.at(free & found)
    fresh = replace(fresh, track=next_track + np.arange(len(fresh)))
    if not stays.any():
        return fresh
    return TileTable.concatenate([_updated(touched.at(stays), seen.at(look_of[stays])), fresh])


def common_move(lay: TileTable, seen: TileTable) -> np.ndarray | None:
    """Return the homography `(3, 3)` that leads the tiles of a table to where they are seen, None where none does.

    A table that was turned or pushed further than points of a picture are followed shows the same tiles in the same
    pattern: the move leads most of them, of those before or those now as there are fewer, to one of the same look, and
    `move_fewest` at least.
    """
    lay, seen = lay.at(lay.is_tile & ~lay.covered), seen.at(seen.is_tile & (seen.score > 0))
    least = max(MIN_COMMON_MOVE_TILES, int(np.ceil(MIN_SAME_SCENE_SHARE * min(len(lay), len(seen)))))
    if min(len(lay), len(seen)) < least:
        return None
    alike = _likeness(lay, seen) >= MIN_MATCH_SIMILARITY
    one, other = np.nonzero(alike)  # of twins either may be it
    if len(one) < MIN_COMMON_MOVE_TILES:
        return None
    # corners tell a move of tiles in one line, too
    corners, there = (quads.reshape(-1, 2).astype(np.float64) for quads in (lay.quads_px[one], seen.quads_px[other]))
    within_px = MAX_SAME_PLACE_WIDTHS * float(np.median(sizes_wh_px(seen.quads_px)[:, 0]))
    move, _ = cv2.findHomography(corners, there, cv2.RANSAC, within_px)
    if move is None:
        return None
    pairs = by_place(moved_with(lay.quads_px, move), seen.quads_px)
    return np.asarray(move, np.float64) if sum(alike[pair] for pair in pairs.items()) >= least else None


def _updated(touched: TileTable, seen: TileTable) -> TileTable:
    """Return candidates with one more look at each, at the place where it lies now."""
    widths = np.maximum(lengths(touched.quads_px[:, 1] - touched.quads_px[:, 0]), 1.0)
    moved = lengths(seen.quads_px.mean(axis=1) - touched.quads_px.mean(axis=1)) > MIN_MOVED_WIDTHS * widths
    return replace(
        touched.with_crops(seen, moved),
        quads_px=seen.quads_px,
        score=np.maximum(touched.score, seen.score),
        covered=np.zeros(len(seen), bool),
        membership=np.where(touched.membership == SetMembership.FOREIGN, SetMembership.NEW, touched.membership),
    )


def by_place(before_px: Floats, after_px: Floats) -> dict[int, int]:
    """Return which quad after `(M, 4, 2)` lies where each before `(N, 4, 2)` lay; each once, the nearest first."""
    before_px, after_px = as_quads(before_px), as_quads(after_px)
    if not len(before_px) or not len(after_px):
        return {}
    apart = distances_px(centres_px(before_px), centres_px(after_px)) / sizes_wh_px(before_px)[:, :1]
    apart[np.abs(_downward(before_px) @ _downward(after_px).T) < MIN_SAME_ANGLE_COSINE] = np.inf
    return match_nearest_first(apart, MAX_SAME_PLACE_WIDTHS)


def by_look(before: TileTable, after: TileTable) -> dict[int, int]:
    """Return which tile after looks like each of those before and may be it; of twins the nearest. There are some."""
    alike = _likeness(before, after)
    apart = distances_px(centres_px(before.quads_px), centres_px(after.quads_px))
    apart = apart / max(float(apart.max()), 1.0)
    # twins are equally alike to a hair: the distance decides between them, and never makes up for another name
    return match_nearest_first(
        np.where(alike >= MIN_MATCH_SIMILARITY, 1 - np.round(alike, 1) + TIE_BREAK_DISTANCE_WEIGHT * apart, np.inf), 2.0
    )


def _likeness(before: TileTable, after: TileTable) -> Floats:
    """Return how alike each of those before is to each after, `(N, M)`."""
    one, other = np.indices((len(before), len(after))).reshape(2, -1)
    return similarity(before.at(one), after.at(other)).reshape(len(before), len(after))


def _downward(quads_px: Floats) -> Floats:
    _, down = axes_px(quads_px)
    return np.asarray(down / np.maximum(lengths(down), 1e-9)[:, None])


def is_another_scene(lay: TileTable, seen: TileTable, in_part: bool) -> bool:
    """Return whether most of the tiles that lay there are not where they lay: another table may have the same ones.

    Where only parts of the picture changed, something large may lie over them, unless as many others are seen.
    """
    lay, seen = lay.at(lay.is_tile & ~lay.covered), seen.at(seen.is_tile & ~seen.covered)
    if not len(lay):
        return not in_part
    there = np.count_nonzero(taken(lay.quads_px, seen.quads_px) & are_among(lay.track, seen.track))
    others, least = len(seen) - there, MIN_SAME_SCENE_SHARE
    return bool(there < least * len(lay) and (not in_part or others > least * (len(lay) - there)))

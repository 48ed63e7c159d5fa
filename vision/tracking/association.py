"""Association: match the tiles of a scene with the tracks, by place, else by appearance."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Ints, are_among
from tilekeeper.vision.geometry.proximity import are_taken, match_nearest_first
from tilekeeper.vision.geometry.quads import as_quads, axes_px, centres_px, distances_px, lengths, sizes_wh_px
from tilekeeper.vision.scoring.tile_table import NONE, SetMembership, TileTable, similarity

MAX_SAME_PLACE_WIDTHS = 0.35  # a tile that moved by less is in its old place; also RANSAC's tolerance
MIN_SAME_ANGLE_COSINE = 0.85  # a tile turned further than this was placed anew; a half turn does not count
MIN_SAME_SCENE_SHARE = 0.5  # if fewer of the tiles stay in place, or match a common motion, it is another scene
MIN_COMMON_MOTION_TILES = 8  # a homography that matches fewer tiles is not a motion of the whole table
MIN_MATCH_SIMILARITY = 0.5  # Bhattacharyya coefficient of the class probabilities of a track and its detection
MIN_MOVED_WIDTHS = 0.12  # a tile that moved further is at a new place, and its crop there is new evidence
MIN_STILL_PRESENT_SIMILARITY = 0.7  # as `MIN_MATCH_SIMILARITY`, for the old place of a tile that the detector missed
TIE_BREAK_DISTANCE_WEIGHT = 0.09  # below one step of similarity (0.1): distance decides only between equal tiles


def match_tracks(sought: TileTable, observed: TileTable, next_track: int) -> TileTable:
    """Match sought and observed tiles; return the matched tiles with the new crop averaged in, and then the new tiles.

    Each observation matches one tile at most. A tile without a match is lost and not returned; a detection without a
    match is a new tile, with a track from `next_track` on. An observation with score 0 was not detected, but classified
    at a tile's old place; it counts only if it looks like that tile.
    """
    match_of = np.full(len(sought), -1)
    is_unmatched, is_detected = np.ones(len(observed), bool), observed.score > 0

    def accept(pairs: dict[int, int], tracks: Ints, observations: Ints, least: float, in_place: bool) -> None:
        """Accept the pairs that look alike, {index into `tracks`: index into `observations`}."""
        if not pairs:
            return
        of_tracks, of_observed = tracks[list(pairs)], observations[list(pairs.values())]
        before, now = sought.at(of_tracks), observed.at(of_observed)
        is_alike = similarity(before, now) >= least
        if in_place and (is_named := before.person_label != NONE).any():
            # A tile that a person labelled may look like that label now, although the classifier said otherwise before.
            is_alike |= is_named & (similarity(before.tempered(), now) >= least)
        match_of[of_tracks[is_alike]], is_unmatched[of_observed[is_alike]] = of_observed[is_alike], False

    for which, least in ((is_detected, MIN_MATCH_SIMILARITY), (~is_detected, MIN_STILL_PRESENT_SIMILARITY)):
        tracks, observations = np.flatnonzero(match_of < 0), np.flatnonzero(which)
        pairs = match_by_place(sought.quads_px[tracks], observed.quads_px[observations])
        accept(pairs, tracks, observations, least, True)
    # Match by appearance only between confirmed tiles, so that a false detection inherits no label or correction.
    lost = np.flatnonzero((match_of < 0) & sought.is_tile)
    new = np.flatnonzero(is_unmatched & is_detected & observed.is_tile & observed.is_surely_a_tile)
    if len(lost) and len(new):
        accept(match_by_appearance(sought.at(lost), observed.at(new)), lost, new, MIN_MATCH_SIMILARITY, False)
    is_matched, new_tiles = match_of >= 0, observed.at(is_unmatched & is_detected)
    new_tiles = replace(new_tiles, track=next_track + np.arange(len(new_tiles)))
    if not is_matched.any():
        return new_tiles
    return TileTable.concatenate([_add_crops(sought.at(is_matched), observed.at(match_of[is_matched])), new_tiles])


def find_common_motion(before: TileTable, observed: TileTable) -> Floats | None:
    """Return the homography `(3, 3)` that maps the tiles of a table to where they are observed, by RANSAC.

    It detects a table that was turned or pushed further than optical flow can follow. Returns None if fewer than
    `MIN_COMMON_MOTION_TILES`, or less than half of the tiles (of `before` or `observed`, whichever has fewer), map to
    a tile that looks alike.
    """
    before, observed = before.at(before.is_tile & ~before.covered), observed.at(observed.is_tile & (observed.score > 0))
    fewer = min(len(before), len(observed))
    least = max(MIN_COMMON_MOTION_TILES, int(np.ceil(MIN_SAME_SCENE_SHARE * fewer)))
    if fewer < least:
        return None
    is_alike = _pairwise_similarity(before, observed) >= MIN_MATCH_SIMILARITY
    one, other = np.nonzero(is_alike)
    if len(one) < MIN_COMMON_MOTION_TILES:
        return None
    # Unlike centres, corners determine a homography also if all tiles are in one line.
    corners, targets = before.quads_px[one].reshape(-1, 2), observed.quads_px[other].reshape(-1, 2)
    within_px = MAX_SAME_PLACE_WIDTHS * float(np.median(sizes_wh_px(observed.quads_px)[:, 0]))
    homography, _ = cv2.findHomography(corners.astype(np.float64), targets.astype(np.float64), cv2.RANSAC, within_px)
    if homography is None:
        return None
    motion = np.asarray(homography, np.float64)
    pairs = match_by_place(warp_quads(before.quads_px, motion), observed.quads_px)
    return motion if sum(is_alike[pair] for pair in pairs.items()) >= least else None


def warp_quads(quads_px: Floats, homography: Floats | None) -> Floats:
    """Return quads `(N, 4, 2) float32` warped by a homography `(3, 3)`; unchanged if it is None."""
    if homography is None or not len(quads_px):
        return quads_px
    return np.asarray(cv2.perspectiveTransform(quads_px.astype(np.float64), homography), np.float32)


def _add_crops(tiles: TileTable, observed: TileTable) -> TileTable:
    """Return the tiles at their observed places, with the observed crops averaged in."""
    widths = np.maximum(lengths(tiles.quads_px[:, 1] - tiles.quads_px[:, 0]), 1.0)
    is_moved = lengths(observed.quads_px.mean(axis=1) - tiles.quads_px.mean(axis=1)) > MIN_MOVED_WIDTHS * widths
    return replace(
        tiles.with_crops(observed, is_moved),
        quads_px=observed.quads_px,
        score=np.maximum(tiles.score, observed.score),
        covered=np.zeros(len(observed), bool),
        membership=np.where(tiles.membership == SetMembership.FOREIGN, SetMembership.NEW, tiles.membership),
    )


def match_by_place(before_px: Floats, after_px: Floats) -> dict[int, int]:
    """Greedy matching by place: return pairs {before: after} of quads `(N, 4, 2)` and `(M, 4, 2)`, nearest first."""
    before_px, after_px = as_quads(before_px), as_quads(after_px)
    if not len(before_px) or not len(after_px):
        return {}
    distances = distances_px(centres_px(before_px), centres_px(after_px)) / sizes_wh_px(before_px)[:, :1]
    distances[np.abs(_directions(before_px) @ _directions(after_px).T) < MIN_SAME_ANGLE_COSINE] = np.inf
    return match_nearest_first(distances, MAX_SAME_PLACE_WIDTHS)


def match_by_appearance(before: TileTable, after: TileTable) -> dict[int, int]:
    """Greedy matching by appearance: return pairs {before: after}; of equal tiles the nearest. Neither may be empty."""
    alike = _pairwise_similarity(before, after)
    distances = distances_px(centres_px(before.quads_px), centres_px(after.quads_px))
    # The similarity of equal tiles differs slightly. It is rounded, so that for equal tiles the distance decides.
    costs = 1 - np.round(alike, 1) + TIE_BREAK_DISTANCE_WEIGHT * (distances / max(float(distances.max()), 1.0))
    return match_nearest_first(np.where(alike >= MIN_MATCH_SIMILARITY, costs, np.inf), 2.0)


def _pairwise_similarity(before: TileTable, after: TileTable) -> Floats:
    """Return the similarity `(N, M)` of each tile before to each tile after."""
    one, other = np.indices((len(before), len(after))).reshape(2, -1)
    return similarity(before.at(one), after.at(other)).reshape(len(before), len(after))


def _directions(quads_px: Floats) -> Floats:
    """Return unit vectors `(N, 2)` from top to bottom of each tile."""
    down = axes_px(quads_px)[1]
    return np.asarray(down / np.maximum(lengths(down), 1e-9)[:, None])


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

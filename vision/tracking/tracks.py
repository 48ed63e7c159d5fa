"""The tracks of a stream: divided by whether a scene may have changed them, matched by place, else by appearance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, are_among
from tilekeeper.vision.geometry.proximity import boxes_of, in_boxes, in_outlines, match_nearest_first
from tilekeeper.vision.geometry.quads import (
    as_quads,
    axes_px,
    centres_px,
    distances_px,
    grid_points,
    lengths,
    sizes_wh_px,
)
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.recognition.classifier import Classifier
from tilekeeper.vision.recognition.inks import SIMILAR_INKS, InkEvidence
from tilekeeper.vision.scene import Scene, State
from tilekeeper.vision.tile_table import NONE, SetMembership, TileTable, similarity
from tilekeeper.vision.tracking.lost_tiles import LossReason, OtherTiles, explain_lost_tiles
from tilekeeper.vision.tracking.motion_detection import MIN_PATTERN_STD_LOG
from tilekeeper.vision.tracking.registration import PATTERN_LOG_OFFSET_LEVELS

MAX_SAME_INK_CHORD = 0.02  # two colours closer than this chord of the unit sphere are one ink; inks differ far more
MAX_INK_ANSWERS_PER_PAIR = 4  # answers used for each pair of similar inks; more would outweigh a new lamp's light
MAX_SAME_PLACE_WIDTHS = 0.35  # a tile that moved by less is in its old place; also RANSAC's tolerance
MIN_SAME_ANGLE_COSINE = 0.85  # a tile turned further than this was placed anew; a half turn does not count
MIN_COMMON_MOTION_SHARE = 0.5  # if fewer of the tiles match a common motion, it is none
MIN_COMMON_MOTION_TILES = 8  # a homography that matches fewer tiles is not a motion of the whole table
MIN_MATCH_SIMILARITY = 0.5  # Bhattacharyya coefficient of the class probabilities of a track and its detection
MIN_MOVED_WIDTHS = 0.12  # a tile that moved further is at a new place, and its crop there is new evidence
MIN_STILL_PRESENT_SIMILARITY = 0.7  # as `MIN_MATCH_SIMILARITY`, for the old place of a tile that the detector missed
TIE_BREAK_DISTANCE_WEIGHT = 0.09  # below one step of similarity (0.1): distance decides only between equal tiles
MIN_FACE_CORRELATION = 0.93  # a face that correlates less is read again: 9 for 6 gives 0.915, the same tile 0.94
# The shares of a face's width and height at which it is compared.
PRINT_US, PRINT_VS = np.linspace(0.06, 0.94, 20)[::2], np.linspace(0.05, 0.95, 28)[::2]


class InkWords:
    """Inks that people confirmed ("words"): by track for followed tiles, and a list for earlier tiles."""

    def __init__(self) -> None:
        self._by_track: dict[int, InkEvidence] = {}
        self._earlier: tuple[InkEvidence, ...] = ()

    @property
    def newest(self) -> tuple[InkEvidence, ...]:
        """The newest words, at most `MAX_INK_ANSWERS_PER_PAIR` for each pair of similar inks, the newest last."""
        return _newest((*self._earlier, *self._by_track.values()))

    def add(self, track: int, word: InkEvidence, tracks: Collection[int]) -> None:
        """Add or replace the word for a followed tile; a word without an ink only removes the earlier one.

        A person may correct a mistake at any tile of the same colour: contradicting words for that colour are removed,
        unless their tile is among the followed `tracks`.
        """
        self._by_track.pop(track, None)
        words = self._by_track.items()
        self._by_track = {at: other for at, other in words if at in tracks or not _contradicts(other, word)}
        self._earlier = tuple(earlier for earlier in self._earlier if not _contradicts(earlier, word))
        if word.answered.all():
            self._by_track[track] = word

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Add words that are older than all others."""
        self._earlier = (*words, *self._earlier)

    def of_other_tiles(self, tracks: Collection[int]) -> InkEvidence | None:
        """Return the newest confirmed inks of tiles that are not in `tracks`; tracked tiles carry their own label."""
        newest = _newest((*self._earlier, *(word for track, word in self._by_track.items() if track not in tracks)))
        return InkEvidence.concatenate(newest) if newest else None


def _contradicts(earlier: InkEvidence, later: InkEvidence) -> bool:
    """Return whether two words name different inks for one colour."""
    chord = float(np.linalg.norm(earlier.colours[0] - later.colours[0]))
    return chord < MAX_SAME_INK_CHORD and bool(earlier.answers[0] != later.answers[0])


def _newest(words: Sequence[InkEvidence]) -> tuple[InkEvidence, ...]:
    """Return the newest words, at most `MAX_INK_ANSWERS_PER_PAIR` for each pair of similar inks, in their order."""
    counts, kept = dict.fromkeys(SIMILAR_INKS, 0), list[InkEvidence]()
    for word in reversed(words):
        pair = next(inks for inks in SIMILAR_INKS if word.answers[0] in inks)
        if counts[pair] < MAX_INK_ANSWERS_PER_PAIR:
            counts[pair] += 1
            kept.append(word)
    return tuple(reversed(kept))


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """The followed tiles, including covered tiles, and the lost tiles that a hand over the table may hold."""

    tiles: TileTable
    in_hand: TileTable
    next_track: int = 0  # track of the next new tile; no number is given twice

    @classmethod
    def none(cls, next_track: int = 0) -> Tracks:
        """Return an empty value, whose next new tile gets the track `next_track`."""
        return cls(TileTable.none(), TileTable.none(), next_track)

    def with_tiles(self, tiles: TileTable, in_hand: TileTable) -> Tracks:
        """Return the tracks after a scene: the given tiles, and a `next_track` above the tracks of all of them."""
        return Tracks(tiles, in_hand, max(self.next_track, int(tiles.track.max(initial=-1)) + 1))


@dataclass(frozen=True, slots=True, eq=False)
class SceneTracks:
    """The tracks from before a scene, at their places in the scene, divided by whether it may have changed them."""

    changed: TileTable  # tiles to match again
    in_hand: TileTable  # lost tiles that a hand over the table held before
    unchanged: TileTable  # tiles that are kept without classifying them again; those under a hand are covered
    visible: TileTable  # tiles that no hand covers
    next_track: int  # track of the next new tile
    ink_words: InkWords
    sought: TileTable  # `changed` and `in_hand`
    sought_px: Floats  # quads `(N, 4, 2)` of the tiles among these
    unchanged_px: Floats  # quads `(M, 4, 2)` of `unchanged`

    def match(self, scene: Scene, observed: TileTable) -> TileTable:
        """Match the observed tiles of a scene with the tracks that may have changed; return matched and new tiles.

        A table that was turned or pushed too far for motion detection is recognised by the pattern of its tiles.
        """
        sought = self.sought
        is_unknown_place = scene.rest.changed_px is None and scene.rest.shift is None
        if is_unknown_place and (motion := find_common_motion(sought, observed)) is not None:
            # A non-tile at the old place, such as a cut-off tile, may be a tile at the new place, so it is dropped.
            sought = move_tracks(sought.at(sought.is_tile | (sought.person_label != NONE)), motion)
        return match_tracks(sought, observed, self.next_track)

    def explain_lost(self, scene: Scene, found: TileTable) -> tuple[TileTable, TileTable]:
        """Explain the changed tiles that are not in `found`; return all tiles to follow, and those in a hand."""
        lost = self.changed.at(self.changed.is_tile & ~are_among(self.changed.track, found.track))
        others = OtherTiles(self.visible, self.unchanged, found, self.next_track)
        reasons, found = explain_lost_tiles(scene, lost, others)
        covered = lost.at(are_among(reasons, (LossReason.COVERED, LossReason.GLARE)))
        covered = replace(covered, covered=np.ones(len(covered), bool))
        in_hand = TileTable.concatenate([lost.at(reasons == LossReason.IN_HAND), self.in_hand])
        is_still_gone = in_hand.is_tile & ~are_among(in_hand.track, found.track)
        in_hand = in_hand.at(is_still_gone & (scene.rest.state is State.HIDDEN))
        return TileTable.concatenate([self.unchanged, found, covered]), in_hand

    def known_inks(self, tiles: TileTable) -> InkEvidence | None:
        """Return the inks that people confirmed on tiles that are no longer followed."""
        return self.ink_words.of_other_tiles(tiles.track.tolist())


def divide_tracks(
    classifier: Classifier, scene: Scene, tracks: Tracks, ink_words: InkWords
) -> tuple[Scene, SceneTracks]:
    """Divide the tracks by whether a scene may have changed them; return the updated scene and the divided tracks.

    The scene gets further changed boxes, around tiles with a new print too small or dim to show in the small images.
    """
    rest = scene.rest
    tiles = move_tracks(tracks.tiles, rest.shift)
    is_beneath = in_outlines(tiles.quads_px, rest.hidden_px)
    is_covered, is_changed = is_beneath.copy(), ~is_beneath
    # A tile that looks as before is not covered, because a hand's outline may be too large after a bump or under
    # another lamp.
    if (at := np.flatnonzero(is_beneath & tiles.is_tile)).size:
        looks = classifier(scene.image_bgr, tiles.quads_px[at])
        is_covered[at] = similarity(tiles.at(at), looks) < MIN_STILL_PRESENT_SIMILARITY
    if rest.changed_px is not None:
        # A tile that was covered and is visible again may be another tile by now.
        is_changed &= in_boxes(tiles.quads_px, rest.changed_px) | tiles.covered
        if scene.before_bgr is not None:
            new = np.flatnonzero(~is_changed & ~is_beneath)
            new = new[have_new_print(scene.before_bgr, scene.image_bgr, tiles.quads_px[new])]
            is_changed[new] = True
            changed_px = np.concatenate([rest.changed_px, boxes_of(tiles.quads_px[new])])
            scene = replace(scene, rest=replace(rest, changed_px=changed_px))
    unchanged = replace(tiles.at(~is_changed), covered=is_covered[~is_changed])
    changed, visible = tiles.at(is_changed), tiles.at(~is_covered)
    sought = TileTable.concatenate([changed, tracks.in_hand])
    return scene, SceneTracks(
        changed=changed,
        in_hand=tracks.in_hand,
        unchanged=unchanged,
        visible=visible,
        next_track=tracks.next_track,
        ink_words=ink_words,
        sought=sought,
        sought_px=sought.quads_px[sought.is_tile],
        unchanged_px=unchanged.quads_px,
    )


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
    least = max(MIN_COMMON_MOTION_TILES, int(np.ceil(MIN_COMMON_MOTION_SHARE * fewer)))
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


def move_tracks(tracks: TileTable, motion: Floats | None) -> TileTable:
    """Return the tracks moved by a homography `(3, 3)`; unchanged if it is None."""
    if motion is None:
        return tracks
    # A moved camera may show the whole of a tile that the edge cut before, so at most one crop still counts.
    return replace(tracks, quads_px=warp_quads(tracks.quads_px, motion), crop_count=np.minimum(tracks.crop_count, 1))


def have_new_print(before_bgr: Image, now_bgr: Image, quads_px: Floats) -> Bools:
    """Return a mask `(N,)` of the quads `(N, 4, 2)` whose print differs between two images, whatever the light.

    Both images are `(H, W, 3) uint8` of a camera that was not moved.
    """
    if not len(quads_px):
        return np.zeros(0, bool)
    points = grid_points(quads_px, PRINT_US, PRINT_VS)
    logs = np.log(np.arange(256, dtype=np.float32) + PATTERN_LOG_OFFSET_LEVELS)

    def prints_in(image_bgr: Image) -> Floats:
        """Return the log brightness `(N, P)` of each point of a face relative to the face's mean."""
        samples = logs.take(remap(image_bgr, points)).reshape(len(points), -1, 3)
        # A product with a row of equal weights is ten times as fast as a mean.
        samples -= np.full((1, samples.shape[1]), 1 / samples.shape[1], np.float32) @ samples
        return np.asarray(samples.reshape(len(samples), -1))

    before, now = prints_in(before_bgr), prints_in(now_bgr)
    power_before, power_now = (before**2).mean(axis=1), (now**2).mean(axis=1)
    is_other = (before * now).mean(axis=1) < MIN_FACE_CORRELATION * np.sqrt(power_before * power_now)
    return np.asarray(is_other & (np.maximum(power_before, power_now) >= MIN_PATTERN_STD_LOG**2))

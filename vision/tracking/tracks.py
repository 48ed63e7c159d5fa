"""The tracks of a stream: divided by whether a scene may have changed them, matched, and explained if lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, are_among
from tilekeeper.vision.geometry.proximity import boxes_of, in_boxes, in_outlines
from tilekeeper.vision.geometry.quads import grid_points
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.recognition.appearance import Classifier
from tilekeeper.vision.recognition.ink_pairs import SIMILAR_INKS, InkEvidence
from tilekeeper.vision.scene import Scene, State
from tilekeeper.vision.scoring.tile_table import NONE, TileTable, similarity
from tilekeeper.vision.tracking.association import (
    MIN_STILL_PRESENT_SIMILARITY,
    find_common_motion,
    match_tracks,
    warp_quads,
)
from tilekeeper.vision.tracking.illumination import MIN_PATTERN_STD_LOG, PATTERN_LOG_OFFSET_LEVELS
from tilekeeper.vision.tracking.lost_tiles import LossReason, OtherTiles, explain_lost_tiles

MAX_SAME_INK_CHORD = 0.02  # two colours closer than this chord of the unit sphere are one ink; inks differ far more
MAX_INK_ANSWERS_PER_PAIR = 4  # answers used for each pair of similar inks; more would outweigh a new lamp's light


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

    def of_other_tiles(self, tracks: Collection[int]) -> InkEvidence:
        """Return the newest words for tiles that are not among `tracks`; followed tiles carry their own label."""
        gone = (*self._earlier, *(word for track, word in self._by_track.items() if track not in tracks))
        return InkEvidence.concatenate([InkEvidence.empty(), *_newest(gone)])


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


MIN_FACE_CORRELATION = 0.93  # a face that correlates less is read again: 9 for 6 gives 0.915, the same tile 0.94
# The shares of a face's width and height at which it is compared.
PRINT_US, PRINT_VS = np.linspace(0.06, 0.94, 20)[::2], np.linspace(0.05, 0.95, 28)[::2]


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

    tracks: Tracks
    changed: TileTable  # tiles to match again
    unchanged: TileTable  # tiles that are kept without classifying them again; those under a hand are covered
    visible: TileTable  # tiles that no hand covers
    ink_words: InkWords

    @property
    def _sought(self) -> TileTable:
        return TileTable.concatenate([self.changed, self.tracks.in_hand])

    @property
    def changed_px(self) -> Floats:
        """The quads `(N, 4, 2)` of tiles to match again, including those that may be in a hand."""
        return self._sought.quads_px[self._sought.is_tile]

    @property
    def unchanged_px(self) -> Floats:
        """The quads `(M, 4, 2)` of tiles that are kept without classifying them again."""
        return self.unchanged.quads_px

    def match(self, scene: Scene, observed: TileTable) -> TileTable:
        """Match the observed tiles of a scene with the tracks that may have changed; return matched and new tiles.

        A table that was turned or pushed too far for motion detection is recognised by the pattern of its tiles.
        """
        sought = self._sought
        is_unknown_place = scene.rest.changed_px is None and scene.rest.shift is None
        if is_unknown_place and (motion := find_common_motion(sought, observed)) is not None:
            # A non-tile at the old place, such as a cut-off tile, may be a tile at the new place, so it is dropped.
            sought = move_tracks(sought.at(sought.is_tile | (sought.person_label != NONE)), motion)
        return match_tracks(sought, observed, self.tracks.next_track)

    def explain_lost(self, scene: Scene, found: TileTable) -> tuple[TileTable, TileTable]:
        """Explain the changed tiles that are not in `found`; return all tiles to follow, and those in a hand."""
        lost = self.changed.at(self.changed.is_tile & ~are_among(self.changed.track, found.track))
        others = OtherTiles(self.visible, self.unchanged, found, self.tracks.next_track)
        reasons, found = explain_lost_tiles(scene, lost, others)
        covered = lost.at(are_among(reasons, (LossReason.COVERED, LossReason.GLARE)))
        covered = replace(covered, covered=np.ones(len(covered), bool))
        in_hand = TileTable.concatenate([lost.at(reasons == LossReason.IN_HAND), self.tracks.in_hand])
        is_still_gone = in_hand.is_tile & ~are_among(in_hand.track, found.track)
        in_hand = in_hand.at(is_still_gone & (scene.rest.state is State.HIDDEN))
        return TileTable.concatenate([self.unchanged, found, covered]), in_hand

    def add(self, tiles: TileTable, new: TileTable) -> TileTable:
        """Return the followed `tiles`, and after them the `new` ones with new tracks."""
        first = self.tracks.with_tiles(tiles, self.tracks.in_hand).next_track
        return TileTable.concatenate([tiles, replace(new, track=first + np.arange(len(new)))])

    def known_inks(self, tiles: TileTable) -> InkEvidence:
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
    return scene, SceneTracks(tracks, tiles.at(is_changed), unchanged, tiles.at(~is_covered), ink_words)


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

"""Reads a table from frames: what lies still is read once, what changed is read again, and every tile is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.pipeline import Reader, assemble, checked, surveyed
from tilekeeper.vision.quality.status import is_colourless
from tilekeeper.vision.recognition.refinement.neighbours import add_missed_tiles
from tilekeeper.vision.scoring.candidates import Candidate, Standing, appearance_of
from tilekeeper.vision.scoring.evidence import Evidence
from tilekeeper.vision.tracking.association import Observation, matched
from tilekeeper.vision.tracking.incremental_rows import Grouped
from tilekeeper.vision.tracking.motion_detection import MotionDetector, Rest, State
from tilekeeper.vision.tracking.obstructions import in_the_way
from tilekeeper.vision.tracking.occluded_tiles import occluded
from tilekeeper.vision.tracking.reclassification import is_uncertain, reclassified, redetected
from tilekeeper.vision.tracking.redetection import moved_with, observe, taken
from tilekeeper.vision.tracking.regions import in_boxes, in_outlines
from tilekeeper.vision.types import TableReading, TileSet, Trouble, labels_of


class TimedFrame(Protocol):
    """A picture `(H, W, 3) uint8` BGR and when it was taken, such as `Frame`."""

    @property
    def image_bgr(self) -> np.ndarray: ...
    @property
    def time_s(self) -> float: ...


class FrameReader:
    """Takes frames one by one and always has the newest reading; keeps what it knows of every tile in between."""

    def __init__(self, reader: Reader, still_after_s: float | None = None, tile_set: TileSet | None = None) -> None:
        """Read with the networks of `reader` once the table lies still for `still_after_s`, by default the config's."""
        self._reader = reader
        self._motion = MotionDetector(config().tracking.still_after_s if still_after_s is None else still_after_s)
        self._tile_set = tile_set or TileSet()
        self._next_id = 0
        self.forget()

    @property
    def rest(self) -> Rest:
        """The state of the table in the newest frame: moving, still, or covered."""
        return self._rest

    @property
    def reading(self) -> TableReading:
        """The newest reading; one of no tiles before the table has lain still once."""
        return self._reading

    def push(self, frame: TimedFrame) -> TableReading:
        """Take in a frame and return the newest reading, the very same as before where there is nothing new.

        `time_s` is the time of the frame from which it was made. Raises `ValueError` for what is no picture.
        """
        image = checked(frame.image_bgr)
        self._rest = rest = self._motion.push(image, frame.time_s)
        if rest.settled:
            self._read_again(image, rest)
            self._assemble(image, frame.time_s)
            if self._faint_px is not None:
                self._survey(image)
        elif rest.state in (State.STILL, State.HIDDEN):
            if self._examine_again(image):
                self._assemble(image, frame.time_s)
            elif not self._is_surveyed:
                self._survey(image)
            elif not self._missed_are_found and self._find_missed(image):
                self._assemble(image, frame.time_s)
        return self._reading

    def correct(self, track: int, label: str) -> TableReading:
        """Take a person's word for what a tile is, `no-tile` for none; it holds for as long as the tile stays.

        Raises `KeyError` where there is no such track, `ValueError` for a label that is none.
        """
        labels = labels_of(self._tile_set.inks)
        if label not in labels:
            raise ValueError(f"no label: {label!r}")
        person = labels.index(label)
        self._tracks[track] = replace(self._tracks[track], person=person)
        self._assemble_again()
        return self._reading

    def play_with(self, tile_set: TileSet) -> None:
        """Say which set lies on the table from now on; the tiles stay as they are."""
        if tile_set != self._tile_set:
            self._tile_set = tile_set
            self._assemble_again()

    def look_again(self) -> None:
        """Look at all of the table once it lies still, as after a while without pictures; the tiles are found again."""
        self._motion.forget()
        self._rest = Rest(State.MOVING)

    def forget(self) -> None:
        """Begin anew: another table."""
        self._motion.forget()
        self._tracks: dict[int, Candidate] = {}
        self._in_hand: tuple[Candidate, ...] = ()
        self._rest, self._reading = Rest(State.MOVING), TableReading((), (), (0, 0))
        self._image: np.ndarray | None = None
        self._grouped = Grouped()
        self._colourless = self._missed_are_found = self._is_surveyed = False
        self._faint_px: np.ndarray | None = None
        self._troubles: tuple[Trouble, ...] = ()

    def _read_again(self, image: np.ndarray, rest: Rest) -> None:
        """Find and name what changed, and find out which tile is which."""
        if rest.shift is not None:
            shift = rest.shift
            self._tracks = {
                at: replace(track, quad_px=moved_with(track.quad_px, shift)) for at, track in self._tracks.items()
            }
        tracks = list(self._tracks.values())
        quads_px = np.array([track.quad_px for track in tracks], np.float32).reshape(-1, 4, 2)
        hidden = in_outlines(quads_px, rest.hidden_px) if rest.hidden_px else np.zeros(len(tracks), bool)
        touched = ~hidden
        if rest.changed_px is not None:
            touched &= in_boxes(quads_px, rest.changed_px)
            # what was hidden and is seen again may be another tile by now
            touched |= ~hidden & np.array([track.hidden for track in tracks], bool)
        else:
            self._colourless = is_colourless(image)
        lay = [track for track, is_touched in zip(tracks, touched, strict=True) if is_touched]
        resting = [
            track if track.hidden == is_hidden else replace(track, hidden=bool(is_hidden))
            for track, is_hidden, is_touched in zip(tracks, hidden, touched, strict=True)
            if not is_touched
        ]
        again = [*lay, *self._in_hand]
        observations, self._faint_px = observe(self._reader, image, rest, again, quads_px[~touched])
        seen, self._next_id = matched(again, observations, self._next_id)
        here = {track.track for track in seen}
        gone = [track for track in lay if track.track not in here and track.evidence.is_tile]
        under = _still_under(image, rest, gone, (*resting, *seen), len(lay))
        # while a hand is over the table, what is gone may be in it, to be laid elsewhere
        off = [track for track in (*gone, *self._in_hand) if track.track not in here | {one.track for one in under}]
        self._in_hand = tuple(track for track in off if rest.state is State.HIDDEN and track.evidence.is_tile)
        self._tracks = {track.track: track for track in (*resting, *seen, *under)}
        self._missed_are_found = rest.changed_px is None
        self._is_surveyed = False
        self._troubles = ()

    def _examine_again(self, image: np.ndarray) -> bool:
        """Examine some of the tiles whose names are not sure yet once more; return whether there were any.

        Those that may be none are to be compared with the others once more, too.
        """
        limits = config().tracking
        waiting = [
            track
            for track in self._tracks.values()
            if not track.hidden
            and (track.locked is None or track.standing is Standing.SUSPECT)
            and track.person is None
            and track.evidence.looks < limits.most_crops
        ]
        if not waiting:
            return False
        first = sorted(waiting, key=lambda track: (not is_uncertain(track), track.evidence.looks, track.track))
        asked = [track for track in first[: config().tracking.anew_most] if is_uncertain(track)]
        some = [track for track in first[: limits.crops_a_frame] if track not in asked]
        in_doubt = {track.track for track in asked}
        known = [track for at, track in self._tracks.items() if at not in in_doubt]
        better = redetected(self._reader, image, asked, known) if asked else []
        some += [track for track in asked if track.track not in {one.track for one in better}]
        again = [*better, *(reclassified(self._reader.namer, image, some) if some else ())]
        self._tracks |= {track.track: _reconsidered(track) for track in again}
        return True

    def _find_missed(self, image: np.ndarray) -> bool:
        """Find tiles that the detector missed, once for each rest of the table; return whether there are any."""
        self._missed_are_found = True
        seen = [track for track in self._tracks.values() if not track.hidden]
        if not seen:
            return False
        looked = add_missed_tiles(self._reader.namer, image, appearance_of(seen), self._faint_px)
        quads_px = looked.quads_px[len(seen) :]
        # what was taken for no tile keeps no other from its place
        known = np.array([track.quad_px for track in self._tracks.values() if track.evidence.is_tile])
        covers = self._rest.hidden_px
        new = [
            at
            for at in range(len(quads_px))
            if not taken(quads_px[at : at + 1], known)[0]
            and not (covers and in_outlines(quads_px[at : at + 1], covers)[0])
        ]
        score = self._reader.calibration.limits.sure_score
        observations = [Observation(quads_px[at], Evidence.of(looked, len(seen) + at, score), True) for at in new]
        begun, self._next_id = matched((), observations, self._next_id)
        self._tracks |= {track.track: track for track in begun}
        return bool(begun)

    def _survey(self, image: np.ndarray) -> None:
        """Say what is wrong with the picture and what lies face down, once for each rest: no verdict waits for it."""
        if self._faint_px is None:
            self._faint_px = self._reader.detector.detect(image).faint_px
        self._is_surveyed = True
        reading = surveyed(image, self._reading, self._faint_px)
        self._troubles = reading.troubles
        self._reading = replace(reading, troubles=self._all_troubles())

    def _assemble(self, image: np.ndarray, time_s: float) -> None:
        """Make the reading of what is followed, and keep the names that it is sure of."""
        self._image = image
        assembly = assemble(
            image,
            sorted(self._tracks.values(), key=lambda track: track.track),
            self._tile_set,
            self._reader.calibration,
            colourless=self._colourless,
            group=self._grouped,
            time_s=time_s,
        )
        self._tracks = {track.track: track for track in assembly.candidates()}
        face_down, troubles = self._reading.face_down, self._all_troubles()
        self._reading = replace(assembly.reading, face_down=face_down, troubles=troubles)

    def _assemble_again(self) -> None:
        if self._image is not None:
            self._assemble(self._image, self._reading.time_s or 0.0)

    def _all_troubles(self) -> tuple[Trouble, ...]:
        return (*in_the_way(self._rest.hidden_px, tuple(self._tracks.values())), *self._troubles)


def _still_under(
    image: np.ndarray, rest: Rest, gone: Sequence[Candidate], seen: Sequence[Candidate], lay: int
) -> list[Candidate]:
    """Return those of the tracks that are not seen any more which something lies over, marked as hidden."""
    limits = config().tracking
    if not gone or (rest.changed_px is None and rest.shift is None and len(gone) > limits.same_scene * lay):
        return []
    lost_px = np.array([track.quad_px for track in gone])
    there_px = np.array([track.quad_px for track in seen if not track.hidden], np.float32).reshape(-1, 4, 2)
    changed_px = rest.changed_px if rest.changed_px is not None else np.zeros((0, 4), np.float32)
    before = np.array([track.hidden for track in gone])
    over = occluded(image, lost_px, there_px, changed_px, before)
    return [replace(track, hidden=True) for track, is_under in zip(gone, over, strict=True) if is_under]


def _reconsidered(track: Candidate) -> Candidate:
    """Return a track after another look: what is a tile by now is compared with the others again."""
    doubted = track.standing in (Standing.SUSPECT, Standing.FOREIGN)
    return replace(track, standing=Standing.RECONSIDERED) if doubted and track.evidence.is_tile else track

"""Reads a table from frames: what lies still is read once, what changed is read again, and every tile is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.quality.status import is_colourless
from tilekeeper.vision.recognition.ink_mixture import COPIES
from tilekeeper.vision.recognition.refinement.neighbours import look_beside
from tilekeeper.vision.tracking.covered_tiles import covered
from tilekeeper.vision.tracking.evidence import Evidence
from tilekeeper.vision.tracking.hysteresis import Inks, looked_of, tell
from tilekeeper.vision.tracking.incremental_rows import Grouped
from tilekeeper.vision.tracking.matching import Look, matched
from tilekeeper.vision.tracking.motion_gate import Rest, State, StillGate
from tilekeeper.vision.tracking.redetection import looks_at, moved_with, taken
from tilekeeper.vision.tracking.reexamination import MOST_ANEW, found_anew, in_question, looked_again
from tilekeeper.vision.tracking.table_state import Set, in_the_way, odd_ones, reading_of, surveyed
from tilekeeper.vision.tracking.track import Track, in_boxes, in_outlines
from tilekeeper.vision.types import INKS, JOINT_NOT_A_TILE, ReadTile, TableReading, Trouble, label_of

STILL_AFTER_S = 0.35
MOST_LOOKS = 6
"""A tile whose name is not locked is looked at in so many still frames; after that no more of them would help."""
LOOKS_A_FRAME = 8
"""So many tiles are looked at again in one still frame, so that no frame takes long."""
SAME_SCENE = 0.5
"""Where so many of the tiles that are seen are where they were, what was hidden among them still is."""


class TimedFrame(Protocol):
    """A picture `(H, W, 3) uint8` BGR and when it was taken, such as `Frame`."""

    @property
    def image_bgr(self) -> np.ndarray: ...
    @property
    def time_s(self) -> float: ...


class FrameReader:
    """Takes frames one by one and always has the newest reading; keeps what it knows of every tile in between."""

    def __init__(
        self, reader: Reader, still_after_s: float = STILL_AFTER_S, inks: Inks = INKS, copies: int = COPIES
    ) -> None:
        """Read with the networks of `reader`, once the table lies still for `still_after_s`.

        `inks` are the edition's names of `INKS`, `copies` how often its set has each tile.
        """
        self._reader = reader
        self._gate = StillGate(still_after_s)
        self._set = Set(inks, copies)
        self._next_id = 0
        self.forget()

    @property
    def rest(self) -> Rest:
        """What the gate said of the newest frame."""
        return self._rest

    @property
    def reading(self) -> TableReading:
        """The newest reading; one of no tiles before the table has lain still once."""
        return self._reading

    def push(self, frame: TimedFrame) -> TableReading:
        """Take in a frame and return the newest reading, the very same as before where there is nothing new.

        `time_s` is the time of the frame on which it was last looked at. Raises `ValueError` for what is no picture.
        """
        image = np.asarray(frame.image_bgr)
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"a frame must be (H, W, 3) uint8, got {image.shape} {image.dtype}")
        self._rest = rest = self._gate.push(image, frame.time_s)
        if rest.settled:
            self._tell(image, frame.time_s, self._read_again(image, rest))
            if self._faint_px is not None:
                self._survey(image)
        elif rest.state in (State.STILL, State.HIDDEN):
            looked, fresh = self._look_once_more(image)
            if looked:
                self._tell(image, frame.time_s, fresh)
            elif not self._is_surveyed:
                self._survey(image)
            elif not self._looked_beside and self._look_beside(image):
                self._tell(image, frame.time_s)
        return self._reading

    def correct(self, track: int, label: str) -> TableReading:
        """Take a person's word for what a tile is, `no-tile` for none; it holds for as long as the tile stays.

        Raises `KeyError` where there is no such track, `ValueError` for a label that is none.
        """
        labels = [label_of(index, self._set.inks) for index in range(JOINT_NOT_A_TILE + 1)]
        self._tracks[track] = replace(self._tracks[track], person=labels.index(label))
        self._tell_again()
        return self._reading

    def play_with(self, inks: Inks, copies: int) -> None:
        """Say which set lies on the table from now on; the tiles stay as they are."""
        if self._set != Set(inks, copies):
            self._set = Set(inks, copies)
            self._tell_again()

    def look_again(self) -> None:
        """Look at all of the table once it lies still, as after a while without pictures; the tiles are found again."""
        self._gate.forget()
        self._rest = Rest(State.MOVING)

    def forget(self) -> None:
        """Begin anew: another table."""
        self._gate.forget()
        self._tracks: dict[int, Track] = {}
        self._in_hand: tuple[Track, ...] = ()
        self._rest, self._reading = Rest(State.MOVING), TableReading((), (), (0, 0))
        self._image: np.ndarray | None = None
        self._grouped = Grouped()
        self._colourless = self._looked_beside = self._is_surveyed = False
        self._faint_px: np.ndarray | None = None
        self._troubles: tuple[Trouble, ...] = ()

    def _read_again(self, image: np.ndarray, rest: Rest) -> set[int]:
        """Find and name what changed, and find out which tile is which; returns the tracks that are new."""
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
        looks, self._faint_px = looks_at(self._reader, image, rest, again, quads_px[~touched])
        seen, self._next_id = matched(again, looks, self._next_id)
        kept = {track.id for track in seen}
        gone = [track for track in lay if track.id not in kept and track.evidence.is_tile]
        under = _still_under(image, rest, gone, (*resting, *seen), len(lay))
        # while a hand is over the table, what is gone may be in it, to be laid elsewhere
        off = [track for track in (*gone, *self._in_hand) if track.id not in kept | {one.id for one in under}]
        self._in_hand = tuple(track for track in off if rest.state is State.HIDDEN and track.evidence.is_tile)
        self._tracks = {track.id: track for track in (*resting, *seen, *under)}
        self._looked_beside = self._is_surveyed = False
        self._troubles = ()
        return {track.id for track in seen if not track.shown}

    def _look_once_more(self, image: np.ndarray) -> tuple[bool, set[int]]:
        """Look at some of the tiles whose names are not sure yet: whether there were any, and which are tiles now.

        Those that may be none are held against the others once more, too.
        """
        waiting = [
            track
            for track in self._tracks.values()
            if not track.hidden
            and (track.held is None or track.suspect)
            and track.person is None
            and track.evidence.looks < MOST_LOOKS
        ]
        if not waiting:
            return False, set()
        first = sorted(waiting, key=lambda track: (not in_question(track), track.evidence.looks, track.id))
        asked = [track for track in first[:MOST_ANEW] if in_question(track)]
        some = [track for track in first[:LOOKS_A_FRAME] if track not in asked]
        mine = {track.id for track in asked}
        known = [track for at, track in self._tracks.items() if at not in mine]
        better = {track.id: track for track in found_anew(self._reader, image, asked, known)} if asked else {}
        some += [track for track in asked if track.id not in better]
        again = better | {track.id: track for track in (looked_again(self._reader.namer, image, some) if some else ())}
        fresh = {
            at
            for at, track in again.items()
            if track.evidence.is_tile and (track.suspect or track.foreign or not self._tracks[at].shown)
        }
        # what was no tile of the set at first sight may have been one under a reflection
        again |= {at: replace(again[at], foreign=False, shown=True) for at in fresh if again[at].foreign}
        self._tracks |= again
        return True, fresh

    def _look_beside(self, image: np.ndarray) -> bool:
        """Look for tiles that the finder missed, once for each rest; returns whether there are some."""
        self._looked_beside = True
        seen = [track for track in self._tracks.values() if not track.hidden]
        if not seen:
            return False
        looked = look_beside(self._reader.namer, image, looked_of(seen), self._faint_px)
        quads_px = looked.quads_px[len(seen) :]
        # what was taken for no tile keeps none from its place: the new track is told instead of it
        known = np.array([track.quad_px for track in self._tracks.values() if track.evidence.is_tile])
        covers = self._rest.hidden_px
        new = [
            at
            for at in range(len(quads_px))
            if not taken(quads_px[at : at + 1], known)[0]
            and not (covers and in_outlines(quads_px[at : at + 1], covers)[0])
        ]
        looks = [
            Look(quads_px[at], Evidence.of(looked, len(seen) + at, self._reader.limits.sure_score), True) for at in new
        ]
        begun, self._next_id = matched((), looks, self._next_id)
        self._tracks |= {track.id: track for track in begun}
        return bool(begun)

    def _survey(self, image: np.ndarray) -> None:
        """Say what is wrong with the picture and what lies face down, once for each rest: no verdict waits for it."""
        if self._faint_px is None:
            self._faint_px = self._reader.detector.detect(image).faint_px
        self._is_surveyed = True
        self._troubles, face_down = surveyed(image, self._reading, self._faint_px)
        self._reading = replace(self._reading, face_down=face_down, troubles=self._all_troubles())

    def _tell(self, image: np.ndarray, time_s: float, fresh: set[int] | None = None) -> None:
        """Make the reading; those of the `fresh` tracks that differ from those around them are no tiles."""
        self._image = image
        tracks = sorted(self._tracks.values(), key=lambda track: track.id)
        tiles, self._tracks = tell(
            tracks,
            self._reader.limits,
            self._set.inks,
            self._colourless,
            self._reader.confidence,
            self._reader.space,
        )
        if fresh:
            seen = [tile for tile in tiles if not tile.sighting.hidden]
            odd, suspect = odd_ones(image, seen, fresh, self._reader.is_tile)
            self._tracks |= {at: replace(self._tracks[at], suspect=at in suspect) for at in fresh}
            self._tracks |= {at: replace(self._tracks[at], foreign=True, shown=False) for at in odd}
            tiles = [tile for tile in tiles if tile.sighting.track not in odd]
        tiles = [replace(tile, doubtful=True) if self._is_suspect(tile) else tile for tile in tiles]
        reading = reading_of(image, tiles, self._set, self._grouped, self._colourless, time_s)
        self._reading = replace(reading, face_down=self._reading.face_down, troubles=self._all_troubles())

    def _is_suspect(self, tile: ReadTile) -> bool:
        return self._tracks[tile.sighting.track].suspect and not tile.sighting.locked_by_person

    def _tell_again(self) -> None:
        if self._image is not None:
            self._tell(self._image, self._reading.time_s or 0.0)

    def _all_troubles(self) -> tuple[Trouble, ...]:
        return (*in_the_way(self._rest.hidden_px, tuple(self._tracks.values())), *self._troubles)


def _still_under(image: np.ndarray, rest: Rest, gone: Sequence[Track], seen: Sequence[Track], lay: int) -> list[Track]:
    """Return those of the tracks that are not seen any more which something lies over, marked as hidden."""
    if not gone or (rest.changed_px is None and rest.shift is None and len(gone) > SAME_SCENE * lay):
        return []
    lost_px = np.array([track.quad_px for track in gone])
    there_px = np.array([track.quad_px for track in seen if not track.hidden], np.float32).reshape(-1, 4, 2)
    changed_px = rest.changed_px if rest.changed_px is not None else np.zeros((0, 4), np.float32)
    before = np.array([track.hidden for track in gone])
    over = covered(image, lost_px, there_px, changed_px, before)
    return [replace(track, hidden=True) for track, is_under in zip(gone, over, strict=True) if is_under]

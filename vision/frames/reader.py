"""Reads a table from frames: what lies still is read once, what changed is read again, and every tile is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np

from tilekeeper.vision.beside import look_beside
from tilekeeper.vision.frames.evidence import Evidence
from tilekeeper.vision.frames.gate import Rest, State, StillGate
from tilekeeper.vision.frames.matching import Look, matched
from tilekeeper.vision.frames.telling import Inks, looked_of, tell
from tilekeeper.vision.frames.track import Track, in_boxes, in_outlines
from tilekeeper.vision.geometry import upside_down
from tilekeeper.vision.grouping import group_rows
from tilekeeper.vision.looks import Looked, look_at
from tilekeeper.vision.naming import decoded, of_one_set
from tilekeeper.vision.pieces import FoundTile, find_in_pieces
from tilekeeper.vision.reader import Reader
from tilekeeper.vision.sighting import INKS, JOINT_NOT_A_TILE, ReadTile, TableReading, label_of
from tilekeeper.vision.trust import is_colourless, status_of

STILL_AFTER_S = 0.35
MOST_LOOKS = 6
"""A tile whose name is not locked is looked at in so many still frames; after that no more of them would help."""
LOOKS_A_FRAME = 8
"""So many tiles are looked at again in one still frame, so that no frame takes long."""
JITTER = 0.015
"""By so much of a tile's width its corners are shifted for another look: another sampling of the same print."""
SHIFTS = ((0.0, 0.0), (1.0, 0.5), (-0.5, 1.0), (-1.0, -0.5), (0.5, -1.0), (0.7, 0.7))


class TimedFrame(Protocol):
    """A picture `(H, W, 3) uint8` BGR and when it was taken, such as `Frame`."""

    @property
    def image_bgr(self) -> np.ndarray: ...
    @property
    def time_s(self) -> float: ...


class FrameReader:
    """Takes frames one by one and always has the newest reading; keeps what it knows of every tile in between."""

    def __init__(self, reader: Reader, still_after_s: float = STILL_AFTER_S, inks: Inks = INKS) -> None:
        """Read with the networks of `reader`, once the table lies still for `still_after_s`."""
        self._reader = reader
        self._gate = StillGate(still_after_s)
        self._inks = inks
        self._tracks: dict[int, Track] = {}
        self._in_hand: tuple[Track, ...] = ()
        self._next_id = 0
        self._rest = Rest(State.MOVING)
        self._looked_beside = False
        self._colourless = False
        self._image: np.ndarray | None = None
        self._rows: tuple[bytes, tuple[tuple[int, ...], ...]] = b"", ()
        self._reading = TableReading((), (), (0, 0))

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
            self._read_again(image, rest)
            self._tell(image, frame.time_s, anew=True)
        elif rest.state in (State.STILL, State.HIDDEN) and self._look_once_more(image):
            self._tell(image, frame.time_s)
        return self._reading

    def correct(self, track: int, label: str) -> TableReading:
        """Take a person's word for what a tile is, `no-tile` for none; it holds for as long as the tile stays.

        Raises `KeyError` where there is no such track, `ValueError` for a label that is none.
        """
        labels = [label_of(index, self._inks) for index in range(JOINT_NOT_A_TILE + 1)]
        self._tracks[track] = replace(self._tracks[track], person=labels.index(label))
        assert self._image is not None  # there are no tracks before the first picture
        self._tell(self._image, self._reading.time_s or 0.0)
        return self._reading

    def forget(self, inks: Inks | None = None) -> None:
        """Begin anew: another table, other inks."""
        self._gate.forget()
        self._tracks, self._in_hand, self._inks = {}, (), inks or self._inks
        self._rest, self._reading = Rest(State.MOVING), TableReading((), (), (0, 0))

    def _read_again(self, image: np.ndarray, rest: Rest) -> None:
        """Find and name what changed, and find out which tile is which."""
        if rest.shift is not None:
            self._tracks = {
                at: replace(track, quad_px=_moved(track.quad_px, rest.shift)) for at, track in self._tracks.items()
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
        again = [track for track, is_touched in zip(tracks, touched, strict=True) if is_touched]
        resting = [
            replace(track, hidden=bool(is_hidden))
            for track, is_hidden, is_touched in zip(tracks, hidden, touched, strict=True)
            if not is_touched
        ]
        again += self._in_hand
        looks = self._looks(image, rest, again, quads_px[~touched])
        seen, self._next_id = matched(again, looks, self._next_id)
        kept = {track.id for track in seen}
        # while a hand is over the table, what is gone may be in it, to be laid elsewhere
        hand = rest.state is State.HIDDEN
        self._in_hand = tuple(track for track in again if hand and track.id not in kept and track.evidence.is_tile)
        self._tracks = {track.id: track for track in (*resting, *seen)}
        self._looked_beside = False

    def _looks(self, image: np.ndarray, rest: Rest, again: Sequence[Track], resting_px: np.ndarray) -> list[Look]:
        """Look at every place where something was found, and at those where tiles lay that were not found again."""
        found = self._find(image, rest, resting_px)
        places = np.array([tile.quad_px for tile in found], np.float32).reshape(-1, 4, 2)
        free = np.ones(len(found), bool)
        if rest.hidden_px and len(found):
            free &= ~in_outlines(places, rest.hidden_px)
        if len(resting_px) and len(found):
            free &= ~_taken(places, resting_px)
        lost = np.array([track.quad_px for track in again if track.evidence.is_tile], np.float32).reshape(-1, 4, 2)
        if len(lost) and free.any():
            lost = lost[~_taken(lost, places[free])]
        quads_px = np.concatenate([places[free], lost])
        if not len(quads_px):
            return []
        looked = look_at(self._reader.namer, image, quads_px)
        scores = [tile.score for tile, is_free in zip(found, free, strict=True) if is_free]
        moved = _moved_by(quads_px, looked.quads_px)
        return [
            Look(looked.quads_px[at], Evidence.of(looked, at, float(score), float(moved[at])), at < len(scores))
            for at, score in enumerate([*scores, *[0.0] * len(lost)])  # of those the finder says nothing now
        ]

    def _find(self, image: np.ndarray, rest: Rest, resting_px: np.ndarray) -> Sequence[FoundTile]:
        boxes = rest.changed_px
        if boxes is None:
            return find_in_pieces(self._reader.finder, image)
        if not len(boxes):
            return []
        near = getattr(self._reader.finder, "near", None)
        if near is not None and len(resting_px):
            return near(image, boxes, resting_px)
        found = find_in_pieces(self._reader.finder, image)
        middles = np.array([tile.quad_px.mean(axis=0) for tile in found]).reshape(-1, 1, 2)
        inside = ((middles >= boxes[None, :, :2]) & (middles <= boxes[None, :, 2:])).all(axis=2).any(axis=1)
        return [tile for tile, is_inside in zip(found, inside, strict=True) if is_inside]

    def _look_once_more(self, image: np.ndarray) -> bool:
        """Look at some of the tiles whose names are not sure yet; returns whether there were any."""
        waiting = [
            track
            for track in self._tracks.values()
            if not track.hidden and track.held is None and track.person is None and track.evidence.looks < MOST_LOOKS
        ]
        if not waiting:
            if self._looked_beside or not self._tracks:
                return False
            self._looked_beside = True
            return self._look_beside(image)
        some = sorted(waiting, key=lambda track: (track.evidence.looks, track.id))[:LOOKS_A_FRAME]
        quads_px = np.array([_jittered(track) for track in some])
        names = Looked.of(self._reader.namer(image, quads_px))
        for at, track in enumerate(some):
            evidence = track.evidence.plus(Evidence.of(names, at, track.evidence.score), moved=False)
            quad_px = track.quad_px
            if evidence.upside_down_log_odds > 0 and evidence.is_tile:  # all looks together say so
                quad_px = upside_down(quad_px)
                evidence = replace(evidence, upside_down_log_odds=-evidence.upside_down_log_odds)
            self._tracks[track.id] = replace(track, quad_px=quad_px, evidence=evidence)
        return True

    def _look_beside(self, image: np.ndarray) -> bool:
        """Look for tiles that the finder missed, once for each rest; returns whether there are some."""
        seen = [track for track in self._tracks.values() if not track.hidden]
        if not seen:
            return False
        looked = look_beside(self._reader.namer, image, looked_of(seen))
        quads_px = looked.quads_px[len(seen) :]
        known = np.array([track.quad_px for track in self._tracks.values()])
        new = [at for at in range(len(quads_px)) if not _taken(quads_px[at : at + 1], known)[0]]
        looks = [
            Look(quads_px[at], Evidence.of(looked, len(seen) + at, self._reader.limits.sure_score), True) for at in new
        ]
        begun, self._next_id = matched((), looks, self._next_id)
        self._tracks |= {track.id: track for track in begun}
        return bool(begun)

    def _tell(self, image: np.ndarray, time_s: float, anew: bool = False) -> None:
        """Make the reading; `anew` where tiles may have come that differ in size and white from those around them."""
        self._image = image
        tracks = sorted(self._tracks.values(), key=lambda track: track.id)
        tiles, self._tracks = tell(tracks, self._reader.limits, self._inks, self._colourless, self._reader.confidence)
        if anew:
            tiles = self._of_one_set(image, tiles)
        quads_px = np.array([tile.sighting.quad_px for tile in tiles], np.float32).reshape(-1, 4, 2)
        if quads_px.tobytes() != self._rows[0]:
            self._rows = quads_px.tobytes(), group_rows(quads_px)
        rows = self._rows[1]
        together = tuple(
            tile if tile.sighting.locked_by_person else after
            for tile, after in zip(tiles, decoded(tiles, rows, self._inks), strict=True)
        )
        status = status_of(image, quads_px, tuple(tile.doubtful for tile in together), self._colourless)
        self._reading = TableReading(together, rows, (image.shape[1], image.shape[0]), status, time_s)

    def _of_one_set(self, image: np.ndarray, tiles: list[ReadTile]) -> list[ReadTile]:
        """Return the tiles less those that differ from the tiles around them, which are marked."""
        seen = [tile for tile in tiles if not self._tracks[tile.sighting.track].hidden]
        stays = {tile.sighting.track for tile in of_one_set(image, seen)}
        odd = {tile.sighting.track for tile in seen if not tile.sighting.locked_by_person} - stays
        self._tracks |= {at: replace(self._tracks[at], foreign=True) for at in odd}
        return [tile for tile in tiles if tile.sighting.track not in odd]


def _moved(quad_px: np.ndarray, move: np.ndarray) -> np.ndarray:
    return cv2.perspectiveTransform(quad_px[None].astype(np.float64), move)[0].astype(np.float32)


def _moved_by(found_px: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Return how far corners were moved, in tile widths, `(N,)`; a tile that was turned round was not."""
    off = [np.linalg.norm(quads_px - there, axis=2).mean(axis=1) for there in (found_px, upside_down(found_px))]
    return np.minimum(*off) / np.maximum(np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1), 1.0)


def _taken(places_px: np.ndarray, known_px: np.ndarray) -> np.ndarray:
    """Return which places `(N, 4, 2)` hold a tile that is known `(M, 4, 2)` already, `(N,)` bool."""
    apart = np.linalg.norm(places_px.mean(axis=1)[:, None] - known_px.mean(axis=1)[None], axis=2)
    widths = np.linalg.norm(known_px[:, 1] - known_px[:, 0], axis=1)
    return (apart < 0.4 * widths[None]).any(axis=1)


def _jittered(track: Track) -> np.ndarray:
    """Return the quad of a track a little beside where it lies, every look elsewhere."""
    across, down = track.quad_px[1] - track.quad_px[0], track.quad_px[3] - track.quad_px[0]
    right, low = SHIFTS[track.evidence.looks % len(SHIFTS)]
    return (track.quad_px + JITTER * (right * across + low * down)).astype(np.float32)

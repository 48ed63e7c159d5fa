"""Reads a table from frames: what lies still is read once, what changed is read again, and every tile is followed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tilekeeper.vision.arrays import are_among
from tilekeeper.vision.geometry.quads import enlarge
from tilekeeper.vision.imaging import keeping
from tilekeeper.vision.pipeline import Reader, assemble, checked, shrunk_to, surveyed
from tilekeeper.vision.quality.status import is_colourless
from tilekeeper.vision.recognition.ink_evidence import InkEvidence
from tilekeeper.vision.recognition.refinement.neighbours import add_missed_tiles
from tilekeeper.vision.scoring.tile_table import NONE, SetMembership, TileTable, similarity
from tilekeeper.vision.tracking.association import MIN_STILL_PRESENT_SIMILARITY, common_move, is_another_scene, matched
from tilekeeper.vision.tracking.edge_tiles import are_tiles
from tilekeeper.vision.tracking.faces import printed_otherwise
from tilekeeper.vision.tracking.glare import under_glare
from tilekeeper.vision.tracking.ink_words import InkWords
from tilekeeper.vision.tracking.motion_detection import MotionDetector, Rest, State
from tilekeeper.vision.tracking.occluded_tiles import occluded
from tilekeeper.vision.tracking.occluders import in_the_way
from tilekeeper.vision.tracking.reclassification import is_uncertain, reclassified, redetected
from tilekeeper.vision.tracking.redetection import moved_with, observe, taken
from tilekeeper.vision.tracking.regions import boxes_of, filled_from, in_boxes, in_outlines
from tilekeeper.vision.tracking.table_view import TableView
from tilekeeper.vision.types import TableReading, TileSet, Trouble, labels_of

# At most this many uncertain tiles are detected again in one frame.
MAX_REDETECTED_TILES = 4
# A tile without a locked label is classified in at most this many settled frames; more would not help.
MAX_CROPS_PER_TILE = 6
# At most this many tiles are classified again in one settled frame, so that no frame takes long.
MAX_RECLASSIFIED_TILES = 8


class TimedFrame(Protocol):
    """A picture `(H, W, 3) uint8` BGR and when it was taken, such as `Frame`."""

    @property
    def image_bgr(self) -> np.ndarray: ...
    @property
    def time_s(self) -> float: ...


class FrameReader:
    """Takes frames one by one and always has the newest reading; keeps what it knows of every tile in between."""

    _told: tuple[TableReading, TableReading]
    """The reading in the pixels that were read, and in those of the frame."""

    def __init__(self, reader: Reader, still_after_s: float, tile_set: TileSet | None = None) -> None:
        """Read with the networks of `reader` once the table is still for `still_after_s`."""
        self._reader = reader
        self._motion = MotionDetector(still_after_s, self._are_tiles)
        self._tile_set = tile_set or TileSet()
        self._next_track = 0
        self.forget()

    @property
    def rest(self) -> Rest:
        """The state of the table in the newest frame: moving, still, or covered."""
        return self._rest

    @property
    def reading(self) -> TableReading:
        """The newest reading, in pixels of the frame; one of no tiles before the table has lain still once."""
        if self._told[0] is not self._reading:
            seen = self._reading.image_wh != (0, 0)
            self._told = self._reading, self._in_picture.scale_to(self._frame_wh) if seen else self._reading
        return self._told[1]

    @property
    def _in_picture(self) -> TableReading:
        """The reading in pixels of the picture, as the camera sees it."""
        covered = in_the_way(self._rest.hidden_px, self._view.back(self._tracks.quads_px[self._tracks.covered]))
        reading = self._view.in_picture(self._reading)
        return replace(reading, face_down=self._face_down, troubles=(*covered, *self._troubles))

    @property
    def is_done(self) -> bool:
        """Whether the table lies still and further pictures of it bring nothing new until something changes."""
        return self._is_done

    @keeping()
    def push(self, frame: TimedFrame) -> TableReading:
        """Take in a frame and return the newest reading, the very same as before where there is nothing new.

        `time_s` is the time of the frame from which it was made. Raises `ValueError` for what is no picture.
        """
        whole = checked(frame.image_bgr)
        picture = shrunk_to(whole, self._reader.calibration.limits.working_px)
        self._frame_wh = whole.shape[1], whole.shape[0]
        self._rest = rest = self._motion.push(picture, frame.time_s)
        self._is_done = False
        if rest.settled:
            self._settle(picture, rest, frame.time_s)
        elif rest.state in (State.STILL, State.HIDDEN):
            if self._examine_again(picture):
                self._assemble(self._view.of(picture), frame.time_s)
            elif not self._is_surveyed:
                self._survey(picture)
            else:
                self._is_done = rest.state is State.STILL
        return self.reading

    def correct(self, track: int, label: str) -> TableReading:
        """Take a person's word for what a tile is, `no-tile` for none; it holds for as long as the tile stays.

        Raises `KeyError` where there is no such track, `ValueError` for a label that is none.
        """
        labels = labels_of(self._tile_set.inks)
        if label not in labels:
            raise ValueError(f"no label: {label!r}")
        at = np.flatnonzero(self._tracks.track == track)
        if not len(at):
            raise KeyError(track)
        self._tracks.person_label[at] = labels.index(label)
        self._ink_words.add(track, self._tracks.at(at).inks_seen, self._tracks.track.tolist())
        self._assemble_again()
        return self.reading

    @property
    def ink_words(self) -> tuple[InkEvidence, ...]:
        """What people called inks, of one tile each, the newest last: here, or before (`remember`)."""
        return self._ink_words.newest

    def remember(self, words: Iterable[InkEvidence]) -> None:
        """Take what people called inks in this light before, of one tile each; it tells of what lies there."""
        self._ink_words.remember(words)
        self._assemble_again()

    def forget_inks(self) -> None:
        """Keep nothing of what people called inks; tiles that lie there keep their names."""
        self._ink_words = InkWords()
        self._assemble_again()

    def play_with(self, tile_set: TileSet) -> None:
        """Say which set lies on the table from now on; the tiles stay as they are."""
        if tile_set != self._tile_set:
            self._tile_set = tile_set
            self._assemble_again()

    def look_again(self) -> None:
        """Look at all of the table once it lies still, as after a while without pictures; the tiles are found again."""
        self._motion.forget()
        self._rest, self._is_done = Rest(State.MOVING), False

    def forget(self) -> None:
        """Begin anew: another table."""
        self._motion.forget()
        self._tracks = self._in_hand = TileTable.none()
        self._rest, self._reading = Rest(State.MOVING), TableReading((), (), (0, 0))
        self._frame_wh = 0, 0
        self._view = TableView(self._frame_wh)
        self._told = self._reading, self._reading
        self._image: np.ndarray | None = None
        self._colourless = self._is_surveyed = self._is_done = False
        self._faint_px: np.ndarray | None = None
        self._ink_words = InkWords()
        self._troubles: tuple[Trouble, ...] = ()
        self._face_down = self._reading.face_down

    def _settle(self, picture: np.ndarray, rest: Rest, time_s: float) -> None:
        """Read what changed, and all of it where the view does not show that or another one shows more."""
        if not self._view.shows(rest.changed_px, self._tracks):
            # another scene, or a camera that was moved, sees it from elsewhere
            self._look_through(TableView((picture.shape[1], picture.shape[0])))
            rest = replace(rest, changed_px=None)
        before = self._tracks, self._in_hand
        self._read(picture, rest, time_s)
        better = self._view.better(self._reader, picture, self._tracks, self._reading, self._tile_set)
        if better is not None:
            if rest.shift is None:  # nothing of the first reading is kept
                self._tracks, self._in_hand = before
            self._look_through(better)
            self._read(picture, replace(rest, changed_px=None, shift=None), time_s)
        if self._faint_px is not None:
            self._survey(picture)

    def _look_through(self, view: TableView) -> None:
        """Look at the table so from now on; what is followed is followed there."""
        before, self._view = self._view, view
        self._tracks, self._in_hand = (
            replace(tracks, quads_px=before.led_to(view, tracks.quads_px)) for tracks in (self._tracks, self._in_hand)
        )

    def _read(self, picture: np.ndarray, rest: Rest, time_s: float) -> None:
        image = self._view.of(picture)
        self._read_again(image, self._view.in_view(rest))
        self._assemble(image, time_s)

    def _read_again(self, image: np.ndarray, rest: Rest) -> None:
        """Find and name what changed, and find out which tile is which."""
        tracks = _led(self._tracks, rest.shift)
        beneath = in_outlines(tracks.quads_px, rest.hidden_px)
        hidden = beneath & ~self._show_themselves(image, tracks, beneath)
        touched = ~beneath
        if rest.changed_px is not None:
            # what was hidden and is seen again may be another tile by now
            touched &= in_boxes(tracks.quads_px, rest.changed_px) | tracks.covered
            calm = np.flatnonzero(~touched & ~beneath)
            # what is small or dim shows in the whole picture alone
            other = calm[self._looks_otherwise(image, rest, tracks.quads_px[calm])]
            touched[other] = True
            rest = replace(rest, changed_px=np.concatenate([rest.changed_px, boxes_of(tracks.quads_px[other])]))
        self._colourless = is_colourless(image)
        lay, resting = tracks.at(touched), replace(tracks.at(~touched), covered=hidden[~touched])
        again = TileTable.concatenate([lay, self._in_hand])
        observed, self._faint_px = observe(self._reader, image, rest, again, resting.quads_px)
        observed = self._view.uncut(observed)
        if rest.changed_px is None and rest.shift is None and (move := common_move(again, observed)) is not None:
            # what was no tile there, as what the edge cut, may be one here
            again = _led(again.at(again.is_tile | (again.person_label != NONE)), move)
        seen = matched(again, observed, self._next_track)
        glared = self._under_glare(image, rest, lay, seen)
        seen = seen.at(~((seen.track >= self._next_track) & taken(seen.quads_px, glared.quads_px)))
        gone = lay.at(lay.is_tile & ~are_among(lay.track, np.concatenate([seen.track, glared.track])))
        under = gone.at(
            self._still_under(image, rest, gone, TileTable.concatenate([resting, seen]), tracks.at(~hidden))
        )
        under = TileTable.concatenate([under, glared])
        under = replace(under, covered=np.ones(len(under), bool))
        # while a hand is over the table, what is gone may be in it, to be laid elsewhere
        off = TileTable.concatenate([gone, self._in_hand])
        elsewhere = are_among(off.track, np.concatenate([seen.track, under.track]))
        self._in_hand = off.at(~elsewhere & off.is_tile & (rest.state is State.HIDDEN))
        tracks = TileTable.concatenate([resting, seen, under])
        self._keep(self._with_missed(image, tracks, rest))
        self._is_surveyed = False
        self._troubles = ()

    def _looks_otherwise(self, image: np.ndarray, rest: Rest, quads_px: np.ndarray) -> np.ndarray:
        """Return which tiles `(N, 4, 2)` no longer look as they did when they were read last, `(N,)` bool."""
        before = self._before(image, rest)
        return np.zeros(len(quads_px), bool) if before is None else printed_otherwise(before, image, quads_px)

    def _show_themselves(self, image: np.ndarray, tracks: TileTable, asked: np.ndarray) -> np.ndarray:
        """Return which of the tracks `asked` about `(N,)` look where they lie as what they are, `(N,)` bool.

        Whatever seems to have come in over them, as it may after a bump or under another lamp, lies elsewhere.
        """
        shown = np.zeros(len(tracks), bool)
        if (at := np.flatnonzero(asked & tracks.is_tile)).size:
            looks = self._reader.classifier(image, tracks.quads_px[at])
            shown[at] = similarity(tracks.at(at), looks) >= MIN_STILL_PRESENT_SIMILARITY
        return shown

    def _are_tiles(self, picture: np.ndarray, outlines_px: Sequence[np.ndarray]) -> list[bool]:
        """Return which outlines `(K, 2)` of what is new at the edge of a picture are those of tiles that lie there."""
        return are_tiles(self._reader, picture, outlines_px, self._tracks, self._view)

    def _still_under(
        self, image: np.ndarray, rest: Rest, gone: TileTable, seen: TileTable, lay: TileTable
    ) -> np.ndarray:
        """Return which of the tracks that are not seen any more something lies over, `(N,)` bool."""
        if len(gone) and rest.shift is None and is_another_scene(lay, seen, rest.changed_px is not None):
            # a thing that still lies where it lay covers what it did, however the tiles beside it were laid anew
            in_part = rest.changed_px is not None
            return np.asarray(gone.covered & in_part & ~in_boxes(gone.quads_px, rest.parts_px))
        seen_px = seen.quads_px[seen.is_tile & ~seen.covered]  # a napkin that is found and is no tile lies over them
        return occluded(image, gone.quads_px, seen_px, rest.parts_px, gone.covered, self._before(image, rest))

    def _before(self, image: np.ndarray, rest: Rest) -> np.ndarray | None:
        """Return the picture that was read last, None where another camera or another table may have been seen."""
        alike = rest.changed_px is not None and self._image is not None and self._image.shape == image.shape
        return self._image if alike else None

    def _under_glare(self, image: np.ndarray, rest: Rest, lay: TileTable, seen: TileTable) -> TileTable:
        """Return those of the tracks whose names are sure, and on which glare has come since.

        Where all of the picture is another, so may be the tiles, whatever they look like.
        """
        before = self._before(image, rest)
        firm = (
            lay.is_tile & ((lay.locked_label != NONE) | (lay.person_label != NONE)) & ~are_among(lay.track, seen.track)
        )
        if before is None or not firm.any():
            return lay.at(slice(0))
        lost = lay.at(firm)
        return lost.at(under_glare(before, image, lost.quads_px))

    def _keep(self, tracks: TileTable) -> None:
        """Follow these from now on; the numbers of new ones are never given again."""
        self._tracks, self._next_track = tracks, self._after(tracks)

    def _after(self, tracks: TileTable) -> int:
        """Return the first number that none of these tracks nor any before them had."""
        return max(self._next_track, int(tracks.track.max(initial=-1)) + 1)

    def _examine_again(self, picture: np.ndarray) -> bool:
        """Examine some of the tiles whose names are not sure yet once more; return whether there were any.

        Those that may be none are to be compared with the others once more, too.
        """
        tracks = self._tracks
        waiting = (tracks.locked_label == NONE) | (tracks.membership == SetMembership.SUSPECT)
        waiting &= ~tracks.covered & (tracks.person_label == NONE) & (tracks.crop_count < MAX_CROPS_PER_TILE)
        if not waiting.any():
            return False
        image = self._view.of(picture)
        uncertain = is_uncertain(tracks)
        order = np.lexsort((tracks.track, tracks.crop_count, ~uncertain))
        first = order[waiting[order]]
        asked = first[:MAX_REDETECTED_TILES]
        asked = asked[uncertain[asked]]
        some = first[:MAX_RECLASSIFIED_TILES]
        some = some[~are_among(some, asked)]
        after = tracks.copy()
        if len(asked):
            known = tracks.at(np.setdiff1d(np.arange(len(tracks)), asked))
            seen, better = redetected(self._reader, image, tracks.at(asked), known)
            after.put(asked[better], seen.at(better))
            some = np.concatenate([some, asked[~better]])
        if len(some):
            after.put(some, reclassified(self._reader.classifier, image, tracks.at(some)))
        # what is a tile by now is compared with the others again
        doubted = are_among(after.membership, (SetMembership.SUSPECT, SetMembership.FOREIGN)) & after.is_tile
        again = are_among(after.track, tracks.track[np.concatenate([some, asked])])
        after.membership[doubted & again] = SetMembership.RECONSIDERED
        self._tracks = after
        return True

    def _with_missed(self, image: np.ndarray, tracks: TileTable, rest: Rest) -> TileTable:
        """Return the tracks with the tiles that the detector missed in or next to what changed.

        They are there before anybody hears of the others: a run may be legal without its last tile.
        """
        shown = tracks.at(~tracks.covered)
        near = in_boxes(enlarge(shown.quads_px, 2), rest.parts_px)
        if not near.any():
            return tracks
        more = add_missed_tiles(self._reader.classifier, image, shown.tempered(), beside=near).at(
            slice(len(shown), None)
        )
        if not len(more):
            return tracks
        # what was taken for no tile keeps no other from its place
        known_px = tracks.quads_px[tracks.is_tile]
        more = more.at(~(taken(more.quads_px, known_px) | in_outlines(more.quads_px, rest.hidden_px)))
        scores = np.full(len(more), self._reader.calibration.limits.sure_score)
        return TileTable.concatenate([tracks, TileTable.from_classification(more, scores, self._after(tracks))])

    def _survey(self, picture: np.ndarray) -> None:
        """Say what is wrong with the picture and what lies face down, once for each rest: no verdict waits for it."""
        if self._faint_px is None:
            self._faint_px = self._reader.detector.detect(self._view.of(picture)).faint_px
        self._is_surveyed = True
        surveyed_reading = surveyed(picture, self._in_picture, self._view.back(self._faint_px))
        self._face_down, self._troubles = surveyed_reading.face_down, surveyed_reading.troubles
        self._reading = replace(self._reading)

    def _assemble(self, image: np.ndarray, time_s: float) -> None:
        """Make the reading of what is followed, and keep the names that it is sure of."""
        # what something reaches in over looks as it did when it was seen last
        self._image = filled_from(self._image, image, self._view.in_view(self._rest).hidden_px)
        self._reading, self._tracks = assemble(
            image,
            self._tracks.at(np.argsort(self._tracks.track)),
            self._tile_set,
            self._reader.calibration,
            colourless=self._colourless,
            known_inks=self._ink_words.of_gone(self._tracks.track.tolist()),
            time_s=time_s,
        )

    def _assemble_again(self) -> None:
        if self._image is not None:
            self._assemble(self._image, self._reading.time_s or 0.0)


def _led(tracks: TileTable, move: np.ndarray | None) -> TileTable:
    """Return the tracks where a move `(3, 3)` of the camera leads them, to be looked at anew; the very same without."""
    if move is None:
        return tracks
    # seen from there a tile may be whole that the edge cut; that what was no tile was looked at is not forgotten
    return replace(tracks, quads_px=moved_with(tracks.quads_px, move), crop_count=np.minimum(tracks.crop_count, 1))

"""The desk between the thread that watches the table and the pages that show it: one state, under one lock.

The watcher puts down pictures and readings, the pages press buttons, and whoever waits for news gets the newest
state only: a slow tablet skips what it missed, so nothing ever queues up. What the buttons mean is the play's business.
"""

import json
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.observation.annotations import Annotations
from tilekeeper.companion.observation.groupings import Rows, as_they_lay, is_choice
from tilekeeper.companion.observation.missing_tiles import missing_places, with_missing_tiles
from tilekeeper.companion.observation.observed_table import inks_of, tile_of
from tilekeeper.companion.observation.reading_diff import as_before, shown_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.activity import Play
from tilekeeper.companion.session.snapshot import Snapshot, Watching
from tilekeeper.companion.web.serializers.table import state_json
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile, TableReading

# A tablet asks for a picture a moment after it has heard of it; by then some newer ones have come.
KEPT_PICTURES = 24
# While a clock runs, an answer is worded anew after this long.
FRESH_S = 0.2


@dataclass(frozen=True, slots=True)
class News:
    """The state at one moment, as the page gets it.

    Attributes:
        version: counts the changes; two equal versions are the same state.
        text: the state as JSON.
        made_s: when it was put into words, by the monotonic clock.
    """

    version: int
    text: str
    made_s: float = 0.0


class Desk:
    """Holds the newest snapshot and what is played, and tells all who wait when either changes."""

    def __init__(self, watching: Watching) -> None:
        """Begin with nothing seen; `play` is to be set before anything else is done."""
        self.changed = threading.Condition()
        self.watching = watching
        self.snapshot = Snapshot()
        self.play: Play
        self._annotations = Annotations()
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self._version = 0
        self._news: News | None = None
        self._boot = secrets.token_hex(4)
        self._closed = False

    # What the watcher puts down.

    def show(self, picture: Picture, *, settled: bool, state: str | None = None) -> None:
        """Show a newer picture; `settled` where the reading holds for it too, `state` as in `Snapshot`."""
        with self.changed:
            self._keep(picture)
            state = self.snapshot.state if state is None else state
            self.snapshot = replace(self.snapshot, picture=picture, settled=settled, state=state, trouble="")
            self.tell()

    def put(self, picture: Picture, reading: TableReading, image_bgr: np.ndarray, state: str) -> None:
        """Put down what the tracker read on a picture, with what people said of its tiles.

        The reading gets a new number only where the table has changed: a verdict on it stands as long as it lies so.
        `image_bgr` is the frame that was read, `(H, W, 3) uint8`; `state` is as in `Snapshot`.
        """
        with self.changed:
            self._keep(picture)
            before, number = self.snapshot.reading, self.snapshot.reading_number
            reading = self._annotated(reading, image_bgr)
            same = as_before(before, reading)
            self.snapshot = Snapshot(
                picture, same or reading, number if same else number + 1, settled=True, state=state
            )
            self.play.table_read()
            self._settle_doubts(before, same)
            self.tell()

    def put_photo(self, picture: Picture, reading: TableReading) -> None:
        """Put down what was read on a photo of a folder: a table of its own, of which nobody has said anything yet."""
        with self.changed:
            self._keep(picture)
            self._annotations = Annotations()
            self.snapshot = Snapshot(picture, reading, self.snapshot.reading_number + 1, settled=True)
            self.play.table_read()
            self.tell()

    def improve(self, reading: TableReading, image_bgr: np.ndarray) -> None:
        """Put down what is known better by now of the table that lies there, from one more frame of it."""
        with self.changed:
            before, number = self.snapshot.reading, self.snapshot.reading_number
            asked = self.play.judged_this is False
            reading = self._annotated(reading, image_bgr)
            same = as_before(before, reading)
            self.snapshot = replace(
                self.snapshot, reading=same or reading, reading_number=number if same else number + 1
            )
            if same is None:
                self.play.table_read()
                if asked:
                    self.play.tile_corrected(anew=True)
            elif before is None or shown_of(before) == shown_of(same):
                return  # surer of what was sure: nobody need hear of it
            self._settle_doubts(before, same)
            self.tell()

    @property
    def annotations(self) -> Annotations:
        """What people said of the tiles that are watched."""
        with self.changed:
            return self._annotations

    def put_unreadable(self, why: str) -> None:
        """Put down that there is no picture here, and why: a photo of a folder that can't be opened."""
        with self.changed:
            self.snapshot = Snapshot(reading_number=self.snapshot.reading_number, trouble=why)
            self.play.start_over()
            self.tell()

    def leave_for(self, index: int) -> None:
        """Say that the picture on the page is on its way out: another photo of the folder has been asked for."""
        with self.changed:
            self.watching = replace(self.watching, index=index)
            self.snapshot = replace(self.snapshot, settled=False)
            self.tell()

    def say_trouble(self, why: str) -> None:
        """Say in one line why there is no newer picture; the last one stays."""
        with self.changed:
            if why != self.snapshot.trouble:
                self.snapshot = replace(self.snapshot, trouble=why, settled=False)
                self.tell()

    def start_over(self) -> None:
        """Forget the turn, as when a recording starts from its beginning."""
        with self.changed:
            self._annotations = Annotations()
            self.play.start_over()
            self.tell()

    def watch(self, watching: Watching) -> None:
        """Say that something else is watched from now on; nothing is seen of it yet."""
        with self.changed:
            self.watching = watching
            self._annotations = Annotations()
            self.snapshot = Snapshot(reading_number=self.snapshot.reading_number)
            self.tell()

    # What the pages ask for.

    def answer(self, reading_number: int, index: int, label: str) -> None:
        """Take a person's word for a doubtful tile, one of the names in question.

        Raises:
            Refused: where the table has been read anew since, or there is no such question.
        """
        with self.changed:
            tile = self._tile(reading_number, index)
            verdict = self.play.verdict_json()
            asked = [one for one in verdict["questions"] if one["tile"] == index] if verdict is not None else []
            offered = {choice["label"] for question in asked for choice in question["choices"]}
            if label not in offered | {tile.label, tile.runner_up}:
                raise Refused("That is not one of the names in question.")
            self._correct(index, label)

    def group(self, reading_number: int, rows: Rows) -> None:
        """Take a person's word for the melds in which tiles lie that could as well lie otherwise.

        Raises:
            Refused: where the table has been read anew since, or there is no such question.
        """
        with self.changed:
            reading = self._reading(reading_number)
            doubt = next((one for one in reading.other_rows if is_choice(reading, one, rows)), None)
            if doubt is None:
                raise Refused("That is not one of the ways in question.")
            self._annotations = self._annotations.with_rows(reading, doubt, rows)
            self.snapshot = replace(self.snapshot, reading=self._annotations.applied_to(reading))
            self.play.tile_corrected()
            self.tell()

    def correct(self, reading_number: int, index: int, label: str) -> None:
        """Take a person's word for any tile, whatever it was read as; `no-tile` takes it off the table.

        Raises:
            Refused: where the table has been read anew since, or the label names no tile.
        """
        with self.changed:
            self._tile(reading_number, index)
            if label != NO_TILE_LABEL and tile_of(label) is None:
                raise Refused(f"There is no tile called {label[:20]!r}.", "bad-table")
            self._correct(index, label)

    @property
    def at_rest(self) -> bool:
        """Whether the table lies still and has been read."""
        with self.changed:
            return self.snapshot.settled and self.snapshot.reading is not None

    def picture(self, number: int) -> Picture | None:
        """Return a picture by its number, or None where it is too old or was never there."""
        with self.changed:
            return self._pictures.get(number)

    def news(self, after: int = -1, timeout_s: float = 0.0) -> News | None:
        """Return the state if it is newer than version `after`; wait for that, and return None if nothing came."""
        with self.changed:
            self.changed.wait_for(lambda: self._closed or self._version > after, timeout_s)
            if self._version <= after:
                return None
            if self._news is None or (self.play.ticking and time.monotonic() - self._news.made_s > FRESH_S):
                state = state_json(self.watching, self.snapshot, self.play, self._version, self._boot)
                text = json.dumps(state, separators=(",", ":"), allow_nan=False)
                self._news = News(self._version, text, time.monotonic())
            return self._news

    @property
    def closed(self) -> bool:
        """Whether the app is going down, so that no stream goes on."""
        return self._closed

    def close(self) -> None:
        """Wake all who wait; nothing more will come."""
        with self.changed:
            self._closed = True
            self.changed.notify_all()

    # Below: called with the lock held.

    def tell(self) -> None:
        """Say that something has changed; called with the lock held."""
        self._version += 1
        self._news = None
        self.changed.notify_all()

    def _reading(self, reading_number: int) -> TableReading:
        reading = self.snapshot.reading
        if reading is None or reading_number != self.snapshot.reading_number:
            raise Refused("The table has changed since.", "stale")
        return reading

    def _tile(self, reading_number: int, index: int) -> ReadTile:
        reading = self._reading(reading_number)
        if not 0 <= index < len(reading.tiles):
            raise Refused("There is no such tile.")
        return reading.tiles[index]

    def _correct(self, index: int, label: str) -> None:
        reading = self.snapshot.reading
        assert reading is not None  # the tile is of it
        self._annotations = self._annotations.with_label(reading.tiles[index], label)
        self.snapshot = replace(self.snapshot, reading=self._annotations.applied_to(reading))
        self.play.tile_corrected()
        self.tell()

    def _annotated(self, reading: TableReading, image_bgr: np.ndarray) -> TableReading:
        """Return a reading with what people said, and with the tiles that are missing and may still lie there."""
        inks = inks_of(self.play.rules)
        self._annotations = self._annotations.updated_by(reading, inks)
        reading = self._annotations.applied_to(reading)
        start = self.play.start()
        if start is None:
            return reading
        reading = as_they_lay(start, reading)
        missing = missing_places(start, reading)
        self._annotations = self._annotations.only_missing(missing)
        return self._annotations.applied_to(with_missing_tiles(reading, start, missing, image_bgr, inks))

    def _settle_doubts(self, before: TableReading | None, same: TableReading | None) -> None:
        """Judge again where a verdict turned on what may be known by now."""
        if before is None or same is None or shown_of(before) == shown_of(same):
            return
        if self.play.judged_this is False:
            self.play.tile_corrected()

    def _keep(self, picture: Picture) -> None:
        self._pictures[picture.number] = picture
        while len(self._pictures) > KEPT_PICTURES:
            self._pictures.popitem(last=False)

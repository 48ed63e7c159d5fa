"""The desk between the thread that watches the table and the pages that show it: one state, under one lock.

The watcher puts down pictures and readings, the pages press buttons, and whoever waits for news gets the newest
state only: a slow tablet skips what it missed, so nothing ever queues up.
"""

import json
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace

from tilekeeper.companion.judgeable import can_be_judged
from tilekeeper.companion.laid import NOTHING_LAID, answered
from tilekeeper.companion.settings import Settings
from tilekeeper.companion.snapshot import Picture, Snapshot
from tilekeeper.companion.state import state_json
from tilekeeper.companion.turn import Turn
from tilekeeper.vision.sighting import TableReading

# A tablet asks for a picture a moment after it has heard of it; by then some newer ones have come.
KEPT_PICTURES = 24


class Refused(Exception):  # noqa: N818, the name says it
    """A button that can't do anything now; the message says why, in one line for people."""


@dataclass(frozen=True, slots=True)
class News:
    """The state at one moment, as the page gets it.

    Attributes:
        version: counts the changes; two equal versions are the same state.
        text: the state as JSON.
    """

    version: int
    text: str


class Desk:
    """Holds the newest snapshot and the turn, and tells all who wait when either changes."""

    def __init__(self, settings: Settings) -> None:
        """Begin with nothing seen and no turn begun."""
        self._settings = settings
        self._changed = threading.Condition()
        self._snapshot = Snapshot()
        self._turn = Turn(settings.rules)
        self._waiting_to: str | None = None
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self._version = 0
        self._news: News | None = None
        self._boot = secrets.token_hex(4)
        self._closed = False

    # What the watcher puts down.

    def show(self, picture: Picture, *, settled: bool) -> None:
        """Show a newer picture; `settled` where the reading holds for it too."""
        with self._changed:
            self._keep(picture)
            self._snapshot = replace(self._snapshot, picture=picture, settled=settled, trouble="")
            self._tell()

    def put(self, picture: Picture, reading: TableReading) -> None:
        """Put down what was read on a picture, and do what was asked for as soon as the table lies still."""
        with self._changed:
            self._keep(picture)
            number = self._snapshot.reading_number + 1
            self._snapshot = Snapshot(picture, reading, number, settled=True)
            if self._settings.source.kind == "photos":
                self._judge_as_it_lies()
            elif self._waiting_to is not None and can_be_judged(reading):
                self._do(self._waiting_to)
            self._tell()

    def put_unreadable(self, why: str) -> None:
        """Put down that there is no picture here, and why: a photo of a folder that can't be opened."""
        with self._changed:
            self._snapshot = Snapshot(reading_number=self._snapshot.reading_number, trouble=why)
            self._turn = Turn(self._settings.rules)
            self._tell()

    def leave(self) -> None:
        """Say that the picture on the page is on its way out: another photo has been asked for."""
        with self._changed:
            self._snapshot = replace(self._snapshot, settled=False)
            self._tell()

    def say_trouble(self, why: str) -> None:
        """Say in one line why there is no newer picture; the last one stays."""
        with self._changed:
            if why != self._snapshot.trouble:
                self._snapshot = replace(self._snapshot, trouble=why, settled=False)
                self._tell()

    def start_over(self) -> None:
        """Forget the turn, as when a recording starts from its beginning."""
        with self._changed:
            self._turn = Turn(self._settings.rules)
            self._waiting_to = None
            self._tell()

    # What the pages ask for.

    def begin(self) -> None:
        """Take the table as it lies now as the beginning of a turn; once it lies still, where it does not."""
        self._press("begin")

    def done(self) -> None:
        """Judge the turn on the table as it lies now; once it lies still, where it does not.

        Raises:
            Refused: where the turn has no beginning yet.
        """
        with self._changed:
            if self._turn.before is None:
                raise Refused("First say from which table to start.")
            self._press("done")

    def cancel(self) -> None:
        """Forget a button that waits for the table to lie still."""
        with self._changed:
            self._waiting_to = None
            self._tell()

    def undo(self) -> None:
        """Take back the last Done or beginning.

        Raises:
            Refused: where there is nothing to take back.
        """
        with self._changed:
            if not self._turn.past:
                raise Refused("There is nothing to take back.")
            self._turn = self._turn.undone()
            self._waiting_to = None
            self._tell()

    def set_opened(self, opened: bool) -> None:
        """Say whether the player has opened in an earlier turn."""
        with self._changed:
            self._turn = self._turn.with_opened(opened)
            self._tell()

    def answer(self, reading_number: int, index: int, label: str) -> None:
        """Take a person's word for a doubtful tile, and judge again where a verdict turned on it.

        Raises:
            Refused: where the table has been read anew since, or there is no such question.
        """
        with self._changed:
            reading = self._snapshot.reading
            if reading is None or reading_number != self._snapshot.reading_number:
                raise Refused("The table has changed since.")
            if not 0 <= index < len(reading.tiles):
                raise Refused("There is no such tile.")
            tile = reading.tiles[index]
            if label not in (tile.label, tile.runner_up):
                raise Refused("That is not one of the two names in question.")
            reading = answered(reading, index, label)
            self._snapshot = replace(self._snapshot, reading=reading)
            if self._settings.source.kind == "photos":
                self._judge_as_it_lies()
            elif self.judged_this is False and can_be_judged(reading):
                self._turn = self._turn.undone().done(reading, reading_number)
            self._tell()

    @property
    def at_rest(self) -> bool:
        """Whether the table lies still and has been read."""
        with self._changed:
            return self._snapshot.settled and self._snapshot.reading is not None

    @property
    def judged_this(self) -> bool | None:
        """Whether the verdict on the table as it lies is sure; None where there is none."""
        with self._changed:
            judged = self._turn.judged
            there = judged is not None and judged.reading_number == self._snapshot.reading_number
            return judged.sure if judged is not None and there else None

    def picture(self, number: int) -> Picture | None:
        """Return a picture by its number, or None where it is too old or was never there."""
        with self._changed:
            return self._pictures.get(number)

    def news(self, after: int = -1, timeout_s: float = 0.0) -> News | None:
        """Return the state if it is newer than version `after`; wait for that, and return None if nothing came."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._version > after, timeout_s)
            if self._version <= after:
                return None
            if self._news is None:
                state = state_json(self._settings, self._snapshot, self._turn, self._waiting_to)
                state |= {"version": self._version, "boot": self._boot}
                self._news = News(self._version, json.dumps(state, separators=(",", ":"), allow_nan=False))
            return self._news

    @property
    def closed(self) -> bool:
        """Whether the app is going down, so that no stream goes on."""
        return self._closed

    def close(self) -> None:
        """Wake all who wait; nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # Below: called with the lock held.

    def _press(self, what: str) -> None:
        with self._changed:
            if self._settings.source.kind == "photos":
                raise Refused("Each photo of a folder is judged by itself.")
            if self._snapshot.settled:
                self._do(what)
            else:
                self._waiting_to = what
            self._tell()

    def _do(self, what: str) -> None:
        self._waiting_to = None
        reading = self._snapshot.reading
        if reading is None or not can_be_judged(reading):
            raise Refused("The table can't be read now; the page says why.")
        if what == "begin":
            self._turn = self._turn.begin(reading)
        else:
            self._turn = self._turn.done(reading, self._snapshot.reading_number)

    def _judge_as_it_lies(self) -> None:
        reading = self._snapshot.reading
        self._turn = Turn(self._settings.rules, before=NOTHING_LAID, opened=True)
        if reading is not None and reading.tiles and can_be_judged(reading):
            self._turn = self._turn.done(reading, self._snapshot.reading_number)

    def _keep(self, picture: Picture) -> None:
        self._pictures[picture.number] = picture
        while len(self._pictures) > KEPT_PICTURES:
            self._pictures.popitem(last=False)

    def _tell(self) -> None:
        self._version += 1
        self._news = None
        self._changed.notify_all()

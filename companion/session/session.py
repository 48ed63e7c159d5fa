"""The session: the one place that applies commands to the state of the table (event sourcing).

Commands are applied one after another under one lock, and then stored and published in the same order under a second
lock, so that the next command does not wait for the disk. Threads that read the state or publish a newer picture take
neither lock. A command does not judge the turn that it ends: it leaves a `Case`. The thread that sent the command
judges the case without a lock, and then sends the verdict as another command.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.session.commands import Command, GiveVerdict
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.table_state import TableState

MOST_PICTURES = 24
"""The number of newest pictures in memory; a tablet requests a picture a moment after it has received its number."""

Listener = Callable[[TableState], None]

T = TypeVar("T")


@dataclass(slots=True)
class _Change:
    """The effect of a command: the states before and after it, to be stored and then published."""

    before: TableState
    after: TableState
    moment: Moment
    is_published: bool = False
    is_news: bool = False
    """Whether the change alters what pages show."""
    error: Exception | None = None
    """Why the change could not be stored; None if it was, or is not stored yet."""

    def apply_to(self, newest: TableState) -> TableState:
        """Return the state after the change, with the newer picture and camera state of `newest`."""
        snapshot = _with_newer_picture(self.before.snapshot, self.after.snapshot, newest.snapshot)
        return replace(self.after, snapshot=snapshot, version=newest.version)


class Session:
    """Holds the state of the table, applies commands, and wakes threads that wait for a newer state; thread-safe."""

    def __init__(self, state: TableState, game_nights: GameNights, now: Callable[[], float] = time.monotonic) -> None:
        """Start with a state; `now` returns seconds of a monotonic clock."""
        self._game_nights = game_nights
        self._now = now
        self._state = self._applied = state
        self._unstored: list[_Change] = []
        """Applied changes that are not stored yet, oldest first; applied to `_state` they give `_applied`."""
        self._applying = threading.Lock()
        self._storing = threading.Lock()
        self._changed = threading.Condition()
        self._listeners: list[Listener] = []
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self._closed = False

    @property
    def state(self) -> TableState:
        """The newest published state; changes that are not stored yet are not in it."""
        return self._state

    @property
    def closed(self) -> bool:
        """Whether the app is closing, so that `wait` returns at once."""
        return self._closed

    def moment(self) -> Moment:
        """Return the current time, by the monotonic clock and in UTC."""
        return Moment(self._now(), utc_now())

    def listen(self, listener: Listener) -> None:
        """Call `listener` with each state that a command has changed, in the command's thread and without a lock."""
        self._listeners.append(listener)

    # Changes.

    def handle(self, command: Command) -> TableState:
        """Apply a command, store what it changes, publish the new state and return it.

        If the command leaves a turn to be judged, `handle` judges it too and publishes the verdict before it returns.

        Raises:
            Refused: if the command is not possible; nothing has changed then.
        """
        change = self._apply(command)
        while not change.is_published:
            change = self._apply(command)
        if change.is_news:
            for listener in self._listeners:
                listener(self._state)
        case = change.after.activity.case
        if case is None or case is change.before.activity.case:
            return self._state
        return self.handle(GiveVerdict(case, case.judged()))

    def show(self, picture: Picture, *, settled: bool, frame_state: str | None = None) -> None:
        """Publish a newer picture of the table, without a new reading.

        Args:
            picture: the picture.
            settled: whether the current reading also holds for this picture.
            frame_state: the new `Snapshot.state`; None to leave it.
        """

        def with_picture(before: Snapshot) -> Snapshot:
            state = before.state if frame_state is None else frame_state
            return replace(before, picture=picture, settled=settled, state=state, trouble="")

        self._update_snapshot(with_picture)

    def report_trouble(self, why: str) -> None:
        """Publish `why`, in one line for the page, there is no newer picture; the last picture stays."""
        if why != self._state.snapshot.trouble:
            self._update_snapshot(lambda before: replace(before, trouble=why, settled=False))

    def announce(self) -> None:
        """Wake all waiting readers: something has changed that pages show although it is not in the state."""
        with self._changed:
            self._publish(self._state)

    def save(self) -> None:
        """Store the live state of the game night, such as its clock."""
        with self._storing:
            night = self._state.activity.game_night
            if night is not None:
                self._game_nights.save(night, self.moment())

    def close(self) -> None:
        """Wake all waiting readers for the last time; `wait` never blocks from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # Reading.

    def wait(self, after: int, timeout_s: float) -> TableState | None:
        """Wait for a state with a version above `after`; None after `timeout_s` seconds or when the app closes."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._state.version > after, timeout_s)
            return self._state if self._state.version > after else None

    def picture(self, number: int) -> Picture | None:
        """Return a picture by its number; None if the number is unknown or the picture is no longer kept."""
        with self._changed:
            return self._pictures.get(number)

    # Inside.

    def _apply(self, command: Command) -> _Change:
        """Apply a command, store and publish its change, and return the change.

        If an earlier change could not be stored, this one is not published, and the command must be applied again.
        """
        with self._applying:
            before, moment = self._applied, self.moment()
            after = command.apply(before, moment)
            if after is before:
                return _Change(before, before, moment, is_published=True)  # nothing to store
            change = _Change(before, after.after(before), moment)
            with self._changed:
                self._applied = change.apply_to(self._applied)
                self._unstored.append(change)
        with self._storing:
            self._store_all()
        if change.error is not None:
            raise change.error
        return change

    def _store_all(self) -> None:
        """Store and publish the applied changes in order; if a change can't be stored, drop it and all later ones."""
        with self._changed:
            changes, self._unstored = self._unstored, []
        for change in changes:
            before, after = change.before.activity.game_night, change.after.activity.game_night
            try:
                if change.after.racks_may_stand is not change.before.racks_may_stand:
                    self._game_nights.note_racks(may_stand=change.after.racks_may_stand)
                self._game_nights.store(before, after, change.after.snapshot.picture, change.moment)
            except Exception as error:  # noqa: BLE001 - the thread that sent the command raises it
                change.error = error
                with self._applying, self._changed:
                    self._applied, self._unstored = self._state, []
                return
            with self._changed:
                state = change.apply_to(self._state)
                change.is_published, change.is_news = True, not state.shows_same_as(self._state)
                if change.is_news:
                    self._publish(state)
                else:
                    self._state = state

    def _update_snapshot(self, update: Callable[[Snapshot], Snapshot]) -> None:
        with self._changed:
            self._applied = replace(self._applied, snapshot=update(self._applied.snapshot))
            self._publish(replace(self._state, snapshot=update(self._state.snapshot)))

    def _publish(self, state: TableState) -> None:
        """Replace the published state and wake waiting readers; the caller must hold `_changed`."""
        self._state = replace(state, version=self._state.version + 1)
        picture = state.snapshot.picture
        if picture is not None and picture.number not in self._pictures:
            self._pictures[picture.number] = picture
            while len(self._pictures) > MOST_PICTURES:
                self._pictures.popitem(last=False)
        self._changed.notify_all()


def utc_now() -> str:
    """Return the current time in UTC, such as `2026-11-21T19:30:05Z`."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _with_newer_picture(before: Snapshot, after: Snapshot, newest: Snapshot) -> Snapshot:
    """Return `after`; picture and camera state are those of `newest` unless the command has changed them."""

    def merge(before: T, after: T, newest: T) -> T:
        return newest if after == before else after

    return replace(
        after,
        picture=merge(before.picture, after.picture, newest.picture),
        settled=merge(before.settled, after.settled, newest.settled),
        state=merge(before.state, after.state, newest.state),
        trouble=merge(before.trouble, after.trouble, newest.trouble),
    )

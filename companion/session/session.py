"""The session: holds the state of the table, and is the one place where a command is applied to it.

A command is applied to the newest state; what it changes is stored; then the new state is published and whoever waits
for news is woken. A command is applied under no lock, and what it makes of the state counts if no other was applied
meanwhile; else it is applied anew. So nobody waits for a correction, after which all turns are judged again. What a
press leaves to be judged is worked out by whoever pressed, and the verdict given by a command of its own; the disk has
another lock.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.session.commands import Command, GiveVerdict
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.snapshot import Moment, Snapshot
from tilekeeper.companion.session.table_state import TableState

MOST_PICTURES = 24
"""So many of the newest pictures are kept: a tablet asks for a picture a moment after it has got its number."""

PATIENCE = 3
"""So often a command may be overtaken before others wait for it."""

Listener = Callable[[TableState], None]


T = TypeVar("T")


@dataclass(slots=True)
class _Change:
    """What a command made of a state; it is stored and then published."""

    before: TableState
    after: TableState
    moment: Moment
    published: bool = False
    news: bool = False
    """Whether pages show something else after it."""
    error: Exception | None = None
    """Why it could not be stored."""

    def applied_to(self, newest: TableState) -> TableState:
        """Return the state after it; what the camera has shown since `before` stays as it is in `newest`."""
        before, after, now = self.before.snapshot, self.after.snapshot, newest.snapshot
        snapshot = replace(
            after,
            picture=_merged(before.picture, after.picture, now.picture),
            settled=_merged(before.settled, after.settled, now.settled),
            state=_merged(before.state, after.state, now.state),
            trouble=_merged(before.trouble, after.trouble, now.trouble),
        )
        return replace(self.after, snapshot=snapshot, version=newest.version)


def _merged(before: T, after: T, now: T) -> T:
    return now if after == before else after


class Session:
    """Holds the newest state, applies commands to it, and wakes all who wait for a newer one."""

    def __init__(self, state: TableState, game_nights: GameNights, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with a state; `now` is a monotonic clock, in seconds."""
        self._game_nights = game_nights
        self._now = now
        self._state = self._applied = state
        self._unstored: list[_Change] = []
        """What has been applied and is still to be stored, oldest first; it makes `_applied` of `_state`."""
        self._refused = 0
        """How often something could not be stored."""
        self._changes = 0
        """How many changes have been applied."""
        self._applying = threading.RLock()
        self._storing = threading.Lock()
        self._changed = threading.Condition()
        self._listeners: list[Listener] = []
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self._closed = False

    @property
    def state(self) -> TableState:
        """The newest state."""
        return self._state

    @property
    def closed(self) -> bool:
        """Whether the app is going down, so that nobody waits any more."""
        return self._closed

    def moment(self) -> Moment:
        """Return the present time."""
        return Moment(self._now(), utc_now())

    def listen(self, listener: Listener) -> None:
        """Call a function with every new state, in the thread that brought it about and under no lock."""
        self._listeners.append(listener)

    # Changes.

    def handle(self, command: Command) -> TableState:
        """Apply a command, store what it changes, publish the new state and return it.

        Where something is to be judged after it, that is done here too, and the verdict given, before this returns.

        Raises:
            Refused: if the command is not possible; nothing has changed then.
        """
        change = self._apply(command)
        case = change.after.activity.case
        if case is None or case is change.before.activity.case:
            return self._state
        return self.handle(GiveVerdict(case, case.judged()))

    def show(self, picture: Picture, *, settled: bool, frame_state: str | None = None) -> None:
        """Show a newer picture.

        Args:
            picture: the picture.
            settled: whether the present reading holds for it too.
            frame_state: as `Snapshot.state`; None leaves it as it is.
        """

        def shown(before: Snapshot) -> Snapshot:
            state = before.state if frame_state is None else frame_state
            return replace(before, picture=picture, settled=settled, state=state, trouble="")

        self._update_snapshot(shown)

    def report_trouble(self, why: str) -> None:
        """Say in one line for people why there is no newer picture; the last one stays."""
        if why != self._state.snapshot.trouble:
            self._update_snapshot(lambda before: replace(before, trouble=why, settled=False))

    def announce(self) -> None:
        """Wake all who wait though the state is the same: something else that pages show has changed."""
        with self._changed:
            self._publish(self._state)

    def save(self) -> None:
        """Store what lives between two actions of the game night, such as its clock."""
        with self._storing:
            night = self._state.activity.game_night
            if night is not None:
                self._game_nights.save(night, self.moment())

    def close(self) -> None:
        """Wake all who wait; nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    # Reading.

    def wait(self, after: int, timeout_s: float) -> TableState | None:
        """Return the state once it is newer than version `after`; None if nothing has come after `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._state.version > after, timeout_s)
            return self._state if self._state.version > after else None

    def picture(self, number: int) -> Picture | None:
        """Return a picture by its number; None where it is too old or never was."""
        with self._changed:
            return self._pictures.get(number)

    # Inside.

    def _apply(self, command: Command) -> _Change:
        """Apply a command and return what it changed, once that is stored and published."""
        tries = 0
        while True:
            # what others overtook again and again keeps them waiting at last
            with self._applying if tries >= PATIENCE else nullcontext():
                change = self._tried(command)
            tries += 1
            if change is None:
                continue
            if change.after is change.before:
                return change
            self._store()
            if change.error is not None:
                raise change.error
            if change.news:
                for listener in self._listeners:
                    listener(self._state)
            if change.published:
                return change

    def _tried(self, command: Command) -> _Change | None:
        """Apply a command under no lock, since it may judge; None where another one was applied meanwhile."""
        with self._changed:
            before, seen = self._applied, (self._refused, self._changes)
        moment = self.moment()
        change = _Change(before, command.apply(before, moment), moment)
        if change.after is before:
            return change
        with self._applying, self._changed:
            if seen != (self._refused, self._changes):
                return None
            self._changes += 1
            self._applied = change.applied_to(self._applied)
            self._unstored.append(change)
        return change

    def _store(self) -> None:
        """Store and publish what has been applied, one change after the other.

        Where one can not be stored, those after it are dropped: their commands are applied again without it.
        """
        with self._storing:
            with self._changed:
                changes, self._unstored = self._unstored, []
            for change in changes:
                before, after = change.before.activity.game_night, change.after.activity.game_night
                try:
                    self._game_nights.store(before, after, change.after.snapshot.picture, change.moment)
                except Exception as error:  # noqa: BLE001 - whoever sent the command raises it
                    change.error = error
                    with self._changed:
                        self._applied, self._unstored = self._state, []
                        self._refused += 1
                    return
                with self._changed:
                    self._publish_change(change)

    def _publish_change(self, change: _Change) -> None:
        state = change.applied_to(self._state)
        change.published, change.news = True, not state.shows_same_as(self._state)
        if change.news:
            self._publish(state)
        else:
            self._state = state

    def _update_snapshot(self, update: Callable[[Snapshot], Snapshot]) -> None:
        with self._changed:
            self._applied = replace(self._applied, snapshot=update(self._applied.snapshot))
            self._publish(replace(self._state, snapshot=update(self._state.snapshot)))

    def _publish(self, state: TableState) -> None:
        """Let a state take the place of the present one; called with the condition held."""
        self._state = replace(state, version=self._state.version + 1)
        picture = state.snapshot.picture
        if picture is not None and picture.number not in self._pictures:
            self._pictures[picture.number] = picture
            while len(self._pictures) > MOST_PICTURES:
                self._pictures.popitem(last=False)
        self._changed.notify_all()


def utc_now() -> str:
    """Return the time of day as `2026-11-21T19:30:05Z`."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

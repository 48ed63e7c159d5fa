"""The session: holds the state of the table, and is the one place where a command is applied to it.

A command is applied to the present state; what it changes is stored; then the new state takes the place of the old one
and whoever waits for news is woken. Commands are applied one after another, under a lock of their own. Nobody who only
reads the state waits for that lock: a judge or a disk that takes its time holds up no page.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.session.commands import Command
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.session.snapshot import Moment
from tilekeeper.companion.session.table_state import TableState

MOST_PICTURES = 24
"""So many of the newest pictures are kept: a tablet asks for a picture a moment after it has got its number."""

Listener = Callable[[TableState], None]


class Session:
    """Holds the newest state, applies commands to it, and wakes all who wait for a newer one."""

    def __init__(self, state: TableState, game_nights: GameNights, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with a state; `now` is a monotonic clock, in seconds."""
        self._game_nights = game_nights
        self._now = now
        self._state = state
        self._actions = threading.Lock()
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

        Raises:
            Refused: if the command is not possible.
            sqlalchemy.exc.SQLAlchemyError, OSError: if the disk refuses it. In all of these cases nothing has changed.
        """
        with self._actions:
            before, moment = self._state, self.moment()
            state = self._commit(before, command.apply(before, moment), moment)
        return self._notified(before, state)

    def attempt(self, command: Command, before: TableState) -> bool:
        """Apply a command to a state while others go on, and keep the result only if nothing has changed meanwhile.

        For what the app does by itself and what may take long, such as judging a table. Only the picture may be newer
        than that of `before`.

        Returns:
            Whether it was kept.

        Raises:
            Refused: if the command is not possible.
        """
        moment = self.moment()
        after = command.apply(before, moment)
        with self._actions:
            now = self._state
            if now.activity is not before.activity or now.snapshot.reading is not before.snapshot.reading:
                return False
            state = self._commit(before, after, moment)
        self._notified(before, state)
        return True

    def show(self, picture: Picture, *, settled: bool, frame_state: str | None = None) -> None:
        """Show a newer picture.

        Args:
            picture: the picture.
            settled: whether the present reading holds for it too.
            frame_state: as `Snapshot.state`; None leaves it as it is.
        """
        with self._changed:
            snapshot = self._state.snapshot
            frame_state = snapshot.state if frame_state is None else frame_state
            snapshot = replace(snapshot, picture=picture, settled=settled, state=frame_state, trouble="")
            self._publish(replace(self._state, snapshot=snapshot))

    def report_trouble(self, why: str) -> None:
        """Say in one line for people why there is no newer picture; the last one stays."""
        with self._changed:
            snapshot = self._state.snapshot
            if why != snapshot.trouble:
                self._publish(replace(self._state, snapshot=replace(snapshot, trouble=why, settled=False)))

    def announce(self) -> None:
        """Wake all who wait though the state is the same: something else that pages show has changed."""
        with self._changed:
            self._publish(self._state)

    def save(self) -> None:
        """Store what lives between two actions of the game night, such as its clock."""
        with self._actions:
            night = self._state.activity.game_night
            if night is not None:
                self._game_nights.save(night, night, self.moment())

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

    def _commit(self, before: TableState, after: TableState, moment: Moment) -> TableState:
        """Store and publish what a command made of a state; called by whoever holds the lock of the actions."""
        if after is before:
            return before
        self._game_nights.store(before.activity.game_night, after.activity.game_night, after.snapshot.picture, moment)
        with self._changed:
            newest = self._state.snapshot
            if newest is not before.snapshot:  # nobody but `show` and `report_trouble` has changed anything
                after = replace(
                    after,
                    snapshot=replace(
                        after.snapshot,
                        picture=newest.picture,
                        settled=newest.settled,
                        state=newest.state,
                        trouble=newest.trouble,
                    ),
                )
            if after.shows_same_as(self._state):
                self._state = replace(after, version=self._state.version)
            else:
                self._publish(after)
            return self._state

    def _publish(self, state: TableState) -> None:
        """Let a state take the place of the present one; called with the condition held."""
        self._state = replace(state, version=self._state.version + 1)
        picture = state.snapshot.picture
        if picture is not None and picture.number not in self._pictures:
            self._pictures[picture.number] = picture
            while len(self._pictures) > MOST_PICTURES:
                self._pictures.popitem(last=False)
        self._changed.notify_all()

    def _notified(self, before: TableState, state: TableState) -> TableState:
        if state.version != before.version:
            for listener in self._listeners:
                listener(state)
        return state


def utc_now() -> str:
    """Return the time of day as `2026-11-21T19:30:05Z`."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

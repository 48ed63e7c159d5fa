"""Watches the session and the clock, and passes their events to all hooks; it never makes a turn wait."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from tilekeeper.companion.hooks.messages import HookMessage
from tilekeeper.companion.hooks.news import messages_between, time_message
from tilekeeper.companion.hooks.sender import HookSender
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.session import Session
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.session.timekeeper import Timekeeper

log = logging.getLogger(__name__)


class Hooks:
    """The event hooks of one app."""

    def __init__(self, session: Session, timekeeper: Timekeeper, senders: Sequence[HookSender]) -> None:
        """Send the events of a session, and the warnings of its clock, to each sender."""
        self._session = session
        self._senders = tuple(senders)
        self._lock = threading.Lock()
        self._version = -1
        self._seen: GameNight | None = None
        """The game night in the newest state that was considered."""
        if self._senders:
            session.listen(self._consider)
            timekeeper.listen(self._warn)

    def start(self) -> None:
        """Start the threads of the senders."""
        for sender in self._senders:
            sender.start()

    def close(self) -> None:
        """Stop the threads."""
        for sender in self._senders:
            sender.stop()  # all of them at first, so that they end at the same time
        for sender in self._senders:
            sender.close()

    def _consider(self, state: TableState) -> None:
        try:
            self._send_news(state)
        except Exception:  # the press is stored already, and must not fail because of a lamp
            log.exception("The hooks could not be told of an event")

    def _send_news(self, state: TableState) -> None:
        with self._lock:
            if state.version <= self._version:
                return  # threads may bring an older state later
            night = state.activity.game_night
            earlier, self._seen, self._version = self._seen, night, state.version
            if night is None or earlier is None or earlier.id != night.id:
                return  # a game night that was just begun or opened has no news yet
            for message in messages_between(earlier, night, self._session.moment().utc):
                self._send(message)

    def _warn(self, night: GameNight, left_s: int) -> None:
        self._send(time_message(night, left_s, self._session.moment().utc))

    def _send(self, message: HookMessage) -> None:
        body = message.model_dump_json().encode()
        for sender in self._senders:
            sender.send(body)

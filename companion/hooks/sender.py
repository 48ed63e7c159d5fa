"""Delivery of messages to one hook: a bounded queue and a thread that retries with exponential backoff."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final

from tilekeeper.companion.hooks.address import HookAddress

log = logging.getLogger(__name__)

MOST_WAITING: Final = 200
"""The most messages that wait for a hook; a newer one replaces the oldest."""
LONGEST_AGE_S: Final = 900.0
"""A message is dropped after this many seconds: a lamp that comes back an hour later should not replay the evening."""
ANSWER_WITHIN_S: Final = 5.0
FIRST_PAUSE_S: Final = 1.0
"""The pause before the second try, in seconds; it doubles with each try."""
LONGEST_PAUSE_S: Final = 60.0
ENDS_WITHIN_S: Final = 1.0
"""When the app closes, the last messages have this many seconds to leave."""
_LATER: Final = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)}
)
"""The statuses after which the same request may work later."""


class _Outcome(Enum):
    DELIVERED = "delivered"
    REFUSED = "refused"
    """The hook will never take this message."""
    LATER = "later"


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    body: bytes
    since_s: float


class HookSender:
    """Sends messages to one hook, in order and in a thread of its own, so that nobody waits for it."""

    def __init__(
        self,
        address: HookAddress,
        first_pause_s: float = FIRST_PAUSE_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Send to `address` once `start` is called.

        Args:
            address: where the messages go.
            first_pause_s: the pause before the second try.
            answer_within_s: how long the hook may be silent.
            now: returns seconds of a monotonic clock.
        """
        self.address = address
        self._first_pause_s = first_pause_s
        self._answer_within_s = answer_within_s
        self._now = now
        self._queue: deque[_Waiting] = deque(maxlen=MOST_WAITING)
        self._news = threading.Condition()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hook", daemon=True)

    @property
    def waiting(self) -> int:
        """How many messages are not delivered yet."""
        return len(self._queue)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def send(self, body: bytes) -> None:
        """Queue a message; this returns at once."""
        with self._news:
            self._queue.append(_Waiting(body, self._now()))
            self._news.notify()

    def stop(self) -> None:
        """Let the thread try each waiting message once more, and stop; this returns at once."""
        self._closing.set()
        with self._news:
            self._news.notify()

    def close(self) -> None:
        """Stop, and wait for that at most `ENDS_WITHIN_S` seconds."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(ENDS_WITHIN_S)

    def _run(self) -> None:
        tries = 0
        while (message := self._next()) is not None:
            outcome = self._post(message)
            if outcome is not _Outcome.LATER:
                if tries and outcome is _Outcome.DELIVERED:
                    log.info("The hook at %s takes events again", self.address.name)
                tries = 0
                self._remove(message)
                continue
            if self._closing.is_set():
                return
            if not tries:
                log.warning("The hook at %s does not take events; they are sent again later", self.address.name)
            self._closing.wait(min(self._first_pause_s * 2**tries, LONGEST_PAUSE_S))
            tries = min(tries + 1, 16)

    def _next(self) -> _Waiting | None:
        """Wait for a message that is not too old; None once all are sent and the app closes."""
        with self._news:
            while True:
                while self._queue and self._now() - self._queue[0].since_s > LONGEST_AGE_S:
                    self._queue.popleft()
                if self._queue:
                    return self._queue[0]
                if self._closing.is_set():
                    return None
                self._news.wait()

    def _remove(self, message: _Waiting) -> None:
        with self._news:
            if self._queue and self._queue[0] is message:  # a full queue may have dropped it meanwhile
                self._queue.popleft()

    def _post(self, message: _Waiting) -> _Outcome:
        kind = HTTPSConnection if self.address.encrypted else HTTPConnection  # https checks the certificate
        connection = kind(self.address.host, self.address.port, timeout=self._answer_within_s)
        headers = {"Content-Type": "application/json", "User-Agent": "tilekeeper", "Connection": "close"}
        try:
            connection.request("POST", self.address.target, message.body, headers)
            # http.client follows no redirect, so nobody but the named address gets the message.
            status = connection.getresponse().status
        except (OSError, HTTPException, ValueError) as error:  # a host name that can't be encoded is a ValueError
            log.debug("The hook at %s: %s", self.address.name, error)
            return _Outcome.LATER
        finally:
            connection.close()
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            return _Outcome.DELIVERED
        if status in _LATER:
            return _Outcome.LATER
        log.warning("The hook at %s refused an event with status %d", self.address.name, status)
        return _Outcome.REFUSED

"""Makes time-lapse films of game nights in a separate process, one at a time and only while a page waits."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from tilekeeper.companion.capture.limits import decoding_environment
from tilekeeper.companion.capture.time_lapse import FILM, LONGEST_S, Film, film_command
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

WAITS_S: Final = 6.0
"""The process is ended after this many seconds without a request; a page that waits asks again every second."""
KEPT_S: Final = 120.0
"""A film that a page has fetched stays in memory for this many seconds."""
_LOOK_S: Final = 0.25


@dataclass(slots=True, eq=False)
class _Making:
    key: Hashable
    process: subprocess.Popen[bytes]
    begun_s: float
    asked_s: float
    over: bool = False
    data: bytes = b""
    """The film as GIF; empty while it is being made, and if that failed."""
    fetched: bool = False


class TimeLapses:
    """Makes films of game nights and keeps the newest one in memory for a while; may be used by several threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic, command: Sequence[str] = film_command()) -> None:
        """Start no process yet; `now` returns seconds of a monotonic clock, and `command` is run to make a film."""
        self._now = now
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._making: _Making | None = None

    def film(self, key: Hashable, describe: Callable[[], Film]) -> bytes | None:
        """Return a film as GIF; None while this film or another one is being made: ask again a second later.

        Args:
            key: identifies the film; it must change whenever the film's content does.
            describe: returns the film's description; called only if the film must be made.

        Raises:
            Refused: if the film could not be made.
        """
        with self._lock:
            making = self._making
            if making is not None and making.key == key:
                return self._answer(making)
            if making is not None and self._is_waited_for(making):
                return None  # another film is being made
        film = describe()
        with self._lock:
            if self._making is making:
                self._end()
                self._making = self._start(key, film)
        return None

    def close(self) -> None:
        """Kill the process if a film is being made, and drop the stored film."""
        with self._lock:
            self._end()

    def _answer(self, making: _Making) -> bytes | None:
        making.asked_s = self._now()
        if not making.over:
            return None
        if not making.data:
            self._making = None
            raise Refused(gettext("The film of this evening can't be made."), "not-found")
        making.fetched = True
        return making.data

    def _is_waited_for(self, making: _Making) -> bool:
        return not making.fetched and self._now() - making.asked_s < WAITS_S

    def _start(self, key: Hashable, film: Film) -> _Making:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=decoding_environment(),  # the pictures of a restored archive are anybody's
        )
        making = _Making(key, process, self._now(), self._now())
        threading.Thread(target=self._make, args=(making, FILM.dump_json(film)), name="film", daemon=True).start()
        return making

    def _make(self, making: _Making, description: bytes) -> None:
        """Give the process the film's description and wait; kill the process if no page waits or it is too slow."""
        data, abandoned = b"", False
        sent: bytes | None = description
        while True:
            try:
                data, _ = making.process.communicate(sent, timeout=_LOOK_S)
                break
            except subprocess.TimeoutExpired:
                sent = None  # the first call of `communicate` has sent the description
                abandoned = self._now() - making.asked_s > WAITS_S
                if abandoned or self._now() - making.begun_s > LONGEST_S:
                    making.process.kill()
        with self._lock:
            making.data = data if making.process.returncode == 0 else b""
            making.over = True
            if abandoned:
                self._forget(making)
        timer = threading.Timer(KEPT_S, self._forget_later, (making,))
        timer.daemon = True
        timer.start()

    def _forget_later(self, making: _Making) -> None:
        with self._lock:
            self._forget(making)

    def _forget(self, making: _Making) -> None:
        if self._making is making:
            self._making = None

    def _end(self) -> None:
        making, self._making = self._making, None
        if making is not None and making.process.poll() is None:
            making.process.kill()

"""Reviews of game nights, made in a thread of their own, so that no request waits for the solver."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from functools import partial

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.review import Review, review

log = logging.getLogger(__name__)


class Reviews:
    """Makes one review at a time and keeps the newest one in memory; may be used by several threads."""

    def __init__(self, make: Callable[[RecordedGame], Review] = review) -> None:
        """Start no thread yet; `make` returns the review of a game night."""
        self._make = make
        self._lock = threading.Lock()
        self._key: Hashable = None
        self._made: Review | None = None
        self._thread: threading.Thread | None = None

    def review(self, key: Hashable, recorded: Callable[[], RecordedGame]) -> Review | None:
        """Return a review; None while this one or another one is being made: ask again a second later.

        Args:
            key: identifies the review; it must change whenever a round is scored or undone.
            recorded: returns the game night; called only if the review must be made.
        """
        with self._lock:
            if self._key == key and self._made is not None:
                return self._made
            if self._thread is not None:
                return None
            self._key, self._made = key, None
            self._thread = threading.Thread(target=partial(self._run, recorded()), name="review", daemon=True)
            self._thread.start()
            return None

    def _run(self, recorded: RecordedGame) -> None:
        made: Review | None = None
        try:
            made = self._make(recorded)
        except Exception:  # the page then shows no review; the log has the traceback
            log.exception("The review of a game night could not be made")
            made = Review(recorded.state.rules, (), ())
        finally:
            with self._lock:
                self._made, self._thread = made, None

"""Reviews of game nights: the solver works in a process of its own, so that no press and no request waits for it."""

from __future__ import annotations

import logging
import multiprocessing
import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeAlias

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.review import (
    KnownTurn,
    Review,
    TurnPlays,
    find_plays,
    known_turns,
    review_of,
)
from tilekeeper.companion.systems.pipes import Connection
from tilekeeper.companion.systems.system import this_system

log = logging.getLogger(__name__)

Find: TypeAlias = Callable[[tuple[KnownTurn, ...]], tuple[TurnPlays, ...]]


def find_in_process(turns: tuple[KnownTurn, ...]) -> tuple[TurnPlays, ...]:
    """Return `find_plays(turns)`, found in a new process of low priority.

    Raises:
        EOFError: if the process ended without a result.
        OSError: if it could not be started.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_find_and_send, args=(sender, turns), name="review", daemon=True)
    process.start()
    sender.close()
    try:
        plays: tuple[TurnPlays, ...] = receiver.recv()
        return plays
    finally:
        receiver.close()
        process.join()


def _find_and_send(sender: Connection, turns: tuple[KnownTurn, ...]) -> None:
    this_system().lower_priority()  # the game goes first
    sender.send(find_plays(turns))


class Reviews:
    """Makes one review at a time and keeps the newest one in memory; may be used by several threads."""

    def __init__(self, find: Find = find_in_process) -> None:
        """Start no thread yet; `find` returns the plays of turns."""
        self._find = find
        self._lock = threading.Lock()
        self._key: Hashable = None
        self._made: Review | None = None
        self._thread: threading.Thread | None = None
        self._plays: dict[KnownTurn, TurnPlays] = {}
        """The plays of the newest review, so that after each round only the turns of that round are searched."""

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
        made = Review((), ())
        try:
            made = review_of(self._plays_of(tuple(known_turns(recorded))))
        except Exception:  # the page then shows no review; the log has the traceback
            log.exception("The review of a game night could not be made")
        with self._lock:
            self._made, self._thread = made, None

    def _plays_of(self, turns: tuple[KnownTurn, ...]) -> tuple[TurnPlays, ...]:
        new = tuple(turn for turn in turns if turn not in self._plays)
        found = dict(zip(new, self._find(new) if new else (), strict=True))
        plays = tuple(found[turn] if turn in found else self._plays[turn] for turn in turns)
        self._plays = dict(zip(turns, plays, strict=True))
        return plays

"""Reviews of game nights: the solver works in a process of its own, so that no press and no request waits for it."""

from __future__ import annotations

import logging
import multiprocessing
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

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
MOST_KEPT: Final = 4
"""How many reviews are kept, since several pages may ask for different game nights at the same time."""


@dataclass(frozen=True, slots=True)
class _Made:
    review: Review
    plays: Mapping[KnownTurn, TurnPlays]
    """The plays that were found, so that after each round only the turns of that round are searched."""


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
    """Makes one review at a time and keeps the newest ones in memory; may be used by several threads."""

    def __init__(self, find: Find = find_in_process) -> None:
        """Start no thread yet; `find` returns the plays of turns."""
        self._find = find
        self._lock = threading.Lock()
        self._made: dict[Hashable, _Made] = {}
        """The newest reviews by their keys, in the order in which they were made."""
        self._thread: threading.Thread | None = None

    def review(self, key: Hashable, recorded: Callable[[], RecordedGame]) -> Review | None:
        """Return a review; None while this one or another one is being made: ask again a second later.

        Args:
            key: identifies the review; it must change whenever a round is scored or undone.
            recorded: returns the game night; called only if the review must be made.
        """
        with self._lock:
            if key in self._made:
                return self._made[key].review
            if self._thread is None:
                run = partial(self._run, key, recorded())
                self._thread = threading.Thread(target=run, name="review", daemon=True)
                self._thread.start()
            return None

    def _run(self, key: Hashable, recorded: RecordedGame) -> None:
        made = _Made(Review((), ()), {})
        try:
            plays = self._plays_of(tuple(known_turns(recorded)))
            made = _Made(review_of(plays.values()), plays)
        except Exception:  # the page then shows no review; the log has the traceback
            log.exception("The review of a game night could not be made")
        with self._lock:
            kept = tuple(self._made.items())[1 - MOST_KEPT :]
            self._made, self._thread = {**dict(kept), key: made}, None

    def _plays_of(self, turns: tuple[KnownTurn, ...]) -> dict[KnownTurn, TurnPlays]:
        known = {turn: play for made in self._made.values() for turn, play in made.plays.items()}
        new = tuple(turn for turn in turns if turn not in known)
        found = dict(zip(new, self._find(new) if new else (), strict=True))
        return {turn: found[turn] if turn in found else known[turn] for turn in turns}

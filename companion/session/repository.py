"""Begins evenings, opens those that are kept, and puts the one that is played on the desk."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tilekeeper.companion.game_night.clock import Clock
from tilekeeper.companion.game_night.player_names import seat_name, tidy_name, tidy_names
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.game_night.recorded_game import Evening
from tilekeeper.companion.game_night.settings import EveningSettings
from tilekeeper.companion.game_night.state import Moment, live_json, revived
from tilekeeper.companion.observation.observed_table import NOTHING_LAID
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import Access
from tilekeeper.companion.session.game_night_session import EveningPlay
from tilekeeper.companion.session.single_turn import SingleTurn
from tilekeeper.companion.session.table_state import Desk
from tilekeeper.companion.session.utc import utc_now
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.store import Kept, Store
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.log import GameLogError
from tilekeeper.engine.game.state import EventRefused, Phase
from tilekeeper.engine.rules.ruleset import RuleSet

log = logging.getLogger(__name__)

TICK_S = 0.2


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the people agreed upon before they sat down."""

    seats: tuple[tuple[str, ...], ...]
    """Who sits where, clockwise; mostly one person a seat."""
    edition: str
    house: tuple[str, ...]
    rounds: int | None
    first_acquaintance: bool
    leader: int | None
    settings: EveningSettings


class Evenings:
    """All evenings of one store, of which at most one is on the desk."""

    def __init__(
        self, desk: Desk, store: Store, rules: RuleSet, access: Access, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the desk, the store and the door; `rules` are for the time in which no evening is played."""
        self.store = store
        self.pictures = Pictures(store.folder)
        self._desk = desk
        self._rules = rules
        self._access = access
        self._now = now
        self._closing = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="clock", daemon=True)

    def start(self) -> None:
        """Go on with the evening that was played last, if it is not over, and begin to look at its clock."""
        with self._desk.changed:
            latest = next(iter(self.store.evenings()), None)
            if latest is not None and not latest.over and self.store.recall("open") == latest.id:
                try:
                    self._put(latest)
                except Refused as why:
                    log.warning("The last evening can't be opened: %s", why)
        self._ticker.start()

    def save(self) -> None:
        """Keep what lives between two records of the evening, such as its clock."""
        with self._desk.changed:
            play = self._desk.play
            if isinstance(play, EveningPlay):
                play.save()

    def close(self) -> None:
        """Stop looking at clocks, and let go of the store."""
        self._closing.set()
        if self._ticker.is_alive():
            self._ticker.join(timeout=5.0)
        self.save()
        self.store.close()

    def playing(self) -> EveningPlay:
        """The evening on the desk.

        Raises:
            Refused: where none is played.
        """
        play = self._desk.play
        if not isinstance(play, EveningPlay):
            raise Refused("No evening is being played: begin one first.", "no-evening")
        return play

    def begin(self, beginning: Beginning, by: str = "") -> EveningPlay:
        """Begin an evening; one that was on the desk is kept, and can be opened again.

        Raises:
            Refused: if it can't be played so.
        """
        people = tuple(tuple(map(tidy_name, people)) for people in beginning.seats)
        players = tidy_names(map(seat_name, people))
        event = GameStarted(
            players, beginning.edition, beginning.house, beginning.rounds, beginning.first_acquaintance,
            beginning.leader,
        )  # fmt: skip
        at = utc_now()
        evening = Evening.begun(event, people, Note(step=1, at=at, by=by))
        moment = Moment(evening, beginning.settings, Clock(0, None), NOTHING_LAID)
        over = evening.state.phase is Phase.OVER
        kept = Kept(
            secrets.token_hex(8), at, at, 1, over, people, beginning.settings.as_json(),
            live_json(moment, self._now()),
        )  # fmt: skip
        with self._desk.changed:
            self.store.add(kept, evening.records)
            return self._play(kept, moment)

    def open(self, id_: str) -> EveningPlay:
        """Go on with an evening that is kept.

        Raises:
            Refused: if there is no such evening, or it can't be read.
        """
        with self._desk.changed:
            kept = self.store.evening(id_)
            if kept is None:
                raise Refused("There is no such evening.", "not-found")
            return self._put(kept)

    def leave(self) -> None:
        """Take the evening off the desk; it is kept."""
        with self._desk.changed:
            self.store.remember("open", None)
            self._desk.play = SingleTurn(self._desk, self._rules)
            self._desk.tell()

    def records(self, id_: str) -> Sequence[Record]:
        """The records of an evening.

        Raises:
            Refused: if they can't be read.
        """
        try:
            return [Record.read(line, note) for line, note in self.store.lines(id_)]
        except (GameLogError, KeyError, TypeError, ValueError) as error:
            raise Refused(f"This evening was written by another version and can't be read: {error}") from None

    def _put(self, kept: Kept) -> EveningPlay:
        try:
            evening = Evening.replayed(self.records(kept.id), kept.people)
            moment = revived(evening, EveningSettings.from_json(kept.settings), kept.live)
        except (EventRefused, KeyError, ValueError) as error:
            raise Refused(f"This evening was written by another version and can't be read: {error}") from None
        return self._play(kept, moment)

    def _play(self, kept: Kept, moment: Moment) -> EveningPlay:
        before = self._desk.play
        if isinstance(before, EveningPlay):
            before.save()
        play = EveningPlay(self._desk, self.store, self.pictures, kept, moment, self._access.steering, self._now)
        self.store.remember("open", kept.id)
        self._desk.play = play
        self._desk.tell()
        return play

    def _tick(self) -> None:
        while not self._closing.wait(TICK_S):
            play = self._desk.play
            if not isinstance(play, EveningPlay):
                continue
            try:
                play.tick()
            except Exception:  # the last net of this thread, and not a silent one
                log.exception("The clock could not be looked at")

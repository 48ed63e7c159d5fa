"""What of a table's logs the hall has, the hands that are raised, and the commands that were answered.

The logs themselves are the evenings of the table's own database: what happened while nobody was reached lies there
until it is sent. Here is kept only how far the hall has taken each of them. Where that is a moment late after a crash,
entries are sent twice, which the hall sees by their numbers.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.broker.broker import Receipt
from tilekeeper.companion.broker.messages import Event
from tilekeeper.companion.storage.store import Store

MOST_ON_THE_WAY: Final = 15
"""So many entries of a log may be on their way before the first of them is taken: brokers take 20 messages at once."""
MOST_LOGS: Final = 200
MOST_ANSWERS: Final = 500
MOST_DISPUTES: Final = 20
_KEY: Final = "hall"


@dataclass(frozen=True, slots=True)
class RaisedHand:
    """A dispute as it is kept: its pictures lie beside the evening's others."""

    id: str
    log: str
    seq: int
    raised_by: str
    verdict: str
    reasons: tuple[str, ...]
    before: str | None
    """The name of the picture of the table at the start of the turn."""
    after: str | None


@dataclass(slots=True)
class _Kept:
    hall: str = ""
    """Club and table; another one has taken nothing."""
    taken: dict[str, int] = field(default_factory=dict)
    """By log: how many of its entries the hall has."""
    cut: dict[str, int] = field(default_factory=dict)
    """By evening: how often entries that the hall has were lost here, since the disk had damaged them."""
    answers: dict[str, tuple[bool, str, str | None]] = field(default_factory=dict)
    """By command: whether it was done, why not, and in which log."""
    hands: list[RaisedHand] = field(default_factory=list)


_KEPT: Final = TypeAdapter(_Kept)


class Outbox:
    """Kept in the table's database; may be used by several threads."""

    def __init__(self, store: Store, hall: str) -> None:
        """Take what was kept for a hall, `CLUB/TABLE`."""
        self._store = store
        self._lock = threading.Lock()
        kept = store.recall(_KEY, _KEPT)
        self._kept = kept if kept is not None and kept.hall == hall else _Kept(hall)
        self._sent = dict(self._kept.taken)
        self._on_the_way: dict[str, deque[tuple[int, Receipt]]] = {}
        self._complete: set[str] = set()
        """The logs of which nothing is left to send, and that nobody plays on."""
        self._dirty = False

    @property
    def hands(self) -> tuple[RaisedHand, ...]:
        """The hands that were raised."""
        return tuple(self._kept.hands)

    def log_of(self, evening: str) -> str:
        """What the log of an evening is called in the hall."""
        cut = self._kept.cut.get(evening, 0)
        return f"{evening}.{cut}" if cut else evening

    def watch(self, evening: str, entries: int) -> str:
        """Send the log of an evening from now on, from its beginning; returns what it is called.

        That is kept at once, so that nothing is forgotten. Where the evening has fewer entries than the hall, since the
        disk had damaged the last ones, what comes now is another log: no number may stand for two entries.
        """
        with self._lock:
            log = self.log_of(evening)
            if self._sent.get(log, 0) > entries:
                self._kept.cut[evening] = self._kept.cut.get(evening, 0) + 1
                del self._kept.taken[log]
                log = self.log_of(evening)
            self._complete.discard(log)
            if log in self._kept.taken:
                return log
            self._kept.taken[log] = self._sent[log] = 0
            while len(self._kept.taken) > MOST_LOGS:
                del self._kept.taken[next(iter(self._kept.taken))]
            self._save()
            return log

    def sent(self, log: str) -> int:
        """How many entries of a log were sent."""
        return self._sent.get(log, 0)

    def next_events(self, table: str, played: str | None, entries: int) -> list[Event]:
        """Return entries that are to be sent next, in their order.

        Args:
            table: the table's name.
            played: the log of the evening that is played.
            entries: how many entries it has.
        """
        events: list[Event] = []
        with self._lock:
            for log in self._kept.taken:
                room = MOST_ON_THE_WAY - len(self._on_the_way.get(log, ()))
                if room <= 0 or log in self._complete or (log == played and self._sent[log] >= entries):
                    continue
                rows = self._store.records_from(log.partition(".")[0], self._sent[log], room)
                if not rows and log != played:
                    self._complete.add(log)
                events += [_event(table, log, place, line, note) for place, line, note in rows]
        return events

    def on_the_way(self, event: Event, receipt: Receipt) -> None:
        """Note that an entry was sent."""
        with self._lock:
            self._on_the_way.setdefault(event.log, deque()).append((event.seq, receipt))
            self._sent[event.log] = event.seq

    def settle(self) -> None:
        """Note which entries have been taken."""
        with self._lock:
            for log, waiting in self._on_the_way.items():
                while waiting and waiting[0][1].taken:
                    self._kept.taken[log] = max(self._kept.taken.get(log, 0), waiting.popleft()[0])
                    self._dirty = True

    def send_again(self, log: str | None = None, seq: int = 1) -> bool:
        """Send a log from a number on, or all that was on its way; returns whether there is such a log."""
        with self._lock:
            self._complete.clear()
            if log is None:
                self._on_the_way.clear()
                self._sent = dict(self._kept.taken)
                return True
            if log not in self._kept.taken:
                return False
            self._on_the_way.pop(log, None)
            self._kept.taken[log] = self._sent[log] = min(self._kept.taken[log], seq - 1)
            self._dirty = True
            return True

    def answer(self, command: str) -> tuple[bool, str, str | None] | None:
        """What a command was answered with; None for a new one."""
        return self._kept.answers.get(command)

    def answered(self, command: str, answer: tuple[bool, str, str | None]) -> None:
        """Keep what a command was answered with."""
        with self._lock:
            self._kept.answers[command] = answer
            while len(self._kept.answers) > MOST_ANSWERS:
                del self._kept.answers[next(iter(self._kept.answers))]
            self._save()

    def raise_hand(self, hand: RaisedHand) -> None:
        """Keep a raised hand."""
        with self._lock:
            self._kept.hands = [*self._kept.hands, hand][-MOST_DISPUTES:]
            self._save()

    def lower_hands(self, decided: frozenset[str]) -> None:
        """Forget the hands that were decided about."""
        with self._lock:
            if any(hand.id in decided for hand in self._kept.hands):
                self._kept.hands = [hand for hand in self._kept.hands if hand.id not in decided]
                self._save()

    def save(self) -> None:
        """Keep how far the hall has taken each log, where that has changed."""
        with self._lock:
            if self._dirty:
                self._save()

    def _save(self) -> None:
        self._dirty = True  # where the disk refuses it, it is tried again
        self._store.remember(_KEY, asdict(self._kept))
        self._dirty = False


def _event(table: str, log: str, place: int, line: object, note: object) -> Event:
    """An entry as it lies in the database; one that is damaged goes as what it is, so that no number is missing."""
    try:
        data = json.loads(str(line))
    except ValueError:
        data = None
    noted = note if isinstance(note, dict) else {}
    whole = isinstance(data, dict) and isinstance(data.get("event"), str)
    return Event(
        table=table,
        log=log,
        seq=place + 1,
        kind=data["event"][:40] if whole else "unreadable",
        data=data if isinstance(data, dict) else {},
        at=str(noted.get("at", ""))[:40],
        by=str(noted.get("by", ""))[:300],
        reason=str(noted.get("reason", ""))[:300],
    )

"""The outbox of a table: how much of each log the hall has, raised hands, and answers to commands.

The logs themselves are the game nights in the table's own database, where entries wait until they are sent. The outbox
stores only the number of entries that the hall has acknowledged. After a crash that number may be too low; then entries
are sent twice, which the hall notices by their numbers.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.broker.broker import Receipt
from tilekeeper.companion.broker.digests import digest_after
from tilekeeper.companion.broker.messages import Event
from tilekeeper.companion.storage.store import Store

MOST_ON_THE_WAY: Final = 15
"""At most this many entries of a log are unacknowledged; brokers accept 20 messages at once."""
MOST_LOGS: Final = 200
MOST_ANSWERS: Final = 500
MOST_DISPUTES: Final = 20
_READ_AT_ONCE: Final = 200
_KEY: Final = "hall"


@dataclass(frozen=True, slots=True)
class RaisedHand:
    """A dispute as it is stored; its pictures are among those of the game night."""

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
    """Club and table that the rest is about."""
    taken: dict[str, int] = field(default_factory=dict)
    """By log: the number of entries that the hall has."""
    cut: dict[str, int] = field(default_factory=dict)
    """By game night: how often its log began anew, since the hall has entries that are lost or other ones here."""
    answers: dict[str, tuple[bool, str, str | None]] = field(default_factory=dict)
    """By command: whether it was done, the refusal, and the game night."""
    hands: list[RaisedHand] = field(default_factory=list)


_KEPT: Final = TypeAdapter(_Kept)


class Outbox:
    """The outbox, stored in the table's database; may be used by several threads."""

    def __init__(self, store: Store, hall: str) -> None:
        """Load the stored messages for a hall, `CLUB/TABLE`; start empty if they are of another one."""
        self._store = store
        self._lock = threading.Lock()
        kept = store.recall(_KEY, _KEPT)
        self._kept = kept if kept is not None and kept.hall == hall else _Kept(hall)
        self._sent = dict(self._kept.taken)
        self._on_the_way: dict[str, deque[tuple[int, Receipt]]] = {}
        self._complete: set[str] = set()
        """Logs of past game nights that are completely sent."""
        self._dirty = False
        self._digests: dict[str, list[str]] = {}
        """By game night: the digest of its log after each entry, from before the first."""

    @property
    def hands(self) -> tuple[RaisedHand, ...]:
        """The raised hands."""
        return tuple(self._kept.hands)

    def log_of(self, evening: str) -> str:
        """Return the name of a game night's log in the hall."""
        cut = self._kept.cut.get(evening, 0)
        return f"{evening}.{cut}" if cut else evening

    def watch(self, evening: str, entries: int) -> str:
        """Send the log of a game night from now on, from its first entry, and return its name.

        This is stored at once. If damage on the disk has left the game night with fewer entries than the hall has, the
        log gets a new name, so that no number stands for two entries.
        """
        with self._lock:
            log = self.log_of(evening)
            if len(self._digests.get(evening, ())) > entries + 1:
                del self._digests[evening]
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

    def sent_count(self, log: str) -> int:
        """Return the number of entries of a log that were sent."""
        return self._sent.get(log, 0)

    def next_events(self, table: str, played: str | None, entries: int) -> list[Event]:
        """Return the entries to be sent next, in order.

        Args:
            table: the table's name.
            played: the log of the game night that is played.
            entries: the number of its entries.
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
                for place, line, note in rows:
                    event = _event(table, log, place, line, note)
                    events.append(event.model_copy(update={"digest": self._digest(log, event.seq)}))
        return events

    def digest(self, log: str, entries: int) -> str:
        """Return the digest of a log after a number of entries."""
        with self._lock:
            return self._digest(log, entries)

    def _digest(self, log: str, entries: int) -> str:
        evening = log.partition(".")[0]
        digests = self._digests.setdefault(evening, [""])
        while len(digests) <= entries:
            rows = self._store.records_from(evening, len(digests) - 1, _READ_AT_ONCE)
            if not rows:
                return ""
            for place, line, note in rows:
                digests.append(digest_after(digests[-1], _event("-", log, place, line, note)))
        return digests[entries]

    def begin_new_log(self, log: str) -> None:
        """Send a game night from its first entry under a new name; nothing changes if that was done already."""
        evening = log.partition(".")[0]
        with self._lock:
            if log not in self._kept.taken or self.log_of(evening) != log:
                return
            self._kept.cut[evening] = self._kept.cut.get(evening, 0) + 1
            self._on_the_way.pop(log, None)
            self._sent.pop(log, None)
            del self._kept.taken[log]
            new = self.log_of(evening)
            self._kept.taken[new] = self._sent[new] = 0
            self._complete.discard(new)
            self._save()

    def on_the_way(self, event: Event, receipt: Receipt) -> None:
        """Remember that an entry was sent."""
        with self._lock:
            self._on_the_way.setdefault(event.log, deque()).append((event.seq, receipt))
            self._sent[event.log] = event.seq

    def settle(self) -> None:
        """Count the acknowledged entries."""
        with self._lock:
            for log, waiting in self._on_the_way.items():
                while waiting and waiting[0][1].taken:
                    self._kept.taken[log] = max(self._kept.taken.get(log, 0), waiting.popleft()[0])
                    self._dirty = True

    def send_again(self, log: str | None = None, seq: int = 1) -> bool:
        """Send a log again from a number on, or everything unacknowledged; return whether there is such a log."""
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
        """Return the answer to a command; None for a new command."""
        return self._kept.answers.get(command)

    def store_answer(self, command: str, answer: tuple[bool, str, str | None]) -> None:
        """Store the answer to a command."""
        with self._lock:
            self._kept.answers[command] = answer
            while len(self._kept.answers) > MOST_ANSWERS:
                del self._kept.answers[next(iter(self._kept.answers))]
            self._save()

    def raise_hand(self, hand: RaisedHand) -> None:
        """Store a raised hand."""
        with self._lock:
            self._kept.hands = [*self._kept.hands, hand][-MOST_DISPUTES:]
            self._save()

    def lower_hands(self, decided: frozenset[str]) -> None:
        """Remove the hands that were decided."""
        with self._lock:
            if any(hand.id in decided for hand in self._kept.hands):
                self._kept.hands = [hand for hand in self._kept.hands if hand.id not in decided]
                self._save()

    def save(self) -> None:
        """Store the numbers of acknowledged entries, if they have changed."""
        with self._lock:
            if self._dirty:
                self._save()

    def _save(self) -> None:
        self._dirty = True  # stays so if the disk refuses it, for the next try
        self._store.remember(_KEY, asdict(self._kept))
        self._dirty = False


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _event(table: str, log: str, place: int, line: object, note: object) -> Event:
    """Return the message for a stored entry; a damaged one is sent as `unreadable`, so that no number is missing."""
    try:
        data = json.loads(str(line), parse_constant=_refuse_constant)
    except ValueError:
        data = None
    note_fields = note if isinstance(note, dict) else {}
    is_readable = isinstance(data, dict) and isinstance(data.get("event"), str)
    return Event(
        table=table,
        log=log,
        seq=place + 1,
        kind=data["event"][:40] if is_readable else "unreadable",
        data=data if isinstance(data, dict) else {},
        at=str(note_fields.get("at", ""))[:40],
        by=str(note_fields.get("by", ""))[:300],
        reason=str(note_fields.get("reason", ""))[:300],
    )

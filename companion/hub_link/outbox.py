"""The persistent outbox of a table: how much of each log the hall has, raised hands, and answers to commands.

A log is a game night in the table's own database, where its entries wait until they are sent. The outbox stores only
the number of entries that the hall has acknowledged. After a crash this number may be too low. Then some entries are
sent twice, and the hall recognises them by their numbers.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.messaging.broker import Receipt
from tilekeeper.companion.messaging.digests import digest_after
from tilekeeper.companion.messaging.messages import MOST_PAST_LOGS, Event, PastLog
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.rules.violations import Violation

MOST_ON_THE_WAY: Final = 15
"""The maximum number of unacknowledged entries of a log; brokers accept 20 messages at once."""
MOST_LOGS: Final = 200
MOST_ANSWERS: Final = 500
MOST_DISPUTES: Final = 20
_READ_AT_ONCE: Final = 200
_KEY: Final = "hall"


@dataclass(frozen=True, slots=True)
class RaisedHand:
    """A stored dispute; it has only the names of its pictures, which are stored with the game night."""

    id: str
    log: str
    seq: int
    raised_by: str
    verdict: str
    reasons: tuple[str, ...]
    before: str | None
    """The name of the picture of the table at the start of the turn."""
    after: str | None
    """The name of the picture of the table when the hand was raised."""
    edition: str = ""
    """The edition in play."""
    rules: tuple[str, ...] = ()
    """The rules that the judged turn breaks, each as `field=value`."""
    faults: tuple[Violation, ...] = ()
    """The violations of the judged turn."""
    tables: tuple[str, str] = ("", "")
    """The table at the start and at the end of the judged turn, in the notation."""


@dataclass(slots=True)
class _Kept:
    hall: str = ""
    """The hall to which the other fields belong, as `CLUB/TABLE`."""
    taken: dict[str, int] = field(default_factory=dict)
    """By log: the number of entries that the hall has acknowledged."""
    cut: dict[str, int] = field(default_factory=dict)
    """By game night: how often its log got a new name, since the hall had entries that are lost or different here."""
    answers: dict[str, tuple[bool, str, str | None]] = field(default_factory=dict)
    """By command id: whether the command was carried out, the refusal, and the id of the game night."""
    hands: list[RaisedHand] = field(default_factory=list)


_KEPT: Final = TypeAdapter(_Kept)


class Outbox:
    """The outbox in a table's database; several threads may use it."""

    def __init__(self, store: Store, hall: str) -> None:
        """Load the outbox for the hall `CLUB/TABLE`; start empty if the stored one belongs to another hall."""
        self._store = store
        self._lock = threading.Lock()
        kept = store.recall(_KEY, _KEPT)
        self._kept = kept if kept is not None and kept.hall == hall else _Kept(hall)
        self._sent = dict(self._kept.taken)
        self._on_the_way: dict[str, deque[tuple[int, Receipt]]] = {}
        self._complete: set[str] = set()
        """Logs of past game nights whose entries were all sent."""
        self._dirty = False
        self._digests: dict[str, list[str]] = {}
        """By game night: the running digests of its log; item `n` is the digest after `n` entries."""

    @property
    def hands(self) -> tuple[RaisedHand, ...]:
        """All raised hands that are not known to be decided."""
        return tuple(self._kept.hands)

    def log_of(self, evening: str) -> str:
        """Return the name under which a game night's log is sent to the hall."""
        cut = self._kept.cut.get(evening, 0)
        return f"{evening}.{cut}" if cut else evening

    def watch(self, evening: str, entries: int) -> str:
        """Begin to send the log of a game night, if it is not being sent yet; return the log's name.

        The name is stored, so that sending goes on after a crash. If damage on the disk has left the game night with
        fewer entries than were sent, the log gets a new name, so that no number stands for two entries.

        Args:
            evening: the id of the game night.
            entries: the number of the game night's entries in the table's database.
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
            played: the log of the current game night; None if none is played.
            entries: the number of entries of this log.
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

    def past_logs(self, played: str | None) -> tuple[PastLog, ...]:
        """Return the latest logs that were sent completely, without `played`, the log of the current game night."""
        with self._lock:
            logs = [log for log in self._kept.taken if log in self._complete and log != played]
            return tuple(PastLog(log=log, last_seq=self._sent[log]) for log in logs[-MOST_PAST_LOGS:])

    def digest(self, log: str, entries: int) -> str:
        """Return the running digest of a log after this number of entries; empty if there are fewer."""
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
        """Send a game night again from its first entry, under a new name; do nothing if `log` is no longer its name."""
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

    def note_sent(self, event: Event, receipt: Receipt) -> None:
        """Record that an entry was sent; `settle` later looks at its receipt."""
        with self._lock:
            self._on_the_way.setdefault(event.log, deque()).append((event.seq, receipt))
            self._sent[event.log] = event.seq

    def settle(self) -> None:
        """Count the entries of each log whose receipts are acknowledged; `save` stores the numbers."""
        with self._lock:
            for log, waiting in self._on_the_way.items():
                while waiting and waiting[0][1].taken:
                    self._kept.taken[log] = max(self._kept.taken.get(log, 0), waiting.popleft()[0])
                    self._dirty = True

    def send_again(self, log: str | None = None, seq: int = 1) -> bool:
        """Send a log again from entry `seq` on; if `log` is None, send all unacknowledged entries of all logs again.

        Return False if this table does not send such a log.
        """
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
        """Return the stored answer to a command: whether done, refusal, game night; None for a new command."""
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
        """Remove the hands whose disputes were decided."""
        with self._lock:
            if any(hand.id in decided for hand in self._kept.hands):
                self._kept.hands = [hand for hand in self._kept.hands if hand.id not in decided]
                self._save()

    def save(self) -> None:
        """Store the numbers of acknowledged entries if they have changed since the last time."""
        with self._lock:
            if self._dirty:
                self._save()

    def _save(self) -> None:
        self._dirty = True  # remains True if storing fails, so that the next `save` tries again
        self._store.remember(_KEY, asdict(self._kept))
        self._dirty = False


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _event(table: str, log: str, place: int, line: object, note: object) -> Event:
    """Return the message for a stored entry. A damaged entry has the kind `unreadable`, so no number is missing."""
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

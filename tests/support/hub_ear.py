"""A minimal hub for tests of tables: it takes each entry once and in order, and asks for missing ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.messages import (
    Acknowledgement,
    Dispute,
    Event,
    Message,
    MessageRefused,
    Presence,
    Resend,
    TableStatus,
    read_message,
)
from tilekeeper.companion.messaging.topics import Branch, parse_topic, topic

T = TypeVar("T")
CLUB = "club"
HEARD = (Branch.EVENTS, Branch.STATE, Branch.PRESENCE, Branch.DISPUTES, Branch.ANSWERS)


class HubEar:
    """Receives the messages of all tables of a hall."""

    def __init__(self, at: int | HallAddress, name: str = "hub") -> None:
        """Connect to a broker, given a port of this machine or an address with credentials."""
        self.logs: dict[tuple[str, str], list[dict[str, Any]]] = {}
        """The entries in order, by table and log."""
        self.came = 0
        """The number of received events, duplicates included."""
        self.wrong: list[str] = []
        """Events with a known number but other content, which must not happen."""
        self.states: dict[str, TableStatus] = {}
        self.presence: dict[str, str] = {}
        self.past_logs: dict[str, dict[str, int]] = {}
        self.disputes: list[Dispute] = []
        self.answers: list[Acknowledgement] = []
        self.when_event: Callable[[Event], None] | None = None
        self._lock = threading.Lock()
        address = HallAddress.parse(f"mqtt://127.0.0.1:{at}/{CLUB}") if isinstance(at, int) else at
        self.broker = MqttBroker(address, name)
        self.broker.start({topic(CLUB, "+", branch): self._take for branch in HEARD})

    def send(self, message: Message, branch: Branch = Branch.COMMANDS) -> None:
        """Send a command, or another message, to its table."""
        self.broker.publish(topic(CLUB, message.table, branch), message.payload())

    def close(self) -> None:
        """Disconnect."""
        self.broker.close()

    def _take(self, messages: Sequence[tuple[str, bytes]]) -> None:
        with self._lock:
            for name, payload in messages:
                place = parse_topic(name)
                assert place is not None
                with suppress(MessageRefused):
                    self._take_one(place.branch, payload)

    def _take_one(self, branch: Branch, payload: bytes) -> None:
        match branch:
            case Branch.EVENTS:
                self._take_event(read_message(Event, payload))
            case Branch.STATE:
                state = read_message(TableStatus, payload)
                self.states[state.table] = state
                if state.log is not None:
                    known = self.logs.setdefault((state.table, state.log), [])
                    is_a_hand_missing = not set(state.disputes) <= {dispute.id for dispute in self.disputes}
                    if len(known) < state.last_seq or is_a_hand_missing:
                        self._ask(state.table, state.log, len(known) + 1)
            case Branch.PRESENCE:
                presence = read_message(Presence, payload)
                self.presence[presence.table] = presence.presence
                self.past_logs[presence.table] = {past.log: past.last_seq for past in presence.past_logs}
            case Branch.DISPUTES:
                self.disputes.append(read_message(Dispute, payload))
            case _:
                self.answers.append(read_message(Acknowledgement, payload))

    def _take_event(self, event: Event) -> None:
        self.came += 1
        known = self.logs.setdefault((event.table, event.log), [])
        if event.seq <= len(known):
            if known[event.seq - 1] != event.data:
                self.wrong.append(f"table {event.table}, entry {event.seq}: {event.data} after {known[event.seq - 1]}")
        elif event.seq == len(known) + 1:
            known.append(event.data)
            if self.when_event is not None:
                self.when_event(event)
        else:
            self._ask(event.table, event.log, len(known) + 1)

    def _ask(self, table: str, log: str, seq: int) -> None:
        self.send(Resend(table=table, log=log, seq=seq), Branch.RESEND)


def wait_for(condition: Callable[[], T], within_s: float = 20.0) -> T:
    """Wait until the condition holds, and return its value."""
    until_s = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < until_s, "the condition did not hold in time"
        time.sleep(0.01)
    return found

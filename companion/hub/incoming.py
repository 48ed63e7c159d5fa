"""Validates messages of tables before they are stored, and sorts them by kind; needs no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tilekeeper.companion.hub.log_chain import Key
from tilekeeper.companion.hub.notices import Notice, NoticeKind
from tilekeeper.companion.hub.raised_hands import LONGEST_ABOUT
from tilekeeper.companion.hub.times import seconds_ahead
from tilekeeper.companion.messaging.messages import (
    TOO_MANY,
    Acknowledgement,
    Dispute,
    Event,
    Message,
    MessageRefused,
    Presence,
    TableStatus,
    read_message,
)
from tilekeeper.companion.messaging.topics import Branch, TopicParts, parse_topic
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.engine.language import lazy_gettext

MODELS: Final[dict[Branch, type[Message]]] = {
    Branch.EVENTS: Event,
    Branch.STATE: TableStatus,
    Branch.PRESENCE: Presence,
    Branch.DISPUTES: Dispute,
    Branch.ANSWERS: Acknowledgement,
}
MOST_ENTRIES: Final = 20_000
"""The maximum number of entries that the hub stores of one table; a long game night has a thousand."""
_NUL: Final = b"\\u0000"


@dataclass(slots=True)
class Incoming:
    """Valid messages by kind; from each table only its last status and its last presence."""

    events: dict[Key, list[Event]] = field(default_factory=dict)
    states: dict[str, TableStatus] = field(default_factory=dict)
    presences: dict[str, Presence] = field(default_factory=dict)
    disputes: dict[Key, Dispute] = field(default_factory=dict)
    """By table and id, so that no table's raised hand replaces that of another."""
    answers: dict[Key, Acknowledgement] = field(default_factory=dict)
    """By table and command, so that no table's answer replaces that of another."""
    ahead_s: dict[str, float] = field(default_factory=dict)
    """By table: the seconds by which its clock is ahead of the hub's."""
    notices: Counter[Notice] = field(default_factory=Counter)
    refused: int = 0
    """The number of messages that are invalid or name another table."""


def sort_messages(club: str, messages: Iterable[tuple[str, bytes]]) -> Incoming:
    """Return the messages of a club's tables, given as topics and payloads, after validation."""
    incoming = Incoming()
    for topic, payload in messages:
        place = parse_topic(topic)
        if place is None or place.club != club or place.branch not in MODELS:
            incoming.refused += 1
            continue
        try:
            message = _read(place, payload)
        except MessageRefused as why:
            incoming.refused += 1
            incoming.notices[Notice(NoticeKind.REFUSED, place.table, to_stored(why.reason, LONGEST_ABOUT))] += 1
            continue
        if message.table != place.table:
            incoming.refused += 1
            incoming.notices[Notice(NoticeKind.OTHER_TABLE, place.table, message.table)] += 1
            continue
        incoming.ahead_s[message.table] = seconds_ahead(message.sent_at)
        _add(incoming, message)
    return incoming


def _read(place: TopicParts, payload: bytes) -> Message:
    message = read_message(MODELS[place.branch], payload)
    if isinstance(message, Event) and message.seq > MOST_ENTRIES:
        raise MessageRefused(TOO_MANY)
    if _NUL in payload:  # PostgreSQL stores no NUL in text
        raise MessageRefused(lazy_gettext("A message may not contain a zero character (NUL)."))
    return message


def _add(incoming: Incoming, message: Message) -> None:
    match message:
        case Event():
            incoming.events.setdefault((message.table, message.log), []).append(message)
        case TableStatus():
            incoming.states[message.table] = message
        case Presence():
            incoming.presences[message.table] = message
        case Dispute():
            incoming.disputes[message.table, message.id] = message
        case Acknowledgement():
            incoming.answers[message.table, message.command] = message
        case _:  # pragma: no cover - MODELS has no other
            raise AssertionError(message)

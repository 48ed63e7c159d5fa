"""The interface of a message broker, for tables and hubs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tilekeeper.companion.broker.topics import TableName

Handler: TypeAlias = Callable[[Sequence[tuple[str, bytes]]], None]
"""Takes topics and payloads of waiting messages, in order, in a thread of the broker.

They count as taken once it returns. If it raises because a disk or a database is away, it gets them again. A message
with which it fails for another reason is set aside after a few tries (`delivery`)."""
SetAside: TypeAlias = Callable[[str, bytes, Exception], None]
"""Is told of a message that was set aside: topic, payload and the handler's last error."""
MOST_AT_ONCE: Final = 500
"""A handler gets at most this many messages at once."""


def keep_in_log(topic: str, payload: bytes, error: Exception) -> None:
    """Tell nobody of a message that was set aside."""


class Receipt(Protocol):
    """The delivery state of a published message."""

    @property
    def taken(self) -> bool:
        """Whether the other end has acknowledged it."""
        ...


class Broker(Protocol):
    """Delivers messages at least once; may be used by several threads."""

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        ...

    @property
    def connections(self) -> int:
        """How many connections there have been; after a new one, unacknowledged messages are sent again."""
        ...

    @property
    def trouble(self) -> str:
        """The reason why there is no connection, in a few words; empty while connected or if the reason is unknown."""
        ...

    def start(self, handlers: Mapping[str, Handler], set_aside: SetAside = keep_in_log) -> None:
        """Connect, now or as soon as possible; messages of these topic filters go to their handlers.

        `set_aside` gets the messages that no handler can take; the log has them anyway.
        """
        ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message; without a connection it may be lost, and its receipt is never taken."""
        ...

    def close(self) -> None:
        """Send the last will and disconnect."""
        ...


@dataclass(frozen=True, slots=True)
class Link:
    """A table's link to its hall."""

    name: TableName
    broker: Broker

"""The interface of a connection to a message broker, which tables and hubs use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tilekeeper.companion.messaging.topics import TableName

Handler: TypeAlias = Callable[[Sequence[tuple[str, bytes]]], None]
"""A function that takes topics and payloads of waiting messages, in order; it runs in a thread of the connection.

The messages are acknowledged once the handler returns. If the handler raises during an outage of disk or database, it
gets the messages again. If it fails with a message for another reason, the message is set aside after a few tries
(`delivery`)."""
SetAside: TypeAlias = Callable[[str, bytes, Exception], None]
"""A function that is called with a message set aside: topic, payload, and the handler's last error."""
MOST_AT_ONCE: Final = 500
"""The maximum number of messages that a handler gets at once."""
MOST_BYTES_AT_ONCE: Final = 5_000_000
"""A handler gets no further message once those before have this size; a raised hand with pictures has up to 4 MB."""
MOST_ON_THE_WAY: Final = 2000
"""The maximum number of received messages that are not acknowledged yet."""
MOST_BYTES_ON_THE_WAY: Final = 20_000_000
"""The total size of these messages, after which the broker of a hall sends no more."""


def keep_in_log(topic: str, payload: bytes, error: Exception) -> None:
    """Do nothing with a message that was set aside; the delivery has written it into the log."""


class Receipt(Protocol):
    """The delivery state of one published message."""

    @property
    def taken(self) -> bool:
        """Whether the broker, or the hub without a broker, has acknowledged the message."""
        ...


class Broker(Protocol):
    """A connection that delivers messages at least once; several threads may use it."""

    @property
    def connected(self) -> bool:
        """Whether the connection stands now."""
        ...

    @property
    def connections(self) -> int:
        """How often the connection was made; after each time unacknowledged messages must be sent again."""
        ...

    @property
    def trouble(self) -> str:
        """Why there is no connection, in a few words; empty while connected, or if the reason is unknown."""
        ...

    def start(self, handlers: Mapping[str, Handler], set_aside: SetAside = keep_in_log) -> None:
        """Connect as soon as possible, and pass messages to the handlers of their topic filters.

        `set_aside` is called with messages with which a handler keeps failing; they are logged in any case.
        """
        ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message and return its receipt; without a connection it may be lost and is then never acknowledged."""
        ...

    def close(self) -> None:
        """Send the last will and disconnect."""
        ...


@dataclass(frozen=True, slots=True)
class Link:
    """A table's connection to its hall, and its name there."""

    name: TableName
    broker: Broker

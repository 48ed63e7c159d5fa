"""What tables and hubs ask of the way between them, whatever it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tilekeeper.companion.broker.topics import TableName

Handler: TypeAlias = Callable[[Sequence[tuple[str, bytes]]], None]
"""Gets topics and payloads of all that waits for it, in their order, in a thread of the broker's. Where it raises it
gets them again until it returns: only then they count as taken."""
MOST_AT_ONCE: Final = 500
"""A handler gets no more than that at once."""


class Receipt(Protocol):
    """Of a message on its way."""

    @property
    def taken(self) -> bool:
        """Whether the other end has it for sure."""
        ...


class Broker(Protocol):
    """Brings messages, each at least once; may be used by several threads."""

    @property
    def connected(self) -> bool:
        """Whether the other end is reached now."""
        ...

    @property
    def connections(self) -> int:
        """How often it was reached anew: what was on its way before another connection is sent again."""
        ...

    @property
    def trouble(self) -> str:
        """Why it is not reached, in a few words; empty while it is, or nothing is known."""
        ...

    def start(self, handlers: dict[str, Handler]) -> None:
        """Connect, now or as soon as it can be; messages of these topics (filters) go to their handlers."""
        ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message; while nobody is connected it may be lost, and its receipt stays untaken."""
        ...

    def close(self) -> None:
        """Say goodbye and let go."""
        ...


@dataclass(frozen=True, slots=True)
class Link:
    """A table's way to its hall."""

    name: TableName
    broker: Broker

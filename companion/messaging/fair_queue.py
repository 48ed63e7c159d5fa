"""Fair queuing: messages of several senders are taken in turn, so that a flood of one does not delay the others.

If a flood does not end, the newest messages of those who send most are shed. The receiver then asks the honest among
them for what it lacks (`client`).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")

PATIENCE: Final = 8
"""The queue is full at this many batches before the first message is shed; a backlog after an outage ends earlier."""
FLOOD_PART: Final = 1 / 4
"""A sender with more than this part of a full queue floods it; after an outage many tables have equal small parts."""


@dataclass(frozen=True, slots=True)
class Load:
    """A number of messages and their total size."""

    messages: int
    size_bytes: int


class FairQueue(Generic[T]):
    """Waiting messages with one lane for each sender; not thread-safe."""

    def __init__(self, full: Load, batch: Load) -> None:
        """Make an empty queue.

        Args:
            full: the queue counts as full with this many messages, or with this size.
            batch: the most that `take` returns.
        """
        self._full = full
        self._batch = batch
        self._lanes: OrderedDict[str, deque[tuple[T, int]]] = OrderedDict()
        """By sender: the waiting messages with their sizes, the oldest first. The first lane is served next."""
        self._messages = self._size_bytes = 0
        self._impatience = 0

    def __len__(self) -> int:
        """Return the number of waiting messages."""
        return self._messages

    @property
    def is_full(self) -> bool:
        """Whether the queue is so long that the broker, which sends all messages, should wait."""
        return self._messages >= self._full.messages or self._size_bytes >= self._full.size_bytes

    def add(self, sender: str, message: T, size_bytes: int) -> None:
        """Add a message behind the others of its sender."""
        self._lanes.setdefault(sender, deque()).append((message, size_bytes))
        self._messages += 1
        self._size_bytes += size_bytes

    def take(self) -> list[T]:
        """Remove and return the next batch: one message of each sender in turn. It has at least one message, if any."""
        if self.is_full:
            self._impatience = min(self._impatience + 1, PATIENCE)
        taken: list[T] = []
        taken_bytes = 0
        while self._lanes and len(taken) < self._batch.messages and taken_bytes < self._batch.size_bytes:
            sender, lane = next(iter(self._lanes.items()))
            message, size_bytes = lane.popleft()
            self._lanes.move_to_end(sender)
            if not lane:
                del self._lanes[sender]
            taken.append(message)
            taken_bytes += size_bytes
        self._messages -= len(taken)
        self._size_bytes -= taken_bytes
        if not self._messages:
            self._impatience = max(self._impatience - 1, 0)
        return taken

    def shed(self) -> list[tuple[str, list[T]]]:
        """Remove and return what each flooding sender has beyond its share of the next batch, the newest messages.

        Nothing is removed unless the queue is full, and was so at `PATIENCE` batches more than left it empty.
        """
        if not self.is_full or self._impatience < PATIENCE:
            return []
        share = Load(self._batch.messages // len(self._lanes), self._batch.size_bytes // len(self._lanes))
        floods = [(sender, lane) for sender, lane in self._lanes.items() if self._is_flood(lane)]
        return [(sender, messages) for sender, lane in floods if (messages := self._cut(lane, share))]

    def _is_flood(self, lane: deque[tuple[T, int]]) -> bool:
        lane_bytes = sum(size_bytes for _, size_bytes in lane)
        return len(lane) > FLOOD_PART * self._full.messages or lane_bytes > FLOOD_PART * self._full.size_bytes

    def _cut(self, lane: deque[tuple[T, int]], share: Load) -> list[T]:
        """Remove and return the newest messages of a lane beyond the share; its oldest message stays."""
        removed: deque[T] = deque()
        lane_bytes = sum(size_bytes for _, size_bytes in lane)
        while len(lane) > 1 and (len(lane) > share.messages or lane_bytes > share.size_bytes):
            message, size_bytes = lane.pop()
            removed.appendleft(message)
            lane_bytes -= size_bytes
            self._size_bytes -= size_bytes
        self._messages -= len(removed)
        return list(removed)

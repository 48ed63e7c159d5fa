"""Fair queuing: messages of several senders are taken in turn, and a flood that does not end is shed."""

import pytest

from tilekeeper.companion.messaging.fair_queue import PATIENCE, FairQueue, Load

FULL, BATCH = Load(20, 2000), Load(6, 1000)


def filled(**counts: int) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue(FULL, BATCH)
    for sender, count in counts.items():
        for number in range(count):
            queue.add(sender, f"{sender}{number}", 1)
    return queue


def test_senders_take_turns_and_keep_their_order() -> None:
    queue = filled(a=9, b=1, c=2)
    assert queue.take() == ["a0", "b0", "c0", "a1", "c1", "a2"]
    queue.add("b", "b1", 1)
    assert queue.take() == ["a3", "b1", "a4", "a5", "a6", "a7"]
    assert (queue.take(), queue.take(), len(queue)) == (["a8"], [], 0)


def test_batch_ends_at_its_size_but_has_at_least_one_message() -> None:
    queue: FairQueue[str] = FairQueue(FULL, BATCH)
    for number, size_bytes in enumerate((5000, 600, 600, 600)):
        queue.add("a", f"a{number}", size_bytes)
    assert [queue.take() for _ in range(3)] == [["a0"], ["a1", "a2"], ["a3"]]


@pytest.mark.parametrize(
    ("counts", "dropped"),
    [
        pytest.param({"a": 18, "b": 1, "c": 1}, 16, id="flood"),
        pytest.param({"a": 5, "b": 5, "c": 5, "d": 5}, 0, id="equal parts"),
        pytest.param({"a": 8, "b": 8, "c": 8, "d": 8}, 0, id="equal parts of more than a full queue"),
        pytest.param({"a": 17, "b": 2}, 0, id="not full"),
    ],
)
def test_only_a_flood_that_does_not_end_is_shed(counts: dict[str, int], dropped: int) -> None:
    """Its oldest messages stay, as many as its share of a batch. Others, and many equal parts, lose nothing."""
    queue = filled(**counts)
    shed: list[tuple[str, list[str]]] = []
    for batch in range(PATIENCE):
        assert shed == [], f"shed after {batch} batches"
        for message in queue.take():  # as many come as are taken
            queue.add(message[0], message, 1)
        shed = queue.shed()
    assert [(sender, len(messages)) for sender, messages in shed] == ([("a", dropped)] if dropped else [])
    assert len(queue) == sum(counts.values()) - dropped
    assert queue.shed() == []


def test_patience_grows_again_while_the_queue_becomes_empty() -> None:
    """The messages that fill the queue a little later are no flood; a flood that goes on after a pause is one."""
    queue = filled(a=20)
    for pauses in (PATIENCE, 1):
        for _ in range(PATIENCE):
            for message in queue.take():
                queue.add("a", message, 1)
        while len(queue):
            queue.take()
        for _ in range(pauses - 1):
            assert queue.take() == []
        for number in range(26):
            queue.add("a", f"a{number}", 1)
        queue.take()
        assert bool(queue.shed()) == (pauses == 1)


def test_large_messages_are_shed_by_size_and_the_oldest_stays() -> None:
    queue: FairQueue[int] = FairQueue(FULL, BATCH)
    for number in range(3):
        queue.add("a", number, 1500)
    for number in range(3, 3 + PATIENCE):
        (message,) = queue.take()
        queue.add("a", number, 1500)
        assert message == number - 3
    ((_, dropped),) = queue.shed()
    assert (dropped, queue.take()) == ([PATIENCE + 1, PATIENCE + 2], [PATIENCE])

"""Poison messages are set aside after a few tries; an outage is waited for."""

import threading
from collections.abc import Sequence

import pytest
from sqlalchemy.exc import DataError, OperationalError

from tilekeeper.companion.messaging import delivery
from tilekeeper.companion.messaging.delivery import MOST_FAULTS, deliver, is_outage

Messages = Sequence[tuple[str, bytes]]


class Ear:
    """A handler that fails with poison, and during an outage."""

    def __init__(self, outage: int = 0) -> None:
        self.taken: list[bytes] = []
        self.aside: list[bytes] = []
        self.tries = 0
        self.outage = outage

    def take(self, messages: Messages) -> None:
        self.tries += 1
        if self.outage:
            self.outage -= 1
            raise OSError("the disk is full")
        payloads = [payload for _, payload in messages]
        if b"poison" in payloads:
            raise ValueError("no handler can take this")
        self.taken += payloads

    def put_aside(self, topic: str, payload: bytes, error: Exception) -> None:
        assert (topic, str(error)) == ("t", "no handler can take this")
        self.aside.append(payload)
        raise OSError("nobody can be told")


@pytest.fixture(autouse=True)
def _without_delay(monkeypatch):
    monkeypatch.setattr(delivery, "_RETRY_AFTER_S", (0.0,))


@pytest.mark.parametrize("count", [1, 2, 50])
def test_poison_is_set_aside_after_a_few_tries_and_the_others_are_taken_in_order(count):
    ear = Ear()
    payloads = [b"%d" % number for number in range(count)]
    payloads[count // 2] = b"poison"
    assert deliver(ear.take, [("t", payload) for payload in payloads], threading.Event(), ear.put_aside)
    assert ear.aside == [b"poison"]
    assert ear.taken == [payload for payload in payloads if payload != b"poison"]
    assert ear.tries == MOST_FAULTS + (count if count > 1 else 0)


def test_outage_of_any_length_sets_nothing_aside_and_is_one_line_of_the_log_for_each_try(caplog):
    ear = Ear(outage=100)
    assert deliver(ear.take, [("t", b"one")], threading.Event(), ear.put_aside)
    assert (ear.taken, ear.aside, ear.tries) == ([b"one"], [], 101)
    assert caplog.text.count("\n") == 100
    assert "could not be processed yet: the disk is full" in caplog.text


def test_message_stays_unacknowledged_if_the_app_closes_during_an_outage():
    closed, ear = threading.Event(), Ear(outage=10**9)
    thread = threading.Timer(0.05, closed.set)
    thread.start()
    assert not deliver(ear.take, [("t", b"one")], closed, ear.put_aside)
    thread.join()
    assert (ear.taken, ear.aside) == ([], [])


class _LimitError(Exception):
    sqlstate = "54000"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(), True),
        (ConnectionError(), True),
        (OperationalError("", {}, Exception()), True),
        (OperationalError("", {}, _LimitError()), False),
        (DataError("", {}, Exception()), False),
        (DataError("", {}, Exception(), connection_invalidated=True), True),
        (ValueError(), False),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, ""), False),
    ],
)
def test_only_errors_of_disk_and_database_count_as_an_outage(error, expected):
    assert is_outage(error) is expected

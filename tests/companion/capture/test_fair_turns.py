"""Turns are shared fairly: whoever has used most waits longest, however often they ask."""

import threading

import pytest

from tilekeeper.companion.capture.fair_turns import FairTurns
from tilekeeper.companion.refusal import Refused

WORDS = ("One at a time.", "Others first.")


class Clock:
    """A clock that the test moves."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def waiting(turns: FairTurns, sender: str, order: list[str]) -> threading.Thread:
    """Start a thread that waits for a turn, and return it once it waits."""

    def work() -> None:
        with turns.turn(sender):
            order.append(sender)

    before = len(turns._waiting)
    thread = threading.Thread(target=work)
    thread.start()
    while len(turns._waiting) == before:
        pass
    return thread


def test_sender_that_has_used_most_comes_last() -> None:
    clock, order = Clock(), []
    turns = FairTurns(20.0, *WORDS, now=clock)
    with turns.turn("greedy"):
        clock.now_s += 8
    with turns.turn("host"):
        threads = [waiting(turns, sender, order) for sender in ("greedy", "ada", "bo")]
    for thread in threads:
        thread.join()
    assert order == ["ada", "bo", "greedy"]


def test_sender_with_a_waiting_picture_is_refused_another() -> None:
    turns, order = FairTurns(20.0, *WORDS), []
    with turns.turn("ada"):
        thread = waiting(turns, "ada", order)
        with pytest.raises(Refused, match="One at a time"), turns.turn("ada"):
            pass
    thread.join()
    assert order == ["ada"]


def test_turn_that_does_not_come_in_time_is_refused_and_the_next_one_comes() -> None:
    turns = FairTurns(0.05, *WORDS)
    with turns.turn("ada"), pytest.raises(Refused, match="Others first"), turns.turn("bo"):
        pass
    with turns.turn("bo"):
        pass

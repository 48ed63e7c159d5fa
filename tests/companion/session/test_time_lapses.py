"""Films are made in the background, one at a time, and cancelled when nobody waits for them."""

import sys
import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.watched_game_night import Clock
from tilekeeper.companion.capture.time_lapse import Film
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.time_lapses import WAITS_S, TimeLapses

NOTHING = Film(("",), (), ("",))
QUICK = (
    *(sys.executable, "-c"),
    "import os, sys; sys.stdin.read(); os.environ['OPENCV_IO_MAX_IMAGE_PIXELS']; print('film', end='')",
)
"""Foreign pictures are decoded only under the limit for their pixels."""
FAILING = (sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(1)")
ENDLESS = (sys.executable, "-c", "import time; time.sleep(600)")
LONGEST_S = 20.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def made(clock) -> Iterator[Callable[..., TimeLapses]]:
    all_made: list[TimeLapses] = []

    def make(command: tuple[str, ...]) -> TimeLapses:
        all_made.append(TimeLapses(clock, command))
        return all_made[-1]

    yield make
    for one in all_made:
        one.close()


def until(condition: Callable[[], object]) -> object:
    end_s = time.monotonic() + LONGEST_S
    while time.monotonic() < end_s:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come")


def test_film_is_returned_once_it_is_made_and_kept(made):
    films = made(QUICK)
    calls: list[str] = []

    def describe() -> Film:
        calls.append("described")
        return NOTHING

    assert films.film("a", describe) is None
    assert until(lambda: films.film("a", describe)) == b"film"
    assert films.film("a", describe) == b"film"
    assert calls == ["described"]


def test_second_film_waits_until_the_first_is_fetched(made):
    films = made(QUICK)
    assert films.film("a", lambda: NOTHING) is None
    assert films.film("b", lambda: pytest.fail("not yet")) is None
    until(lambda: films.film("a", lambda: NOTHING))
    assert films.film("b", lambda: NOTHING) is None
    assert until(lambda: films.film("b", lambda: NOTHING)) == b"film"


def test_film_that_nobody_waits_for_is_cancelled(made, clock):
    films = made(ENDLESS)
    assert films.film("a", lambda: NOTHING) is None
    process = films._making.process
    clock.now_s += WAITS_S + 1
    until(lambda: process.poll() is not None)
    until(lambda: films._making is None)
    assert films.film("b", lambda: NOTHING) is None, "the next film is started"


def test_film_that_fails_is_refused_and_can_be_requested_again(made):
    films = made(FAILING)

    def refused() -> bool:
        try:
            films.film("a", lambda: NOTHING)
        except Refused:
            return True
        return False

    assert films.film("a", lambda: NOTHING) is None
    until(refused)
    assert films.film("a", lambda: NOTHING) is None


def test_closing_cancels_the_film_being_made(made):
    films = made(ENDLESS)
    films.film("a", lambda: NOTHING)
    process = films._making.process
    films.close()
    assert until(lambda: process.poll() is not None)

"""Reviews are made in the background, one at a time."""

import threading

from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.review import Review
from tilekeeper.companion.session.reviews import Reviews
from tilekeeper.engine.rules.editions import rule_set

RECORDED = evening(3, rounds=1)


class Maker:
    """Makes a review once the test lets it."""

    def __init__(self) -> None:
        self.made = 0
        self.may_end = threading.Event()

    def __call__(self, recorded) -> Review:
        assert self.may_end.wait(10)
        self.made += 1
        return Review(rule_set("large-numbers"), (), ())


def wait_for(reviews: Reviews, key: str) -> Review:
    while (made := reviews.review(key, lambda: RECORDED)) is None:
        threading.Event().wait(0.005)
    return made


def test_review_is_made_once_and_no_request_waits_for_it():
    make = Maker()
    reviews = Reviews(make)
    assert reviews.review("one", lambda: RECORDED) is None
    assert reviews.review("one", lambda: RECORDED) is None
    assert reviews.review("another", lambda: RECORDED) is None
    make.may_end.set()
    assert wait_for(reviews, "one") is wait_for(reviews, "one")
    assert make.made == 1
    assert wait_for(reviews, "another") is not None
    assert make.made == 2


def test_review_that_fails_is_empty(caplog):
    def fail(recorded) -> Review:
        raise RuntimeError("as the test wants")

    made = wait_for(Reviews(fail), "one")
    assert (made.missed, made.puzzles) == ((), ())
    assert "could not be made" in caplog.text

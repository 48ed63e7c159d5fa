"""Reviews are made in the background, one at a time, and each turn is searched once."""

import threading

from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.review import Review, TurnPlays, find_plays, known_turns
from tilekeeper.companion.session.reviews import Reviews, find_in_process

RECORDED, LONGER = evening(3, rounds=1), evening(3, rounds=2)


class Finder:
    """Finds nothing, once the test lets it."""

    def __init__(self) -> None:
        self.searched: list[int] = []
        self.may_end = threading.Event()

    def __call__(self, turns) -> tuple[TurnPlays, ...]:
        assert self.may_end.wait(10)
        self.searched.append(len(turns))
        return tuple(TurnPlays(None, None) for _ in turns)


def wait_for(reviews: Reviews, key: str, recorded=RECORDED) -> Review:
    while (made := reviews.review(key, lambda: recorded)) is None:
        threading.Event().wait(0.005)
    return made


def test_review_is_made_once_and_no_request_waits_for_it():
    find = Finder()
    reviews = Reviews(find)
    assert reviews.review("one", lambda: RECORDED) is None
    assert reviews.review("one", lambda: RECORDED) is None
    assert reviews.review("another", lambda: LONGER) is None
    find.may_end.set()
    assert wait_for(reviews, "one") is wait_for(reviews, "one")
    first, both = (len(list(known_turns(recorded))) for recorded in (RECORDED, LONGER))
    assert find.searched == [first]
    # After the next round only its turns are searched.
    wait_for(reviews, "another", LONGER)
    assert find.searched == [first, both - first]
    # A page that shows the other review does not replace it.
    assert reviews.review("one", lambda: RECORDED) is not None


def test_review_that_fails_is_empty(caplog):
    def fail(turns) -> tuple[TurnPlays, ...]:
        raise EOFError("as the test wants")

    made = wait_for(Reviews(fail), "one")
    assert (made.missed, made.puzzles) == ((), ())
    assert "could not be made" in caplog.text


def test_another_process_finds_the_same():
    turns = tuple(known_turns(RECORDED))[:1]
    assert find_in_process(turns) == find_plays(turns)
